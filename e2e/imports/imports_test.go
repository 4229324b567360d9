// Package imports takes servers of other panels over with the real executables: what their clients have had before goes
// on working.
package imports

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ecdh"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/platform/agentapi"
)

const (
	host   = "127.0.0.1"
	flows  = "/api/v1/connection-units/"
	inWait = 60 * time.Second
)

// takeover is a server that another panel has served until now.
type takeover struct {
	*testing.T
	stand *rig.Stand
	agent *rig.Agent
	site  *rig.Site
}

func begin(t *testing.T) *takeover {
	t.Helper()
	w := &takeover{T: t}
	var err error
	w.site, err = rig.OpenSite(host)
	require.NoError(t, err)
	t.Cleanup(w.site.Close)
	w.stand = rigtest.Install(t, rig.PanelSettings{})
	w.agent, err = w.stand.Enroll(t.Context(), "taken-over")
	require.NoError(t, err)
	rigtest.Run(t, w.stand, w.agent)
	return w
}

// freePort is one that three bytes are needed for, as for those in the database.
func (w *takeover) freePort() int {
	w.Helper()
	for range 100 {
		port := 61_000 + rand.IntN(3_900)
		address := net.JoinHostPort(host, strconv.Itoa(port))
		tcp, err := net.Listen("tcp", address)
		if err != nil {
			continue
		}
		udp, err := net.ListenPacket("udp", address)
		_ = tcp.Close()
		if err != nil {
			continue
		}
		_ = udp.Close()
		return port
	}
	w.Fatal("no port is free")
	return 0
}

// read is what an import shows.
type read struct {
	ID      string `json:"id"`
	Format  string `json:"format"`
	Entries []struct {
		Key, Name string
		Problems  []any
	} `json:"entries"`
	Findings []struct{ Path, Code, Reason string } `json:"findings"`
	Flows    []struct {
		Key, ID string
		Clients int
	} `json:"flows"`
}

// upload sends a file, as the page does.
func (w *takeover) upload(file []byte) (out read) {
	w.Helper()
	request, err := http.NewRequestWithContext(w.Context(), http.MethodPost, w.stand.API.Base+"/api/v1/flow-imports",
		bytes.NewReader(file))
	require.NoError(w, err)
	request.Header.Set("Content-Type", "application/octet-stream")
	request.Header.Set("Authorization", "Bearer "+w.stand.API.Token)
	response, err := http.DefaultClient.Do(request)
	require.NoError(w, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(w, err)
	require.Equal(w, http.StatusCreated, response.StatusCode, "%s", text)
	require.NoError(w, json.Unmarshal(text, &out))
	return out
}

// take makes drafts of some entries, lets them reach the page of the test, which is on this machine, and applies them.
func (w *takeover) take(from read, keys ...string) {
	w.Helper()
	chosen := []map[string]string{}
	for _, e := range from.Entries {
		for _, key := range keys {
			if e.Key == key {
				require.Empty(w, e.Problems, e.Key)
				chosen = append(chosen, map[string]string{"key": e.Key, "name": e.Name})
			}
		}
	}
	require.Len(w, chosen, len(keys))
	var taken read
	require.NoError(w, w.stand.API.Post(w.Context(), "/api/v1/flow-imports/"+from.ID+"/flows",
		map[string]any{"node_id": w.agent.NodeID, "entries": chosen}, &taken))
	for _, made := range taken.Flows {
		w.open(made.ID)
		plan, err := w.stand.API.Compile(w.Context(), made.ID)
		require.NoError(w, err)
		_, err = w.stand.API.Apply(w.Context(), made.ID, plan)
		require.NoError(w, err)
		require.NoError(w, w.stand.API.InSync(w.Context(), made.ID))
	}
}

// open lets clients of a draft reach private addresses of the node.
func (w *takeover) open(flow string) {
	w.Helper()
	var draft struct {
		Revision int
		Graph    map[string]any
	}
	require.NoError(w, w.stand.API.Get(w.Context(), flows+flow+"/draft", &draft))
	for _, node := range draft.Graph["nodes"].([]any) {
		if block := node.(map[string]any); block["kind"] == "direct" {
			block["params"] = map[string]any{"private": "allow"}
		}
	}
	require.NoError(w, w.stand.API.Put(w.Context(), flows+flow+"/draft",
		map[string]any{"revision": draft.Revision, "graph": draft.Graph}, nil))
}

// works fetches the page through a link that a client has had before.
func (w *takeover) works(link string) {
	w.Helper()
	require.NoError(w, rig.Eventually(w.Context(), inWait, func(ctx context.Context) error {
		_, err := rig.Fetch(ctx, agentapi.ThroughProbe{
			Link: link, URL: w.site.Page + "/", Expect: `"page":"ok"`, Timeout: 10,
		})
		return err
	}))
}

func (w *takeover) fails(link string) {
	w.Helper()
	_, err := rig.Fetch(w.Context(), agentapi.ThroughProbe{
		Link: link, URL: w.site.Page + "/", Expect: `"page":"ok"`, Timeout: 5,
	})
	require.Error(w, err)
}

// found gives the groups of a pattern in a text.
func (w *takeover) found(pattern string, in []byte) []string {
	w.Helper()
	match := regexp.MustCompile(pattern).FindSubmatch(in)
	require.NotNil(w, match, pattern)
	out := make([]string, len(match)-1)
	for i := range out {
		out[i] = string(match[i+1])
	}
	return out
}

// vlessLink is the link that a panel has given for a listener with REALITY.
func (w *takeover) vlessLink(id, private, shortID string, port int) string {
	w.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(private)
	require.NoError(w, err)
	key, err := ecdh.X25519().NewPrivateKey(raw)
	require.NoError(w, err)
	query := url.Values{
		"type": {"tcp"}, "encryption": {"none"}, "security": {"reality"}, "fp": {"chrome"}, "sni": {rig.SiteName},
		"pbk": {base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes())}, "sid": {shortID},
		"flow": {"xtls-rprx-vision"}, "spx": {"/"},
	}
	return fmt.Sprintf("vless://%s@%s:%d?%s#old", id, host, port, query.Encode())
}

// database is one of 3x-ui that was made for the tests of its reader, with ports and a target of this test.
func (w *takeover) database(vless, shadow int) []byte {
	w.Helper()
	root, err := rig.Root()
	require.NoError(w, err)
	file, err := os.Open(filepath.Join(root, "modules/imports/internal/xui/testdata/x-ui.db.gz"))
	require.NoError(w, err)
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	require.NoError(w, err)
	raw, err := io.ReadAll(unpacked)
	require.NoError(w, err)
	number := func(port int) []byte { return []byte{0, byte(port >> 8), byte(port)} }
	for before, after := range map[string][]byte{
		string(number(64999)): number(vless), string(number(64998)): number(shadow),
		"127.0.0.1:38443": []byte(w.site.Target), "www.example.com": []byte(rig.SiteName),
	} {
		require.Len(w, after, len(before), "a row keeps its length")
		raw = bytes.ReplaceAll(raw, []byte(before), after)
	}
	return raw
}

// subscribed gives the links that a program gets at the subscription URL that it has had before.
func (w *takeover) subscribed(id string) []string {
	w.Helper()
	request, err := http.NewRequestWithContext(w.Context(), http.MethodGet, w.stand.API.Base+"/sub/"+id, http.NoBody)
	require.NoError(w, err)
	request.Header.Set("User-Agent", "v2rayNG/1.9")
	response, err := http.DefaultClient.Do(request)
	require.NoError(w, err)
	defer response.Body.Close()
	require.Equal(w, http.StatusOK, response.StatusCode)
	text, err := io.ReadAll(base64.NewDecoder(base64.StdEncoding, response.Body))
	require.NoError(w, err)
	return strings.Fields(string(text))
}

// The clients of a 3x-ui server go on with the links and the subscription that they have: the identifiers, the keys of
// REALITY and of Shadowsocks and the ports are those of before.
func TestClientsOf3XUIKeepTheirLinks(t *testing.T) {
	t.Parallel()
	w := begin(t)
	vless, shadow := w.freePort(), w.freePort()
	raw := w.database(vless, shadow)
	id := w.found(`"id": "([0-9a-f-]{36})",\s+"security": "",\s+"flow": "xtls-rprx-vision",\s+"email": "anna"`, raw)[0]
	off := w.found(`"id": "([0-9a-f-]{36})",\s+"security": "",\s+"flow": "xtls-rprx-vision",\s+"email": "boris"`, raw)[0]
	private := w.found(`(?s)"email": "anna".*?"privateKey": "([\w-]{43})"`, raw)[0]
	subscription := w.found(`(?s)"email": "anna",[^}]*"totalGB": 107374182400,[^}]*"subId": "([^"]+)"`, raw)[0]
	keys := w.found(`(?s)"method": "2022-blake3-aes-128-gcm",\s+"password": "([^"]+)".*?"password": "([^"]+)",`, raw)

	from := w.upload(raw)
	require.Equal(t, "3x-ui", from.Format)
	require.NotEmpty(t, from.Findings)
	w.take(from, "in-64999-tcp", "in-64998-tcp")
	w.works(w.vlessLink(id, private, "0123456789abcdef", vless))
	w.works(w.vlessLink(id, private, "a1", vless))
	w.works(fmt.Sprintf("ss://2022-blake3-aes-128-gcm:%s@%s:%d#old", url.QueryEscape(strings.Join(keys, ":")), host,
		shadow))
	w.fails(w.vlessLink(off, private, "a1", vless))
	links := w.subscribed(subscription)
	require.Len(w, links, 1)
	require.True(w, strings.HasPrefix(links[0], "vless://"+id+"@"), links[0])
	w.works(links[0])
}

// A profile of Remnawave comes with its users: each goes on with the link that the subscription gave.
func TestUsersOfRemnawaveKeepTheirLinks(t *testing.T) {
	t.Parallel()
	w := begin(t)
	const (
		id, other = "3f0c1c9a-8a0e-4a52-9b0b-6a5d1c9a8a0e", "4a1d2dab-9b1f-4b63-8c1c-7b6e2dab9b1f"
		private   = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY"
	)
	port := w.freePort()
	user := func(name, id, squad string) map[string]any {
		return map[string]any{
			"id": 1, "username": name, "status": "ACTIVE", "trafficLimitBytes": 0, "trafficLimitStrategy": "NO_RESET",
			"expireAt": "2099-01-01T00:00:00.000Z", "vlessUuid": id, "trojanPassword": "t", "ssPassword": "s",
			"activeInternalSquads": []any{map[string]any{"uuid": squad, "name": squad}},
		}
	}
	config := map[string]any{
		"log":       map[string]any{"loglevel": "info"},
		"outbounds": []any{map[string]any{"tag": "DIRECT", "protocol": "freedom"}},
		"inbounds": []any{map[string]any{
			"tag": "VLESS_REALITY", "port": port, "protocol": "vless", "listen": "0.0.0.0",
			"settings": map[string]any{"clients": []any{}, "decryption": "none"},
			"streamSettings": map[string]any{
				"network": "raw", "security": "reality", "realitySettings": map[string]any{
					"target": w.site.Target, "serverNames": []string{rig.SiteName}, "privateKey": private,
					"shortIds": []string{"0123abcd"}, "show": false,
				},
			},
		}},
	}
	file, err := json.Marshal(map[string]any{
		"profile": map[string]any{"response": map[string]any{"uuid": "p", "name": "Main", "config": config}},
		"users": map[string]any{"response": map[string]any{
			"users": []any{user("anna", id, "all"), user("boris", other, "none")}, "total": 2,
		}},
		"squads": map[string]any{"response": map[string]any{"internalSquads": []any{map[string]any{
			"uuid": "all", "inbounds": []any{map[string]any{"tag": "VLESS_REALITY"}},
		}}}},
	})
	require.NoError(t, err)
	from := w.upload(file)
	require.Equal(t, "remnawave", from.Format)
	w.take(from, "VLESS_REALITY")
	w.works(w.vlessLink(id, private, "0123abcd", port))
	w.fails(w.vlessLink(other, private, "0123abcd", port))
}

// many is a configuration with so many clients.
func (w *takeover) many(count int) []byte {
	w.Helper()
	clients := make([]any, count)
	for i := range clients {
		id := fmt.Sprintf("0d1f5a52-6c0e-4b33-8a06-%012d", i)
		clients[i] = map[string]any{"id": id, "email": fmt.Sprint("client ", i)}
	}
	file, err := json.Marshal(map[string]any{
		"outbounds": []any{map[string]any{"tag": "direct", "protocol": "freedom"}},
		"inbounds": []any{map[string]any{
			"tag": "many", "port": w.freePort(), "protocol": "vmess", "settings": map[string]any{"clients": clients},
			"streamSettings": map[string]any{"network": "ws"},
		}},
	})
	require.NoError(w, err)
	return file
}

// there is how many flows and clients the panel has.
func (w *takeover) there() (flows, clients int) {
	w.Helper()
	var list struct{ Total int }
	require.NoError(w, w.stand.API.Get(w.Context(), "/api/v1/connection-units?limit=1", &list))
	flows = list.Total
	require.NoError(w, w.stand.API.Get(w.Context(), "/api/v1/clients?limit=1", &list))
	return flows, list.Total
}

// Whenever the panel is killed while an import of 10,000 clients is taken, there is one truth afterwards: nothing of
// it, or all of it; and the same choice made again ends with all of it, once.
func TestAKillInTheMiddleOfAnImportLeavesOneTruth(t *testing.T) {
	t.Parallel()
	const count = 10_000
	w := &takeover{T: t, stand: rigtest.Install(t, rig.PanelSettings{})}
	from := w.upload(w.many(count))
	choice := map[string]any{"entries": []map[string]string{{"key": "many", "name": "Many"}}}
	path := "/api/v1/flow-imports/" + from.ID + "/flows"
	nothing := 0
	for _, after := range []int{5, 50, 200, 500, 900, 1500} {
		ended := make(chan error, 1)
		go func() { ended <- w.stand.API.Post(context.WithoutCancel(t.Context()), path, choice, nil) }()
		<-time.After(time.Duration(after) * time.Millisecond) // the moment of the kill
		w.stand.Panel.Kill()
		answered := <-ended == nil
		require.NoError(t, w.stand.Panel.Up(t.Context()))
		flows, clients := w.there()
		if flows == 0 {
			require.Zero(t, clients)
			require.False(t, answered, "what was answered is there")
			nothing++
			continue
		}
		require.Equal(t, []int{1, count}, []int{flows, clients})
	}
	require.NotZero(t, nothing, "some kill came before the end")
	var first, second read
	require.NoError(t, w.stand.API.Post(t.Context(), path, choice, &first))
	require.NoError(t, w.stand.API.Post(t.Context(), path, choice, &second))
	require.Equal(t, count, first.Flows[0].Clients)
	require.Equal(t, first.Flows, second.Flows)
	flows, clients := w.there()
	require.Equal(t, []int{1, count}, []int{flows, clients})
}

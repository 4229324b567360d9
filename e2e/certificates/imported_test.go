package certificates

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/testneed/freeport"
)

// imported takes a server of Xray over whose clients speak Trojan and Hysteria 2: they go on with the links that they
// have, as soon as the host name of those is bound to the node.
func (w *world) imported(t *testing.T) {
	const trojan, masked, plain = "c0rrect horse/battery+staple=ü", "hy-s3cret/1", "hy-s3cret/2"
	bound := w.bind("old")
	tcp, first, second := freeport.For(t), freeport.For(t), freeport.For(t)
	tls := map[string]any{"serverName": "old." + zone, "certificates": []any{map[string]any{"certificateFile": "/etc/a.pem"}}}
	hysteria := func(tag, auth string, port int, stream map[string]any) map[string]any {
		stream["network"], stream["security"], stream["tlsSettings"] = "hysteria", "tls", tls
		return map[string]any{
			"tag": tag, "listen": "127.0.0.1", "port": port, "protocol": "hysteria", "streamSettings": stream,
			"settings": map[string]any{"version": 2, "clients": []any{map[string]any{"auth": auth, "email": "anna"}}},
		}
	}
	mask := map[string]any{"udp": []any{map[string]any{
		"type": "salamander", "settings": map[string]any{"password": "obfuscat3d"},
	}}}
	file, err := json.Marshal(map[string]any{
		"outbounds": []any{map[string]any{"tag": "direct", "protocol": "freedom"}},
		"inbounds": []any{
			map[string]any{
				"tag": "trojan", "listen": "127.0.0.1", "port": tcp, "protocol": "trojan",
				"settings":       map[string]any{"clients": []any{map[string]any{"password": trojan, "email": "anna"}}},
				"streamSettings": map[string]any{"network": "tcp", "security": "tls", "tlsSettings": tls},
			},
			hysteria("masked", masked, first, map[string]any{"finalmask": mask}),
			hysteria("plain", plain, second, map[string]any{}),
		},
	})
	require.NoError(t, err)
	w.takeOver(t, file, bound)

	sni := "sni=old." + zone
	for port, link := range map[int]string{
		tcp:    fmt.Sprintf("trojan://%s@old.%s:%d?security=tls&type=tcp&%s#old", url.PathEscape(trojan), zone, tcp, sni),
		second: fmt.Sprintf("hysteria2://%s@old.%s:%d/?%s#old", url.PathEscape(plain), zone, second, sni),
		first: fmt.Sprintf("hysteria2://%s@old.%s:%d/?obfs=salamander&obfs-password=obfuscat3d&%s#old",
			url.PathEscape(masked), zone, first, sni),
	} {
		w.reaches(t, door{name: link, link: link, port: port}, "by a link of before")
	}
	wrong := fmt.Sprintf("trojan://%s@old.%s:%d?security=tls&type=tcp&%s#old", "another", zone, tcp, sni)
	require.Error(t, w.fetch(door{link: wrong, port: tcp}, "/", "ok"), "nobody else comes in")
}

// takeOver makes flows of a configuration, chooses the certificate of their host name and applies them.
func (w *world) takeOver(t *testing.T, file []byte, bound string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.stand.API.Base+"/api/v1/flow-imports",
		bytes.NewReader(file))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/octet-stream")
	request.Header.Set("Authorization", "Bearer "+w.stand.API.Token)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, response.StatusCode, "%s", text)
	var read struct {
		ID      string
		Entries []struct{ Key, Name string }
	}
	require.NoError(t, json.Unmarshal(text, &read))
	chosen := make([]map[string]string, len(read.Entries))
	for i, e := range read.Entries {
		chosen[i] = map[string]string{"key": e.Key, "name": e.Name}
	}
	require.Len(t, chosen, 3)
	var taken struct{ Flows []struct{ ID string } }
	require.NoError(t, w.stand.API.Post(t.Context(), "/api/v1/flow-imports/"+read.ID+"/flows",
		map[string]any{"node_id": w.agent.NodeID, "entries": chosen}, &taken))
	for _, made := range taken.Flows {
		w.chooses(t, made.ID, bound)
		plan, err := w.stand.API.Compile(t.Context(), made.ID)
		require.NoError(t, err)
		_, err = w.stand.API.Apply(t.Context(), made.ID, plan)
		require.NoError(t, err)
	}
}

// chooses has the entry of a draft show the certificate of a host name, and lets its clients reach the page of the
// test, which is on this machine.
func (w *world) chooses(t *testing.T, flow, bound string) {
	t.Helper()
	var draft struct {
		Revision int
		Graph    map[string]any
	}
	path := "/api/v1/connection-units/" + flow + "/draft"
	require.NoError(t, w.stand.API.Get(t.Context(), path, &draft))
	for _, node := range draft.Graph["nodes"].([]any) {
		switch block := node.(map[string]any); block["kind"] {
		case "direct":
			block["params"] = map[string]any{"private": "allow"}
		case "entry":
			block["node_domain_id"] = bound
		}
	}
	require.NoError(t, w.stand.API.Put(t.Context(), path, map[string]any{"revision": draft.Revision, "graph": draft.Graph}, nil))
}

// Package served has the users of a proxy panel come in by an entry of a flow: panel, agent and both cores are real,
// and the core of the proxy panel runs what an apply has written there.
package served

import (
	"bytes"
	"context"
	"crypto/ecdh"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/modules/proxypanel/remnawavetest"
	"panel/platform/agentapi"
	"panel/platform/database/dbtest"
	"panel/platform/testneed/freeport"
)

type object = map[string]any

// stage is a fleet of one node that a proxy panel's node shares.
type stage struct {
	*testing.T
	*rig.Stand
	there *remnawavetest.Panel
	site  *rig.Site
	node  string
	port  int

	connection, squad string
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{T: t, there: remnawavetest.New(t)}
	s.Stand = rigtest.Install(t, rig.PanelSettings{
		DSN: dbtest.Empty(t), Env: []string{"PANEL_OUTBOUND_ALLOW=127.0.0.1"},
	})
	site, err := rig.OpenSite("127.0.0.1")
	require.NoError(t, err)
	t.Cleanup(site.Close)
	agent, err := s.Enroll(t.Context(), "edge")
	require.NoError(t, err)
	rigtest.Run(t, s.Stand, agent)
	s.site, s.node = site, agent.NodeID
	s.port, err = freeport.Find()
	require.NoError(t, err)
	s.connect()
	return s
}

// connect adopts the node of the proxy panel that is on the node of the fleet.
func (s *stage) connect() {
	s.Helper()
	const base = "/api/v1/proxypanel/"
	var scopes struct{ Items []struct{ Scope string } }
	require.NoError(s, s.API.Get(s.Context(), base+"scopes", &scopes))
	names := []string{}
	for _, one := range scopes.Items {
		names = append(names, one.Scope)
	}
	var made struct{ ID string }
	require.NoError(s, s.API.Post(s.Context(), base+"connections", object{
		"label": "Main", "base_url": s.there.URL, "token": s.there.Token(24*time.Hour, names...),
	}, &made))
	s.connection, s.squad = made.ID, s.there.AddSquad("Everybody")
	theirs := s.there.AddNode("edge", "127.0.0.1", true)
	path := base + "connections/" + s.connection
	require.NoError(s, s.API.Post(s.Context(), path+"/sync", nil, nil))
	require.NoError(s, rig.Eventually(s.Context(), time.Minute, func(ctx context.Context) error {
		var squads struct{ Items []struct{ ID string } }
		err := s.API.Get(ctx, path+"/squads", &squads)
		if err == nil && len(squads.Items) == 0 {
			err = errors.New("no squad is known yet")
		}
		return err
	}))
	require.NoError(s, s.API.Post(s.Context(), path+"/adopt", object{
		"panel_node_id": theirs, "node_id": s.node, "replace": true,
	}, nil))
}

// serve draws a flow whose entry the proxy panel serves and whose exit the agent runs, and applies it.
func (s *stage) serve() {
	s.Helper()
	listener := object{
		"protocol": "vless", "port": s.port, "transport": "raw", "security": "reality",
		"reality": object{"target": s.site.Target, "server_names": []string{rig.SiteName}, "allow_private_target": true},
	}
	flow, err := s.API.Draw(s.Context(), "shared", object{
		"nodes": []object{
			{"key": "entry", "kind": "entry", "node_id": s.node, "params": object{
				"listener": listener, "proxypanel": object{"connection_id": s.connection, "squad_ids": []string{s.squad}},
			}},
			{"key": "exit", "kind": "exit", "node_id": s.node, "params": object{"private": "allow"}},
		},
		"edges": []object{{"from": "entry", "to": "exit"}},
	})
	require.NoError(s, err)
	plan, err := s.API.Compile(s.Context(), flow.ID)
	require.NoError(s, err)
	_, err = s.API.Apply(s.Context(), flow.ID, plan)
	require.NoError(s, err)
}

// ask asks the proxy panel as its own web interface would.
func (s *stage) ask(path string, into any) {
	s.Helper()
	request, err := http.NewRequestWithContext(s.Context(), http.MethodGet, s.there.URL+"/api"+path, nil)
	require.NoError(s, err)
	request.Header.Set("Authorization", "Bearer "+s.there.Token(time.Hour, "*"))
	answer, err := http.DefaultClient.Do(request)
	require.NoError(s, err)
	defer func() { _ = answer.Body.Close() }()
	require.Equal(s, http.StatusOK, answer.StatusCode, path)
	require.NoError(s, json.NewDecoder(answer.Body).Decode(&struct{ Response any }{into}))
}

// config is what the proxy panel has its node run.
type config struct {
	Inbounds []struct {
		Tag      string
		Settings struct{ Clients []object }
		Stream   struct {
			Reality struct {
				PrivateKey  string
				ShortIDs    []string `json:"shortIds"`
				ServerNames []string
			} `json:"realitySettings"`
		} `json:"streamSettings"`
	}
}

// written is the configuration of the profile that the apply has made, raw and read.
func (s *stage) written() (json.RawMessage, config) {
	s.Helper()
	var list struct {
		Profiles []struct {
			UUID, Name string
			Config     json.RawMessage
		} `json:"configProfiles"`
	}
	s.ask("/config-profiles", &list)
	for _, one := range list.Profiles {
		if bytes.HasPrefix([]byte(one.Name), []byte("panel_")) {
			var read config
			require.NoError(s, json.Unmarshal(one.Config, &read))
			return one.Config, read
		}
	}
	require.Fail(s, "the apply has made no profile")
	return nil, config{}
}

// run starts the core of the proxy panel's node with a user in it, as that panel injects users into a profile.
func (s *stage) run(profile json.RawMessage, user string) {
	s.Helper()
	var whole map[string]any
	require.NoError(s, json.Unmarshal(profile, &whole))
	inbound := whole["inbounds"].([]any)[0].(object)
	inbound["settings"].(object)["clients"] = []object{{"id": user, "flow": "xtls-rprx-vision", "email": "alice"}}
	content, err := json.Marshal(whole)
	require.NoError(s, err)
	folder := rigtest.Folder(s.T)
	path := filepath.Join(folder, "config.json")
	require.NoError(s, os.WriteFile(path, content, 0o600))
	core, err := rig.Start(rig.Spec{
		Name: "rw-core", Log: filepath.Join(folder, "core.log"), Path: rigtest.Executable(s.T, rig.CoreProgram),
		Args: []string{"run", "-c", path},
	})
	require.NoError(s, err)
	s.Cleanup(core.Kill)
}

// link is what the proxy panel hands to the user.
func (s *stage) link(read config, user string) string {
	s.Helper()
	reality := read.Inbounds[0].Stream.Reality
	private, err := base64.RawURLEncoding.DecodeString(reality.PrivateKey)
	require.NoError(s, err)
	key, err := ecdh.X25519().NewPrivateKey(private)
	require.NoError(s, err)
	query := url.Values{
		"security": {"reality"}, "type": {"tcp"}, "flow": {"xtls-rprx-vision"}, "fp": {"chrome"}, "encryption": {"none"},
		"sni": {reality.ServerNames[0]}, "sid": {reality.ShortIDs[0]},
		"pbk": {base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes())},
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port))
	return (&url.URL{Scheme: "vless", User: url.User(user), Host: address, RawQuery: query.Encode()}).String()
}

// A real core that runs the profile which an apply has written to the proxy panel, with one user injected, carries the
// user's traffic through the exit that our agent runs; a stranger gets nowhere.
func TestUsersOfAProxyPanelLeaveByOurExit(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.serve()
	profile, read := s.written()
	require.Len(t, read.Inbounds, 1)
	require.Empty(t, read.Inbounds[0].Settings.Clients, "credentials of users are that panel's business")
	user := uuid.NewString()
	s.run(profile, user)
	through := func(user string) error {
		saw, err := rig.Fetch(t.Context(), agentapi.ThroughProbe{
			Link: s.link(read, user), URL: s.site.Page, Expect: `"page":"ok"`, Timeout: 10,
		})
		if err == nil && saw.Status != http.StatusOK {
			err = fmt.Errorf("the page answered %d", saw.Status)
		}
		return err
	}
	require.NoError(t, rig.Eventually(t.Context(), time.Minute, func(context.Context) error { return through(user) }))
	require.Error(t, through(uuid.NewString()))
}

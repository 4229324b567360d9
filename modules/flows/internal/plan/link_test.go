package plan_test

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
)

// link is the connection as a link, and its form.
func link(a plan.Access) (uri, form string) {
	c := plan.Connect(a)
	return c.URI(), c.Form()
}

func linkOf(t *testing.T, l graph.Listener, host string) (*url.URL, string) {
	t.Helper()
	in := input(across())
	text, format := link(plan.Access{
		FlowID: flowID, Root: root, Block: "in", Listen: l, Host: host, Client: in.Clients[0], Name: "Европа / Anna #1",
	})
	u, err := url.Parse(text)
	require.NoError(t, err, text)
	return u, format
}

// Specification, Endpoints rule 9: a link matches the installed configuration. Every value of the listener that a
// client needs is in it, in the form that client applications share.
func TestALinkHasWhatAClientNeeds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		listener graph.Listener
		want     map[string]string
	}{
		"raw": {*vless(443), map[string]string{
			"type": "tcp", "security": "reality", "flow": graph.Vision, "sni": "www.example.org", "fp": "chrome",
			"encryption": "none",
			"path":       "", "mode": "", "serviceName": "",
		}},
		"xhttp": {graph.Listener{
			Protocol: "vless", Port: 8443, Transport: "xhttp", Path: "/up", Mode: "packet-up", Fingerprint: "firefox",
			Reality: &graph.Reality{
				Target: "203.0.113.1:443", ServerNames: []string{"a.example", "b.example"},
				ShortIDs: []string{"abcd", "ef01"},
			},
		}, map[string]string{
			"type": "xhttp", "path": "/up", "mode": "packet-up", "flow": "", "fp": "firefox",
			"sni": "a.example", "sid": "abcd",
		}},
		"grpc": {graph.Listener{
			Protocol: "vless", Port: 8443, Transport: "grpc", ServiceName: "my.service",
			Reality: &graph.Reality{Target: "www.example.org:443"},
		}, map[string]string{"type": "grpc", "serviceName": "my.service", "flow": "", "path": ""}},
		"no vision": {graph.Listener{
			Protocol: "vless", Port: 8443, Flow: "none", Reality: &graph.Reality{Target: "www.example.org:443"},
		}, map[string]string{"type": "tcp", "flow": ""}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u, format := linkOf(t, c.listener, "fra.example.org")
			require.Equal(t, "vless", format)
			require.Equal(t, "vless", u.Scheme)
			require.Equal(t, "fra.example.org:"+plan.PortText(c.listener), u.Host)
			require.Equal(t, input(across()).Clients[0].UUID, u.User.Username())
			require.Equal(t, "Европа / Anna #1", u.Fragment)
			for key, value := range c.want {
				require.Equal(t, value, u.Query().Get(key), key)
			}
			require.NotEmpty(t, u.Query().Get("pbk"))
		})
	}
}

// A listener over a range of ports is dialled at its first one, and an IPv6 address stands in brackets.
func TestALinkNamesOnePort(t *testing.T) {
	t.Parallel()
	l := graph.Listener{Protocol: "shadowsocks2022", PortRange: "20000-20010"}
	require.Equal(t, "20000-20010", plan.PortText(l))
	u, format := linkOf(t, l, "2001:db8::1")
	require.Equal(t, "shadowsocks", format)
	require.Equal(t, "[2001:db8::1]:20000", u.Host)
}

// The password of Shadowsocks 2022 is the key of the server and that of the client, both as long as the method asks
// for.
func TestAShadowsocksLinkHasKeysOfTheirLength(t *testing.T) {
	t.Parallel()
	for method, size := range map[string]int{"2022-blake3-aes-128-gcm": 16, "2022-blake3-aes-256-gcm": 32, "": 32} {
		u, _ := linkOf(t, graph.Listener{Protocol: "shadowsocks2022", Port: 8388, Method: method}, "h")
		if method != "" {
			require.Equal(t, method, u.User.Username())
		}
		password, _ := u.User.Password()
		keys := strings.Split(password, ":")
		require.Len(t, keys, 2)
		for _, key := range keys {
			raw, err := base64.StdEncoding.DecodeString(key)
			require.NoError(t, err)
			require.Len(t, raw, size)
		}
	}
}

// The public key and the short id in a link are those of the listener that was installed: the private half is on the
// node, and no other block or flow has them.
func TestAKeyBelongsToOneBlockOfOneFlow(t *testing.T) {
	t.Parallel()
	key := func(secret []byte, block string) string {
		in := input(across())
		text, _ := link(
			plan.Access{
				FlowID: flowID, Root: secret, Block: block, Listen: *vless(443), Host: "h",
				Client: in.Clients[0],
			},
		)
		u, err := url.Parse(text)
		require.NoError(t, err)
		return u.Query().Get("pbk") + " " + u.Query().Get("sid")
	}
	other := append([]byte{1}, root[1:]...)
	mine := key(root, "in")
	require.Equal(t, mine, key(root, "in"), "a preview stores nothing, and gives the same again")
	require.NotEqual(t, mine, key(root, "in2"))
	require.NotEqual(t, mine, key(other, "in"))
	r := plan.Compile(input(across()))
	short := strings.Fields(mine)[1]
	require.Contains(t, string(r.Fragments[nodeA].Bytes()), short)
	require.NotContains(t, string(r.Fragments[nodeA].Bytes()), strings.Fields(mine)[0], "the public key is for clients")
}

// The probe of an apply has credentials of its own, which are no client's, and goes where it is told.
func TestTheProbeIsNobodysClient(t *testing.T) {
	t.Parallel()
	for _, l := range []graph.Listener{*vless(443), {Protocol: "shadowsocks2022", Port: 8388}} {
		var o struct {
			Tag      string
			Protocol string
			Settings map[string]any
		}
		raw := plan.ProbeClient(flowID, root, "in", "", l, "127.0.0.1")
		require.NoError(t, json.Unmarshal(raw, &o))
		require.Equal(t, "probe", o.Tag)
		require.Equal(t, "127.0.0.1", o.Settings["address"])
		require.NotContains(t, string(raw), input(across()).Clients[0].UUID)
		require.Equal(t, string(raw), string(plan.ProbeClient(flowID, root, "in", "", l, "127.0.0.1")))
		require.NotEqual(t, string(raw), string(plan.ProbeClient(flowID, root, "in2", "", l, "127.0.0.1")))
	}
}

// Entries are what clients can dial; an entry all of whose ways are blocked is one, but leads nowhere.
func TestWhichEntriesLeadOut(t *testing.T) {
	t.Parallel()
	g := across()
	g.Nodes = append(
		g.Nodes,
		graph.Node{Key: "dead", Kind: graph.Entry, NodeID: nodeA, Params: graph.Params{Listener: vless(444)}},
		graph.Node{Key: "bare", Kind: graph.Entry, NodeID: nodeA},
	)
	g.Edges = append(g.Edges, graph.Edge{From: "dead", To: "stop"}, graph.Edge{From: "bare", To: "nowhere"})
	var keys []string
	for _, n := range plan.Entries(g) {
		keys = append(keys, n.Key)
	}
	require.Equal(t, []string{"in", "dead"}, keys)
	for key, out := range map[string]bool{"in": true, "dead": false, "bare": false, "none": false} {
		require.Equal(t, out, plan.LeadsOut(g, key), key)
	}
}

package plan_test

import (
	"encoding/base64"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
)

func entering(l graph.Listener) plan.Input {
	in := secured(l.Protocol, "")
	in.Graph.Nodes[0].Params.Listener = &l
	return in
}

// VMess knows its clients by their ids, with TLS or by itself.
func TestVMessKnowsItsClientsByTheirIDs(t *testing.T) {
	t.Parallel()
	for _, security := range []string{"tls", "none"} {
		in := entering(graph.Listener{Protocol: "vmess", Port: 8080, Security: security, Transport: "ws", Path: "/up"})
		inbound := rendered(t, in)
		require.Equal(t, "vmess", inbound["protocol"])
		clients := inbound["settings"].(map[string]any)["clients"].([]any)
		require.Equal(t, in.Clients[0].UUID, clients[0].(map[string]any)["id"])
		_, encrypted := inbound["streamSettings"].(map[string]any)["tlsSettings"]
		require.Equal(t, security == "tls", encrypted)
	}
}

// The link of VMess is a document in which every value is a text.
func TestTheLinkOfVMessIsADocument(t *testing.T) {
	t.Parallel()
	in := input(across())
	read := func(l graph.Listener) map[string]string {
		uri, form := link(plan.Access{
			FlowID: flowID, Root: root, Block: "in", Listen: l, Host: "fra.example.org", Client: in.Clients[0], Name: "Anna \"1\"",
		})
		require.Equal(t, "vmess", form)
		raw, err := base64.StdEncoding.DecodeString(uri[len("vmess://"):])
		require.NoError(t, err)
		var d map[string]string
		require.NoError(t, json.Unmarshal(raw, &d))
		return d
	}
	d := read(graph.Listener{Protocol: "vmess", Port: 443, Transport: "ws", Path: "/up"})
	for key, want := range map[string]string{
		"v": "2", "ps": "Anna \"1\"", "add": "fra.example.org", "port": "443", "id": in.Clients[0].UUID, "net": "ws", "path": "/up",
		"host": "fra.example.org", "tls": "tls", "sni": "fra.example.org", "alpn": "http/1.1", "aid": "0",
	} {
		require.Equal(t, want, d[key], key)
	}
	d = read(graph.Listener{Protocol: "vmess", Port: 80, Transport: "grpc", ServiceName: "x.y", Security: "none"})
	require.Equal(t, []string{"grpc", "gun", "x.y", ""}, []string{d["net"], d["type"], d["path"], d["tls"]})
}

// Hysteria 2 holds UDP, so it stands beside whatever has the same port over TCP, and its ports may be many.
func TestHysteriaStandsBesideTLSOnOnePort(t *testing.T) {
	t.Parallel()
	first := neighbour(t, 1, graph.Listener{Protocol: "vless", Port: 443, Security: graph.TLS}, domain, nil)
	second := neighbour(t, 2, graph.Listener{Protocol: "hysteria2", Port: 443, Obfs: "salamander"}, domain,
		[]plan.Fragment{first.Fragments[nodeA]})
	require.Empty(t, second.Plan.Conflicts)
	require.Empty(t, second.Plan.Sharing)
	held := second.Fragments[nodeA].Listens[0]
	require.Equal(t, []any{"udp", 443, 443, ""}, []any{held.L4, held.From, held.To, held.Host})
	third := neighbour(t, 3, graph.Listener{Protocol: "hysteria2", PortRange: "440-450"}, "other.example.org",
		[]plan.Fragment{first.Fragments[nodeA], second.Fragments[nodeA]})
	require.Len(t, third.Plan.Conflicts, 1)
	require.Equal(t, plan.ConflictPort, third.Plan.Conflicts[0].Kind)
}

// Both ends of Hysteria 2 hide packets with one password, which the link carries; who has no obfuscation has none.
func TestHysteriaHidesItsPackets(t *testing.T) {
	t.Parallel()
	l := graph.Listener{Protocol: "hysteria2", PortRange: "20000-20010", Obfs: "salamander"}
	inbound := rendered(t, entering(l))
	require.Equal(t, "hysteria", inbound["protocol"])
	require.Equal(t, "20000-20010", inbound["port"])
	stream := inbound["streamSettings"].(map[string]any)
	require.Equal(t, []any{"h3"}, stream["tlsSettings"].(map[string]any)["alpn"])
	mask := stream["finalmask"].(map[string]any)["udp"].([]any)[0].(map[string]any)
	require.Equal(t, "salamander", mask["type"])
	u, form := linkOf(t, l, domain)
	require.Equal(t, []string{"hysteria2", "hysteria2", domain + ":20000"}, []string{form, u.Scheme, u.Host})
	q := u.Query()
	require.Equal(t, mask["settings"].(map[string]any)["password"], q.Get("obfs-password"))
	require.Equal(t, []string{"salamander", domain, "20000-20010"}, []string{q.Get("obfs"), q.Get("sni"), q.Get("mport")})
	auth := inbound["settings"].(map[string]any)["clients"].([]any)[0].(map[string]any)["auth"]
	require.Equal(t, auth, u.User.Username())

	l.Obfs = ""
	require.NotContains(t, rendered(t, entering(l))["streamSettings"], "finalmask")
	u, _ = linkOf(t, l, domain)
	require.Empty(t, u.Query().Get("obfs"))
}

// A core that is too old for what a block speaks is refused with its name and version.
func TestACoreThatLacksAProtocolIsNamed(t *testing.T) {
	t.Parallel()
	in := entering(graph.Listener{Protocol: "hysteria2", Port: 443})
	node := in.Nodes[nodeA]
	node.Core = "25.9.11"
	in.Nodes[nodeA] = node
	r := plan.Compile(in)
	require.Len(t, r.Plan.Errors, 1)
	found := r.Plan.Errors[0]
	require.Equal(t, []string{"transport_not_supported", node.Name, "25.9.11"}, []string{found.Code, found.Node, found.Core})
}

// VMess over raw hands on nothing that is not its own, so it takes its host name alone; behind a path it shares.
func TestVMessOverRawSharesItsNameWithNobody(t *testing.T) {
	t.Parallel()
	first := neighbour(t, 1, graph.Listener{Protocol: "vmess", Port: 443, Security: graph.TLS}, domain, nil)
	others := []plan.Fragment{first.Fragments[nodeA]}
	path := graph.Listener{Protocol: "vless", Port: 443, Security: graph.TLS, Transport: "ws", Path: "/up"}
	require.Len(t, neighbour(t, 2, path, domain, others).Plan.Conflicts, 1)
	require.Empty(t, neighbour(t, 2, path, "other.example.org", others).Plan.Conflicts)
	raw := neighbour(t, 3, graph.Listener{Protocol: "vless", Port: 443, Security: graph.TLS}, domain, nil)
	path.Protocol = "vmess"
	require.Empty(t, neighbour(t, 4, path, domain, []plan.Fragment{raw.Fragments[nodeA]}).Plan.Conflicts)
}

// What a listener tells of its TLS is what it shows and what links say; it then takes its name alone, for others need
// what the transport would choose.
func TestAListenerTellsItsTLS(t *testing.T) {
	t.Parallel()
	l := graph.Listener{
		Protocol: "vless", Port: 443, Security: graph.TLS, ALPN: []string{"http/1.1"}, MinVersion: "1.3",
	}
	in := entering(l)
	tls := rendered(t, in)["streamSettings"].(map[string]any)["tlsSettings"].(map[string]any)
	require.Equal(t, []any{"http/1.1"}, tls["alpn"])
	require.Equal(t, "1.3", tls["minVersion"])
	u, _ := linkOf(t, l, domain)
	require.Equal(t, "http/1.1", u.Query().Get("alpn"))
	alone := neighbour(t, 1, l, domain, nil)
	grpc := graph.Listener{Protocol: "vless", Port: 443, Security: graph.TLS, Transport: "grpc"}
	require.Len(t, neighbour(t, 2, grpc, domain, []plan.Fragment{alone.Fragments[nodeA]}).Plan.Conflicts, 1)
}

// What strangers get of the target of REALITY has its limits, as the core reads them; without a burst it is the limit.
func TestStrangersAreSlowedDown(t *testing.T) {
	t.Parallel()
	in := input(across())
	r := in.Graph.Nodes[0].Params.Listener.Reality
	r.Xver, r.LimitUpload = 1, &graph.Limit{AfterBytes: 1 << 20, BytesPerSec: 1000}
	r.LimitDownload = &graph.Limit{BytesPerSec: 10, BurstPerSec: 20}
	settings := rendered(t, in)["streamSettings"].(map[string]any)["realitySettings"].(map[string]any)
	require.InEpsilon(t, 1.0, settings["xver"], 0)
	require.Equal(t, map[string]any{"afterBytes": 1048576.0, "bytesPerSec": 1000.0, "burstBytesPerSec": 1000.0},
		settings["limitFallbackUpload"])
	require.Equal(t, map[string]any{"afterBytes": 0.0, "bytesPerSec": 10.0, "burstBytesPerSec": 20.0},
		settings["limitFallbackDownload"])
}

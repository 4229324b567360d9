package plan_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
)

var servers = []string{"na", "nb", "nc", "nd"}

// drawnGraph draws graphs that are mostly sound: entries first, then transits, then ends; edges lead forward.
func drawnGraph(t *rapid.T) graph.Graph {
	g := graph.Graph{Nodes: []graph.Node{}, Edges: []graph.Edge{}}
	add := func(kind graph.Kind, n graph.Node) {
		n.Key, n.Kind = fmt.Sprintf("%s%d", kind, len(g.Nodes)), kind
		g.Nodes = append(g.Nodes, n)
	}
	for range rapid.IntRange(1, 3).Draw(t, "entries") {
		add(graph.Entry, graph.Node{
			NodeID: rapid.SampledFrom(servers).Draw(t, "server"), Params: drawnEntry(t),
		})
	}
	for range rapid.IntRange(0, 2).Draw(t, "transits") {
		add(graph.Transit, graph.Node{NodeID: rapid.SampledFrom(servers).Draw(t, "server")})
	}
	for range rapid.IntRange(1, 3).Draw(t, "exits") {
		add(graph.Exit, graph.Node{NodeID: rapid.SampledFrom(servers).Draw(t, "server"), Params: drawnParams(t)})
	}
	add(graph.Direct, graph.Node{})
	add(graph.Block, graph.Node{})
	return drawnEdges(t, g)
}

// drawnEntry is served by our agent, or by a proxy panel.
func drawnEntry(t *rapid.T) graph.Params {
	p := graph.Params{Listener: drawnListener(t)}
	if p.Listener.Protocol == "vless" && rapid.Bool().Draw(t, "served") {
		p.ProxyPanel = toPanel()
	}
	return p
}

func drawnParams(t *rapid.T) graph.Params {
	p := graph.Params{Private: rapid.SampledFrom([]string{"", "block", "allow"}).Draw(t, "private")}
	if rapid.Bool().Draw(t, "own hop") {
		p.Hop = drawnListener(t)
	}
	return p
}

func drawnListener(t *rapid.T) *graph.Listener {
	port := rapid.IntRange(440, 445).Draw(t, "port")
	ip := rapid.SampledFrom([]string{"", "::", "192.0.2.9"}).Draw(t, "ip")
	if rapid.Bool().Draw(t, "shadowsocks") {
		l4 := rapid.SampledFrom([]string{"", "tcp", "udp", "both"}).Draw(t, "l4")
		return &graph.Listener{
			Protocol:  "shadowsocks2022",
			ListenIP:  ip,
			L4:        l4,
			PortRange: fmt.Sprintf("%d-%d", port, port+1),
		}
	}
	l := vless(port)
	l.ListenIP = ip
	l.Transport = rapid.SampledFrom([]string{"", "raw", "xhttp", "grpc"}).Draw(t, "transport")
	return l
}

func drawnEdges(t *rapid.T, g graph.Graph) graph.Graph {
	for i, from := range g.Nodes {
		if from.Kind.Terminal() {
			continue
		}
		for j := i + 1; j < len(g.Nodes); j++ {
			if g.Nodes[j].Kind != graph.Entry && (rapid.Bool().Draw(t, "edge") || j == len(g.Nodes)-1) {
				g.Edges = append(
					g.Edges,
					graph.Edge{
						From:     from.Key,
						To:       g.Nodes[j].Key,
						Match:    drawnMatch(t),
						Priority: rapid.IntRange(0, 3).Draw(t, "priority"),
					},
				)
			}
		}
		if n := len(g.Edges); n > 0 {
			g.Edges[n-1].Match = nil
		}
	}
	return g
}

func drawnMatch(t *rapid.T) *graph.Match {
	return rapid.SampledFrom([]*graph.Match{
		{Port: "25,1000-2000"},
		{Domain: []string{"example.net", "full:a.example"}},
		{IP: []string{"10.0.0.0/8", "192.0.2.1"}},
		{Domain: []string{"keyword:ads"}, IP: []string{"0.0.0.0/0"}, Protocol: []string{"tls"}},
		{Protocol: []string{"bittorrent"}},
	}).Draw(t, "match")
}

func drawnInput(t *rapid.T) plan.Input {
	in := input(drawnGraph(t))
	in.Nodes, in.Panels = map[string]plan.Node{}, plan.Panels{connection: {}}
	for _, id := range servers {
		in.Panels[connection][id] = panelNode(id)
		in.Nodes[id] = plan.Node{
			ID: id, Name: id, Address: id + ".example.org", Core: "26.3.27",
			Others: drawnOthers(t, id),
		}
	}
	if rapid.Bool().Draw(t, "no reflector") {
		in.Reflector = plan.Endpoint{}
	}
	return in
}

func drawnOthers(t *rapid.T, id string) []plan.Fragment {
	if !rapid.Bool().Draw(t, "others") {
		return nil
	}
	port := rapid.IntRange(440, 30000).Draw(t, "other port")
	return []plan.Fragment{
		{
			FlowID:  "other",
			NodeID:  id,
			Listens: []plan.Listen{{FlowID: "other", L4: "tcp", IP: "0.0.0.0", From: port, To: port}},
		},
	}
}

func bytesOf(r plan.Result) string {
	raw, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func TestTheSameInputGivesTheSameBytesInAnyOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := drawnInput(t)
		first := plan.Compile(in)
		require.Equal(t, bytesOf(first), bytesOf(plan.Compile(in)))
		if len(first.Plan.Errors) > 0 {
			return
		}
		in.Graph.Nodes = rapid.Permutation(in.Graph.Nodes).Draw(t, "nodes")
		in.Graph.Edges = rapid.Permutation(in.Graph.Edges).Draw(t, "edges")
		turned := plan.Compile(in)
		require.Equal(t, first.Plan.Rendered, turned.Plan.Rendered)
		require.Equal(t, first.Plan.Hash, turned.Plan.Hash)
		require.Equal(t, first.Plan.Steps, turned.Plan.Steps)
	})
}

func TestRenderingDoesNotDependOnTheOrderOfFlows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var all []plan.Fragment
		for i := range rapid.IntRange(1, 4).Draw(t, "flows") {
			in := drawnInput(t)
			in.FlowID = fmt.Sprintf("flow%d", i)
			for _, f := range plan.Compile(in).Fragments {
				f.NodeID = "na"
				all = append(all, f)
				break
			}
		}
		require.Equal(t, plan.Render(all), plan.Render(rapid.Permutation(all).Draw(t, "turned")))
	})
}

// A plan without conflicts holds no port twice, neither inside the flow nor against what others hold, but where
// listeners with TLS are told apart.
func TestPortSetsAreDisjoint(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := drawnInput(t)
		r := plan.Compile(in)
		if len(r.Plan.Errors)+len(r.Plan.Conflicts) > 0 {
			return
		}
		for id, f := range r.Fragments {
			all := slices.Clone(f.Listens)
			for _, o := range in.Nodes[id].Others {
				all = append(all, o.Listens...)
			}
			for i := range all {
				for j := i + 1; j < len(all); j++ {
					require.Empty(t, all[i].Clash(all[j]), "%v and %v", all[i], all[j])
				}
			}
		}
	})
}

// Compiling what is installed changes nothing; a change compiled on top of it ends in the same bytes as from nothing.
func TestCompilingIsIdempotentAndIncrementalEqualsFull(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := drawnInput(t)
		before := plan.Compile(in)
		if len(before.Plan.Errors)+len(before.Plan.Conflicts) > 0 {
			return
		}
		in.Installed, in.Hosts = before.Fragments, before.Hosts
		require.True(t, plan.Compile(in).Plan.IsNoop)

		in.Clients = append(
			in.Clients,
			plan.Client{ID: "c2", UUID: "6ba7b810-9dad-41d1-80b4-00c04fd430c9", Key: make([]byte, 32)},
		)
		onTop := plan.Compile(in)
		in.Installed = nil
		fromNothing := plan.Compile(in)
		require.Equal(t, fromNothing.Fragments, onTop.Fragments)
		require.Equal(t, fromNothing.Plan.Rendered, onTop.Plan.Rendered)
	})
}

// Private addresses of a node stay closed unless the operator opens them: in every rule set that leads to the open
// net, the rule that lets traffic out follows one that blocks private networks, or names public networks only.
func TestPrivateAddressesStayClosed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := drawnInput(t)
		in.Reflector = plan.Endpoint{}
		for i := range in.Graph.Nodes {
			in.Graph.Nodes[i].Params.Private = ""
		}
		for _, f := range plan.Compile(in).Fragments {
			free := map[string]bool{}
			for _, o := range f.Outbounds {
				free[o.Tag] = o.Protocol == "freedom"
			}
			for i, rule := range f.Rules {
				if free[rule.OutboundTag] {
					require.NotEmpty(t, rule.IP)
					open := slices.Contains(rule.IP, "0.0.0.0/0") || slices.Contains(rule.IP, "10.0.0.0/8")
					require.True(t, !open || f.Rules[i-1].OutboundTag == "block" && len(f.Rules[i-1].IP) > 0)
				}
			}
		}
	})
}

func FuzzCompile(f *testing.F) {
	f.Add(graph.Encode(across()))
	f.Add(
		[]byte(
			`{"nodes":[{"key":"a","kind":"entry","node_id":"na","params":{"listener":{"protocol":"vless","port":1,"reality":{"target":"[::1]:1"}}}},{"key":"d","kind":"direct","params":{}}],"edges":[{"from":"a","to":"d","match":{"ip":["::ffff:0:0/96"]}}]}`,
		),
	)
	f.Add(
		[]byte(
			`{"nodes":[{"key":"a","kind":"entry","node_id":"na","params":{"listener":{"protocol":"shadowsocks2022","port_range":"1-65535"}}},{"key":"b","kind":"exit","node_id":"nb","params":{"hop":{"protocol":"vless"}}}],"edges":[{"from":"a","to":"b"}]}`,
		),
	)
	f.Fuzz(func(t *testing.T, raw []byte) {
		var g graph.Graph
		if json.Unmarshal(raw, &g) != nil || len(g.Nodes) > graph.MaxNodes || len(g.Edges) > graph.MaxEdges {
			return
		}
		in := input(g)
		for _, id := range append(servers, nodeA, nodeB) {
			in.Nodes[id] = plan.Node{ID: id, Address: "192.0.2.3", Core: "26.3.27"}
		}
		r := plan.Compile(in)
		require.Equal(t, bytesOf(r), bytesOf(plan.Compile(in)))
		for _, e := range plan.Entries(g) {
			if len(graph.Check(g)) == 0 {
				link(plan.Access{
					Root: root, Block: e.Key, Listen: *e.Params.Listener, Host: "h",
					Client: in.Clients[0],
				})
			}
		}
	})
}

func BenchmarkCompileOneServer(b *testing.B) {
	g := across()
	g.Nodes[1].NodeID = nodeA
	in := input(g)
	for b.Loop() {
		plan.Compile(in)
	}
}

package plan_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
)

func TestAFlowAcrossTwoServersIsBuiltExitFirst(t *testing.T) {
	t.Parallel()
	r := plan.Compile(input(across()))
	require.Empty(t, r.Plan.Errors)
	require.Empty(t, r.Plan.Conflicts)
	require.False(t, r.Plan.IsNoop)
	require.Len(t, r.Plan.Steps, 2)
	require.Equal(t, []string{nodeB, nodeA}, []string{r.Plan.Steps[0].NodeID, r.Plan.Steps[1].NodeID})
	require.Equal(t, "exit", r.Plan.Steps[0].Role)
	require.Len(t, r.Plan.Rendered, 2)
	require.NotEmpty(t, r.Plan.Diff.Listeners)
}

// A plan has empty lists where it has nothing to say: screens go through them.
func TestAPlanHasNoListThatIsNull(t *testing.T) {
	t.Parallel()
	memo := plan.NewMemo(10)
	for range 2 {
		text, err := json.Marshal(memo.Compile(input(across())).Plan)
		require.NoError(t, err)
		shown := map[string]any{}
		require.NoError(t, json.Unmarshal(text, &shown))
		delete(shown, "canary")
		for name, value := range shown {
			require.NotNil(t, value, name)
		}
	}
}

func TestOneServerSendsOutByItself(t *testing.T) {
	t.Parallel()
	g := across()
	g.Nodes[1].NodeID = nodeA
	r := plan.Compile(input(g))
	require.Empty(t, r.Plan.Errors)
	require.Len(t, r.Fragments, 1)
	require.Len(t, r.Fragments[nodeA].Inbounds, 1)
}

// Trap 1: a save without a change leads to a plan without steps.
func TestWhatIsInstalledAlreadyIsANoop(t *testing.T) {
	t.Parallel()
	in := input(across())
	first := plan.Compile(in)
	in.Installed = first.Fragments
	in.Revision = 2
	in.Graph.Nodes[0].Position = &graph.Position{X: 10}
	again := plan.Compile(in)
	require.True(t, again.Plan.IsNoop)
	require.Empty(t, again.Plan.Steps)
	require.Empty(t, again.Plan.Readiness)
	require.Equal(t, first.Plan.Hash, again.Plan.Hash)
}

func TestALeftServerIsCleanedLast(t *testing.T) {
	t.Parallel()
	in := input(across())
	in.Installed = plan.Compile(in).Fragments
	in.Graph.Nodes[1].NodeID = nodeA
	r := plan.Compile(in)
	last := r.Plan.Steps[len(r.Plan.Steps)-1]
	require.Equal(t, nodeB, last.NodeID)
	require.Equal(t, plan.ActionRemove, last.Action)
}

// Trap 2: one port may carry tcp of one flow and udp of another; the same layer 4 conflicts, also against :: and
// ranges.
func TestPortConflictsArePerLayerFourAndAddress(t *testing.T) {
	t.Parallel()
	held := func(l4, ip string, from, to int) plan.Listen {
		return plan.Listen{FlowID: "other", Name: "theirs", L4: l4, IP: ip, From: from, To: to}
	}
	cases := map[string]struct {
		other plan.Listen
		meets bool
	}{
		"udp beside tcp":        {held("udp", "0.0.0.0", 443, 443), false},
		"same port":             {held("tcp", "0.0.0.0", 443, 443), true},
		"all of IPv6":           {held("tcp", "::", 443, 443), true},
		"one address":           {held("tcp", "192.0.2.1", 443, 443), true},
		"a range around it":     {held("tcp", "0.0.0.0", 400, 500), true},
		"a range beside it":     {held("tcp", "0.0.0.0", 444, 500), false},
		"an IPv6 address alone": {held("tcp", "2001:db8::1", 443, 443), false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := input(across())
			n := in.Nodes[nodeA]
			n.Others = []plan.Fragment{{FlowID: "other", NodeID: nodeA, Listens: []plan.Listen{c.other}}}
			in.Nodes[nodeA] = n
			r := plan.Compile(in)
			require.Equal(t, c.meets, len(r.Plan.Conflicts) == 1)
		})
	}
}

func TestAForeignProcessOnThePortIsAConflict(t *testing.T) {
	t.Parallel()
	in := input(across())
	n := in.Nodes[nodeA]
	n.Sockets = []plan.Socket{
		{L4: "tcp", IP: "::", Port: 443, Process: "nginx"},
		{L4: "tcp", IP: "0.0.0.0", Port: 443, Core: true},
	}
	in.Nodes[nodeA] = n
	r := plan.Compile(in)
	require.Len(t, r.Plan.Conflicts, 1)
	require.Equal(t, "nginx", r.Plan.Conflicts[0].With.Process)
}

func TestProblemsOfServersHaveTheirCodes(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		change     func(in *plan.Input)
		code, path string
	}{
		"unknown server": {func(in *plan.Input) { delete(in.Nodes, nodeB) }, "unknown_node", "nodes[1].node_id"},
		"old core": {func(in *plan.Input) {
			n := in.Nodes[nodeA]
			n.Core = "1.8.24"
			in.Nodes[nodeA] = n
			in.Graph.Nodes[0].Params.Listener.Transport = "xhttp"
		}, "transport_not_supported", "nodes[0].params.listener.transport"},
		"no geo file": {
			func(in *plan.Input) { in.Graph.Edges[1].Match = &graph.Match{Geosite: []string{"cn"}} },
			"geo_category_missing",
			"edges[1].match.geosite",
		},
		"two entries on one port": {func(in *plan.Input) {
			in.Graph.Nodes = append(
				in.Graph.Nodes,
				graph.Node{Key: "in2", Kind: graph.Entry, NodeID: nodeA, Params: graph.Params{Listener: vless(443)}},
			)
			in.Graph.Edges = append(in.Graph.Edges, graph.Edge{From: "in2", To: "out"})
		}, "port_duplicate", "nodes[4].params.listener.port"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := input(across())
			c.change(&in)
			r := plan.Compile(in)
			require.NotEmpty(t, r.Plan.Errors)
			require.Equal(t, c.code, r.Plan.Errors[0].Code)
			require.Equal(t, c.path, r.Plan.Errors[0].Path)
			require.Empty(t, r.Fragments)
		})
	}
}

// Readiness is evidence: nothing is confirmed by the compiler, and every new port and target is asked about.
func TestEveryNewPortAndTargetIsAskedAbout(t *testing.T) {
	t.Parallel()
	r := plan.Compile(input(across()))
	groups := map[string]int{}
	for _, c := range r.Plan.Readiness {
		require.Equal(t, plan.Unconfirmed, c.Status)
		groups[c.Group]++
	}
	require.Equal(t, map[string]int{plan.GroupListeners: 3, plan.GroupFirewall: 3, plan.GroupTarget: 1}, groups)
}

// The port that a hop got by itself stays when the flow is compiled again, even if a better one has become free.
func TestTheHopsPortIsKept(t *testing.T) {
	t.Parallel()
	in := input(across())
	first := plan.Compile(in)
	kept := first.Fragments[nodeB]
	kept.Hops = map[string]string{"out": "23456"}
	in.Installed = map[string]plan.Fragment{nodeB: kept}
	require.Equal(t, 23456, plan.Compile(in).Fragments[nodeB].Listens[0].From)
}

func TestLinksMatchTheListener(t *testing.T) {
	t.Parallel()
	in := input(across())
	uri, format := link(
		plan.Access{
			FlowID: flowID,
			Root:   root,
			Block:  "in",
			Listen: *vless(443),
			Host:   "fra.example.org",
			Client: in.Clients[0],
			Name:   "Europe / Anna",
		},
	)
	require.Equal(t, "vless", format)
	require.Contains(t, uri, "vless://6ba7b810-9dad-41d1-80b4-00c04fd430c8@fra.example.org:443?")
	require.Contains(t, uri, "flow=xtls-rprx-vision")
	require.Contains(t, uri, "sni=www.example.org")
	uri, format = link(
		plan.Access{
			Root:   root,
			Block:  "in",
			Listen: graph.Listener{Protocol: "shadowsocks2022", Port: 8388},
			Host:   "2001:db8::1",
			Client: in.Clients[0],
			Name:   "x",
		},
	)
	require.Equal(t, "shadowsocks", format)
	require.Contains(t, uri, "@[2001:db8::1]:8388#x")
}

func TestMaskedConfigurationsHoldNoSecret(t *testing.T) {
	t.Parallel()
	in := input(across())
	raw := plan.Render([]plan.Fragment{plan.Compile(in).Fragments[nodeA]})
	require.Contains(t, string(raw), in.Clients[0].UUID)
	tree, err := plan.Masked(raw)
	require.NoError(t, err)
	inbound := tree["inbounds"].([]any)[0].(map[string]any)
	client := inbound["settings"].(map[string]any)["clients"].([]any)[0].(map[string]any)
	require.Equal(t, plan.Stars, client["id"])
}

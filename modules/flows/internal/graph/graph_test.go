package graph_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/internal/graph"
)

func reality() *graph.Listener {
	return &graph.Listener{Protocol: "vless", Port: 443, Reality: &graph.Reality{Target: "www.example.org:443"}}
}

func sound() graph.Graph {
	return graph.Graph{
		Nodes: []graph.Node{
			{Key: "in", Kind: graph.Entry, NodeID: "a", Params: graph.Params{Listener: reality()}},
			{Key: "out", Kind: graph.Exit, NodeID: "b"},
		},
		Edges: []graph.Edge{{From: "in", To: "out"}},
	}
}

func TestASoundDrawingHasNoProblems(t *testing.T) {
	t.Parallel()
	require.Empty(t, graph.Check(sound()))
}

// Domain 4.3: at least one entry, every path ends in exit, direct or block, no circle, at most four blocks deep,
// REALITY only over raw, xhttp and grpc.
func TestEveryRuleOfTheDrawingHasItsCodeAndPath(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		change     func(g *graph.Graph)
		code, path string
	}{
		"no entry":       {func(g *graph.Graph) { g.Nodes = g.Nodes[1:]; g.Edges = nil }, "no_entry", "nodes"},
		"no exit":        {func(g *graph.Graph) { g.Edges = nil }, "path_without_exit", "nodes[0]"},
		"circle":         {circle, "cycle", "nodes[2]"},
		"too deep":       {deep, "too_deep", "nodes[0]"},
		"unknown block":  {func(g *graph.Graph) { g.Edges[0].To = "x" }, "unknown_block", "edges[0].to"},
		"same key twice": {func(g *graph.Graph) { g.Nodes[1].Key = "in" }, "duplicate_key", "nodes[1].key"},
		"no server":      {func(g *graph.Graph) { g.Nodes[1].NodeID = "" }, "node_required", "nodes[1].node_id"},
		"reality over ws": {
			func(g *graph.Graph) { g.Nodes[0].Params.Listener.Transport = "ws" },
			"reality_transport",
			"nodes[0].params.listener.transport",
		},
		"no port": {
			func(g *graph.Graph) { g.Nodes[0].Params.Listener.Port = 0 },
			"invalid_value",
			"nodes[0].params.listener.port",
		},
		"no target": {
			func(g *graph.Graph) { g.Nodes[0].Params.Listener.Reality = nil },
			"missing_field",
			"nodes[0].params.listener.reality.target",
		},
		"vless in the clear": {
			func(g *graph.Graph) { g.Nodes[0].Params.Listener.Security = "none" },
			"security_required",
			"nodes[0].params.listener.security",
		},
		"no pool": {
			func(g *graph.Graph) { g.Nodes[1] = graph.Node{Key: "out", Kind: graph.TransitPool} },
			"pool_required",
			"nodes[1].pool_id",
		},
		"a pool on a node": {
			func(g *graph.Graph) { g.Nodes[1].Kind, g.Nodes[1].PoolID = graph.TransitPool, "europe" },
			"not_allowed_here",
			"nodes[1].node_id",
		},
		"a pool elsewhere": {
			func(g *graph.Graph) { g.Nodes[1].PoolID = "europe" },
			"not_allowed_here",
			"nodes[1].pool_id",
		},
		"a custom block": {
			func(g *graph.Graph) { g.Nodes[1].Kind = graph.Custom },
			"custom_plan_required",
			"nodes[1].plan_version_id",
		},
		"two ways for a rest": {twoDefaults, "ambiguous_default", "edges[1].match"},
		"bad cidr": {
			func(g *graph.Graph) { g.Edges[0].Match = &graph.Match{IP: []string{"10.0.0.0/40"}} },
			"invalid_value",
			"edges[0].match.ip[0]",
		},
		"into an entry": {
			func(g *graph.Graph) { g.Edges[0] = graph.Edge{From: "in", To: "in"} },
			"edge_into_entry",
			"edges[0].to",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := sound()
			c.change(&g)
			problems := graph.Check(g)
			require.NotEmpty(t, problems)
			require.Equal(t, c.code, problems[0].Code)
			require.Equal(t, c.path, problems[0].Path)
		})
	}
}

func circle(g *graph.Graph) {
	g.Nodes = append(
		g.Nodes,
		graph.Node{Key: "x", Kind: graph.Transit, NodeID: "c"},
		graph.Node{Key: "y", Kind: graph.Transit, NodeID: "d"},
	)
	g.Edges = append(
		g.Edges,
		graph.Edge{From: "in", To: "x", Match: &graph.Match{Port: "25"}},
		graph.Edge{From: "x", To: "y"},
		graph.Edge{From: "y", To: "x"},
	)
}

func deep(g *graph.Graph) {
	for _, key := range []string{"x", "y", "z"} {
		g.Nodes = append(g.Nodes, graph.Node{Key: key, Kind: graph.Transit, NodeID: key})
	}
	g.Edges = []graph.Edge{{From: "in", To: "x"}, {From: "x", To: "y"}, {From: "y", To: "z"}, {From: "z", To: "out"}}
}

func twoDefaults(g *graph.Graph) {
	g.Nodes = append(g.Nodes, graph.Node{Key: "b", Kind: graph.Block})
	g.Edges = append(g.Edges, graph.Edge{From: "in", To: "b"})
}

func read(raw []byte) (g graph.Graph, err error) {
	err = json.Unmarshal(raw, &g)
	return g, err
}

func TestADrawingReadsBackAsItWasWritten(t *testing.T) {
	t.Parallel()
	g, err := read(graph.Encode(sound()))
	require.NoError(t, err)
	require.Equal(t, sound(), g)
}

func FuzzEncode(f *testing.F) {
	f.Add(graph.Encode(sound()))
	f.Add([]byte(`{"nodes":[{"key":"a","kind":"entry","params":{}}],"edges":[{"from":"a","to":"a"}]}`))
	f.Add([]byte(`{"nodes":[],"edges":[{"from":"","to":"","match":{"port":"-,1-"}}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		g, err := read(raw)
		if err != nil {
			return
		}
		graph.Check(g)
		again, err := read(graph.Encode(g))
		require.NoError(t, err)
		require.Equal(t, graph.Encode(g), graph.Encode(again))
	})
}

func TestARuleWithoutAConditionIsFoundBesideTheOneForEverythingElse(t *testing.T) {
	t.Parallel()
	g := graph.Graph{
		Nodes: []graph.Node{
			{Key: "a", Kind: graph.Entry},
			{Key: "b", Kind: graph.Direct},
			{Key: "c", Kind: graph.Block},
		},
		Edges: []graph.Edge{{From: "a", To: "b", Match: &graph.Match{}}, {From: "a", To: "c"}},
	}
	found := []string{}
	for _, p := range graph.Check(g) {
		if p.Code == "ambiguous_default" {
			found = append(found, p.Path)
		}
	}
	require.Equal(t, []string{"edges[0].match"}, found, "the edge that has a match object is the unfinished rule")
}

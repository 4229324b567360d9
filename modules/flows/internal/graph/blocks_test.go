package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/internal/graph"
)

// A block takes only the settings that it can follow; others are named and not passed over.
func TestABlockTakesOnlyItsOwnSettings(t *testing.T) {
	t.Parallel()
	hop := func(g *graph.Graph, kind graph.Kind) {
		g.Nodes = append(
			g.Nodes,
			graph.Node{
				Key: "more", Kind: kind,
				Params: graph.Params{Hop: &graph.Listener{Protocol: "shadowsocks2022"}},
			},
		)
		g.Edges = append(g.Edges, graph.Edge{From: "in", To: "more", Match: &graph.Match{Port: "25"}})
	}
	for name, c := range map[string]struct {
		change func(g *graph.Graph)
		want   []string
	}{
		"a listener at an exit": {
			func(g *graph.Graph) { g.Nodes[1].Params.Listener = reality() },
			[]string{"not_allowed_here nodes[1].params.listener"},
		},
		"no listener at an entry": {
			func(g *graph.Graph) { g.Nodes[0].Params.Listener = nil },
			[]string{"listener_required nodes[0].params.listener"},
		},
		"a hop at an entry": {
			func(g *graph.Graph) { g.Nodes[0].Params.Hop = &graph.Listener{Protocol: "shadowsocks2022"} },
			[]string{"not_allowed_here nodes[0].params.hop"},
		},
		"a hop at a direct block": {
			func(g *graph.Graph) { hop(g, graph.Direct) },
			[]string{"not_allowed_here nodes[2].params.hop"},
		},
		"a hop that is broken": {
			func(g *graph.Graph) { g.Nodes[1].Params.Hop = &graph.Listener{Protocol: "vless"} },
			[]string{"missing_field nodes[1].params.hop.reality.target"},
		},
		"a domain at an exit": {
			func(g *graph.Graph) { g.Nodes[1].NodeDomainID = "d" },
			[]string{"not_allowed_here nodes[1].node_domain_id"},
		},
		"private at an entry": {
			func(g *graph.Graph) { g.Nodes[0].Params.Private = "allow" },
			[]string{"not_allowed_here nodes[0].params.private"},
		},
		"private in other words": {
			func(g *graph.Graph) { g.Nodes[1].Params.Private = "yes" },
			[]string{"invalid_value nodes[1].params.private"},
		},
		"private at an exit": {func(g *graph.Graph) { g.Nodes[1].Params.Private = "allow" }, []string{}},
		"a node at a block": {func(g *graph.Graph) {
			g.Nodes[1] = graph.Node{
				Key: "out", Kind: graph.Block,
				NodeID: "a",
			}
		}, []string{"not_allowed_here nodes[1].node_id"}},
		"a custom block": {
			func(g *graph.Graph) { g.Nodes[1].Kind = graph.Custom },
			[]string{"custom_plan_required nodes[1].plan_version_id", "not_allowed_here nodes[1].node_id"},
		},
		"an unknown kind": {
			func(g *graph.Graph) { g.Nodes[1].Kind = "magic" },
			[]string{"invalid_value nodes[1].kind"},
		},
		"a key with capitals": {
			func(g *graph.Graph) { g.Nodes[1].Key, g.Edges[0].To = "Out", "Out" },
			[]string{"invalid_value nodes[1].key", "unknown_block edges[0].to"},
		},
		"an empty key": {
			func(g *graph.Graph) { g.Nodes[1].Key, g.Edges[0].To = "", "" },
			[]string{"invalid_value nodes[1].key", "unknown_block edges[0].to"},
		},
		"behind an end": {
			func(g *graph.Graph) { g.Edges = append(g.Edges, graph.Edge{From: "out", To: "out"}) },
			[]string{"edge_after_end edges[1].from"},
		},
		"a hop to its own node": {
			func(g *graph.Graph) { g.Nodes[1].Kind, g.Nodes[1].NodeID = graph.Transit, "a" },
			[]string{"hop_to_itself edges[0].to"},
		},
		"an unknown start": {
			func(g *graph.Graph) { g.Edges[0].From = "x" },
			[]string{"unknown_block edges[0].from"},
		},
		"an unknown transport": {
			func(g *graph.Graph) { g.Edges[0].Transport = "pigeon" },
			[]string{"invalid_value edges[0].transport"},
		},
		"a negative priority": {
			func(g *graph.Graph) { g.Edges[0].Priority = -1 },
			[]string{"invalid_value edges[0].priority"},
		},
		"a high priority": {
			func(g *graph.Graph) { g.Edges[0].Priority = 10001 },
			[]string{"invalid_value edges[0].priority"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := sound()
			c.change(&g)
			require.Equal(t, c.want, codes(graph.Check(g)))
		})
	}
}

// A drawing is bounded before it is read block by block.
func TestADrawingIsBounded(t *testing.T) {
	t.Parallel()
	g := sound()
	for len(g.Edges) <= graph.MaxEdges {
		g.Edges = append(g.Edges, graph.Edge{From: "in", To: "out", Match: &graph.Match{Port: "25"}})
	}
	require.Equal(t, []string{"too_many_edges edges"}, codes(graph.Check(g)))
	g = graph.Graph{}
	for len(g.Nodes) <= graph.MaxNodes {
		g.Nodes = append(g.Nodes, graph.Node{Key: "x", Kind: "magic"})
	}
	require.Equal(t, []string{"too_many_blocks nodes"}, codes(graph.Check(g)))
	require.Equal(t, []string{"no_entry nodes"}, codes(graph.Check(graph.Graph{})))
}

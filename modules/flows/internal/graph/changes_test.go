package graph_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/internal/graph"
)

func TestChangesNameBlocksAndWaysAndNotWhereTheyStand(t *testing.T) {
	t.Parallel()
	before := graph.Graph{
		Nodes: []graph.Node{
			{
				Key:      "in",
				Kind:     graph.Entry,
				Params:   graph.Params{Listener: &graph.Listener{Port: 443}},
				Position: &graph.Position{X: 1},
			},
			{Key: "out", Kind: graph.Exit},
			{Key: "gone", Kind: graph.Direct},
		},
		Edges: []graph.Edge{{From: "in", To: "out"}, {From: "in", To: "gone", Priority: 1}},
	}
	after := graph.Graph{
		Nodes: []graph.Node{
			{
				Key:      "in",
				Kind:     graph.Entry,
				Params:   graph.Params{Listener: &graph.Listener{Port: 8443}},
				Position: &graph.Position{X: 9},
			},
			{Key: "out", Kind: graph.Exit, Position: &graph.Position{Y: 5}},
		},
		Edges: []graph.Edge{{From: "in", To: "out", Match: &graph.Match{Domain: []string{"example.org"}}}},
	}
	named, left := graph.Changes(before, after)
	require.Zero(t, left)
	var names []string
	for _, change := range named {
		names = append(names, change.Name)
	}
	require.Equal(t, []string{"block in", "block gone", "in → out", "in → gone"}, names)
	require.NotContains(t, named[0].From, "position")
	require.Nil(t, named[1].To)
	require.Contains(t, named[2].To, "match")
	unchanged, _ := graph.Changes(after, after)
	require.Empty(t, unchanged)
}

// A drawing of many blocks fills no page of the journal.
func TestChangesAreBounded(t *testing.T) {
	t.Parallel()
	var after graph.Graph
	for i := range graph.MaxNodes {
		after.Nodes = append(after.Nodes, graph.Node{Key: fmt.Sprintf("b%d", i), Kind: graph.Block})
	}
	named, left := graph.Changes(graph.Graph{}, after)
	require.Len(t, named, graph.MaxNamed)
	require.Equal(t, graph.MaxNodes-graph.MaxNamed, left)
}

// The same cases hold for the count on the screens.
func TestACountOfChangesIsTheOneThatScreensShow(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/changes.json")
	require.NoError(t, err)
	var cases []struct {
		Name          string
		Changes       int
		Before, After graph.Graph
	}
	require.NoError(t, json.Unmarshal(raw, &cases))
	require.NotEmpty(t, cases)
	for _, c := range cases {
		require.Equal(t, c.Changes, graph.Count(c.Before, c.After), c.Name)
	}
}

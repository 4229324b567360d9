package graph_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"panel/modules/flows/internal/graph"
)

// drawn draws any drawing over a few keys, sound or not: keys may repeat, ways may lead nowhere or back.
func drawn(t *rapid.T, name string) graph.Graph {
	g := graph.Graph{Nodes: []graph.Node{}, Edges: []graph.Edge{}}
	kinds := []graph.Kind{graph.Entry, graph.Transit, graph.TransitPool, graph.Exit, graph.Direct, graph.Block}
	for i := range rapid.IntRange(0, 6).Draw(t, name+" blocks") {
		g.Nodes = append(g.Nodes, graph.Node{
			Key: fmt.Sprint("k", i), Kind: rapid.SampledFrom(kinds).Draw(t, "kind"),
			NodeID: rapid.SampledFrom([]string{"", "na", "nb"}).Draw(t, "node"),
			Title:  rapid.SampledFrom([]string{"", "Europe"}).Draw(t, "title"),
		})
	}
	for range rapid.IntRange(0, 8).Draw(t, name+" ways") {
		edge := graph.Edge{
			From: fmt.Sprint("k", rapid.IntRange(0, 6).Draw(t, "from")), To: fmt.Sprint("k", rapid.IntRange(0,
				6).Draw(t, "to")),
			Priority: rapid.IntRange(0, 2).Draw(t, "priority"),
		}
		if rapid.Bool().Draw(t, "chooses") {
			edge.Match = &graph.Match{Port: rapid.SampledFrom([]string{"80", "443,1000-2000"}).Draw(t, "port")}
		}
		g.Edges = append(g.Edges, edge)
	}
	return g
}

// A drawing is read as it was stored.
func TestADrawingIsReadAsItWasStored(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := drawn(t, "a")
		var read graph.Graph
		require.NoError(t, json.Unmarshal(graph.Encode(g), &read))
		require.Equal(t, graph.Encode(g), graph.Encode(read))
	})
}

// The check says the same of the same drawing, changes nothing in it, and every problem of a part names one that is
// there.
func TestAProblemNamesAPartOfTheDrawing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := drawn(t, "a")
		before := graph.Encode(g)
		found := graph.Check(g)
		require.Equal(t, found, graph.Check(g))
		require.Equal(t, before, graph.Encode(g))
		require.LessOrEqual(t, len(found), graph.MaxProblems)
		for _, problem := range found {
			require.NotEmpty(t, problem.Code)
			require.NotEmpty(t, problem.Message)
			for list, size := range map[string]int{"nodes": len(g.Nodes), "edges": len(g.Edges)} {
				var at int
				if n, _ := fmt.Sscanf(problem.Path, list+"[%d]", &at); n == 1 {
					require.Less(t, at, size, problem.Path)
				}
			}
		}
	})
}

// Left out are exactly the blocks to which no way leads from an entry; one way more leaves out no more.
func TestUnreachedAreTheBlocksWithoutAWayFromAnEntry(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := drawn(t, "a")
		reached := map[string]bool{}
		for _, n := range g.Nodes {
			reached[n.Key] = n.Kind == graph.Entry
		}
		for range g.Nodes {
			for _, e := range g.Edges {
				reached[e.To] = reached[e.To] || reached[e.From] && g.Find(e.From) >= 0
			}
		}
		left := graph.Unreached(g)
		for i, n := range g.Nodes {
			require.Equal(t, !reached[n.Key], slices.Contains(left, i), "%s of %s", n.Key, graph.Encode(g))
		}
		more := g
		more.Edges = append(slices.Clone(g.Edges), graph.Edge{From: "k0", To: "k1"})
		for _, i := range graph.Unreached(more) {
			require.Contains(t, left, i)
		}
	})
}

// The difference of two drawings turned round has the same parts with before and after exchanged; a drawing does not
// differ from itself, wherever its blocks stand.
func TestDifferencesOfDrawingsTurnRound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawn(t, "a"), drawn(t, "b")
		there, leftThere := graph.Changes(a, b)
		back, leftBack := graph.Changes(b, a)
		require.Equal(t, leftThere, leftBack)
		for i, c := range back {
			back[i] = graph.Changed{Name: c.Name, From: c.To, To: c.From}
		}
		require.ElementsMatch(t, there, back)
		for _, c := range there {
			require.False(t, c.From == nil && c.To == nil, c.Name)
			require.True(t, strings.HasPrefix(c.Name, "block ") || strings.Contains(c.Name, " → "), c.Name)
		}
		moved := a
		moved.Nodes = slices.Clone(a.Nodes)
		for i := range moved.Nodes {
			moved.Nodes[i].Position = &graph.Position{X: 7, Y: float64(i)}
		}
		same, left := graph.Changes(a, moved)
		require.Empty(t, same)
		require.Zero(t, left)
	})
}

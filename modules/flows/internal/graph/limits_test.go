package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/internal/graph"
)

func codes(problems []graph.Problem) []string {
	out := []string{}
	for _, p := range problems {
		out = append(out, p.Code+" "+p.Path)
	}
	return out
}

func withDomains(domains ...string) graph.Graph {
	g := sound()
	g.Nodes = append(g.Nodes, graph.Node{Key: "stop", Kind: graph.Block})
	g.Edges = append(g.Edges, graph.Edge{From: "in", To: "stop", Match: &graph.Match{Domain: domains}})
	return g
}

// An expression is bounded by what it grows to, not by its text alone.
func TestExpressionsAreBounded(t *testing.T) {
	t.Parallel()
	for text, good := range map[string]bool{
		`^ads[0-9]+\.example\.org$`: true, `(a|b)*c?`: true, `x{1,100}`: true, `[[:alpha:]]{2,10}`: true,
		"": false, "(": false, `x{1001}`: false, `(x{100}){100}`: false, `((a{30}){30}){30}`: false,
		`(?:abc){500}`:           false,
		strings.Repeat("x", 200): true, strings.Repeat("x", 201): false,
	} {
		problems := graph.Check(withDomains("example.org", "regexp:"+text))
		if good {
			require.Empty(t, problems, text)
			continue
		}
		require.Equal(t, []string{"invalid_value edges[1].match.domain[1]"}, codes(problems), text)
		require.False(t, graph.MatchesExpression(text, "x"), text)
	}
}

// A drawing holds so many expressions in all; beyond that none of them is read, whatever they are.
func TestTheNumberOfExpressionsIsBounded(t *testing.T) {
	t.Parallel()
	many := func(n int, text string) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = "regexp:" + text
		}
		return out
	}
	require.Empty(t, graph.Check(withDomains(many(graph.MaxExpressions, "x")...)))
	g := withDomains(many(graph.MaxExpressions, "x{1000}")...)
	g.Edges = append(
		g.Edges,
		graph.Edge{From: "in", To: "stop", Priority: 2, Match: &graph.Match{Domain: many(50_000, "x{1000}")}},
	)
	require.Equal(t, []string{"too_many_expressions edges"}, codes(graph.Check(g)))
}

// Matching follows the expression, its case included, and remembers what it compiled.
func TestExpressionsMatchNames(t *testing.T) {
	t.Parallel()
	for range 2 {
		require.True(t, graph.MatchesExpression(`^\D+$`, "abc"))
		require.False(t, graph.MatchesExpression(`^\D+$`, "123"))
	}
}

func TestAListenerHasABoundedNumberOfPorts(t *testing.T) {
	t.Parallel()
	for text, code := range map[string]string{
		"20000-20999": "", "20000-21000": "too_many_ports", "1-65535": "too_many_ports", "20-10": "invalid_value",
		"5": "invalid_value",
	} {
		g := sound()
		g.Nodes[0].Params.Listener.Port, g.Nodes[0].Params.Listener.PortRange = 0, text
		want := []string{}
		if code != "" {
			want = []string{code + " nodes[0].params.listener.port_range"}
		}
		require.Equal(t, want, codes(graph.Check(g)), text)
	}
}

// The first problems are enough to go on; a drawing that is wrong everywhere has no endless answer.
func TestTheNumberOfProblemsIsBounded(t *testing.T) {
	t.Parallel()
	domains := make([]string, 1000)
	for i := range domains {
		domains[i] = fmt.Sprintf("not a name %d", i)
	}
	require.Len(t, graph.Check(withDomains(domains...)), graph.MaxProblems)
}

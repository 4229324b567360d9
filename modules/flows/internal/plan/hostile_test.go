package plan_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
)

// A drawing that makes no sense is refused with problems that name a part of it; nothing of it is installed.
func TestADrawingThatMakesNoSenseIsRefusedAndNeverBreaksTheCompiler(t *testing.T) {
	t.Parallel()
	kinds := []graph.Kind{
		graph.Entry,
		graph.Transit,
		graph.Exit,
		graph.Direct,
		graph.Block,
		graph.TransitPool,
		"",
		"gateway",
	}
	keys := []string{"a", "b", "c", "", " ", strings.Repeat("k", 300), "a.b", "ж"}
	rapid.Check(t, func(t *rapid.T) {
		var g graph.Graph
		for range rapid.IntRange(0, 5).Draw(t, "blocks") {
			n := graph.Node{
				Key: rapid.SampledFrom(keys).Draw(t, "key"), Kind: rapid.SampledFrom(kinds).Draw(t, "kind"),
				NodeID: rapid.SampledFrom([]string{"", "na", "nb", "nobody"}).Draw(t, "node"),
			}
			if rapid.Bool().Draw(t, "listens") {
				n.Params.Listener = drawnWildListener(t)
			}
			if rapid.Bool().Draw(t, "hops") {
				n.Params.Hop = drawnWildListener(t)
			}
			g.Nodes = append(g.Nodes, n)
		}
		for range rapid.IntRange(0, 6).Draw(t, "ways") {
			g.Edges = append(g.Edges, graph.Edge{
				From: rapid.SampledFrom(keys).Draw(t, "from"), To: rapid.SampledFrom(keys).Draw(t, "to"),
				Priority: rapid.IntRange(-5, 5).Draw(t, "priority"), Match: drawnWildMatch(t),
			})
		}
		in := drawnInput(t)
		in.Graph = g
		r := plan.Compile(in)
		if len(graph.Check(g)) > 0 {
			require.NotEmpty(t, r.Plan.Errors)
		}
		for _, problem := range r.Plan.Errors {
			require.NotEmpty(t, problem.Code)
			require.NotEmpty(t, problem.Message)
		}
		if len(r.Plan.Errors) > 0 {
			require.Empty(t, r.Fragments)
			require.Empty(t, r.Plan.Steps)
			require.Empty(t, r.Plan.Rendered)
		}
		plan.Explain(g, "", plan.Destination{Domain: "example.org", IP: "not an address", Port: -1})
	})
}

func drawnWildListener(t *rapid.T) *graph.Listener {
	l := &graph.Listener{
		Protocol:  rapid.SampledFrom([]string{"", "vless", "shadowsocks2022", "http"}).Draw(t, "protocol"),
		Port:      rapid.IntRange(-1, 70000).Draw(t, "port"),
		PortRange: rapid.SampledFrom([]string{"", "1-", "9-1", "1-65536", "80", "a-b", "0-0"}).Draw(t, "range"),
		ListenIP:  rapid.SampledFrom([]string{"", "::", "host", "300.1.1.1", "::ffff:1.2.3.4"}).Draw(t, "ip"),
		L4:        rapid.SampledFrom([]string{"", "tcp", "both", "sctp"}).Draw(t, "l4"),
		Transport: rapid.SampledFrom([]string{"", "raw", "quic"}).Draw(t, "transport"),
	}
	if rapid.Bool().Draw(t, "reality") {
		l.Reality = &graph.Reality{
			Target:      rapid.SampledFrom([]string{"", "x", ":443", "[::1]:1", "example.org:99999"}).Draw(t, "target"),
			ServerNames: rapid.SampledFrom([][]string{nil, {}, {""}, {"*"}}).Draw(t, "names"),
		}
	}
	return l
}

func drawnWildMatch(t *rapid.T) *graph.Match {
	return rapid.SampledFrom([]*graph.Match{
		nil,
		{},
		{Port: "1-2-3"},
		{Port: ",,"},
		{Domain: []string{"regexp:("}},
		{Domain: []string{""}, Protocol: []string{"smtp"}},
		{IP: []string{"10.0.0.0/40"}},
		{Geosite: []string{"../../etc/passwd"}},
	}).Draw(t, "match")
}

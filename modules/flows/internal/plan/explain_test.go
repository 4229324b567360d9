package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
)

func traced(m graph.Match, d plan.Destination) string {
	g := graph.Graph{
		Nodes: []graph.Node{
			{
				Key:    "in",
				Kind:   graph.Entry,
				NodeID: nodeA,
			},
			{Key: "stop", Kind: graph.Block},
			{Key: "out", Kind: graph.Exit, NodeID: nodeB},
		},
		Edges: []graph.Edge{{From: "in", To: "out"}, {From: "in", To: "stop", Match: &m}},
	}
	trace := plan.Explain(g, "", d)
	return trace.Steps[0].Result
}

// A destination is traced as the core matches it: one of the names or addresses, and every other condition. What a
// rule needs and nobody gave is said, and never guessed.
func TestADestinationMeetsARuleAsInTheCore(t *testing.T) {
	t.Parallel()
	const taken, passed, unknown = "taken", "passed_over", "no_data"
	type m = graph.Match
	type d = plan.Destination
	for name, c := range map[string]struct {
		match m
		to    d
		want  string
	}{
		"the name itself":             {m{Domain: []string{"example.org"}}, d{Domain: "example.org"}, taken},
		"a name under it":             {m{Domain: []string{"example.org"}}, d{Domain: "www.example.org"}, taken},
		"capitals and a dot":          {m{Domain: []string{"Example.org"}}, d{Domain: "WWW.example.ORG."}, taken},
		"a name that ends alike":      {m{Domain: []string{"example.org"}}, d{Domain: "badexample.org"}, passed},
		"the full name":               {m{Domain: []string{"full:example.org"}}, d{Domain: "example.org"}, taken},
		"under the full name":         {m{Domain: []string{"full:example.org"}}, d{Domain: "www.example.org"}, passed},
		"a keyword":                   {m{Domain: []string{"keyword:ads"}}, d{Domain: "my.ads.example"}, taken},
		"no keyword":                  {m{Domain: []string{"keyword:ads"}}, d{Domain: "example.org"}, passed},
		"an expression":               {m{Domain: []string{`regexp:^ads\d+\.`}}, d{Domain: "ads12.example"}, taken},
		"an expression that does not": {m{Domain: []string{`regexp:^ads\d+\.`}}, d{Domain: "ads.example"}, passed},
		"an unknown form":             {m{Domain: []string{"suffix:example.org"}}, d{Domain: "example.org"}, passed},
		"no name given":               {m{Domain: []string{"example.org"}}, d{IP: "192.0.2.1"}, unknown},
		"an address":                  {m{IP: []string{"192.0.2.1"}}, d{IP: "192.0.2.1"}, taken},
		"a network":                   {m{IP: []string{"10.0.0.0/8"}}, d{IP: "10.1.2.3"}, taken},
		"an IPv4 address in IPv6":     {m{IP: []string{"10.0.0.0/8"}}, d{IP: "::ffff:10.1.2.3"}, taken},
		"another network":             {m{IP: []string{"10.0.0.0/8"}}, d{IP: "192.0.2.1"}, passed},
		"no address given":            {m{IP: []string{"10.0.0.0/8"}}, d{Domain: "example.org"}, unknown},
		"a name or an address": {
			m{Domain: []string{"example.org"}, IP: []string{"10.0.0.0/8"}},
			d{Domain: "example.org"},
			taken,
		},
		"neither of them": {
			m{Domain: []string{"example.org"}, IP: []string{"10.0.0.0/8"}},
			d{Domain: "a.example", IP: "192.0.2.1"},
			passed,
		},
		"one of them unknown": {
			m{Domain: []string{"example.org"}, IP: []string{"10.0.0.0/8"}},
			d{Domain: "a.example"},
			unknown,
		},
		"a category": {m{Geosite: []string{"cn"}}, d{Domain: "example.cn"}, unknown},
		"a category beside a name": {
			m{Geosite: []string{"cn"}, Domain: []string{"example.cn"}},
			d{Domain: "example.cn"},
			taken,
		},
		"a category of addresses": {
			m{GeoIP: []string{"cn"}, IP: []string{"10.0.0.0/8"}},
			d{IP: "192.0.2.1"},
			unknown,
		},
		"a port":            {m{Port: "25,1000-2000"}, d{Port: 1500}, taken},
		"another port":      {m{Port: "25,1000-2000"}, d{Port: 2001}, passed},
		"no port given":     {m{Port: "25"}, d{Domain: "example.org"}, unknown},
		"a protocol":        {m{Protocol: []string{"http", "tls"}}, d{Protocol: "tls"}, taken},
		"another protocol":  {m{Protocol: []string{"http"}}, d{Protocol: "quic"}, passed},
		"no protocol given": {m{Protocol: []string{"http"}}, d{Port: 80}, unknown},
		"every condition": {
			m{Port: "443", Protocol: []string{"tls"}, Domain: []string{"example.org"}},
			d{Port: 443, Protocol: "tls", Domain: "example.org"},
			taken,
		},
		"all but the port": {
			m{Port: "443", Protocol: []string{"tls"}},
			d{Port: 80, Protocol: "tls"},
			passed,
		},
		"a port that is wrong first": {m{Port: "443", Domain: []string{"example.org"}}, d{Port: 80}, passed},
	} {
		require.Equal(t, c.want, traced(c.match, c.to), name)
	}
}

// Rules are tried by their priority, whatever order they were drawn in, and the one without a condition comes last.
func TestATraceNamesEveryRuleThatWasTried(t *testing.T) {
	t.Parallel()
	g := graph.Graph{
		Nodes: []graph.Node{
			{Key: "in", Kind: graph.Entry, NodeID: nodeA},
			{Key: "mid", Kind: graph.Transit, NodeID: nodeB},
			{Key: "out", Kind: graph.Exit, NodeID: "far"},
			{Key: "here", Kind: graph.Direct},
			{Key: "stop", Kind: graph.Block},
		},
		Edges: []graph.Edge{
			{From: "in", To: "mid"},
			{From: "in", To: "stop", Priority: 2, Match: &graph.Match{Port: "25"}},
			{From: "in", To: "here", Priority: 1, Match: &graph.Match{Domain: []string{"example.net"}}},
			{From: "mid", To: "out"},
		},
	}
	step := func(edge int, from, to, result, reason string) plan.TraceStep {
		return plan.TraceStep{Edge: edge, From: from, To: to, Result: result, Reason: reason}
	}
	require.Equal(t, plan.Trace{
		Result: "exit", NodeID: "far",
		Steps: []plan.TraceStep{
			step(2, "in", "here", "passed_over", "another destination"), step(1, "in", "stop", "passed_over",
				"another port"),
			step(0, "in", "mid", "taken", "takes everything that no other edge chose"),
			step(3, "mid", "out", "taken", "takes everything that no other edge chose"),
		},
	}, plan.Explain(g, "", plan.Destination{Domain: "example.org", Port: 443}))

	here := plan.Explain(g, "", plan.Destination{Domain: "www.example.net", Port: 25})
	require.Equal(t, "direct", here.Result)
	require.Equal(t, nodeA, here.NodeID, "it leaves from where it is")
	require.Equal(t, "block", plan.Explain(g, "", plan.Destination{Domain: "example.org", Port: 25}).Result)
	unknown := plan.Explain(g, "", plan.Destination{Port: 25})
	require.Equal(t, "unknown", unknown.Result)
	require.Len(t, unknown.Steps, 1, "it stops where something is missing")
}

// A drawing that is not finished is traced as far as it goes, also one with a circle.
func TestATraceEndsInAnyDrawing(t *testing.T) {
	t.Parallel()
	d := plan.Destination{Domain: "example.org"}
	require.Equal(t, plan.Trace{Result: "unknown"}, plan.Explain(graph.Graph{}, "", d))
	alone := plan.Explain(graph.Graph{Nodes: []graph.Node{{Key: "in", Kind: graph.Entry, NodeID: nodeA}}}, "", d)
	require.Equal(t, plan.Trace{Result: "unknown", NodeID: nodeA}, alone)
	circle := graph.Graph{
		Nodes: []graph.Node{{Key: "in", Kind: graph.Entry}, {Key: "x", Kind: graph.Transit}},
		Edges: []graph.Edge{{From: "in", To: "x"}, {From: "x", To: "x"}},
	}
	require.Equal(t, "unknown", plan.Explain(circle, "", d).Result)
	lost := graph.Graph{
		Nodes: []graph.Node{{Key: "in", Kind: graph.Entry}},
		Edges: []graph.Edge{{From: "in", To: "nowhere"}},
	}
	require.Equal(t, "unknown", plan.Explain(lost, "", d).Result)
}

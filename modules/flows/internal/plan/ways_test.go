package plan_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
)

// rule is a rule of the core in short: what it chooses and where that goes.
func rule(r plan.Rule) string {
	text := ""
	for _, part := range []struct {
		name   string
		values []string
	}{{"user", r.User}, {"domain", r.Domain}, {"ip", r.IP}, {"protocol", r.Protocol}} {
		switch {
		case len(part.values) > 5:
			text += fmt.Sprintf("%s %d ", part.name, len(part.values))
		case len(part.values) > 0:
			text += fmt.Sprintf("%s %v ", part.name, part.values)
		}
	}
	if r.Port != "" {
		text += "port " + r.Port + " "
	}
	return text + "-> " + r.OutboundTag
}

// ruled compiles one rule of an entry that goes out on its own node, without probes, and gives what the core is told.
func ruled(t *testing.T, m *graph.Match, private string, to graph.Kind) []string {
	t.Helper()
	in := input(graph.Graph{
		Nodes: []graph.Node{
			{Key: "in", Kind: graph.Entry, NodeID: nodeA, Params: graph.Params{Listener: vless(443)}},
			{Key: "to", Kind: to},
		},
		Edges: []graph.Edge{{From: "in", To: "to", Match: m}},
	})
	if to != graph.Block {
		in.Graph.Nodes[1].Params.Private = private
	}
	in.Reflector = plan.Endpoint{}
	r := plan.Compile(in)
	require.Empty(t, r.Plan.Errors)
	out := []string{}
	for _, one := range r.Fragments[nodeA].Rules {
		require.Equal(t, []string{"flow." + flowID + ".in.in"}, one.InboundTag, "rules of all flows stand in one list")
		out = append(out, rule(one))
	}
	return out
}

const (
	openWay   = "flow." + flowID + ".out.in.to"
	publicWay = openWay + plan.PublicSuffix
)

// What a rule chooses becomes rules of the core that choose the same: names and addresses are alternatives, the other
// conditions hold for both.
func TestARuleChoosesTheSameInTheCore(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		match *graph.Match
		want  []string
	}{
		"everything": {nil, []string{"-> " + openWay}},
		"a port":     {&graph.Match{Port: "25,1000-2000"}, []string{"port 25,1000-2000 -> " + openWay}},
		"names": {
			&graph.Match{Domain: []string{"example.org", "full:a.example", "keyword:ads", `regexp:^x`}},
			[]string{"domain [domain:example.org full:a.example keyword:ads regexp:^x] -> " + openWay},
		},
		"addresses": {
			&graph.Match{IP: []string{"10.1.2.3/8", "2001:db8::1"}}, []string{"ip [10.0.0.0/8 2001:db8::1/128] -> " +
				openWay},
		},
		"names or addresses at a port": {
			&graph.Match{
				Domain: []string{"example.org"}, IP: []string{"192.0.2.1"}, Port: "443",
				Protocol: []string{"tls"},
			},
			[]string{
				"domain [domain:example.org] protocol [tls] port 443 -> " + openWay,
				"ip [192.0.2.1/32] protocol [tls] port 443 -> " + openWay,
			},
		},
		"a protocol": {&graph.Match{Protocol: []string{"bittorrent"}}, []string{"protocol [bittorrent] -> " + openWay}},
	} {
		require.Equal(t, c.want, ruled(t, c.match, "allow", graph.Direct), name)
	}
}

// Without the right to private addresses, what a rule lets out is public: the private part is blocked before, and what
// cannot be resolved after. Networks are cut to their private part; those without one need no rule for it.
// Specification, Security: clients do not reach private networks through a node unless the operator allows it.
func TestARuleLetsOutPublicAddressesAlone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		match *graph.Match
		want  []string
	}{
		"everything": {nil, []string{"ip 17 -> block", "ip [0.0.0.0/0 ::/0] -> " + publicWay, "-> block"}},
		"a name": {
			&graph.Match{Domain: []string{"example.org"}},
			[]string{
				"domain [domain:example.org] ip 17 -> block", "domain [domain:example.org] ip [0.0.0.0/0 ::/0] -> " +
					publicWay,
				"domain [domain:example.org] -> block",
			},
		},
		"public networks": {&graph.Match{IP: []string{"203.0.113.0/24"}}, []string{"ip [203.0.113.0/24] -> " +
			publicWay}},
		"a private network": {
			&graph.Match{IP: []string{"10.1.0.0/16"}}, []string{"ip [10.1.0.0/16] -> block", "ip [10.1.0.0/16] -> " +
				publicWay},
		},
		"a network with a private part": {
			&graph.Match{IP: []string{"172.0.0.0/8"}},
			[]string{"ip [172.16.0.0/12] -> block", "ip [172.0.0.0/8] -> " + publicWay},
		},
		"loopback": {
			&graph.Match{IP: []string{"127.0.0.1"}},
			[]string{"ip [127.0.0.1/32] -> block", "ip [127.0.0.1/32] -> " + publicWay},
		},
	} {
		require.Equal(t, c.want, ruled(t, c.match, "", graph.Direct), name)
		require.Equal(t, c.want, ruled(t, c.match, "block", graph.Direct), name)
	}
}

// What is blocked is blocked as it is chosen, also where it is private.
func TestABlockNeedsNoWay(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"port 25 -> block"}, ruled(t, &graph.Match{Port: "25"}, "", graph.Block))
	require.Equal(t, []string{"-> block"}, ruled(t, nil, "", graph.Block))
}

// Between two nodes traffic goes through a listener that only the node before may use; addresses are judged where it
// leaves.
func TestBetweenTwoNodesTheExitJudgesAddresses(t *testing.T) {
	t.Parallel()
	in := input(graph.Graph{
		Nodes: []graph.Node{
			{
				Key:    "in",
				Kind:   graph.Entry,
				NodeID: nodeA,
				Params: graph.Params{Listener: vless(443)},
			}, {Key: "out", Kind: graph.Exit, NodeID: nodeB},
		},
		Edges: []graph.Edge{{From: "in", To: "out"}},
	})
	in.Reflector = plan.Endpoint{}
	r := plan.Compile(in)
	require.Empty(t, r.Plan.Errors)
	entry, exit := r.Fragments[nodeA], r.Fragments[nodeB]
	require.Equal(t, "-> flow."+flowID+".out.in.out", rule(entry.Rules[0]))
	require.Len(t, entry.Rules, 1)
	require.Len(t, exit.Rules, 3)
	require.Equal(t, "-> block", rule(exit.Rules[2]))
	require.Equal(t, []string{"c1"}, entry.Clients)
	require.Empty(t, exit.Clients, "people's secrets stay on the entry")
	require.NotContains(t, string(exit.Bytes()), in.Clients[0].UUID)
	require.Len(t, exit.Listens, 2, "tcp and udp")
	require.GreaterOrEqual(t, exit.Listens[0].From, 20000)
	require.Less(t, exit.Listens[0].From, 30000)
}

// With an address of the panel every way has rules for the probe before those for people: it reaches the panel and
// nothing else.
func TestTheProbeReachesThePanelAlone(t *testing.T) {
	t.Parallel()
	in := input(across())
	r := plan.Compile(in)
	entry, exit := r.Fragments[nodeA], r.Fragments[nodeB]
	require.Equal(t, "user [flow."+flowID+".probe] -> flow."+flowID+".out.in.out.probe", rule(entry.Rules[0]))
	require.Equal(
		t,
		"user [flow."+flowID+".probe.in] ip [198.51.100.7] port 8080 -> flow."+flowID+".out.out.out.probe",
		rule(exit.Rules[0]),
	)
	require.Equal(t, "user [flow."+flowID+".probe.in] -> block", rule(exit.Rules[1]))
	for _, f := range r.Fragments {
		people := slices.IndexFunc(f.Rules, func(r plan.Rule) bool { return len(r.User) == 0 })
		for _, one := range f.Rules[people:] {
			require.Empty(t, one.User, "the rules of the probe come first")
		}
	}
}

// A node that people and other nodes enter has a listener for each, and no secret of one in the other.
func TestEachListenerHasItsOwnSecrets(t *testing.T) {
	t.Parallel()
	g := across()
	g.Nodes = append(
		g.Nodes,
		graph.Node{Key: "in2", Kind: graph.Entry, NodeID: nodeB, Params: graph.Params{Listener: vless(8443)}},
	)
	g.Edges = append(g.Edges, graph.Edge{From: "in2", To: "here"})
	r := plan.Compile(input(g))
	require.Empty(t, r.Plan.Errors)
	both := r.Fragments[nodeB]
	require.Len(t, both.Inbounds, 2)
	tags := map[string]bool{}
	for _, one := range both.Inbounds {
		tags[one.Tag] = true
	}
	require.Equal(t, map[string]bool{"flow." + flowID + ".in.in2": true, "flow." + flowID + ".in.out": true}, tags)
	require.Equal(t, []string{"c1"}, both.Clients)
}

// Sets of ports meet when layer, port and address do; all addresses of IPv6 are those of IPv4 as well.
func TestWhichPortsMeet(t *testing.T) {
	t.Parallel()
	l := func(l4, ip string, from, to int) plan.Listen { return plan.Listen{L4: l4, IP: ip, From: from, To: to} }
	for _, c := range []struct {
		a, b plan.Listen
		want bool
	}{
		{l("tcp", "0.0.0.0", 443, 443), l("tcp", "0.0.0.0", 443, 443), true},
		{l("tcp", "0.0.0.0", 443, 443), l("udp", "0.0.0.0", 443, 443), false},
		{l("tcp", "0.0.0.0", 400, 443), l("tcp", "0.0.0.0", 443, 500), true},
		{l("tcp", "0.0.0.0", 400, 442), l("tcp", "0.0.0.0", 443, 500), false},
		{l("tcp", "192.0.2.1", 443, 443), l("tcp", "192.0.2.2", 443, 443), false},
		{l("tcp", "192.0.2.1", 443, 443), l("tcp", "::ffff:192.0.2.1", 443, 443), true},
		{l("tcp", "0.0.0.0", 443, 443), l("tcp", "192.0.2.2", 443, 443), true},
		{l("tcp", "0.0.0.0", 443, 443), l("tcp", "2001:db8::1", 443, 443), false},
		{l("tcp", "::", 443, 443), l("tcp", "192.0.2.2", 443, 443), true},
		{l("tcp", "::", 443, 443), l("tcp", "2001:db8::1", 443, 443), true},
		{l("tcp", "::", 443, 443), l("tcp", "0.0.0.0", 443, 443), true},
		{l("tcp", "eth0", 443, 443), l("tcp", "192.0.2.2", 443, 443), true},
	} {
		require.Equal(t, c.want, c.a.Overlaps(c.b), "%v and %v", c.a, c.b)
		require.Equal(t, c.want, c.b.Overlaps(c.a), "%v and %v", c.b, c.a)
	}
}

// Edges between the same two blocks are told apart by their outbounds, because the core counts by outbound; a single
// edge keeps the name that it has always had, so that an upgrade changes no installed flow.
func TestEachEdgeHasAnOutboundOfItsOwn(t *testing.T) {
	t.Parallel()
	in := input(across())
	in.Graph.Edges = append(in.Graph.Edges, graph.Edge{
		From: "in", To: "out", Priority: 3,
		Match: &graph.Match{Port: "80"},
	})
	r := plan.Compile(in)
	require.Empty(t, r.Plan.Errors)
	var names []string
	for _, o := range r.Fragments[nodeA].Outbounds {
		names = append(names, o.Tag)
	}
	way := "flow." + flowID + ".out.in."
	require.ElementsMatch(t, []string{way + "here" + plan.PublicSuffix, way + "out", way + "out#2", way + "out.probe"},
		names)
	tags := plan.OutboundTags(flowID, in.Graph)
	require.Contains(t, tags[0], way+"here"+plan.PublicSuffix)
	require.Contains(t, tags[2], way+"out#2", "the edge that takes the rest is tried last")
	require.Contains(t, tags[3], way+"out")
	for _, one := range r.Fragments[nodeA].Rules {
		if one.Port == "80" {
			require.Equal(t, way+"out", one.OutboundTag)
		}
	}
}

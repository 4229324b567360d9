package plan_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
)

const nodeC = "0190a000-0000-7000-8000-00000000000c"

// canaried is a flow of two entries and one exit that is installed, and the drawing that is to follow.
type canaried struct {
	before, after graph.Graph
	wish          plan.CanaryWish
	probing       bool
}

func twoEntries() graph.Graph {
	g := across()
	second := graph.Node{Key: "in2", Kind: graph.Entry, NodeID: nodeC, Params: graph.Params{Listener: vless(443)}}
	g.Nodes = append(g.Nodes, second)
	g.Edges = append(g.Edges, graph.Edge{From: "in2", To: "out"})
	return g
}

// refusing lets both entries refuse one more name, which changes nothing between nodes.
func refusing(g graph.Graph) graph.Graph {
	for _, from := range []string{"in", "in2"} {
		match := &graph.Match{Domain: []string{"refused.example"}}
		g.Edges = append(g.Edges, graph.Edge{From: from, To: "stop", Priority: 3, Match: match})
	}
	return g
}

func (c canaried) choose(t *testing.T) (*plan.Canary, []string) {
	t.Helper()
	compiled := func(g graph.Graph, installed map[string]plan.Fragment) plan.Result {
		in := input(g)
		in.Nodes[nodeC] = plan.Node{ID: nodeC, Name: "waw-01", Address: "192.0.2.3", Core: "26.3.27"}
		in.Installed = installed
		r := plan.Compile(in)
		require.Empty(t, r.Plan.Errors)
		return r
	}
	first := plan.Result{}
	if len(c.before.Nodes) > 0 {
		first = compiled(c.before, nil)
	}
	out, problems := plan.ChooseCanary(plan.CanaryInput{
		Wish: c.wish, Graph: c.after, Before: c.before, Hosts: first.Hosts, Installed: first.Fragments, Root: root,
		NodeNames: map[string]string{nodeA: "fra-01", nodeB: "ams-01", nodeC: "waw-01"}, Probing: c.probing,
	}, compiled(c.after, first.Fragments))
	codes := []string{}
	for _, p := range problems {
		codes = append(codes, p.Code)
	}
	return out, codes
}

func nodesOf(c *plan.Canary) (ids []string) {
	for _, n := range c.Nodes {
		ids = append(ids, n.NodeID)
	}
	return ids
}

// A change that links and other nodes do not notice may go first anywhere; probes go through the entries there.
func TestACanaryOfAnEntryIsProbedThroughIt(t *testing.T) {
	t.Parallel()
	out, codes := canaried{
		before: twoEntries(), after: refusing(twoEntries()), probing: true,
		wish: plan.CanaryWish{Nodes: []string{nodeC, nodeC}, WatchS: 60},
	}.choose(t)
	require.Empty(t, codes)
	require.Equal(t, []string{nodeC}, nodesOf(out))
	require.Equal(t, 1, out.Rest)
	require.Equal(t, []plan.CanaryEntry{{NodeID: nodeC, NodeName: "waw-01", Block: "in2"}}, out.Looks)
	require.Equal(t, plan.CanaryProbes{IntervalS: 30, Failures: 2}, out.Probes)
	require.Equal(t, []string{nodeC}, out.Wish().Nodes)
}

// An exit that goes first is probed through the entries that lead there, although they are not in the canary.
func TestACanaryOfAnExitIsProbedThroughItsEntries(t *testing.T) {
	t.Parallel()
	after := twoEntries()
	after.Nodes[1].Params.Private = "allow"
	out, codes := canaried{
		before: twoEntries(), after: after, wish: plan.CanaryWish{Nodes: []string{nodeB}, WatchS: 60}, probing: true,
	}.choose(t)
	require.Empty(t, codes)
	require.Equal(t, []string{"in", "in2"}, []string{out.Looks[0].Block, out.Looks[1].Block})
	require.Zero(t, out.Rest, "nothing else changes")
}

// A share takes entries before exits, by their names, at least one node.
func TestAShareTakesEntriesFirst(t *testing.T) {
	t.Parallel()
	after := refusing(twoEntries())
	after.Nodes[1].Params.Private = "allow"
	for share, want := range map[int][]string{1: {nodeA}, 34: {nodeA, nodeC}, 67: {nodeA, nodeC, nodeB}} {
		out, codes := canaried{
			before: twoEntries(), after: after, wish: plan.CanaryWish{Share: share, WatchS: 60}, probing: true,
		}.choose(t)
		require.Empty(t, codes)
		require.Equal(t, want, nodesOf(out), "%d percent", share)
	}
}

// What links tell must stay what it is, on every entry, and so must what nodes on both sides of a canary use.
func TestACanaryThatWouldBreakWhatServesIsRefused(t *testing.T) {
	t.Parallel()
	entry := func(change func(n *graph.Node)) graph.Graph {
		g := refusing(twoEntries())
		change(&g.Nodes[0])
		return g
	}
	for name, c := range map[string]struct {
		after graph.Graph
		nodes []string
		code  string
	}{
		"another port": {
			after: entry(func(n *graph.Node) { n.Params.Listener.Port = 8443 }), code: "canary_changes_entry",
		},
		"another name": {
			after: entry(func(n *graph.Node) { n.Params.Listener.Reality.ServerNames = []string{"other.example"} }),
			code:  "canary_changes_entry",
		},
		"another key": {
			after: entry(func(n *graph.Node) { n.Params.Listener.Reality.ShortIDs = []string{"ab12"} }),
			code:  "canary_changes_entry",
		},
		"another protocol": {
			after: entry(func(n *graph.Node) { n.Params.Listener.Fingerprint = "safari" }), code: "canary_changes_entry",
		},
		"on another node": {
			after: func() graph.Graph {
				g := refusing(twoEntries())
				g.Nodes[0].NodeID, g.Nodes[4].NodeID = nodeC, nodeA
				return g
			}(), code: "canary_changes_entry",
		},
		"removed": {
			after: func() graph.Graph {
				g := refusing(twoEntries())
				g.Nodes = slices.Delete(g.Nodes, 0, 1)
				g.Edges = slices.DeleteFunc(g.Edges, func(e graph.Edge) bool { return e.From == "in" })
				return g
			}(), code: "canary_changes_entry", nodes: []string{nodeC},
		},
		"another hop, entries first": {
			after: func() graph.Graph {
				g := twoEntries()
				g.Nodes[1].Params.Hop = &graph.Listener{Protocol: "shadowsocks2022", Port: 7443}
				return g
			}(), code: "canary_splits_hop",
		},
		"another hop, the exit first": {
			after: func() graph.Graph {
				g := twoEntries()
				g.Nodes[1].Params.Hop = &graph.Listener{Protocol: "shadowsocks2022", Port: 7443}
				return g
			}(), code: "canary_splits_hop", nodes: []string{nodeB},
		},
		"another hop, both ends first": {
			after: func() graph.Graph {
				g := twoEntries()
				g.Nodes[1].Params.Hop = &graph.Listener{Protocol: "shadowsocks2022", Port: 7443}
				return g
			}(), nodes: []string{nodeA, nodeB, nodeC},
		},
		"a node that stays as it is": {
			after: refusing(twoEntries()), nodes: []string{nodeB}, code: "canary_node_not_changed",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nodes := c.nodes
			if nodes == nil {
				nodes = []string{nodeA}
			}
			_, codes := canaried{
				before: twoEntries(), after: c.after, wish: plan.CanaryWish{Nodes: nodes, WatchS: 60}, probing: true,
			}.choose(t)
			if c.code == "" {
				require.Empty(t, codes)
				return
			}
			require.Contains(t, codes, c.code)
		})
	}
}

// Without a probe there is nothing to watch: a panel that no probe can arrive at has no canaries, and a plan that
// configures no node has none either.
func TestACanaryNeedsProbesAndNodes(t *testing.T) {
	t.Parallel()
	c := canaried{
		before: twoEntries(), after: refusing(twoEntries()), wish: plan.CanaryWish{Nodes: []string{nodeA}, WatchS: 60},
	}
	_, codes := c.choose(t)
	require.Equal(t, []string{"canary_not_probed"}, codes)
	c.after, c.probing = c.before, true
	_, codes = c.choose(t)
	require.Equal(t, []string{"canary_no_node"}, codes)
}

// The first installation may have a canary: no link is out. An entry that would forward to an exit that does not listen
// yet is refused.
func TestAFirstInstallationTakesBothEndsOfAHop(t *testing.T) {
	t.Parallel()
	c := canaried{after: twoEntries(), wish: plan.CanaryWish{Nodes: []string{nodeA}, WatchS: 60}, probing: true}
	_, codes := c.choose(t)
	require.Equal(t, []string{"canary_splits_hop"}, codes)
	c.wish.Nodes = []string{nodeA, nodeB}
	out, codes := c.choose(t)
	require.Empty(t, codes)
	require.Equal(t, 1, out.Rest)
}

// A pool leads to its members: one of them that goes first is probed through the entry before the pool.
func TestAMemberOfAPoolIsProbedThroughThePool(t *testing.T) {
	t.Parallel()
	in := pooled(2)
	first := plan.Compile(in)
	require.Empty(t, first.Plan.Errors)
	var member string
	for _, m := range poolOf(in).Members {
		member = m.NodeID
	}
	changed := first.Fragments[member]
	changed.Rules = append(slices.Clone(changed.Rules), plan.Rule{OutboundTag: "block"})
	installed := map[string]plan.Fragment{}
	for id, f := range first.Fragments {
		installed[id] = f
	}
	step := plan.Step{NodeID: member, Role: "exit", Action: plan.ActionConfigure}
	result := plan.Result{Fragments: first.Fragments, Hosts: first.Hosts, Plan: plan.Plan{Steps: []plan.Step{step}}}
	installed[member] = changed
	out, problems := plan.ChooseCanary(plan.CanaryInput{
		Wish: plan.CanaryWish{Nodes: []string{member}, WatchS: 60}, Graph: in.Graph, Before: in.Graph,
		Hosts: first.Hosts, Installed: installed, Pools: in.Pools, Root: in.Root, Probing: true,
	}, result)
	require.Empty(t, problems)
	require.Len(t, out.Looks, 1)
}

func poolOf(in plan.Input) flowsapi.Pool {
	for _, p := range in.Pools {
		return p
	}
	return flowsapi.Pool{}
}

// What a proxy panel runs changes for all its users at once, so no canary has a part in it.
func TestACanaryChangesNothingThatAPanelServes(t *testing.T) {
	t.Parallel()
	first := plan.Compile(offered())
	in := offered()
	in.Installed = first.Fragments
	in.Graph.Nodes[1].Params.Hop = &graph.Listener{Protocol: "shadowsocks2022", Port: 21000}
	after := plan.Compile(in)
	require.Len(t, after.Plan.Steps, 1)
	_, problems := plan.ChooseCanary(plan.CanaryInput{
		Wish: plan.CanaryWish{Share: 50, WatchS: 60}, Graph: in.Graph, Before: offered().Graph, Hosts: first.Hosts,
		Installed: first.Fragments, Root: root, Probing: true,
	}, after)
	require.Equal(t, "canary_panel_serves", problems[0].Code)
	require.Equal(t, "nodes[0]", problems[0].Path)
}

package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
)

// installed compiles a drawing and gives the input of the next compilation, with that installed.
func installed(t *testing.T) plan.Input {
	t.Helper()
	in := input(across())
	r := plan.Compile(in)
	require.Empty(t, r.Plan.Errors)
	in.Installed, in.Hosts = r.Fragments, r.Hosts
	return in
}

func steps(p plan.Plan) [][3]string {
	out := [][3]string{}
	for _, s := range p.Steps {
		out = append(out, [3]string{s.NodeName, s.Action, s.DetailCode})
	}
	return out
}

// A plan names what changes, field by field, and touches only the nodes that have to change.
// Specification, Flow plan: the plan shows the differences against what is installed.
func TestAPlanNamesWhatChanges(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(in *plan.Input)
		steps  [][3]string
		diff   plan.Diff
	}{
		"a client more": {
			func(in *plan.Input) {
				in.Clients = append(in.Clients, plan.Client{ID: "c2", Label: "Boris", UUID: "u", Key: root})
			},
			[][3]string{{"fra-01", "configure", "changes"}},
			plan.Diff{Clients: []plan.Change{{
				Op: "added", NodeID: nodeA, Name: "Boris",
				ToFields: map[string]string{"id": "c2"},
			}}},
		},
		"a client less": {
			func(in *plan.Input) { in.Clients = nil },
			[][3]string{{"fra-01", "configure", "changes"}},
			plan.Diff{Clients: []plan.Change{{
				Op: "removed", NodeID: nodeA, Name: "Anna",
				FromFields: map[string]string{"id": "c1"},
			}}},
		},
		"another port": {
			func(in *plan.Input) { in.Graph.Nodes[0].Params.Listener.Port = 8443 },
			[][3]string{{"fra-01", "configure", "changes"}},
			plan.Diff{
				Listeners: []plan.Change{{
					Op: "changed", NodeID: nodeA, Name: "in", Field: "listen",
					From: "0.0.0.0:443/tcp", To: "0.0.0.0:8443/tcp",
				}},
				Firewall: []plan.Change{
					{
						Op: "removed", NodeID: nodeA, Name: "allow 443/tcp", From: "from anywhere",
						FromFields: map[string]string{"from": "anywhere"},
					},
					{
						Op: "added", NodeID: nodeA, Name: "allow 8443/tcp", To: "from anywhere",
						ToFields: map[string]string{"from": "anywhere"},
					},
				},
			},
		},
		"private addresses opened": {
			func(in *plan.Input) { in.Graph.Nodes[2].Params.Private = "allow" },
			[][3]string{{"fra-01", "configure", "changes"}},
			plan.Diff{Routes: []plan.Change{{
				Op: "changed", NodeID: nodeA, Name: "in to here", Field: "private",
				From: "blocked",
			}}},
		},
		"a title": {func(in *plan.Input) { in.Graph.Nodes[0].Title = "Frankfurt" }, [][3]string{}, plan.Diff{}},
		"nothing": {func(*plan.Input) {}, [][3]string{}, plan.Diff{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := installed(t)
			c.change(&in)
			p := plan.Compile(in).Plan
			require.Empty(t, p.Errors)
			require.Equal(t, c.steps, steps(p))
			require.Equal(t, len(c.steps) == 0, p.IsNoop)
			require.ElementsMatch(t, c.diff.Listeners, p.Diff.Listeners)
			require.ElementsMatch(t, c.diff.Firewall, p.Diff.Firewall)
			require.ElementsMatch(t, c.diff.Routes, p.Diff.Routes)
			require.ElementsMatch(t, c.diff.Clients, p.Diff.Clients)
			for _, step := range p.Steps {
				require.Equal(t, plan.Reload, step.Interruption, "the node serves the flow already")
			}
		})
	}
}

// Nodes change from the exits to the entries, and those that the flow leaves come last, so that no entry forwards to
// a node that does not listen.
func TestTheOrderOfWork(t *testing.T) {
	t.Parallel()
	in := input(graph.Graph{
		Nodes: []graph.Node{
			{Key: "in", Kind: graph.Entry, NodeID: nodeA, Params: graph.Params{Listener: vless(443)}},
			{Key: "mid", Kind: graph.Transit, NodeID: "mid"},
			{Key: "out", Kind: graph.Exit, NodeID: nodeB},
		},
		Edges: []graph.Edge{{From: "in", To: "mid"}, {From: "mid", To: "out"}},
	})
	in.Nodes["mid"] = plan.Node{ID: "mid", Name: "waw-01", Address: "192.0.2.3", Core: "26.3.27"}
	in.Nodes["old"] = plan.Node{ID: "old", Name: "ber-01", Address: "192.0.2.4", Core: "26.3.27"}
	in.Installed = map[string]plan.Fragment{"old": {FlowID: flowID, NodeID: "old"}}
	r := plan.Compile(in)
	require.Empty(t, r.Plan.Errors)
	require.Equal(t, [][3]string{
		{
			"ams-01",
			"configure",
			"adds",
		},
		{"waw-01", "configure", "adds"},
		{"fra-01", "configure", "adds"},
		{"ber-01", "remove", "leaves"},
	}, steps(r.Plan))
	for i, s := range r.Plan.Steps {
		require.Equal(t, i+1, s.Order)
		require.Equal(t, []string{"exit", "transit", "entry", "none"}[i], s.Role)
		require.Equal(t, s.Action == plan.ActionRemove, s.Interruption == plan.Reload)
	}
	require.Len(t, r.Plan.Rendered, 4)
}

// A node that is an entry of one way and an exit of another has one step, in its place as an entry.
func TestANodeWithTwoPartsHasOneStep(t *testing.T) {
	t.Parallel()
	g := across()
	g.Nodes = append(
		g.Nodes,
		graph.Node{Key: "in2", Kind: graph.Entry, NodeID: nodeB, Params: graph.Params{Listener: vless(8443)}},
	)
	g.Edges = append(g.Edges, graph.Edge{From: "in2", To: "here"})
	p := plan.Compile(input(g)).Plan
	require.Empty(t, p.Errors)
	require.Len(t, p.Steps, 2)
	for _, s := range p.Steps {
		require.Equal(t, "entry", s.Role, s.NodeName)
	}
}

// What would surprise is said before it is installed: a flow without clients, traffic that no rule takes, blocks that
// no entry leads to, a core whose version nobody knows.
func TestAPlanWarnsOfWhatWouldSurprise(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change     func(in *plan.Input)
		code, path string
	}{
		"no clients": {func(in *plan.Input) { in.Clients = nil }, "no_clients", "nodes[0]"},
		"no rule for rest": {
			func(in *plan.Input) { in.Graph.Edges[2].Match = &graph.Match{Port: "443"} },
			"no_default_route", "nodes[0]",
		},
		"an unreached block": {func(in *plan.Input) {
			in.Graph.Nodes = append(in.Graph.Nodes, graph.Node{Key: "lost", Kind: graph.Direct})
		}, "unreachable_block", "nodes[4]"},
		"an unknown core": {func(in *plan.Input) {
			n := in.Nodes[nodeB]
			n.Core = ""
			in.Nodes[nodeB] = n
		}, "core_unknown", "nodes[1].node_id"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := input(across())
			c.change(&in)
			p := plan.Compile(in).Plan
			require.Empty(t, p.Errors)
			require.Len(t, p.Warnings, 1)
			require.Equal(t, c.code, p.Warnings[0].Code)
			require.Equal(t, c.path, p.Warnings[0].Path)
			require.NotEmpty(t, p.Steps, "it can be installed all the same")
		})
	}
}

// An agent that says what it can do, and cannot install, is named with its node; one that has not spoken yet is not
// judged.
func TestAnAgentThatCannotInstallIsNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		can    []string
		errors int
	}{{nil, 0}, {[]string{"apply_config"}, 0}, {[]string{"probe", "apply_config"}, 0}, {[]string{"probe"}, 1}} {
		in := input(across())
		n := in.Nodes[nodeB]
		n.Can = c.can
		in.Nodes[nodeB] = n
		p := plan.Compile(in).Plan
		require.Len(t, p.Errors, c.errors, c.can)
		if c.errors > 0 {
			require.Equal(t, graph.Problem{
				Code: plan.CapabilityMissing, Path: "nodes[1].node_id", Node: "ams-01", Core: "26.3.27",
				Capability: "apply_config",
				Message:    "the node's agent cannot install configurations; update it",
			}, p.Errors[0])
		}
	}
}

// A result that is refused afterwards installs nothing, whatever was compiled.
func TestARefusedResultInstallsNothing(t *testing.T) {
	t.Parallel()
	r := plan.Compile(input(across())).
		Refused([]graph.Problem{{Code: plan.CapabilityMissing, Path: "nodes[0].node_id"}})
	require.Len(t, r.Plan.Errors, 1)
	require.Empty(t, r.Plan.Steps)
	require.Empty(t, r.Plan.Hash)
	require.Empty(t, r.Fragments)
	require.Empty(t, r.Hosts)
}

// What decides about the outcome is in the fingerprint, and what does not is left out: who holds ports is asked anew.
func TestTheFingerprintNamesWhatDecides(t *testing.T) {
	t.Parallel()
	was := input(across()).Fingerprint()
	for name, change := range map[string]func(in *plan.Input){
		"the drawing":    func(in *plan.Input) { in.Graph.Edges[0].Priority = 7 },
		"a client":       func(in *plan.Input) { in.Clients = nil },
		"an address":     func(in *plan.Input) { set(in, func(n *plan.Node) { n.Address = "198.51.100.1" }) },
		"a core":         func(in *plan.Input) { set(in, func(n *plan.Node) { n.Core = "26.4.0" }) },
		"a capability":   func(in *plan.Input) { set(in, func(n *plan.Node) { n.Can = []string{"probe"} }) },
		"an own address": func(in *plan.Input) { set(in, func(n *plan.Node) { n.Own = []string{"203.0.113.1"} }) },
		"a geo file": func(in *plan.Input) {
			set(in,
				func(n *plan.Node) { n.GeoFiles = []string{"geoip.dat"} })
		},
		"a binding":         func(in *plan.Input) { in.Domains = map[string]plan.Domain{"d": {NodeID: nodeA}} },
		"what is installed": func(in *plan.Input) { in.Hashes = map[string]string{nodeA: "h"} },
		"what links name":   func(in *plan.Input) { in.Hosts = []plan.Host{{Block: "in"}} },
		"the panel":         func(in *plan.Input) { in.Reflector.Port++ },
		"the flow":          func(in *plan.Input) { in.FlowID = "other" },
	} {
		in := input(across())
		change(&in)
		require.NotEqual(t, was, in.Fingerprint(), name)
	}
	for name, change := range map[string]func(in *plan.Input){
		"a socket": func(in *plan.Input) {
			set(in,
				func(n *plan.Node) { n.Sockets = []plan.Socket{{Port: 1}} })
		},
		"another flow": func(in *plan.Input) {
			set(in,
				func(n *plan.Node) { n.Others = []plan.Fragment{{FlowID: "o"}} })
		},
		"a reserved port": func(in *plan.Input) {
			set(in,
				func(n *plan.Node) { n.Reserved = []plan.Listen{{From: 1}} })
		},
		"a client's label": func(in *plan.Input) { in.Clients[0].Label = "Anna K." },
		"the revision":     func(in *plan.Input) { in.Revision++ },
	} {
		in := input(across())
		change(&in)
		require.Equal(t, was, in.Fingerprint(), name)
	}
}

func set(in *plan.Input, change func(n *plan.Node)) {
	n := in.Nodes[nodeA]
	change(&n)
	in.Nodes[nodeA] = n
}

// A port that was taken since a plan was compiled is found without compiling it again.
func TestTakenPortsAreFoundWithoutCompiling(t *testing.T) {
	t.Parallel()
	in := input(across())
	fragments := plan.Compile(in).Fragments
	require.False(t, plan.Taken(in, fragments))
	for name, change := range map[string]func(n *plan.Node){
		"a process": func(n *plan.Node) {
			n.Sockets = []plan.Socket{{
				L4: "tcp", IP: "::", Port: 443,
				Process: "nginx",
			}}
		},
		"another flow": func(n *plan.Node) {
			n.Others = []plan.Fragment{{Listens: []plan.Listen{{L4: "tcp", IP: "0.0.0.0", From: 443, To: 443}}}}
		},
		"an apply": func(n *plan.Node) {
			n.Reserved = []plan.Listen{{FlowID: "o", L4: "tcp", IP: "0.0.0.0", From: 400, To: 500}}
		},
	} {
		in := input(across())
		set(&in, change)
		require.True(t, plan.Taken(in, fragments), name)
	}
	for name, change := range map[string]func(n *plan.Node){
		"its own core": func(n *plan.Node) { n.Sockets = []plan.Socket{{L4: "tcp", IP: "::", Port: 443, Core: true}} },
		"its own apply": func(n *plan.Node) {
			n.Reserved = []plan.Listen{{FlowID: flowID, L4: "tcp", IP: "0.0.0.0", From: 443, To: 443}}
		},
		"udp": func(n *plan.Node) { n.Sockets = []plan.Socket{{L4: "udp", IP: "::", Port: 443, Process: "dns"}} },
		"another address": func(n *plan.Node) {
			n.Sockets = []plan.Socket{{L4: "tcp", IP: "2001:db8::1", Port: 443, Process: "nginx"}}
		},
	} {
		in := input(across())
		set(&in, change)
		require.False(t, plan.Taken(in, fragments), name)
	}
}

package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
)

// Whoever sends an unknown client hello is connected with the target: inside the node, the panel or a private network
// only where the drawing says so, and then the plan says so too.
func TestAPrivateTargetIsRefusedUnlessTheDrawingAllowsIt(t *testing.T) {
	t.Parallel()
	for target, inside := range map[string]bool{
		"www.example.org:443": false, "203.0.113.80:443": false, "[2001:db8::80]:443": false,
		"localhost.example.org:443": false,
		"127.0.0.1:443":             true, "[::1]:443": true, "[::ffff:127.0.0.1]:443": true, "10.1.2.3:443": true,
		"192.168.0.1:443":    true,
		"169.254.169.254:80": true, "100.64.0.1:443": true, "[fd00::1]:443": true, "[fe80::1]:443": true,
		"0.0.0.0:443":   true,
		"localhost:443": true, "LOCALHOST:443": true, "a.localhost:443": true,
		"192.0.2.1:443":    true, // the node's address
		"203.0.113.9:443":  true, // an address of its interfaces
		"198.51.100.7:443": true, // the panel's
	} {
		for _, hop := range []bool{false, true} {
			in := input(across())
			n := in.Nodes[nodeA]
			n.Own = []string{"203.0.113.9"}
			in.Nodes[nodeA] = n
			l := &graph.Listener{
				Protocol: "vless",
				Port:     8443,
				Reality:  &graph.Reality{Target: target, ServerNames: []string{"example.org"}},
			}
			at, field := 0, "nodes[0].params.listener.reality.target"
			if in.Graph.Nodes[0].Params.Listener = l; hop {
				in.Graph.Nodes[0].Params.Listener = vless(443)
				in.Graph.Nodes[1].NodeID, in.Graph.Nodes[0].NodeID = nodeA, nodeB
				in.Graph.Nodes[1].Params.Hop = l
				at, field = 1, "nodes[1].params.hop.reality.target"
			}
			refused := plan.Compile(in).Plan
			if !inside {
				require.Empty(t, refused.Errors, target)
				require.Empty(t, refused.Warnings, target)
				continue
			}
			require.Len(t, refused.Errors, 1, target)
			require.Equal(t, "target_private", refused.Errors[0].Code)
			require.Equal(t, field, refused.Errors[0].Path)

			l.Reality.AllowPrivateTarget = true
			allowed := plan.Compile(in).Plan
			require.Empty(t, allowed.Errors, target)
			require.Len(t, allowed.Warnings, 1, "%s at block %d", target, at)
			require.Equal(t, "target_private", allowed.Warnings[0].Code)
			require.Equal(t, field, allowed.Warnings[0].Path)
		}
	}
}

// The node judges a name when it resolves it, and knows whether the drawing allows what it finds.
func TestTheQuestionAboutATargetSaysWhatIsAllowed(t *testing.T) {
	t.Parallel()
	for _, allowed := range []bool{false, true} {
		in := input(across())
		in.Graph.Nodes[0].Params.Listener.Reality.AllowPrivateTarget = allowed
		for _, c := range plan.Compile(in).Plan.Readiness {
			if c.Group == plan.GroupTarget {
				require.Equal(t, allowed, c.Probe.Private)
				require.Equal(t, "nodes[0].params.listener.reality.target", c.Probe.Path)
			}
		}
	}
}

// An unknown binding, somebody else's and another node's get one answer.
func TestABindingIsItsOwnersAndItsNodes(t *testing.T) {
	t.Parallel()
	in := input(across())
	in.Graph.Nodes[0].NodeDomainID = "d"
	for _, known := range []map[string]plan.Domain{
		nil,
		{"d": {NodeID: nodeB, Hostname: "x.example.org"}},
		{"e": {NodeID: nodeA}},
	} {
		in.Domains = known
		p := plan.Compile(in).Plan
		require.Len(t, p.Errors, 1)
		require.Equal(t, "node_domain_unknown", p.Errors[0].Code)
		require.Equal(t, "nodes[0].node_domain_id", p.Errors[0].Path)
	}
	in.Domains = map[string]plan.Domain{"d": {NodeID: nodeA, Hostname: "x.example.org"}}
	r := plan.Compile(in)
	require.Empty(t, r.Plan.Errors)
	require.Equal(t, []plan.Host{{Block: "in", NodeID: nodeA, DomainID: "d", Host: "x.example.org"}}, r.Hosts)
}

// Links are no part of a configuration: a change of them alone has no steps, and still is something to install.
func TestAChangeOfLinksAloneIsNoNoop(t *testing.T) {
	t.Parallel()
	in := input(across())
	first := plan.Compile(in)
	in.Installed, in.Hosts = first.Fragments, first.Hosts
	require.True(t, plan.Compile(in).Plan.IsNoop)
	n := in.Nodes[nodeA]
	n.Address = "198.51.100.20"
	in.Nodes[nodeA] = n
	again := plan.Compile(in).Plan
	require.False(t, again.IsNoop)
	require.Empty(t, again.Steps)
	require.Empty(t, again.Readiness)
	require.NotEqual(t, first.Plan.Hash, again.Hash)
	require.Equal(
		t,
		[]plan.Change{{
			Op: "changed", NodeID: nodeA, Name: "in", Field: "host", From: "192.0.2.1",
			To: "198.51.100.20",
		}},
		again.Diff.Listeners,
	)
	in.Hosts = nil
	require.True(t, plan.Compile(in).Plan.IsNoop, "what an older panel installed tells no host")
}

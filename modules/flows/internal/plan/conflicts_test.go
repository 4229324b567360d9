package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
)

// beside puts listeners of another flow on the entry's node.
func beside(in plan.Input, held ...plan.Listen) plan.Input {
	n := in.Nodes[nodeA]
	n.Others = []plan.Fragment{{FlowID: "other", NodeID: nodeA, Listens: held}}
	in.Nodes[nodeA] = n
	return in
}

func at443(host, path string) plan.Listen {
	return plan.Listen{
		FlowID: "other", Name: "theirs", L4: "tcp", IP: "0.0.0.0", From: 443, To: 443, Host: host, Path: path,
	}
}

// Two flows that answer to one host name and path on one node and port are a conflict at the field that tells them
// apart; the same name taken as a whole is one at the domain.
func TestConflictsAboutHostNames(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		transport, host, path string
		kind, field, shared   string
	}{
		"same path":               {"ws", domain, "/", plan.ConflictPath, "nodes[0].params.listener.path", domain},
		"same name as whole":      {"raw", domain, "", plan.ConflictDomain, "nodes[0].node_domain_id", domain},
		"a listener with no name": {"ws", "", "", plan.ConflictPort, "nodes[0].params.listener.port", ""},
	} {
		r := plan.Compile(beside(secured("vless", c.transport), at443(c.host, c.path)))
		require.Equal(t, []plan.Conflict{{
			Kind: c.kind, NodeID: nodeA, L4: "tcp", Port: 443, Path: c.field, Host: c.shared,
			With: plan.ConflictWith{FlowID: "other", Listener: "theirs"},
		}}, r.Plan.Conflicts, name)
	}
}

// Only conflicts about names keep a draft from compiling; whoever holds a port may be gone by the time of the apply.
func TestFindingsLeaveOutPorts(t *testing.T) {
	t.Parallel()
	found := plan.Findings([]plan.Conflict{
		{Kind: plan.ConflictPort},
		{Kind: plan.ConflictPath, Path: "a", Host: domain},
		{Kind: plan.ConflictDomain, Path: "b", Host: domain},
		{Kind: plan.ConflictRecord},
	})
	require.Len(t, found, 2)
	require.Equal(t, []string{"sni_path", "a", "domain", "b"},
		[]string{found[0].Code, found[0].Path, found[1].Code, found[1].Path})
}

// Within one drawing the same is said of its blocks.
func TestTwoBlocksOfOneFlowWithOneHostName(t *testing.T) {
	t.Parallel()
	for transport, code := range map[string]string{"httpupgrade": "sni_path", "raw": "domain"} {
		in := secured("vless", transport)
		second := in.Graph.Nodes[0]
		second.Key, second.Params.Listener = "in2", &graph.Listener{
			Protocol: "trojan", Port: 443, Security: graph.TLS, Transport: transport,
		}
		in.Graph.Nodes = append(in.Graph.Nodes, second)
		in.Graph.Edges = append(in.Graph.Edges, graph.Edge{From: "in2", To: "out"})
		found := plan.Compile(in).Plan.Errors
		require.Len(t, found, 1)
		require.Equal(t, code, found[0].Code)
	}
}

// Of a range of ports the one that is taken is named, by whomever.
func TestTheTakenPortOfARangeIsNamed(t *testing.T) {
	t.Parallel()
	in := entering(graph.Listener{Protocol: "hysteria2", PortRange: "20000-20010"})
	node := in.Nodes[nodeA]
	node.Sockets = []plan.Socket{{L4: "udp", IP: "0.0.0.0", Port: 20005, Process: "dnsmasq"}}
	in.Nodes[nodeA] = node
	found := plan.Compile(in).Plan.Conflicts
	require.Len(t, found, 1)
	require.Equal(t, []any{20005, "dnsmasq", "nodes[0].params.listener.port_range"},
		[]any{found[0].Port, found[0].With.Process, found[0].Path})
}

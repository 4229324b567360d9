package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/platform/agentapi"
)

// A listener behind a load balancer asks everybody for a header, over every transport, and the plan says whom that
// trusts.
func TestAListenerBehindALoadBalancerAsksForAHeader(t *testing.T) {
	t.Parallel()
	for _, transport := range []string{"raw", "xhttp", "grpc", "ws", "httpupgrade"} {
		in := entering(graph.Listener{
			Protocol: "vless", Port: 443, Security: graph.TLS, Transport: transport, AcceptProxy: true,
		})
		socket := rendered(t, in)["streamSettings"].(map[string]any)["sockopt"]
		require.Equal(t, map[string]any{"acceptProxyProtocol": true}, socket, transport)
		require.Equal(t, "proxy_trusted", plan.Compile(in).Plan.Warnings[0].Code)
	}
	in := entering(graph.Listener{Protocol: "shadowsocks2022", Port: 443, L4: "tcp", AcceptProxy: true})
	require.Contains(t, rendered(t, in)["streamSettings"], "sockopt")
}

// Datagrams have no header, and nodes dial each other themselves.
func TestOnlyConnectionsOfClientsHaveAHeader(t *testing.T) {
	t.Parallel()
	for _, l := range []graph.Listener{
		{Protocol: "hysteria2", Port: 443, AcceptProxy: true},
		{Protocol: "shadowsocks2022", Port: 443, AcceptProxy: true},
		{Protocol: graph.WireGuard, Port: 443, AcceptProxy: true},
	} {
		found := plan.Compile(entering(l)).Plan.Errors
		require.Len(t, found, 1, l.Protocol)
		require.Equal(t, "nodes[0].params.listener.accept_proxy_protocol", found[0].Path)
	}
	in := input(across())
	for i := range in.Graph.Nodes {
		if in.Graph.Nodes[i].Kind == graph.Exit {
			in.Graph.Nodes[i].Params.Hop = &graph.Listener{Protocol: "shadowsocks2022", L4: "tcp", AcceptProxy: true}
		}
	}
	require.Equal(t, "not_allowed_here", plan.Compile(in).Plan.Errors[0].Code)
}

// An agent that cannot try such a listener is named; one that has said nothing yet is asked when it installs.
func TestAnAgentMustBeAbleToTryAListenerBehindALoadBalancer(t *testing.T) {
	t.Parallel()
	in := entering(graph.Listener{Protocol: "vless", Port: 443, Security: graph.TLS, AcceptProxy: true})
	node := in.Nodes[nodeA]
	node.Can = []string{string(agentapi.CanApply), "document_certificates"}
	in.Nodes[nodeA] = node
	found := plan.Compile(in).Plan.Errors
	require.Len(t, found, 1)
	require.Equal(t, plan.CapabilityMissing, found[0].Code)
	require.Equal(t, string(agentapi.CanBeProxied), found[0].Capability)
}

// Whoever asks for a header shares its port with nobody: the others have none.
func TestAListenerBehindALoadBalancerSharesNoPort(t *testing.T) {
	t.Parallel()
	l := graph.Listener{Protocol: "vless", Port: 443, Security: graph.TLS}
	first := neighbour(t, 1, l, domain, nil)
	l.AcceptProxy = true
	second := neighbour(t, 2, l, "other.example.org", []plan.Fragment{first.Fragments[nodeA]})
	require.Len(t, second.Plan.Conflicts, 1)
	require.Equal(t, plan.ConflictPort, second.Plan.Conflicts[0].Kind)
}

package plan_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
)

const (
	otherFlow = "0190a000-0000-7000-8000-0000000000f2"
	otherHost = "other.example.org"
)

var otherRoot = bytes.Repeat([]byte{8}, 32)

// relayed is a flow with a pool of nodes and of another flow, of which this listener is installed.
func relayed(members int, l *graph.Listener) plan.Input {
	in := pooled(members, func(p *flowsapi.Pool) {
		p.Members = append(p.Members, flowsapi.PoolMember{ID: "a-flow", FlowID: otherFlow})
	})
	in.Relays = map[string]plan.Relay{otherFlow: {
		FlowID: otherFlow, Name: "Other", Version: "v1", Block: "in", Host: otherHost,
	}}
	if l != nil {
		in.Relays[otherFlow] = in.Relays[otherFlow].Opened(otherRoot, otherHost, *l)
	}
	return in
}

// memberFlow is that other flow, with the pools that it is a member of.
func memberFlow(l *graph.Listener, pools ...string) plan.Input {
	g := across()
	g.Nodes[0].Params.Listener, g.Nodes[0].NodeDomainID = l, "domain"
	in := input(g)
	in.Domains = map[string]plan.Domain{"domain": {NodeID: nodeA, Hostname: otherHost}}
	in.FlowID, in.Root = otherFlow, otherRoot
	for _, id := range pools {
		in.Feeders = append(in.Feeders, plan.Feeder{PoolID: id, Name: "Pool " + id})
	}
	return in
}

func tagged(t *testing.T, f plan.Fragment, tag string) plan.Outbound {
	t.Helper()
	at := slices.IndexFunc(f.Outbounds, func(o plan.Outbound) bool { return o.Tag == tag })
	require.GreaterOrEqual(t, at, 0, tag)
	return f.Outbounds[at]
}

// Rule: members of a pool are nodes or flows. A flow is dialled at its installed entry, as a client that only this pool
// has; the panel's own probe goes in as that flow's probe. Nothing of the flow is installed with the one that uses it.
func TestAFlowIsAMemberOfAPool(t *testing.T) {
	t.Parallel()
	r := plan.Compile(relayed(2, vless(443)))
	require.Empty(t, r.Plan.Errors)
	require.Len(t, r.Fragments, 3, "the entry and two nodes")
	way := chooser(t, r, intoPool).PoolOf
	require.Len(t, way.Members, 3)
	require.Equal(t, "a-flow", way.Members[0].ID, "in the order of ids, nodes and flows alike")
	dialled := tagged(t, r.Fragments[nodeA], intoPool+"~a-flow")
	require.Equal(t, otherHost, dialled.Settings.Address)
	require.Equal(t, 443, dialled.Settings.Port)
	require.Equal(t, "Other, exit-0000, exit-0001", factOf(r.Fragments[nodeA], "routes", "in to pool")["members"])

	other := plan.Compile(memberFlow(vless(443), "asia", "europe"))
	require.Empty(t, other.Plan.Errors)
	let := map[string]string{}
	for _, client := range other.Fragments[nodeA].Inbounds[0].Settings.Clients {
		let[client.Email] = client.ID
	}
	require.Equal(t, let["flow."+otherFlow+".pool.europe"], dialled.Settings.ID)
	require.NotEqual(t, let["flow."+otherFlow+".pool.asia"], dialled.Settings.ID, "each pool shows who it is by itself")
	probe := tagged(t, r.Fragments[nodeA], intoPool+"~a-flow.probe")
	require.Equal(t, let["flow."+otherFlow+".probe"], probe.Settings.ID)
	require.Equal(t, map[string]string{"id": "europe", "pool": "Pool europe"},
		factOf(other.Fragments[nodeA], "clients", "Pool europe"), "the plan of the member says who is let in")
	require.NotContains(t, string(other.Fragments[nodeB].Bytes()), ".pool.", "its other nodes let nobody else in")
}

// Who speaks what the entry speaks: the secrets of each protocol fit on both ends.
func TestAPoolDialsEachProtocolOfAnEntry(t *testing.T) {
	t.Parallel()
	for name, l := range map[string]*graph.Listener{
		"trojan":      {Protocol: "trojan", Port: 8443},
		"shadowsocks": {Protocol: "shadowsocks2022", Port: 8388},
		"vmess":       {Protocol: "vmess", Port: 8080, Transport: "ws", Path: "/ws"},
	} {
		out := tagged(t, plan.Compile(relayed(1, l)).Fragments[nodeA], intoPool+"~a-flow")
		other := plan.Compile(memberFlow(l, "europe"))
		require.Empty(t, other.Plan.Errors, name)
		in := other.Fragments[nodeA].Inbounds[0].Settings
		at := len(in.Clients) - 1
		require.Equal(t, "flow."+otherFlow+".pool.europe", in.Clients[at].Email, name)
		switch name {
		case "trojan":
			require.Equal(t, in.Clients[at].Password, out.Settings.Password)
			require.Equal(t, otherHost, out.Stream.TLS.ServerName)
		case "vmess":
			require.Equal(t, in.Clients[at].ID, out.Settings.ID)
			require.Equal(t, "/ws", out.Stream.WS.Path)
		default:
			require.Equal(t, in.Password+":"+in.Clients[at].Password, out.Settings.Password)
		}
	}
}

// A flow of which nothing is installed gets no traffic yet, which is said; a pool of nothing else cannot be used.
func TestAFlowWithoutAnInstalledVersionIsNoWay(t *testing.T) {
	t.Parallel()
	in := relayed(1, nil)
	in.Relays[otherFlow] = plan.Relay{FlowID: otherFlow, Name: "Other"}
	r := plan.Compile(in)
	require.Empty(t, r.Plan.Errors)
	require.Len(t, chooser(t, r, intoPool).PoolOf.Members, 1)
	at := slices.IndexFunc(r.Plan.Warnings, func(p graph.Problem) bool { return p.Code == "pool_flow_not_installed" })
	require.GreaterOrEqual(t, at, 0)
	require.Equal(t, "nodes[1].pool_id", r.Plan.Warnings[at].Path)
	require.Contains(t, r.Plan.Warnings[at].Message, "Other")

	in = relayed(0, nil)
	in.Relays = nil
	require.Equal(t, "pool_empty", plan.Compile(in).Plan.Errors[0].Code)
}

// A pool of flows alone needs no node beside the sender, and may fall back on one of them.
func TestAPoolOfFlowsAlone(t *testing.T) {
	t.Parallel()
	in := relayed(0, vless(443))
	pool := in.Pools["europe"]
	pool.Fallback = flowsapi.PoolFallback{Kind: flowsapi.FallbackMember, MemberID: "a-flow"}
	in.Pools["europe"] = pool
	r := plan.Compile(in)
	require.Empty(t, r.Plan.Errors)
	require.Len(t, r.Plan.Steps, 1)
	way := chooser(t, r, intoPool).PoolOf
	require.Equal(t, way.Members[0].Tag, way.Fallback)
	require.Equal(t, "Other", factOf(r.Fragments[nodeA], "routes", "in to pool")["fallback"])
	require.Equal(t, "Other", factOf(r.Fragments[nodeA], "routes", "in to pool")["members"])
}

// What another flow has installed decides about the outcome: another version, host or pool is another plan.
func TestAPlanFollowsTheFlowsOfItsPools(t *testing.T) {
	t.Parallel()
	first := relayed(1, vless(443))
	for name, change := range map[string]func(r *plan.Relay){
		"version": func(r *plan.Relay) { r.Version = "v2" },
		"host":    func(r *plan.Relay) { r.Host = "203.0.113.10" },
		"entry":   func(r *plan.Relay) { r.Block = "second" },
	} {
		other := relayed(1, vless(443))
		relay := other.Relays[otherFlow]
		change(&relay)
		other.Relays[otherFlow] = relay
		require.NotEqual(t, first.Fingerprint(), other.Fingerprint(), name)
		require.NotEqual(t, first.Key(), other.Key(), name)
	}
	without, with := memberFlow(vless(443)), memberFlow(vless(443), "europe")
	require.NotEqual(t, without.Fingerprint(), with.Fingerprint())
	require.NotEqual(t, without.Key(), with.Key())
	require.NotEqual(t, plan.Compile(without).Plan.Hash, plan.Compile(with).Plan.Hash)
}

// Which entry pools dial: the first that a core can dial by itself and that leads somewhere.
func TestWhichEntryPoolsDial(t *testing.T) {
	t.Parallel()
	entry := func(key string, l *graph.Listener) graph.Node {
		return graph.Node{Key: key, Kind: graph.Entry, NodeID: nodeA, Params: graph.Params{Listener: l}}
	}
	behind := vless(444)
	behind.AcceptProxy = true
	g := graph.Graph{
		Nodes: []graph.Node{
			entry("tunnel", &tunnelListener), entry("behind", behind), entry("nowhere", vless(445)), entry("fit", vless(446)),
			{Key: "out", Kind: graph.Direct},
			{Key: "stop", Kind: graph.Block},
		},
		Edges: []graph.Edge{
			{From: "tunnel", To: "out"}, {From: "behind", To: "out"}, {From: "nowhere", To: "stop"}, {From: "fit", To: "out"},
		},
	}
	require.Equal(t, "fit", g.Nodes[plan.RelayEntry(g)].Key)
	g.Nodes = slices.DeleteFunc(g.Nodes, func(n graph.Node) bool { return n.Key == "fit" })
	require.Equal(t, -1, plan.RelayEntry(g))
	only := memberFlow(&tunnelListener, "europe")
	only.Graph.Nodes[0].Params.Listener = &tunnelListener
	for _, f := range plan.Compile(only).Fragments {
		require.NotContains(t, string(f.Bytes()), ".pool.", "a tunnel lets in no pool")
	}
}

// Pools that lead back into the flow are errors of its plan.
func TestACircleOfPoolsIsRefused(t *testing.T) {
	t.Parallel()
	in := relayed(1, vless(443))
	in.Circles = []graph.Problem{{Code: "pool_flow_circle", Path: "nodes[1].pool_id", Message: "a circle"}}
	r := plan.Compile(in)
	require.Equal(t, in.Circles, r.Plan.Errors)
	require.Empty(t, r.Fragments)
	require.NotEqual(t, relayed(1, vless(443)).Fingerprint(), in.Fingerprint(), "a stored plan is compiled again")
}

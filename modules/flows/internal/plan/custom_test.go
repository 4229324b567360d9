package plan_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
)

// leavingBy is a flow whose entry sends everything out by a custom plan.
func leavingBy(p flowsapi.CustomPlan) plan.Input {
	in := input(graph.Graph{
		Nodes: []graph.Node{
			{Key: "in", Kind: graph.Entry, NodeID: nodeA, Params: graph.Params{Listener: vless(443)}},
			{Key: "out", Kind: graph.Custom, PlanVersionID: "v"},
		},
		Edges: []graph.Edge{{From: "in", To: "out"}},
	})
	p.VersionID, p.Name, p.Number = "v", "Upstream", 3
	in.Plans = map[string]flowsapi.CustomPlan{"v": p}
	return in
}

const outOfEntry = "flow." + flowID + ".out.in.out"

func outboundOf(t *testing.T, r plan.Result, tag string) string {
	t.Helper()
	require.Empty(t, r.Plan.Errors)
	for _, o := range r.Fragments[nodeA].Outbounds {
		if o.Tag == tag {
			raw, err := json.Marshal(o)
			require.NoError(t, err)
			return string(raw)
		}
	}
	require.Fail(t, "there is no outbound "+tag)
	return ""
}

// A custom plan is an outbound of the node that the traffic is on.
func TestACustomPlanIsAWayOut(t *testing.T) {
	t.Parallel()
	r := plan.Compile(leavingBy(flowsapi.CustomPlan{
		Way: flowsapi.PlanSOCKS, Address: "127.0.0.1", Port: 40000, User: "u", Password: "p",
	}))
	require.JSONEq(t, `{"tag": "`+outOfEntry+`", "protocol": "socks",
		"settings": {"address": "127.0.0.1", "port": 40000, "user": "u", "pass": "p"}}`, outboundOf(t, r, outOfEntry))
	blocked := 0
	for _, rule := range r.Fragments[nodeA].Rules {
		if rule.OutboundTag == "block" && len(rule.IP) > 0 {
			blocked++
		}
	}
	require.Equal(t, 1, blocked, "private destinations never reach the proxy")
	shown := factOf(r.Fragments[nodeA], "routes", "in to out")
	require.Equal(t, "Upstream v3", shown["custom_plan"])
	require.Equal(t, "127.0.0.1:40000", shown["proxy"])

	r = plan.Compile(leavingBy(flowsapi.CustomPlan{
		Way: flowsapi.PlanDirect, Family: "ipv6",
		Fragment: &flowsapi.Fragment{Packets: "tlshello", Length: "100-200", Interval: "10-20"},
	}))
	tag := outOfEntry + plan.PublicSuffix
	require.JSONEq(t, `{"tag": "`+tag+`", "protocol": "freedom", "settings": {"domainStrategy": "ForceIPv6",
		"fragment": {"packets": "tlshello", "length": "100-200", "interval": "10-20"}}}`, outboundOf(t, r, tag))

	r = plan.Compile(leavingBy(flowsapi.CustomPlan{Way: flowsapi.PlanHTTP, Address: "192.0.2.9", Port: 3128}))
	require.Equal(t, "custom_plan_without_udp", r.Plan.Warnings[0].Code)
}

// A custom block names a version that is there, and nothing else does.
func TestACustomBlockNeedsItsPlan(t *testing.T) {
	t.Parallel()
	in := leavingBy(flowsapi.CustomPlan{Way: flowsapi.PlanDirect})
	in.Plans = nil
	require.Equal(t, "unknown_custom_plan", plan.Compile(in).Plan.Errors[0].Code)
	in.Graph.Nodes[1].PlanVersionID = ""
	require.Equal(t, "custom_plan_required", plan.Compile(in).Plan.Errors[0].Code)
	in.Graph.Nodes[1].NodeID = nodeB
	require.Equal(t, "not_allowed_here", plan.Compile(in).Plan.Errors[1].Code)
	in.Graph.Nodes[1] = graph.Node{Key: "out", Kind: graph.Direct, PlanVersionID: "v"}
	require.Equal(t, "nodes[1].plan_version_id", plan.Compile(in).Plan.Errors[0].Path)
}

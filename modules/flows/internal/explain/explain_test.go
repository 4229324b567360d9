package explain

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/plan"
	"panel/modules/nodes/nodesapi"
)

func through(pools ...string) plan.Trace {
	t := plan.Trace{Result: "direct"}
	from := "in"
	for _, p := range pools {
		t.Pools = append(t.Pools, plan.Way{From: from, To: p, PoolID: p})
		from = p
	}
	return t
}

func view(id, fallback string, choices ...flowsapi.PoolChoice) flowsapi.PoolView {
	v := flowsapi.PoolView{Pool: flowsapi.Pool{ID: id, Name: id}, Choices: choices}
	v.Fallback = flowsapi.PoolFallback{Kind: "block"}
	if fallback != "" {
		v.Fallback = flowsapi.PoolFallback{Kind: flowsapi.FallbackPool, PoolID: fallback}
	}
	v.Members = []flowsapi.MemberView{{PoolMember: flowsapi.PoolMember{ID: id + "-1", NodeID: "node-" + id}}}
	return v
}

func choice(way, serves, member string) flowsapi.PoolChoice {
	return flowsapi.PoolChoice{NodeID: "fra", Way: "flow.f.out." + way, Serves: serves, MemberID: member}
}

// Traffic leaves from the one member that carries it; where a pool falls back on another one, from a member of that.
func TestWhereTrafficLeavesFrom(t *testing.T) {
	t.Parallel()
	trace := through("eu")
	for name, c := range map[string]struct {
		views []flowsapi.PoolView
		want  string
	}{
		"nobody has said":          {[]flowsapi.PoolView{view("eu", "")}, ""},
		"one member":               {[]flowsapi.PoolView{view("eu", "", choice("in.eu", "members", "eu-1"))}, "node-eu"},
		"several members":          {[]flowsapi.PoolView{view("eu", "", choice("in.eu", "members", ""))}, ""},
		"the fallback blocks":      {[]flowsapi.PoolView{view("eu", "", choice("in.eu", "fallback", ""))}, ""},
		"over another edge":        {[]flowsapi.PoolView{view("eu", "", choice("b.eu", "members", "eu-1"))}, ""},
		"a pool that is not known": {nil, ""},
		"the other pool takes over": {[]flowsapi.PoolView{
			view("eu", "us", choice("in.eu", "fallback", "")), view("us", "", choice("in.eu", "members", "us-1")),
		}, "node-us"},
		"two nodes that forward have two members": {[]flowsapi.PoolView{
			view("eu", "us", choice("in.eu", "members", "eu-1")), view("us", "", choice("in.eu", "override", "us-1")),
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pools := Pools("f", trace, c.views, nil)
			require.Equal(t, c.want, Leaves(trace, pools))
		})
	}
	at := plan.Trace{NodeID: "fra", Pools: trace.Pools}
	require.Equal(t, "fra", Leaves(at, nil), "a node after the pool decides")
}

// Members of a pool that forwards to another one have ways of their own; they are told as those of the drawing.
func TestWaysOfMembersAreThoseOfTheirBlock(t *testing.T) {
	t.Parallel()
	views := []flowsapi.PoolView{view("a", ""), view("b", "", choice("a~m1.b", "members", "b-1"))}
	pools := Pools("f", through("a", "b"), views, map[string]string{"fra": "fra-01", "node-b": "ber-01"})
	require.Len(t, pools, 2)
	require.Empty(t, pools[0].Choices)
	require.Equal(t, "ber-01", pools[1].Choices[0].ActiveName)
	require.True(t, pools[1].Members[0].Active)
}

// Pools that fall back on each other in a circle end the list.
func TestACircleOfPoolsEnds(t *testing.T) {
	t.Parallel()
	views := []flowsapi.PoolView{view("a", "b"), view("b", "a")}
	require.Len(t, Pools("f", through("a"), views, nil), plan.MaxPoolDepth)
}

// The address that a client was seen with tells the member, else what is known does.
func TestTheNodeThatAClientMet(t *testing.T) {
	t.Parallel()
	nodes := map[string]nodesapi.Node{
		"a": {ID: "a", Address: "192.0.2.1"}, "b": {ID: "b", Address: "b.example", Addresses: []string{"2001:db8::2"}},
	}
	e := Explanation{NodeID: "a", Pools: []ExplainPool{{Members: []ExplainMember{{NodeID: "a"}, {NodeID: "b"}}}}}
	require.Equal(t, "b", Met(e, "2001:db8::2", nodes))
	require.Equal(t, "a", Met(e, "198.51.100.1", nodes))
	require.Equal(t, "a", Met(e, "", nodes))
	require.Equal(t, "a", Met(Explanation{NodeID: "a"}, "192.0.2.7", nodes))
}

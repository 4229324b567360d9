package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
)

// pooled is a flow whose entry on node A forwards to a pool of the other nodes, which send traffic out themselves.
func pooled(members int, change ...func(*flowsapi.Pool)) plan.Input {
	pool := flowsapi.Pool{
		ID: "europe", Name: "Europe", Strategy: "random", Stickiness: "none",
		Fallback: flowsapi.PoolFallback{Kind: flowsapi.FallbackBlock},
	}
	in := input(graph.Graph{
		Nodes: []graph.Node{
			{Key: "in", Kind: graph.Entry, NodeID: nodeA, Params: graph.Params{Listener: vless(443)}},
			{Key: "pool", Kind: graph.TransitPool, PoolID: "europe"},
			{Key: "out", Kind: graph.Direct},
		},
		Edges: []graph.Edge{{From: "in", To: "pool"}, {From: "pool", To: "out"}},
	})
	for i := range members {
		id := fmt.Sprintf("exit-%04d", i)
		in.Nodes[id] = plan.Node{ID: id, Name: id, Address: fmt.Sprintf("10.1.%d.%d", i/250, 1+i%250), Core: "26.3.27"}
		pool.Members = append(pool.Members, flowsapi.PoolMember{ID: "m" + id, NodeID: id})
	}
	for _, c := range change {
		c(&pool)
	}
	in.Pools = map[string]flowsapi.Pool{"europe": pool}
	return in
}

const intoPool = "flow." + flowID + ".out.in.pool"

func chooser(t *testing.T, r plan.Result, tag string) plan.Outbound {
	t.Helper()
	for _, o := range r.Fragments[nodeA].Outbounds {
		if o.Tag == tag {
			require.NotNil(t, o.PoolOf)
			require.Equal(t, "blackhole", o.Protocol, "an agent that does not know pools lets nothing through")
			return o
		}
	}
	require.Fail(t, "there is no outbound "+tag)
	return plan.Outbound{}
}

// A pool becomes one outbound for each member and one that chooses among them; members let in the sender alone.
func TestAPoolHasAnOutboundForEachMember(t *testing.T) {
	t.Parallel()
	r := plan.Compile(pooled(3))
	require.Empty(t, r.Plan.Errors)
	way := chooser(t, r, intoPool).PoolOf
	require.Equal(t, "random", way.Strategy)
	require.Equal(t, "block", way.Fallback)
	require.Len(t, way.Members, 3)
	for _, m := range way.Members {
		require.Equal(t, intoPool+"~"+m.ID, m.Tag)
	}
	require.False(t, way.Follows)
	ofProbes := chooser(t, r, intoPool+".probe").PoolOf
	require.True(t, ofProbes.Follows, "its ways lead to the panel alone: members are not judged by them")
	require.Equal(t, way.Group, ofProbes.Group)
	member := r.Fragments["exit-0001"]
	require.Len(t, member.Inbounds, 1)
	require.Equal(t, "flow."+flowID+".in.pool~mexit-0001", member.Inbounds[0].Tag)
	require.Len(t, member.Inbounds[0].Settings.Clients, 2, "the sender, and the panel's own probe")
	require.Equal(t, "flow."+flowID+".hop.in", member.Inbounds[0].Settings.Clients[0].Email)
	require.Len(t, r.Plan.Steps, 4)
	require.Equal(t, "entry", r.Plan.Steps[3].Role, "members first, the entry last")
	shown := factOf(r.Fragments[nodeA], "routes", "in to pool")
	require.Equal(t, "Europe", shown["pool"])
	require.Equal(t, "exit-0000, exit-0001, exit-0002", shown["members"])
	require.Equal(t, "block", shown["fallback"])
	require.Equal(t, intoPool, plan.DrawnTag(way.Members[0].Tag))
}

func factOf(f plan.Fragment, group, name string) map[string]string {
	for _, fact := range f.Facts {
		if fact.Group == group && fact.Name == name {
			return fact.Fields
		}
	}
	return nil
}

// Rule: the first outbound is always one that lets nothing through, and what names a pool is never without a fallback.
func TestTheFirstOutboundLetsNothingThrough(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]string{"block", "direct", "member"}).Draw(t, "fallback")
		in := pooled(rapid.IntRange(1, 8).Draw(t, "members"), func(p *flowsapi.Pool) {
			p.Fallback = flowsapi.PoolFallback{Kind: kind, MemberID: p.Members[0].ID}
			p.Strategy = rapid.SampledFrom([]string{"ordered", "sticky", "least_ping"}).Draw(t, "strategy")
		})
		r := plan.Compile(in)
		if len(r.Plan.Errors) > 0 {
			t.Fatalf("%v", r.Plan.Errors)
		}
		if again := plan.Compile(in); again.Plan.Hash != r.Plan.Hash || again.Fingerprint != r.Fingerprint {
			t.Fatal("the same input gives something else")
		}
		text := string(plan.Render([]plan.Fragment{r.Fragments[nodeA]}))
		if _, rest, _ := strings.Cut(text, `"outbounds":[`); !strings.HasPrefix(rest, `{"tag":"block","protocol":"blackhole"}`) {
			t.Fatal("the first outbound lets something through")
		}
		tags := map[string]bool{"block": true}
		for _, o := range r.Fragments[nodeA].Outbounds {
			tags[o.Tag] = true
		}
		for _, o := range r.Fragments[nodeA].Outbounds {
			if o.PoolOf == nil {
				continue
			}
			if len(o.PoolOf.Members) == 0 || !tags[o.PoolOf.Fallback] {
				t.Fatalf("%s has no member, or no fallback", o.Tag)
			}
			for _, m := range o.PoolOf.Members {
				if !tags[m.Tag] {
					t.Fatalf("%s leads nowhere", m.Tag)
				}
			}
		}
	})
}

// Each kind of fallback is an outbound of its own; direct is said aloud and never reaches private addresses.
func TestFallbacksOfAPool(t *testing.T) {
	t.Parallel()
	direct := plan.Compile(pooled(2, func(p *flowsapi.Pool) { p.Fallback.Kind = flowsapi.FallbackDirect }))
	require.Equal(t, intoPool+"~direct"+plan.PublicSuffix, chooser(t, direct, intoPool).PoolOf.Fallback)
	require.Equal(t, "pool_fallback_direct", direct.Plan.Warnings[0].Code)
	require.Equal(t, "edges[0].to", direct.Plan.Warnings[0].Path)

	member := plan.Compile(pooled(2, func(p *flowsapi.Pool) {
		p.Fallback = flowsapi.PoolFallback{Kind: flowsapi.FallbackMember, MemberID: p.Members[1].ID}
	}))
	require.Equal(t, intoPool+"~mexit-0001", chooser(t, member, intoPool).PoolOf.Fallback)

	in := pooled(2, func(p *flowsapi.Pool) {
		p.Fallback = flowsapi.PoolFallback{Kind: flowsapi.FallbackPool, PoolID: "asia"}
	})
	in.Nodes["sin"] = plan.Node{ID: "sin", Name: "sin", Address: "10.9.0.1", Core: "26.3.27"}
	in.Pools["asia"] = flowsapi.Pool{
		ID: "asia", Name: "Asia", Strategy: "ordered", Members: []flowsapi.PoolMember{{ID: "msin", NodeID: "sin"}},
		Fallback: flowsapi.PoolFallback{Kind: flowsapi.FallbackBlock},
	}
	other := plan.Compile(in)
	require.Empty(t, other.Plan.Errors)
	next := chooser(t, other, intoPool).PoolOf.Fallback
	require.Equal(t, "asia", chooser(t, other, next).PoolOf.PoolID)
	require.Equal(t, "block", chooser(t, other, next).PoolOf.Fallback)
	require.Equal(t, "Asia, block", factOf(other.Fragments[nodeA], "routes", "in to pool")["fallback"])
}

// What is wrong with a pool is told at its block.
func TestAPoolThatCannotBeCompiled(t *testing.T) {
	t.Parallel()
	other := func(id, next string) flowsapi.Pool {
		return flowsapi.Pool{
			ID: id, Name: id, Members: []flowsapi.PoolMember{{ID: "m" + id, NodeID: "exit-0000"}},
			Fallback: flowsapi.PoolFallback{Kind: flowsapi.FallbackPool, PoolID: next},
		}
	}
	for code, change := range map[string]func(*plan.Input){
		"unknown_pool": func(in *plan.Input) { in.Pools = nil },
		"pool_empty":   func(in *plan.Input) { in.Pools["europe"] = flowsapi.Pool{ID: "europe"} },
		"pool_cycle": func(in *plan.Input) {
			in.Pools["europe"], in.Pools["asia"] = other("europe", "asia"), other("asia", "europe")
		},
		"pool_too_deep": func(in *plan.Input) {
			in.Pools["europe"] = other("europe", "1")
			for i := range 5 {
				in.Pools[fmt.Sprint(i)] = other(fmt.Sprint(i), fmt.Sprint(i+1))
			}
		},
		"unknown_node": func(in *plan.Input) { delete(in.Nodes, "exit-0000") },
	} {
		in := pooled(1)
		change(&in)
		r := plan.Compile(in)
		require.NotEmpty(t, r.Plan.Errors, code)
		require.Equal(t, code, r.Plan.Errors[0].Code)
		require.Equal(t, "nodes[1].pool_id", r.Plan.Errors[0].Path, code)
	}
	alone := pooled(0, func(p *flowsapi.Pool) { p.Members = []flowsapi.PoolMember{{ID: "me", NodeID: nodeA}} })
	require.Equal(t, "pool_of_itself", plan.Compile(alone).Plan.Errors[0].Code)

	old := pooled(1)
	sender := old.Nodes[nodeA]
	sender.Can = []string{"apply_config"}
	old.Nodes[nodeA] = sender
	require.Equal(t, plan.CapabilityMissing, plan.Compile(old).Plan.Errors[0].Code)
	require.Equal(t, "document_pools", plan.Compile(old).Plan.Errors[0].Capability)
}

// A member that is the sender itself gets nothing from it, while others do.
func TestASenderIsNoMemberForItself(t *testing.T) {
	t.Parallel()
	r := plan.Compile(pooled(1, func(p *flowsapi.Pool) {
		p.Members = append(p.Members, flowsapi.PoolMember{ID: "me", NodeID: nodeA})
	}))
	require.Empty(t, r.Plan.Errors)
	require.Len(t, chooser(t, r, intoPool).PoolOf.Members, 1)
}

// Pools may follow one another; their members share one way to show who they are. Too many ways are refused.
func TestPoolsFollowOneAnother(t *testing.T) {
	t.Parallel()
	chained := func(first, second int) plan.Input {
		in := pooled(first + second)
		all := in.Pools["europe"].Members
		near, far := in.Pools["europe"], in.Pools["europe"]
		near.Members, far.Members, far.ID = all[:first], all[first:], "far"
		in.Pools = map[string]flowsapi.Pool{"europe": near, "far": far}
		in.Graph.Nodes = append(in.Graph.Nodes, graph.Node{Key: "far", Kind: graph.TransitPool, PoolID: "far"})
		in.Graph.Edges = []graph.Edge{{From: "in", To: "pool"}, {From: "pool", To: "far"}, {From: "far", To: "out"}}
		return in
	}
	r := plan.Compile(chained(2, 3))
	require.Empty(t, r.Plan.Errors)
	last := r.Fragments["exit-0004"].Inbounds
	require.Len(t, last[0].Settings.Clients, 2)
	require.Equal(t, "flow."+flowID+".hop.pool", last[0].Settings.Clients[0].Email)
	require.Equal(t, "too_many_ways", plan.Compile(chained(100, 100)).Plan.Errors[0].Code)
	require.Empty(t, plan.Compile(pooled(1000)).Plan.Errors, "a thousand members are not too many")
}

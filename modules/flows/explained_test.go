package flows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/explain"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
)

func (s *stage) explained(query string) (e explain.Explanation) {
	s.t.Helper()
	s.admin.Get(s.path("/explain?" + query)).Is(200).JSON(&e)
	return e
}

// A destination is traced through what is installed as well as through the draft; they differ while a draft waits.
func TestADestinationIsTracedThroughWhatIsInstalled(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.admin.Get(s.path("/explain?of=installed&port=25")).Refused(422, "invalid_value")
	s.install()
	g := s.drawing(443)
	g.Nodes = append(g.Nodes, graph.Node{Key: "stop", Kind: graph.Block})
	g.Edges = append(g.Edges, graph.Edge{From: "in", To: "stop", Match: &graph.Match{Domain: []string{"ads.example"}}})
	saved := s.save(g)
	draft, installed := s.explained("domain=ads.example"), s.explained("of=installed&domain=ads.example")
	require.Equal(t, "block", draft.Result)
	require.Equal(t, "draft", draft.Of)
	require.Equal(t, saved.Revision, draft.Revision)
	require.Empty(t, draft.Pools)
	require.Equal(t, "exit", installed.Result)
	require.Equal(t, "installed", installed.Of)
	require.Equal(t, saved.Revision-1, installed.Revision)
	require.Equal(t, "ams-01", installed.NodeName)
	require.Equal(t, "exit", s.explained("entry=in&domain=example.org").Result)
	for _, entry := range []string{"out", "nothing"} {
		s.admin.Get(s.path("/explain?domain=example.org&entry="+entry)).Refused(422, "invalid_value")
	}
}

// europe draws a flow that leaves through a pool of two nodes, and says what the entry's node has seen of them.
func (s *stage) europe(g *guest) time.Time {
	s.t.Helper()
	pool := flowsapi.Pool{
		ID: "europe", Name: "Europe", Strategy: "ordered", Fallback: flowsapi.PoolFallback{Kind: "block"},
		Members: []flowsapi.PoolMember{{ID: "a", NodeID: s.fleet.id("waw-01")}, {ID: "b", NodeID: s.fleet.id("ber-01")}},
	}
	g.pools["europe"] = pool
	drawing := s.drawing(443)
	drawing.Nodes = []graph.Node{
		drawing.Nodes[0], {Key: "pool", Kind: graph.TransitPool, PoolID: "europe"}, {Key: "out", Kind: graph.Direct},
	}
	drawing.Edges = []graph.Edge{{From: "in", To: "pool"}, {From: "pool", To: "out"}}
	s.save(drawing)
	at, from, way := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC), s.fleet.id("fra-01"), "flow."+s.flow+".out.in.pool"
	g.views = []flowsapi.PoolView{{
		Pool: pool,
		Members: []flowsapi.MemberView{
			{PoolMember: pool.Members[0], Enabled: true, Seen: []flowsapi.Sighting{
				{NodeID: from, Way: way, State: "down", Reason: "refused", Error: "connection refused", At: at, Since: at},
				{NodeID: from, Way: "flow." + s.flow + ".out.other.pool", State: "healthy"},
			}},
			{PoolMember: pool.Members[1], Enabled: true, Seen: []flowsapi.Sighting{
				{NodeID: from, Way: way, State: "healthy", RTTMs: 12, Reason: "probe", At: at, Since: at},
			}},
		},
		Choices: []flowsapi.PoolChoice{{
			NodeID: from, Way: way, Serves: "members", MemberID: "b", Usable: 1, Reason: "member_down", At: at,
		}},
	}}
	return at
}

// The member that carries the traffic, the last evidence of each and the last switch with its reason stand beside the
// way, of this way alone.
func TestAWayThroughAPoolTellsItsMembers(t *testing.T) {
	t.Parallel()
	s, g := withGuest(t)
	at := s.europe(g)
	e := s.explained("domain=example.org")
	require.Equal(t, "direct", e.Result)
	require.Equal(t, "ber-01", e.NodeName, "traffic leaves from the member that carries it")
	require.Len(t, e.Pools, 1)
	p := e.Pools[0]
	require.Equal(t, []string{"pool", "Europe", "ordered", "block"}, []string{p.Block, p.Name, p.Strategy, p.Fallback})
	require.Equal(t, []explain.ExplainChoice{{
		NodeID: s.fleet.id("fra-01"), NodeName: "fra-01", Serves: "members", ActiveMemberID: "b", ActiveName: "ber-01",
		Usable: 1, Reason: "member_down", At: at,
	}}, p.Choices)
	require.Equal(t, []string{"ber-01", "waw-01"}, []string{p.Members[0].NodeName, p.Members[1].NodeName})
	require.True(t, p.Members[0].Active)
	require.False(t, p.Members[1].Active)
	require.Len(t, p.Members[1].Seen, 1, "what was seen over another edge is left out")
	require.Equal(t, "connection refused", p.Members[1].Seen[0].Error)

	g.views[0].Choices[0].MemberID = ""
	require.Empty(t, s.explained("domain=example.org").NodeID, "several members share it")
	g.views = nil
	require.Empty(t, s.explained("domain=example.org").Pools)
}

// A probe is an act of agents: the entry's goes in as a client, and the node that it was seen to leave from dials the
// destination, which is never a private one.
func TestAWayIsTriedByAgents(t *testing.T) {
	t.Parallel()
	s, g := withGuest(t)
	s.admin.Post(s.path("/explain/probe"), map[string]any{"domain": "example.org"}).Refused(422, "invalid_value")
	s.europe(g)
	var p plan.Plan
	s.admin.Post(s.path("/plan/compile"), nil).Is(201).JSON(&p)
	a := s.ended(s.admin.Post(s.path("/apply?wait=0"), order(p, true)).Is(200).Text("apply_id"))
	require.Equal(t, "applied", a.State, "%+v", a.Error)
	for _, name := range []string{"waw-01", "ber-01"} {
		s.fleet.set(name, func(n *nodesapi.Node) {
			n.Capabilities = append(n.Capabilities, string(agentapi.CanDialPublic))
		})
	}
	var dialled []string
	s.fleet.scripted(func(o nodesapi.Order) (*nodesapi.Result, bool) {
		args, is := o.Args.(agentapi.ProbeArgs)
		switch {
		case is && args.Through != nil:
			return done(agentapi.ProbeData{Through: &agentapi.ThroughData{
				Status: 200, ExitIP: s.fleet.nodes[s.fleet.id("waw-01")].Address, FirstByteMs: 31,
			}}), true
		case is && args.Dial != nil && args.Dial.Public:
			dialled = append(dialled, o.NodeID+" "+args.Dial.Address)
			return done(agentapi.ProbeData{Dial: &agentapi.DialData{Connected: true, LatencyMillis: 7, RemoteAddress: "203.0.113.9:443"}}), true
		}
		return nil, false
	})
	var got explain.ProbeAnswer
	s.admin.Post(s.path("/explain/probe"), map[string]any{"domain": "example.org"}).Is(200).JSON(&got)
	require.True(t, got.Through.OK)
	require.Equal(t, "fra-01", got.Through.NodeName)
	require.InDelta(t, 31, got.Through.Millis, 0.1)
	require.Equal(t, "ber-01", got.Explanation.NodeName, "so nodes have said")
	require.Equal(t, "waw-01", got.Exit.NodeName, "so a client has met it")
	require.True(t, got.Exit.OK)
	require.Equal(t, []string{s.fleet.id("waw-01") + " example.org:443"}, dialled)

	s.fleet.scripted(func(o nodesapi.Order) (*nodesapi.Result, bool) {
		return &nodesapi.Result{Code: string(agentapi.CodeUnreachable), Error: "no answer"}, true
	})
	s.admin.Post(s.path("/explain/probe"), map[string]any{"ip": "203.0.113.9", "port": 25}).Is(200).JSON(&got)
	require.False(t, got.Through.OK)
	require.Equal(t, "unreachable", got.Through.Code)
	require.Equal(t, "203.0.113.9:25", got.Exit.Dialled)
	require.False(t, got.Exit.OK)
	s.fleet.set("ber-01", func(n *nodesapi.Node) { n.Capabilities = nil })
	s.admin.Post(s.path("/explain/probe"), map[string]any{"ip": "203.0.113.9"}).Is(200).JSON(&got)
	require.Equal(t, "capability_missing", got.Exit.Code, "an agent that would dial anything is not asked")

	s.panel.As("connection_units.view").Post(s.path("/explain/probe"), map[string]any{"port": 25}).Is(403)
	s.admin.Post(s.path("/explain/probe"), map[string]any{}).Refused(400, "missing_field")
	s.admin.Post(s.path("/explain/probe"), map[string]any{"entry": "out", "port": 25}).Refused(422, "invalid_value")
}

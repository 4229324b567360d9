package flows_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/modules/flows"
	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/database"
	"panel/platform/module"
	"panel/platform/paneltest"
)

// guest is a module that asks and answers what flowsapi offers.
type guest struct {
	flows  flowsapi.Flows
	health map[string]string
	pools  map[string]flowsapi.Pool
	views  []flowsapi.PoolView
	asked  atomic.Int64
}

func (g *guest) manifest() module.Module {
	return module.Module{
		Name: "guest", Summary: "Knows something about flows", Requires: []string{"flows"},
		Attach: func(f flowsapi.Flows, h flowsapi.HealthStates, b flowsapi.BlockSources) module.Parts {
			g.flows = f
			h.Add("guest", func(context.Context, []string) (map[string]string, error) {
				g.asked.Add(1)
				return g.health, nil
			})
			h.Add("broken", func(context.Context, []string) (map[string]string, error) {
				return nil,
					errors.New("no idea")
			})
			b.Add("guest", func(_ context.Context, poolIDs []string) ([]flowsapi.Pool, error) {
				g.asked.Add(1)
				return slices.Collect(maps.Values(g.pools)), nil
			})
			b.Watch("guest", func(context.Context, string, []string) ([]flowsapi.PoolView, error) { return g.views, nil })
			return module.Parts{}
		},
	}
}

func withGuest(t *testing.T) (*stage, *guest) {
	t.Helper()
	g := &guest{health: map[string]string{}, pools: map[string]flowsapi.Pool{}}
	s := &stage{t: t, fleet: newFleet("ams-01", "fra-01", "waw-01", "ber-01")}
	s.panel = paneltest.New(t, s.fleet.manifest(), s.fleet.bindings(), clients.Module(), flows.Module(), g.manifest())
	s.admin = s.panel.Admin()
	s.flow = s.create("Europe main", 443)
	return s, g
}

func TestOtherModulesReadFlows(t *testing.T) {
	t.Parallel()
	s, g := withGuest(t)
	s.install()
	f, err := g.flows.Flow(t.Context(), s.flow)
	require.NoError(t, err)
	require.Equal(t, "Europe main", f.Name)
	require.Equal(t, 1, f.InstalledRevision)
	require.True(t, f.Enabled)
	require.Len(t, f.NodeIDs, 2)
	require.Equal(t, []flowsapi.Entry{{
		Block: "in", NodeID: s.fleet.id("fra-01"), Host: "192.0.2.2", Port: "443", Transport: "raw",
		Security: "reality", Protocol: "vless", L4: "tcp", ServerName: f.Entries[0].ServerName,
		Tag: "flow." + s.flow + ".in.in",
	}}, f.Entries)
	require.NotEmpty(t, f.Entries[0].ServerName, "a listener of REALITY shows the names of its target")
	for _, id := range []string{"zzz", database.NewID()} {
		_, err = g.flows.Flow(t.Context(), id)
		require.ErrorIs(t, err, flowsapi.ErrUnknown)
	}
	on, err := g.flows.OnNode(t.Context(), s.fleet.id("ams-01"))
	require.NoError(t, err)
	require.Len(t, on, 1)

	first := s.flow
	second := s.create("Second", 8443)
	ids, err := g.flows.IDsOnNodes(t.Context(), s.fleet.id("fra-01"), s.fleet.id("ams-01"), s.fleet.id("waw-01"), "zzz", "")
	require.NoError(t, err)
	require.Equal(t, map[string][]string{s.fleet.id("fra-01"): {first}, s.fleet.id("ams-01"): {first}}, ids,
		"only what is installed, at its entry and at its exit")
	page, err := g.flows.Page(t.Context(), "", 1)
	require.NoError(t, err)
	require.Equal(t, first, page[0].ID)
	page, err = g.flows.Page(t.Context(), first, 10)
	require.NoError(t, err)
	require.Equal(t, second, page[0].ID)
	require.Zero(t, page[0].InstalledRevision)

	client, err := g.flows.ClientOf(t.Context(), "c:"+s.get().Clients[0].ID)
	require.NoError(t, err)
	require.Equal(t, flowsapi.Client{ID: s.get().Clients[0].ID, FlowIDs: []string{s.flow}, Label: "Default"}, client)
	for _, ref := range []string{"p:1:2", "c:zzz", "c:" + database.NewID(), ""} {
		_, err = g.flows.ClientOf(t.Context(), ref)
		require.ErrorIs(t, err, flowsapi.ErrUnknown)
	}
}

func TestGeoTokensOfInstalledFlowsAreListed(t *testing.T) {
	t.Parallel()
	s, g := withGuest(t)
	s.install()
	_, err := s.panel.DB.ExecContext(t.Context(), `update flow_versions set graph = jsonb_set(graph, '{edges,0,match}',
		'{"geosite": ["ru", "ads"], "geoip": ["ru"]}')`)
	require.NoError(t, err)
	tokens, err := g.flows.GeoTokens(t.Context())
	require.NoError(t, err)
	on := []string{s.fleet.id("fra-01")}
	require.Equal(t, []flowsapi.GeoToken{
		{File: "geoip.dat", Token: "ru", FlowIDs: []string{s.flow}, NodeIDs: on},
		{File: "geosite.dat", Token: "ads", FlowIDs: []string{s.flow}, NodeIDs: on},
		{File: "geosite.dat", Token: "ru", FlowIDs: []string{s.flow}, NodeIDs: on},
	}, tokens)
}

// A proposal is a draft like any other: it installs nothing, and starts from a revision.
func TestAProposalIsADraft(t *testing.T) {
	t.Parallel()
	s, g := withGuest(t)
	drawing, err := json.Marshal(s.drawing(8443))
	require.NoError(t, err)
	ctx := access.With(t.Context(), access.Caller{Kind: access.System, Username: "search"})
	revision, err := g.flows.Propose(ctx, s.flow, 1, drawing)
	require.NoError(t, err)
	require.Equal(t, 2, revision)
	require.Equal(t, 2, s.get().DraftRevision)
	require.Zero(t, s.fleet.contacts())
	_, err = g.flows.Propose(ctx, s.flow, 1, drawing)
	require.ErrorContains(t, err, "revision_conflict")
	_, err = g.flows.Propose(ctx, database.NewID(), 1, drawing)
	require.ErrorIs(t, err, flowsapi.ErrUnknown)
}

// What flows depend on has changed: they are rendered and applied again, and where the same comes out nothing happens.
func TestFlowsAreRenderedAgainWhenWhatTheyDependOnHasChanged(t *testing.T) {
	t.Parallel()
	s, g := withGuest(t)
	first := s.install().ApplyID
	ams := s.fleet.id("ams-01")
	done := func() bool {
		var left int
		require.NoError(
			t,
			s.panel.DB.NewRaw("select count(*) from jobs.river_job where kind = 'flows.rerender' and state <> 'completed'").
				Scan(t.Context(), &left),
		)
		return left == 0
	}
	require.NoError(t, g.flows.Rerender(t.Context(), "nothing", ams))
	require.Eventually(t, done, 60*time.Second, 10*time.Millisecond)
	require.Equal(t, first, *s.get().LastApplyID)

	s.fleet.set("ams-01", func(n *nodesapi.Node) { n.Address = "198.51.100.7" })
	require.NoError(t, g.flows.Rerender(t.Context(), "the node has moved", ams))
	require.Eventually(t, func() bool { return *s.get().LastApplyID != first }, 60*time.Second, 10*time.Millisecond)
	a := s.ended(*s.get().LastApplyID)
	require.Equal(t, "applied", a.State, "%+v", a.Error)
	require.Equal(t, "rerender", a.Kind)
	require.Equal(t, "the node has moved", a.StartedBy)
	require.Contains(t, s.fleet.serving("fra-01"), "198.51.100.7")
	require.Equal(t, 1, *s.get().InstalledVersionNumber, "it is the same version")
}

// Other modules know more about the health of flows than their nodes; they are asked once per page, and one that
// fails is passed over.
func TestTheHealthOfAPageIsAskedOnce(t *testing.T) {
	t.Parallel()
	s, g := withGuest(t)
	s.create("Second", 8443)
	g.health[s.flow] = "degraded"
	g.asked.Store(0)
	var page struct{ Items []flows.Flow }
	s.admin.Get(units).Is(200).JSON(&page)
	require.EqualValues(t, 1, g.asked.Load())
	require.Equal(t, "degraded", page.Items[0].HealthState)
	require.Equal(t, "unknown", page.Items[1].HealthState)
}

// A pool is compiled with its members; another member makes another plan.
func TestAPoolIsCompiledWithItsMembers(t *testing.T) {
	t.Parallel()
	s, g := withGuest(t)
	drawing := s.drawing(443)
	drawing.Nodes = append(drawing.Nodes, graph.Node{Key: "pool", Kind: graph.TransitPool, PoolID: "europe"})
	drawing.Edges = []graph.Edge{{From: "in", To: "pool"}, {From: "pool", To: "out"}}
	s.save(drawing)
	s.admin.Post(s.path("/plan/compile"), nil).Refused(422, "compile_failed")
	europe := func(members ...string) {
		pool := flowsapi.Pool{ID: "europe", Name: "Europe", Strategy: "random", Fallback: flowsapi.PoolFallback{Kind: "block"}}
		for _, name := range members {
			pool.Members = append(pool.Members, flowsapi.PoolMember{ID: name, NodeID: s.fleet.id(name)})
		}
		g.pools["europe"] = pool
	}
	europe("waw-01")
	g.asked.Store(0)
	var p plan.Plan
	s.admin.PostOnce(s.path("/plan/compile"), nil).Is(201).JSON(&p)
	require.EqualValues(t, 1, g.asked.Load())
	europe("waw-01", "ber-01")
	s.admin.Post(s.path("/apply"), order(p, true)).Refused(409, "plan_stale")
	europe("waw-01")
	a := s.ended(s.admin.Post(s.path("/apply?wait=0"), order(p, true)).Is(200).Text("apply_id"))
	require.Equal(t, "applied", a.State, "%+v", a.Error)
	require.Contains(t, s.fleet.serving("waw-01"), s.flow)
	require.Empty(t, s.fleet.serving("ber-01"))

	uses, err := g.flows.PoolUses(t.Context(), "europe", "asia")
	require.NoError(t, err)
	require.Equal(t, []flowsapi.PoolUse{{
		PoolID: "europe", FlowID: s.flow, FlowName: uses[0].FlowName, Draft: true, Installed: true,
		Senders: []string{s.fleet.id("fra-01")},
	}}, uses)
	second := database.NewID()
	g.pools["asia"] = flowsapi.Pool{ID: "asia", Members: []flowsapi.PoolMember{{ID: "m", FlowID: second}}}
	none, err := g.flows.Senders(t.Context(), second)
	require.NoError(t, err)
	require.Empty(t, none, "nobody uses that pool")
	falls := g.pools["europe"]
	falls.Fallback = flowsapi.PoolFallback{Kind: "pool", PoolID: "asia"}
	g.pools["europe"] = falls
	senders, err := g.flows.Senders(t.Context(), second)
	require.NoError(t, err)
	require.Equal(t, []string{s.flow}, senders)
	europe("ber-01")
	require.NoError(t, g.flows.RerenderFlows(t.Context(), "pool Europe", s.flow))
	require.Eventually(t, func() bool {
		return strings.Contains(s.fleet.serving("ber-01"), s.flow) && !strings.Contains(s.fleet.serving("waw-01"), s.flow)
	}, time.Minute, 20*time.Millisecond, "another member is installed by itself")
}

package flows_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/modules/flows"
	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/explain"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/platform/app"
	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/httpapi"
	"panel/platform/module"
	"panel/platform/paneltest"
)

const (
	connection = "0190a000-0000-7000-8000-00000000c011"
	squad      = "0190a000-0000-4000-8000-00000000a001"
	otherSquad = "0190a000-0000-4000-8000-00000000a002"
)

// panels is a module that knows a proxy panel, and what that panel runs: it outlives ours.
type panels struct {
	served  flowsapi.Served
	entries flowsapi.ServedEntries

	mu     sync.Mutex
	nodes  map[string]flowsapi.PanelNode
	runs   []flowsapi.ServedPart
	before []flowsapi.ServedPart
	calls  []string
	wants  map[string]string // what an apply has said that it wants, at its first call
	fails  string            // the stage that fails
}

func (p *panels) manifest() module.Module {
	return module.Module{
		Name: "panels", Summary: "Knows a proxy panel", Requires: []string{"flows"},
		Attach: func(
			all flowsapi.Stages, served flowsapi.Served, entries flowsapi.ServedEntries, known flowsapi.ProxyPanels,
		) module.Parts {
			p.served, p.entries = served, entries
			known.Add("panels", func(_ context.Context, id string, _ []string) (map[string]flowsapi.PanelNode, error) {
				p.mu.Lock()
				defer p.mu.Unlock()
				if id != connection {
					return nil, nil
				}
				return p.nodes, nil
			})
			all.Add(flowsapi.Stage{
				Name: "panels.hosts", At: flowsapi.AfterCommit, Part: flowsapi.GroupProxyPanel, Do: p.call("panels.hosts"),
			}, flowsapi.Stage{
				Name: "panels.offer", At: flowsapi.BeforeSwitch, Part: flowsapi.GroupProxyPanel, Do: p.call("panels.offer"),
				Undo: func(context.Context, flowsapi.Apply) error {
					p.mu.Lock()
					defer p.mu.Unlock()
					p.calls, p.runs = append(p.calls, "undo"), p.before
					return nil
				},
			})
			return module.Parts{}
		},
	}
}

// call puts there what the apply wants, each time all of it.
func (p *panels) call(stage string) func(context.Context, flowsapi.Apply) (flowsapi.Outcome, error) {
	return func(ctx context.Context, a flowsapi.Apply) (flowsapi.Outcome, error) {
		parts, err := p.served.OfApply(ctx, a.ID)
		if err != nil {
			return flowsapi.Outcome{}, err
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		wanted, _ := json.Marshal(parts)
		if was, asked := p.wants[a.ID]; asked && was != string(wanted) {
			return flowsapi.Outcome{}, errors.New("another answer for the same apply")
		} else if !asked {
			p.wants[a.ID], p.before = string(wanted), p.runs
		}
		p.calls, p.runs = append(p.calls, stage), parts
		if p.fails == stage {
			return flowsapi.Outcome{}, errors.New("the proxy panel says no")
		}
		return flowsapi.Outcome{Result: flowsapi.Done}, nil
	}
}

func (p *panels) running() []flowsapi.ServedPart {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.runs
}

// asked gives the calls since the last time.
func (p *panels) asked() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	calls := p.calls
	p.calls = nil
	return calls
}

func newPanels() *panels { return &panels{wants: map[string]string{}} }

// knowing lets the panel have a node on one of ours.
func (p *panels) knowing(nodeID string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.nodes = map[string]flowsapi.PanelNode{nodeID: {
		ID: "there", Name: "de-1", Connection: "Remnawave", Core: "26.3.27", Squads: []string{squad, otherSquad},
	}}
}

func withPanel(t *testing.T) (*stage, *panels) {
	t.Helper()
	p := newPanels()
	s := setup(t, p.manifest())
	p.knowing(s.fleet.id("fra-01"))
	s.save(s.offered(443))
	return s, p
}

func (s *stage) offered(port int, squads ...string) graph.Graph {
	g := s.drawing(port)
	g.Nodes[0].Params.ProxyPanel = &graph.ProxyPanel{
		ConnectionID: connection, SquadIDs: append([]string{squad}, squads...), Remark: "Europe",
	}
	return g
}

// settled waits until the stages after the commit hold.
func (s *stage) settled() {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		left, err := s.panel.DB.NewSelect().TableExpr("flow_followups").Count(s.t.Context())
		require.NoError(s.t, err)
		return left == 0
	}, 60*time.Second, 10*time.Millisecond)
}

// A flow whose entry a proxy panel serves is planned, applied and followed as any other; our core on that node gets
// nothing of it.
func TestAProxyPanelServesAnEntryFromThePlanToTheRecord(t *testing.T) {
	t.Parallel()
	s, p := withPanel(t)
	planned := s.ready()
	require.Len(t, planned.Steps, 1)
	require.Equal(t, s.fleet.id("ams-01"), planned.Steps[0].NodeID)
	a := s.apply(planned)
	require.Equal(t, "applied", a.State)
	require.Equal(t, []string{"panels.offer"}, p.asked()[:1], "before anything serves")
	s.settled()
	require.Equal(t, "panel_serves", a.Steps[0].Stages[3].Text.Code, "no client of ours goes through")
	s.admin.Get(s.path("/applies/" + a.ApplyID)).Is(200).JSON(&a)
	require.Equal(t, "done", a.ProxyPanel.State)

	require.Len(t, p.running(), 1)
	part := p.running()[0]
	require.Equal(t, []string{s.flow, "in", s.fleet.id("fra-01"), connection, "flow." + s.flow + ".in.in", "Europe"},
		[]string{part.FlowID, part.Block, part.NodeID, part.ConnectionID, part.Tag, part.Remark})
	require.Empty(t, s.fleet.phases("fra-01"), "its core is left alone")
	require.NotContains(t, s.fleet.serving("fra-01"), s.flow)

	shown := s.get()
	require.ElementsMatch(t, []string{s.fleet.id("ams-01"), s.fleet.id("fra-01")}, shown.NodeIDs)
	var rendered flows.Rendered
	s.admin.Get(s.path("/rendered?node_id=" + part.NodeID)).Is(200).JSON(&rendered)
	require.Len(t, rendered.Served, 1)
	raw, err := json.Marshal(rendered.Served)
	require.NoError(t, err)
	require.NotContains(t, string(raw), secretOf(t, part), "secrets are masked")

	found, err := p.entries.ServedOn(t.Context())
	require.NoError(t, err)
	require.Equal(t, []flowsapi.ServedEntry{{FlowID: s.flow, Block: "in", NodeID: part.NodeID, Tag: part.Tag}}, found)
	found, err = p.entries.ServedOn(t.Context(), s.fleet.id("ams-01"))
	require.NoError(t, err)
	require.Empty(t, found)
	require.True(t, s.compile().IsNoop)
}

// secretOf is the private key of REALITY of a part.
func secretOf(t *testing.T, part flowsapi.ServedPart) string {
	t.Helper()
	var in struct {
		Stream struct {
			Reality struct{ PrivateKey string } `json:"realitySettings"`
		} `json:"streamSettings"`
	}
	require.NoError(t, json.Unmarshal(part.Inbound, &in))
	require.NotEmpty(t, in.Stream.Reality.PrivateKey)
	return in.Stream.Reality.PrivateKey
}

// What changes for a proxy panel alone is a version of its own and reaches that panel, and none of our cores.
func TestAChangeForTheProxyPanelAloneTouchesNoCore(t *testing.T) {
	t.Parallel()
	s, p := withPanel(t)
	s.install()
	s.settled()
	for n, change := range []graph.Graph{s.offered(443, otherSquad), s.offered(8443, otherSquad)} {
		before := len(s.fleet.phases("ams-01"))
		p.asked()
		s.save(change)
		planned := s.ready()
		require.False(t, planned.IsNoop)
		require.Empty(t, planned.Steps)
		require.NotEmpty(t, planned.Diff.Listeners)
		a := s.apply(planned)
		require.Equal(t, "applied", a.State)
		s.settled()
		require.Equal(t, []string{"panels.offer", "panels.hosts"}, p.asked())
		require.Empty(t, a.Steps)
		require.Len(t, s.fleet.phases("ams-01"), before, "no node was told anything")
		require.Empty(t, s.fleet.phases("fra-01"))
		require.Equal(t, n+2, *s.get().InstalledVersionNumber)
		require.True(t, s.compile().IsNoop)
	}
	require.Contains(t, string(p.running()[0].Inbound), "8443")
	require.Equal(t, []string{squad, otherSquad}, p.running()[0].SquadIDs)
}

// An apply that fails has the proxy panel run what it did before.
func TestAnApplyThatFailsLeavesTheProxyPanelAsItWas(t *testing.T) {
	t.Parallel()
	s, p := withPanel(t)
	s.install()
	s.settled()
	was := p.running()
	p.fails = "panels.offer"
	s.save(s.offered(8443))
	a := s.apply(s.ready())
	require.Equal(t, "apply_failed", a.State)
	require.Equal(t, "stage_failed", a.Error.Code)
	require.Equal(t, was, p.running())
	now, err := p.served.OfApply(t.Context(), a.ApplyID)
	require.NoError(t, err)
	require.Equal(t, text(was), text(now), "what is installed is what shall run")
}

// fieldCode is the code of the first field that an answer complains of.
func fieldCode(t *testing.T, a *paneltest.Answer) string {
	t.Helper()
	var told struct{ Errors []struct{ Code string } }
	a.JSON(&told)
	require.NotEmpty(t, told.Errors)
	return told.Errors[0].Code
}

func text(v any) string {
	raw, _ := json.Marshal(v)
	return string(raw)
}

// What takes a flow off its nodes wants nothing of proxy panels; what puts it back wants what is installed.
func TestWhatEachKindOfApplyWantsOfAProxyPanel(t *testing.T) {
	t.Parallel()
	s, p := withPanel(t)
	s.install()
	s.settled()
	installed := p.running()
	act := func(path string) flows.Apply {
		a := s.ended(s.admin.Post(s.path(path), nil).Is(202).Text("apply_id"))
		require.Equal(t, "applied", a.State, path)
		s.settled()
		return a
	}
	a := act("/disable")
	require.Len(t, a.Steps, 1, "the node that runs nothing of it has nothing to drop")
	require.Empty(t, p.running())
	act("/enable")
	require.Equal(t, text(installed), text(p.running()))

	p.mu.Lock()
	p.runs = nil // somebody has removed it there
	p.mu.Unlock()
	a = act("/nodes/" + s.fleet.id("fra-01") + "/restore")
	require.Empty(t, a.Steps)
	require.Equal(t, text(installed), text(p.running()))

	s.admin.Delete(s.path("")).Is(202)
	require.Eventually(t, func() bool { return len(p.running()) == 0 }, 60*time.Second, 10*time.Millisecond)
	s.settled()
	none, err := p.served.OfApply(t.Context(), database.NewID())
	require.NoError(t, err)
	require.Empty(t, none)
}

// Nobody here has credentials for what a proxy panel serves: there is no link and no probe, and it is said why.
func TestAServedEntryIsNobodysOfOurClients(t *testing.T) {
	t.Parallel()
	s, _ := withPanel(t)
	s.admin.Post(s.path("/clients"), map[string]any{"label": "Anna"}).Is(201)
	require.Equal(t, 2, s.get().ClientCounts.Waiting, "nothing is installed yet")
	s.install()
	require.Equal(t, 0, s.get().ClientCounts.Waiting, "no apply would let her in: users live there")
	var listed httpapi.Page[flows.Client]
	s.admin.Get(s.path("/clients")).Is(200).JSON(&listed)
	var late flows.Client
	s.admin.Post(s.path("/clients"), map[string]any{"label": "Boris"}).Is(201).JSON(&late)
	for _, one := range append(listed.Items, late) {
		require.True(t, one.Elsewhere, "%+v", one)
		require.False(t, one.Installed, "%+v", one)
	}
	require.Equal(t, "panel_serves", fieldCode(t, s.admin.Post(s.path("/connection-link"), map[string]any{}).Refused(422, "invalid_value")))
	var way explain.Explanation
	s.admin.Get(s.path("/explain?domain=example.org")).Is(200).JSON(&way)
	require.Equal(t, &explain.ServedBy{ConnectionID: connection, Connection: "Remnawave", NodeName: "de-1"}, way.ServedBy)
	require.Equal(t, "panel_serves", fieldCode(t, s.admin.Post(s.path("/explain/probe"), map[string]any{"domain": "example.org"}).
		Refused(422, "invalid_value")))
}

// A panel that does not know the node, or a squad, keeps a draft from being compiled; so does a canary.
func TestAProxyPanelThatCannotServeIsAnErrorOfTheCompilation(t *testing.T) {
	t.Parallel()
	s, p := withPanel(t)
	refusedWith := func(code string) {
		s.t.Helper()
		require.Equal(t, code, fieldCode(t, s.admin.Post(s.path("/plan/compile"), nil).Refused(422, "compile_failed")))
	}
	s.save(s.offered(443, "0190a000-0000-4000-8000-00000000a009"))
	refusedWith("panel_squad_unknown")
	s.save(s.offered(443))
	p.knowing(s.fleet.id("ams-01"))
	refusedWith("panel_node_unknown")
	p.knowing(s.fleet.id("fra-01"))
	s.install()
	g := s.offered(443)
	g.Nodes[1].Params.Hop = &graph.Listener{Protocol: "shadowsocks2022", Port: 21000}
	s.save(g)
	asked := map[string]any{"canary": map[string]any{"share": 50, "watch_s": 60}}
	require.Equal(t, "canary_panel_serves", fieldCode(t, s.admin.Post(s.path("/plan/compile"), asked).Is(422)))
}

// A port that a served entry has is nobody else's on that node, and the other way round.
func TestAServedEntryHoldsItsPort(t *testing.T) {
	t.Parallel()
	s, _ := withPanel(t)
	s.install()
	served := s.flow
	s.flow = s.create("Beside it", 443)
	beside := s.ready()
	require.Len(t, beside.Conflicts, 1)
	require.Equal(t, served, beside.Conflicts[0].With.FlowID)
	s.admin.Post(s.path("/apply"), order(beside, true)).Refused(409, "port_conflict")
	s.save(s.drawing(8443))
	s.install()
	s.flow = served
	s.save(s.offered(8443))
	require.Equal(t, plan.ConflictPort, s.compile().Conflicts[0].Kind)
}

// A panel that is killed at any change of an apply asks the same of the proxy panel when it goes on, and in the end
// that runs what is installed.
func TestAPanelThatDiesAsksTheSameOfTheProxyPanel(t *testing.T) {
	t.Parallel()
	p := newPanels()
	s := &stage{t: t, fleet: newFleet("ams-01", "fra-01")}
	p.knowing(s.fleet.id("fra-01"))
	features := []module.Module{s.fleet.manifest(), s.fleet.bindings(), clients.Module(), flows.Module(), p.manifest()}
	dsn, m := dbtest.DSN(t, app.Migrations(app.With(features))...), &mortal{every: soaking()}
	m.diesAfter(immortal)
	db, err := database.Open(t.Context(), dsn, database.Options{Tracer: m})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	onlooker, err := database.Open(t.Context(), dsn, database.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, onlooker.Close()) })
	s.panel = paneltest.Start(t, paneltest.On(db), paneltest.Modules(features...))
	s.admin = s.panel.Admin()
	s.flow = s.create("Europe main", 443)
	kills, died := 0, true
	for n := int64(0); died; n, kills = n+2, kills+1 {
		died = s.killedOffer(m, onlooker, n)
		require.Empty(t, slices.Compact(slices.DeleteFunc(p.asked(), func(c string) bool {
			return strings.HasPrefix(c, "panels.")
		})), "nothing failed")
		var installed string
		require.NoError(t, onlooker.NewRaw("select coalesce(last_apply_id::text, '') from flows").Scan(t.Context(), &installed))
		if installed == "" {
			continue
		}
		parts, err := p.served.OfApply(t.Context(), installed)
		require.NoError(t, err)
		require.Equal(t, text(parts), text(p.running()))
	}
	require.Greater(t, kills, 5)
}

// killedOffer is killedApply for another port of the served entry.
func (s *stage) killedOffer(m *mortal, onlooker *database.DB, statements int64) (died bool) {
	s.t.Helper()
	s.save(s.offered(10_000 + int(statements)))
	planned := s.compile()
	m.diesAfter(statements)
	answer := s.admin.Post(s.path("/apply?wait=0"), order(planned, true))
	require.Eventually(s.t, func() bool { return m.dead.Load() || answer.Status == 200 && s.open(onlooker) == 0 },
		2*time.Minute, time.Millisecond)
	died = m.dead.Load()
	m.diesAfter(immortal)
	for _, table := range []string{"flow_applies", "flow_followups"} {
		_, err := onlooker.ExecContext(s.t.Context(), "update "+table+" set lease_until = now() where lease_token <> ''")
		require.NoError(s.t, err)
		require.NoError(s.t, database.Notify(s.t.Context(), onlooker, "lease", table))
	}
	require.Eventually(s.t, func() bool { return s.open(onlooker) == 0 }, 2*time.Minute, 5*time.Millisecond)
	return died
}

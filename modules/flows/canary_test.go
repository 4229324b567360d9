package flows_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/modules/flows"
	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/checkup"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/app"
	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/doctor"
	"panel/platform/entitlement"
	"panel/platform/module"
	"panel/platform/paneltest"
)

// licensed is a license that tests change.
type licensed struct {
	state atomic.Pointer[entitlement.State]
}

func (l *licensed) Current() entitlement.State { return *l.state.Load() }

func (l *licensed) set(s entitlement.State) { l.state.Store(&s) }

var whole = entitlement.State{State: entitlement.Active, Enabled: []string{"flows", "nodes", "domains", "clients"}}

// sighted is a module that sees how canaries do.
type sighted struct {
	against atomic.Pointer[flowsapi.CanaryFinding]
}

func (w *sighted) manifest() module.Module {
	return module.Module{
		Name: "sighted", Summary: "Sees how canaries do", Requires: []string{"flows"},
		Attach: func(all flowsapi.CanaryEvidence) module.Parts {
			all.Add("sighted", func(context.Context, flowsapi.CanaryWatch) ([]flowsapi.CanaryFinding, error) {
				if f := w.against.Load(); f != nil {
					return []flowsapi.CanaryFinding{*f}, nil
				}
				return nil, nil
			})
			return module.Parts{}
		},
	}
}

// pair is a panel with a flow of two entries and one exit.
type pair struct {
	*stage
	db      *database.DB // for whoever looks on
	license *licensed
	sight   *sighted
}

func paired(t *testing.T) *pair {
	t.Helper()
	p := &pair{
		stage: &stage{t: t, fleet: newFleet("ams-01", "fra-01", "waw-01")}, license: new(licensed), sight: new(sighted),
	}
	p.license.set(whole)
	features := p.features()
	p.db = dbtest.New(t, app.Migrations(app.With(features))...)
	p.panel = paneltest.Start(t, paneltest.On(p.db), paneltest.Modules(features...), paneltest.License(p.license))
	p.admin = p.panel.Admin()
	p.draw()
	return p
}

func (p *pair) features() []module.Module {
	return []module.Module{
		p.fleet.manifest(), p.fleet.bindings(), clients.Module(), flows.Module(), p.sight.manifest(),
	}
}

func (p *pair) draw() {
	p.flow = p.admin.Post(units, map[string]any{"name": "Europe main", "graph": p.both()}).Is(201).Text("id")
}

// both is a drawing in which two entries lead to one exit and refuse some names.
func (p *pair) both(refused ...string) graph.Graph {
	g := p.drawing(443)
	second := g.Nodes[0]
	second.Key, second.NodeID = "in-2", p.fleet.id("waw-01")
	g.Nodes = append(g.Nodes, second)
	g.Edges = append(g.Edges, graph.Edge{From: "in-2", To: "out"})
	if len(refused) > 0 {
		g.Nodes = append(g.Nodes, graph.Node{Key: "no", Kind: graph.Block})
		for _, from := range []string{"in", "in-2"} {
			match := &graph.Match{Domain: refused}
			g.Edges = append(g.Edges, graph.Edge{From: from, To: "no", Priority: 1, Match: match})
		}
	}
	return g
}

func wish(nodes ...string) map[string]any {
	probes := map[string]any{"interval_s": 10, "failures": 2}
	return map[string]any{"canary": map[string]any{"nodes": nodes, "watch_s": 60, "probes": probes}}
}

// changed saves a change of both entries and compiles it with a canary of the first one.
func (p *pair) changed(name string) plan.Plan {
	p.t.Helper()
	p.save(p.both(name))
	var out plan.Plan
	p.admin.PostOnce(p.path("/plan/compile"), wish(p.fleet.id("fra-01"))).Is(201).JSON(&out)
	p.confirmed(out)
	return out
}

// canary installs the first version, and a change of it up to the canary.
func (p *pair) canary() (applyID string) {
	p.t.Helper()
	p.install()
	id := p.begin(p.changed("a.example"))
	p.watching(id)
	return id
}

// watching waits until a canary is watched and its nodes are free.
func (p *pair) watching(id string) {
	p.t.Helper()
	require.Eventually(p.t, func() bool {
		var a flows.Apply
		p.admin.Get(p.path("/applies/" + id)).Is(200).JSON(&a)
		return a.Canary != nil && a.Canary.State == "watching" && p.locks() == 0
	}, 60*time.Second, 10*time.Millisecond)
}

// turn makes the next round of a canary due now, and its time over.
func turn(t *testing.T, db *database.DB, over bool) {
	t.Helper()
	until := ""
	if over {
		until = ", 'until', now() - interval '1 second'"
	}
	_, err := db.ExecContext(t.Context(), `update flow_applies set lease_until = now(),
		canary = canary || jsonb_build_object('due', now() - interval '1 second'`+until+`)
		where stage = 'canary' and canary ->> 'state' = 'watching' and not (canary ->> 'open')::boolean and lease_token = ''
			and finished_at is null and (canary ->> 'due')::timestamptz > now()`)
	require.NoError(t, err)
	require.NoError(t, database.Notify(t.Context(), db, "lease", "flow_applies"))
}

// passes lets time pass until an apply has ended.
func (p *pair) passes(id string) (a flows.Apply) {
	p.t.Helper()
	p.until(id, func(a flows.Apply) bool { return a.FinishedAt != nil })
	return p.ended(id)
}

// until lets time pass until an apply is as wanted.
func (p *pair) until(id string, wanted func(a flows.Apply) bool) {
	p.t.Helper()
	require.Eventually(p.t, func() bool {
		turn(p.t, p.db, true)
		var a flows.Apply
		p.admin.Get(p.path("/applies/" + id)).Is(200).JSON(&a)
		return wanted(a)
	}, 60*time.Second, 50*time.Millisecond)
}

// failingProbes answers every probe through one node with a failure.
func failingProbes(node string) func(nodesapi.Order) (*nodesapi.Result, bool) {
	return func(o nodesapi.Order) (*nodesapi.Result, bool) {
		args, ok := o.Args.(agentapi.ProbeArgs)
		if !ok || args.Through == nil || o.NodeID != node {
			return nil, false
		}
		return &nodesapi.Result{Code: string(agentapi.CodeUnreachable), Error: "no answer came back"}, true
	}
}

func (p *pair) journaled(kinds ...string) (actions []string) {
	p.t.Helper()
	require.NoError(p.t, p.db.NewRaw("select action from journal where object_id = ? order by id", p.flow).
		Scan(p.t.Context(), &actions))
	return slices.DeleteFunc(actions, func(a string) bool { return !slices.Contains(kinds, a) })
}

// A canary goes first and serves; links, the version and the rest stay what they were, no node is held, and another
// flow may change the same node. When the time is over and probes got through, the rest follows.
func TestTheRestFollowsACanaryThatDoesWell(t *testing.T) {
	t.Parallel()
	p := paired(t)
	p.install()
	rest, link, version := p.fleet.serving("waw-01"), p.link(), p.get().InstalledVersionID
	planned := p.changed("a.example")
	require.Equal(t, []plan.CanaryNode{{NodeID: p.fleet.id("fra-01"), NodeName: "fra-01", Role: "entry"}},
		planned.Canary.Nodes)
	require.Equal(t, 1, planned.Canary.Rest)
	require.Equal(t, "in", planned.Canary.Looks[0].Block)

	id := p.begin(planned)
	p.watching(id)
	require.Contains(t, p.fleet.serving("fra-01"), "a.example")
	require.Equal(t, rest, p.fleet.serving("waw-01"))
	require.Equal(t, link, p.link())
	require.Equal(t, version, p.get().InstalledVersionID)
	require.Equal(t, "applying", p.get().State)
	p.admin.Post(p.path("/disable"), nil).Refused(409, "apply_active")

	first := p.flow
	p.flow = p.create("Beside it", 9443)
	require.Equal(t, "applied", p.ended(p.begin(p.ready())).State)
	require.Contains(t, p.fleet.serving("fra-01"), "a.example", "another flow leaves the canary there")
	p.flow = first

	a := p.passes(id)
	require.Equal(t, "applied", a.State, "%+v", a)
	require.Equal(t, "passed", a.Canary.State)
	require.GreaterOrEqual(t, a.Canary.Looks[0].Good, 2)
	require.Contains(t, p.fleet.serving("waw-01"), "a.example")
	require.Equal(t, 2, *a.VersionNumber)
	require.Equal(t, link, p.link())
	require.Zero(t, p.locks())
	require.Equal(t, []string{"flow.canary_started", "flow.canary_passed"},
		p.journaled("flow.canary_started", "flow.canary_passed", "flow.canary_failed"))
	require.True(t, p.noop(), "all nodes serve the plan")
}

// noop says whether compiling again would change nothing.
func (p *pair) noop() bool { return p.compile().IsNoop }

func (p *pair) link() string {
	p.t.Helper()
	return p.admin.Post(p.path("/connection-link"), nil).Is(200).Text("uri")
}

// A canary whose probes fail goes back by itself: its node serves byte for byte what it did, also what another flow has
// changed there meanwhile, and the rest has never been asked for anything.
func TestACanaryThatFailsGoesBackAndTheRestNeverChanged(t *testing.T) {
	t.Parallel()
	p := paired(t)
	p.install()
	before, link := p.fleet.serving("fra-01"), p.link()
	asked := len(p.fleet.phases("waw-01"))
	id := p.begin(p.changed("a.example"))
	p.watching(id)
	p.fleet.scripted(failingProbes(p.fleet.id("fra-01")))
	a := p.passes(id)
	require.Equal(t, "apply_failed", a.State)
	require.Equal(t, "canary_failed", a.Error.Code)
	require.Equal(t, "fra-01", a.Error.NodeName)
	require.Contains(t, a.Error.Message, "no answer came back")
	require.Equal(t, "returned", a.Canary.State)
	require.Equal(t, 2, a.Canary.Looks[0].Bad)
	require.Equal(t, before, p.fleet.serving("fra-01"))
	require.Len(t, p.fleet.phases("waw-01"), asked, "the rest")
	require.Zero(t, p.locks())
	require.Equal(t, link, p.link())
	require.Equal(t, 1, *p.get().InstalledVersionNumber)
	require.Equal(t, []string{"flow.canary_failed", "flow.apply_failed"},
		p.journaled("flow.canary_failed", "flow.apply_failed"))
	p.fleet.scripted(nil)
	require.Equal(t, "applied", p.apply(p.ready()).State, "the flow is free")
}

// What fails on the rest takes the canary back as well.
func TestAFailureOnTheRestTakesTheCanaryBack(t *testing.T) {
	t.Parallel()
	p := paired(t)
	id := p.canary()
	p.fleet.scripted(refusal(p.fleet.id("waw-01"), agentapi.PhasePrepare, nodesapi.Result{Error: "no"}))
	a := p.passes(id)
	require.Equal(t, "apply_failed", a.State)
	require.Equal(t, "returned", a.Canary.State)
	for _, node := range []string{"fra-01", "waw-01"} {
		require.NotContains(t, p.fleet.serving(node), "a.example")
	}
	require.Zero(t, p.locks())
	p.fleet.scripted(nil)
	p.save(p.both())
	require.True(t, p.noop())
}

// Somebody may let the rest follow before its time, or end the canary; both are in the journal, and both are refused
// where there is no canary to speak of.
func TestACanaryIsPromotedAndAborted(t *testing.T) {
	t.Parallel()
	p := paired(t)
	plain := p.install().ApplyID
	for _, act := range []string{"promote", "abort"} {
		p.admin.Post(p.path("/applies/"+plain+"/"+act), nil).Refused(409, "not_in_canary")
		p.admin.Post(p.path("/applies/"+database.NewID()+"/"+act), nil).Refused(404, "not_found")
		p.admin.Post(p.path("/applies/zzz/"+act), nil).Refused(404, "not_found")
	}
	id := p.begin(p.changed("a.example"))
	p.watching(id)
	p.fleet.set("waw-01", func(n *nodesapi.Node) { n.Online = false })
	p.admin.Post(p.path("/applies/"+id+"/promote"), nil).Refused(422, "agent_offline")
	p.fleet.set("waw-01", func(n *nodesapi.Node) { n.Online = true })
	for range 2 {
		p.admin.Post(p.path("/applies/"+id+"/promote"), nil).Is(202)
	}
	a := p.ended(id)
	require.Equal(t, "applied", a.State)
	require.Equal(t, "passed", a.Canary.State)
	require.NotEmpty(t, *a.PromotedBy)
	p.admin.Post(p.path("/applies/"+id+"/abort"), nil).Refused(409, "apply_committed")

	id = p.begin(p.changed("b.example"))
	p.watching(id)
	for range 2 {
		p.admin.Post(p.path("/applies/"+id+"/abort"), nil).Is(202)
	}
	a = p.ended(id)
	require.Equal(t, "apply_failed", a.State)
	require.Equal(t, "stopped", a.Error.Code)
	require.Equal(t, "returned", a.Canary.State)
	require.Contains(t, p.fleet.serving("fra-01"), "a.example")
	p.admin.Post(p.path("/applies/"+id+"/promote"), nil).Refused(409, "not_in_canary")
	require.Equal(t, []string{"flow.canary_promoted", "flow.canary_aborted"},
		p.journaled("flow.canary_promoted", "flow.canary_aborted"))
}

// In read-only mode, with flows not in the plan, and while an agent of the rest does not answer the rest does not
// follow by itself: that is said once, probes go on, and it follows when nothing keeps it any more.
func TestPromotionStopsWhileThePanelMayNotAct(t *testing.T) {
	t.Parallel()
	for name, hold := range map[string]func(p *pair) (release func()){
		"read-only": func(p *pair) func() {
			p.license.set(entitlement.State{State: entitlement.Degraded, Reason: "refused", Enabled: whole.Enabled})
			return func() { p.license.set(whole) }
		},
		"not in the plan": func(p *pair) func() {
			p.license.set(entitlement.State{State: entitlement.Active, Enabled: []string{"nodes"}})
			return func() { p.license.set(whole) }
		},
		"everything automatic is stopped": func(p *pair) func() {
			p.admin.Post("/api/v1/system/automation/stop", map[string]any{"reason": "strange"}).Is(200)
			return func() { p.admin.Post("/api/v1/system/automation/resume", nil).Is(200) }
		},
		"agent away": func(p *pair) func() {
			p.fleet.set("waw-01", func(n *nodesapi.Node) { n.Online = false })
			return func() { p.fleet.set("waw-01", func(n *nodesapi.Node) { n.Online = true }) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := paired(t)
			id := p.canary()
			release := hold(p)
			var seen flows.Apply
			p.until(id, func(a flows.Apply) bool {
				seen = a
				return a.Canary.Held != nil && a.Canary.Rounds >= 4
			})
			require.Equal(t, "canary", seen.Phase)
			require.Contains(t, seen.Detail, "the rest does not follow")
			require.NotContains(t, p.fleet.serving("waw-01"), "a.example")
			require.Equal(t, doctor.Warning, p.examined().Status)
			require.Equal(t, []string{"Europe main"}, p.examined().Data["held"], "Doctor names the flow")
			release()
			require.Equal(t, "applied", p.passes(id).State)
			require.Equal(t, doctor.OK, p.examined().Status)
			require.Equal(t, []string{"flow.canary_held"}, p.journaled("flow.canary_held"))
		})
	}
}

// While everything automatic is stopped a person may still let the rest follow.
func TestAPersonPromotesWhileEverythingAutomaticIsStopped(t *testing.T) {
	t.Parallel()
	p := paired(t)
	id := p.canary()
	p.admin.Post("/api/v1/system/automation/stop", map[string]any{"reason": "strange"}).Is(200)
	p.admin.Post(p.path("/applies/"+id+"/promote"), nil).Is(202)
	require.Equal(t, "applied", p.ended(id).State)
}

// A canary that fails goes back also while the panel is read-only: what has an end is ended.
func TestACanaryGoesBackInReadOnlyMode(t *testing.T) {
	t.Parallel()
	p := paired(t)
	id := p.canary()
	p.license.set(entitlement.State{State: entitlement.Degraded, Reason: "none"})
	p.fleet.scripted(failingProbes(p.fleet.id("fra-01")))
	require.Equal(t, "returned", p.passes(id).Canary.State)
	require.NotContains(t, p.fleet.serving("fra-01"), "a.example")
}

// Nobody may let the rest follow in read-only mode, but what was begun on trial can be ended.
func TestACanaryIsAbortedInReadOnlyMode(t *testing.T) {
	t.Parallel()
	p := paired(t)
	id := p.canary()
	p.license.set(entitlement.State{State: entitlement.Degraded, Reason: "none"})
	p.admin.Post(p.path("/applies/"+id+"/promote"), nil).Refused(403, "license_read_only")
	p.admin.Post(p.path("/applies/"+id+"/stop"), nil).Refused(403, "license_read_only")
	p.admin.Post(p.path("/applies/"+id+"/abort"), nil).Is(202)
	require.Equal(t, "returned", p.ended(id).Canary.State)
	require.NotContains(t, p.fleet.serving("fra-01"), "a.example")
}

// Other modules see what probes do not: what they have against a canary ends it.
func TestEvidenceOfAnotherModuleEndsACanary(t *testing.T) {
	t.Parallel()
	p := paired(t)
	id := p.canary()
	p.sight.against.Store(&flowsapi.CanaryFinding{
		NodeID: p.fleet.id("fra-01"), Text: flowsapi.Say("errors_up", "twice as many connections end early"),
	})
	a := p.passes(id)
	require.Equal(t, "canary_failed", a.Error.Code)
	require.Contains(t, a.Error.Message, "end early")
	require.Equal(t, "sighted", a.Canary.Unwell[0].Source)
}

// Another panel takes a canary over when the one that watched it is gone.
func TestAnotherPanelTakesACanaryOver(t *testing.T) {
	t.Parallel()
	p := paired(t)
	id := p.canary()
	require.NoError(t, p.panel.App.Stop(t.Context()))
	p.panel = paneltest.Start(t, paneltest.On(p.db), paneltest.Modules(p.features()...), paneltest.License(p.license))
	p.admin = p.panel.Admin()
	require.Equal(t, "canary", p.phase(id, "canary").Phase)
	require.Equal(t, "applied", p.passes(id).State)
	require.Contains(t, p.fleet.serving("waw-01"), "a.example")
}

// Two panels drive one canary one at a time: nothing is decided twice.
func TestTwoPanelsWatchOneCanary(t *testing.T) {
	t.Parallel()
	p := paired(t)
	paneltest.Start(t, paneltest.On(p.db), paneltest.Modules(p.features()...), paneltest.License(p.license))
	id := p.canary()
	require.Equal(t, "applied", p.passes(id).State)
	require.Equal(t, []string{"flow.canary_started", "flow.canary_passed", "flow.apply_succeeded"},
		p.journaled("flow.canary_started", "flow.canary_passed", "flow.apply_succeeded")[1:], "after the first version")
}

// A canary that cannot go on is given up, and the installed version is applied again on its nodes.
func TestACanaryThatIsGivenUpIsTakenBack(t *testing.T) {
	t.Parallel()
	p := paired(t)
	id := p.canary()
	p.fleet.mu.Lock()
	p.fleet.refused = func(nodesapi.Order) error { return errBroken }
	p.fleet.mu.Unlock()
	require.Eventually(t, func() bool {
		turn(t, p.db, false)
		p.worn(id)
		var a flows.Apply
		p.admin.Get(p.path("/applies/" + id)).Is(200).JSON(&a)
		return a.FinishedAt != nil && a.Error.Code == "gave_up"
	}, 60*time.Second, 100*time.Millisecond)
	p.fleet.mu.Lock()
	p.fleet.refused = nil
	p.fleet.mu.Unlock()
	require.Eventually(t, func() bool { return !strings.Contains(p.fleet.serving("fra-01"), "a.example") },
		60*time.Second, 50*time.Millisecond)
}

// Wishes that mean nothing are refused by their field, and a canary that would break links names the entry.
func TestACanaryThatCannotBeIsRefused(t *testing.T) {
	t.Parallel()
	p := paired(t)
	p.install()
	fra := p.fleet.id("fra-01")
	p.save(p.both("a.example"))
	for _, canary := range []map[string]any{
		{"watch_s": 60},
		{"watch_s": 60, "nodes": []string{fra}, "share": 50},
		{"watch_s": 59, "share": 50},
		{"watch_s": 86401, "share": 50},
		{"watch_s": 60, "share": 100},
		{"share": 50},
		{"watch_s": 60, "share": 50, "probes": map[string]any{"interval_s": 61}},
		{"watch_s": 60, "share": 50, "probes": map[string]any{"interval_s": 9}},
		{"watch_s": 60, "share": 50, "probes": map[string]any{"failures": 11}},
	} {
		answer := p.admin.Post(p.path("/plan/compile"), map[string]any{"canary": canary})
		require.Contains(t, []int{400, 422}, answer.Status, "%v: %s", canary, answer.Body)
		require.Contains(t, string(answer.Body), "canary")
	}
	refused := func(nodes ...string) string {
		answer := p.admin.Post(p.path("/plan/compile"), wish(nodes...)).Refused(422, "compile_failed")
		return string(answer.Body)
	}
	require.Contains(t, refused(p.fleet.id("ams-01")), "canary_node_not_changed")
	require.Contains(t, refused(database.NewID()), "canary.nodes[0]")
	g := p.both("a.example")
	g.Nodes[0].Params.Listener.Port = 8443
	p.save(g)
	require.Contains(t, refused(fra), "canary_changes_entry")
	require.Contains(t, refused(p.fleet.id("waw-01")), "another port")
}

// deafLater lets the probes of a canary fail, but not the one before it.
func deafLater(node string) func(nodesapi.Order) (*nodesapi.Result, bool) {
	seen, fails := atomic.Int64{}, failingProbes(node)
	return func(o nodesapi.Order) (*nodesapi.Result, bool) {
		r, mine := fails(o)
		if !mine || seen.Add(1) == 1 {
			return nil, false
		}
		return r, true
	}
}

// examined is what Doctor finds of canaries.
func (p *pair) examined() doctor.Finding {
	p.t.Helper()
	env := doctor.Env{Now: time.Now, Getenv: func(name string) string {
		return map[string]string{"PANEL_DB_URL": p.panel.DB.Pool.Config().ConnString()}[name]
	}}
	all := checkup.Checks()
	at := slices.IndexFunc(all, func(c doctor.Check) bool { return c.ID == "components.canaries" })
	return all[at].Run(p.t.Context(), env)
}

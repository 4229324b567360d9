package flows_test

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/modules/flows"
	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/modules/nodes/nodesapi"
	"panel/platform/module"
	"panel/platform/paneltest"
)

// ruler is a module that rules over flows.
type ruler struct {
	mu         sync.Mutex
	versions   []map[string]flowsapi.MatchSet // of the catalogue
	plans      map[string]flowsapi.CustomPlan
	violations []flowsapi.Violation
	seen       flowsapi.Drawn
	flows      flowsapi.Flows
	uses       flowsapi.PolicyUses
}

func (r *ruler) manifest() module.Module {
	return module.Module{
		Name: "ruler", Summary: "Rules over flows", Requires: []string{"flows"},
		Attach: func(p flowsapi.Policies, f flowsapi.Flows, u flowsapi.PolicyUses) module.Parts {
			r.flows, r.uses = f, u
			p.Add("ruler", r)
			return module.Parts{}
		},
	}
}

func (r *ruler) set(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
}

func (r *ruler) Catalogue(_ context.Context, version int) (flowsapi.Catalogue, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if version == 0 {
		version = len(r.versions)
	}
	if version == 0 {
		return flowsapi.Catalogue{}, nil
	}
	return flowsapi.Catalogue{Version: version, Sets: r.versions[version-1]}, nil
}

func (r *ruler) Plans(_ context.Context, versionIDs []string) (out []flowsapi.CustomPlan, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range versionIDs {
		if p, known := r.plans[id]; known {
			out = append(out, p)
		}
	}
	return out, nil
}

func (r *ruler) Judge(_ context.Context, d flowsapi.Drawn) ([]flowsapi.Violation, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = d
	return r.violations, nil
}

func withRuler(t *testing.T) (*stage, *ruler, *outside) {
	t.Helper()
	r, o := &ruler{plans: map[string]flowsapi.CustomPlan{}}, &outside{things: map[string]string{}}
	s := &stage{t: t, fleet: newFleet("ams-01", "fra-01")}
	s.panel = paneltest.New(t, s.fleet.manifest(), s.fleet.bindings(), clients.Module(), flows.Module(), r.manifest(),
		o.manifest())
	s.admin = s.panel.Admin()
	s.flow = s.create("Europe main", 443)
	return s, r, o
}

var noVless = []flowsapi.Violation{{
	Code: flowsapi.ForbiddenByPolicy, Path: "nodes[0].params.listener.protocol", Policy: "Strict",
	Rule: "allowed_protocols", Message: `policy "Strict", rule "allowed_protocols": the protocol vless is not allowed`,
}}

// fieldOf is the first field that an answer refuses.
func fieldOf(a *paneltest.Answer) string {
	var said struct{ Errors []struct{ Field string } }
	a.JSON(&said)
	return said.Errors[0].Field
}

// choosing is a drawing whose entry sends a set of the catalogue nowhere.
func (s *stage) choosing(sets ...string) graph.Graph {
	g := s.drawing(443)
	g.Nodes = append(g.Nodes, graph.Node{Key: "stop", Kind: graph.Block})
	g.Edges = append([]graph.Edge{{From: "in", To: "stop", Match: &graph.Match{Sets: sets}}}, g.Edges...)
	return g
}

// Policies limit what is compiled; the refusal names the policy and its rule. A preview says the same.
func TestACompilationRefusesWhatAPolicyForbids(t *testing.T) {
	t.Parallel()
	s, r, _ := withRuler(t)
	r.set(func() { r.violations = noVless })
	refused := s.admin.Post(s.path("/plan/compile"), nil).Refused(422, "compile_failed")
	require.Equal(t, "nodes[0].params.listener.protocol", fieldOf(refused))
	var said struct{ Problems []graph.Problem }
	refused.JSON(&said)
	require.Equal(t, "Strict", said.Problems[0].Policy)
	require.Equal(t, "allowed_protocols", said.Problems[0].Rule)
	var p plan.Plan
	s.admin.Post(s.path("/plan/preview"), nil).Is(200).JSON(&p)
	require.Len(t, p.Errors, 1)
	require.Equal(t, flowsapi.ForbiddenByPolicy, p.Errors[0].Code)
	require.Equal(t, s.flow, r.seen.FlowID)
	require.Equal(t, []flowsapi.DrawnListener{{
		Path: "nodes[0].params.listener", Protocol: "vless", Transport: "raw", Security: "reality", Flow: graph.Vision,
	}}, r.seen.Listeners)
	n, err := r.seen.Clients(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n)
	r.set(func() { r.violations = nil })
	s.compile()
}

// What a policy forbids since the plan was compiled is not installed, with force neither.
func TestAPlanThatAPolicyHasComeToForbidIsNotApplied(t *testing.T) {
	t.Parallel()
	s, r, _ := withRuler(t)
	p := s.ready()
	r.set(func() { r.violations = noVless })
	s.admin.Post(s.path("/apply"), order(p, true)).Refused(422, "compile_failed")
	require.Empty(t, s.fleet.serving("fra-01"))
	r.set(func() { r.violations = nil })
	require.Equal(t, "applied", s.apply(p).State)
	r.set(func() { r.violations = noVless })
	first := *s.get().LastApplyID
	s.fleet.set("ams-01", func(n *nodesapi.Node) { n.Address = "198.51.100.7" })
	require.NoError(t, r.flows.RerenderFlows(t.Context(), "a node has moved", s.flow))
	require.Eventually(t, func() bool { return *s.get().LastApplyID != first }, time.Minute, 20*time.Millisecond)
	require.Equal(t, "applied", s.ended(*s.get().LastApplyID).State, "what runs is rendered again whatever policies say")
	s.ended(s.admin.Post(s.path("/disable"), nil).Is(202).Text("apply_id"))
	s.admin.Post(s.path("/enable"), nil).Refused(422, "compile_failed")
}

// A policy that changes during an apply, before the nodes are taken: the apply fails and nothing has changed.
func TestAPolicyThatChangesDuringAnApplyStopsIt(t *testing.T) {
	t.Parallel()
	s, r, o := withRuler(t)
	p := s.ready()
	o.scripted(func(stage string, call int) (flowsapi.Outcome, error) {
		if stage != "parts.before" || call > 1 {
			return flowsapi.Outcome{}, nil
		}
		r.set(func() { r.violations = noVless })
		return again(10 * time.Millisecond)
	}, nil)
	a := s.ended(s.begin(p))
	require.Equal(t, "apply_failed", a.State)
	require.Equal(t, flowsapi.ForbiddenByPolicy, a.Error.Code)
	require.Contains(t, a.Error.Message, `policy "Strict"`)
	require.Equal(t, "Strict", a.Error.Policy)
	require.Equal(t, "allowed_protocols", a.Error.Rule)
	require.Empty(t, s.fleet.serving("fra-01"))
	require.Empty(t, o.left(), "what stages did is undone")
}

// Saving the catalogue rolls nothing out: what runs keeps its snapshot, also when it is rendered again or switched on
// again; the next plan takes the newest one.
func TestFlowsKeepTheSnapshotOfTheCatalogueTheyWereCompiledWith(t *testing.T) {
	t.Parallel()
	s, r, _ := withRuler(t)
	ads := func(domain string) map[string]flowsapi.MatchSet {
		return map[string]flowsapi.MatchSet{"ads": {Domain: []string{domain}}}
	}
	r.set(func() { r.versions = append(r.versions, ads("old.example")) })
	s.save(s.choosing("ads", "other"))
	refused := s.admin.Post(s.path("/plan/compile"), nil).Refused(422, "compile_failed")
	require.Equal(t, "edges[0].match.sets[1]", fieldOf(refused))
	s.save(s.choosing("ads"))
	require.Equal(t, 1, s.ready().Catalogue)
	s.install()
	require.Contains(t, s.fleet.serving("fra-01"), "old.example")

	before := s.fleet.calls()
	r.set(func() { r.versions = append(r.versions, ads("new.example")) })
	require.Equal(t, before, s.fleet.calls(), "a save contacts no node")
	uses, err := r.uses.CatalogueUses(t.Context())
	require.NoError(t, err)
	require.Equal(t, []flowsapi.CatalogueUse{{FlowID: s.flow, FlowName: "Europe main", Version: 1, Sets: []string{"ads"}}}, uses)
	first := *s.get().LastApplyID
	s.fleet.set("ams-01", func(n *nodesapi.Node) { n.Address = "198.51.100.7" })
	require.NoError(t, r.flows.RerenderFlows(t.Context(), "a node has moved", s.flow))
	require.Eventually(t, func() bool { return *s.get().LastApplyID != first }, time.Minute, 20*time.Millisecond)
	require.Equal(t, "applied", s.ended(*s.get().LastApplyID).State)
	require.Contains(t, s.fleet.serving("fra-01"), "198.51.100.7")
	require.Contains(t, s.fleet.serving("fra-01"), "old.example", "rendered again with its own snapshot")

	p := s.ready()
	require.Equal(t, 2, p.Catalogue)
	r.set(func() { r.versions = append(r.versions, ads("newest.example")) })
	s.admin.Post(s.path("/apply"), order(p, true)).Refused(409, "plan_stale")
	s.install()
	require.Contains(t, s.fleet.serving("fra-01"), "newest.example")
	uses, err = r.uses.CatalogueUses(t.Context())
	require.NoError(t, err)
	require.Equal(t, 3, uses[0].Version)

	r.set(func() { r.versions = append(r.versions, ads("newest.example")) })
	a := s.apply(s.ready())
	require.Equal(t, "applied", a.State)
	require.Equal(t, 2, *s.get().InstalledVersionNumber, "the same comes out: there is no new version")
	uses, err = r.uses.CatalogueUses(t.Context())
	require.NoError(t, err)
	require.Equal(t, 4, uses[0].Version, "but it is said to be of the newest catalogue")
}

// A catalogue that is saved during an apply changes nothing about it.
func TestACatalogueThatIsSavedDuringAnApplyLeavesItAlone(t *testing.T) {
	t.Parallel()
	s, r, o := withRuler(t)
	r.set(func() { r.versions = []map[string]flowsapi.MatchSet{{"ads": {Domain: []string{"old.example"}}}} })
	s.save(s.choosing("ads"))
	p := s.ready()
	o.scripted(func(stage string, call int) (flowsapi.Outcome, error) {
		if stage != "parts.before" || call > 1 {
			return flowsapi.Outcome{}, nil
		}
		r.set(func() { r.versions = append(r.versions, map[string]flowsapi.MatchSet{}) })
		return again(10 * time.Millisecond)
	}, nil)
	a := s.ended(s.begin(p))
	require.Equal(t, "applied", a.State, "%+v", a.Error)
	require.Contains(t, s.fleet.serving("fra-01"), "old.example")
	s.admin.Post(s.path("/plan/compile"), nil).Refused(422, "compile_failed")
	require.Equal(t, "block", s.admin.Get(s.path("/explain?domain=old.example")).Is(200).Text("result"),
		"the drawing is explained with the newest catalogue")
}

// A custom plan is a way out; it works only where a policy enables it, and what runs goes on when one does so no more.
func TestACustomPlanWorksOnlyWhenAPolicyEnablesIt(t *testing.T) {
	t.Parallel()
	s, r, _ := withRuler(t)
	const id = "0190a000-0000-7000-8000-00000000aaaa"
	g := s.drawing(443)
	g.Nodes[1] = graph.Node{Key: "out", Kind: graph.Custom}
	s.save(g)
	s.admin.Post(s.path("/plan/compile"), nil).Refused(422, "compile_failed")
	g.Nodes[1].PlanVersionID = id
	s.save(g)
	s.admin.Post(s.path("/plan/compile"), nil).Refused(422, "compile_failed")
	r.set(func() {
		r.plans[id] = flowsapi.CustomPlan{
			VersionID: id, Name: "Upstream", Number: 2, Way: flowsapi.PlanSOCKS, Address: "127.0.0.1", Port: 40000,
			User: "panel", Password: "planted-secret",
		}
		r.violations = []flowsapi.Violation{{Code: flowsapi.PlanNotEnabled, Path: "nodes[1].plan_version_id", Message: "not enabled"}}
	})
	refused := s.admin.Post(s.path("/plan/compile"), nil).Refused(422, "custom_plan_not_enabled")
	require.Equal(t, "nodes[1].plan_version_id", fieldOf(refused))
	notEnabled := slices.Clone(r.violations)
	r.set(func() { r.violations = nil })
	p := s.ready()
	raw, err := json.Marshal(p)
	require.NoError(t, err)
	require.Contains(t, string(raw), "Upstream v2")
	require.NotContains(t, string(raw), "planted-secret")
	r.set(func() { r.violations = notEnabled })
	s.admin.Post(s.path("/apply"), order(p, true)).Refused(422, "custom_plan_not_enabled")
	r.set(func() { r.violations = nil })
	require.Equal(t, "applied", s.apply(p).State)
	require.Contains(t, s.fleet.serving("fra-01"), "planted-secret")
	shown := s.admin.Get(s.path("/rendered?node_id=" + s.fleet.id("fra-01"))).Is(200)
	require.NotContains(t, string(shown.Body), "planted-secret")
	require.Contains(t, string(shown.Body), "40000")
	uses, err := r.uses.PlanUses(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, []flowsapi.PlanUse{{VersionID: id, FlowID: s.flow, FlowName: "Europe main", Draft: true, Installed: true}}, uses)
	names, err := r.uses.Names(t.Context(), s.flow, id)
	require.NoError(t, err)
	require.Equal(t, []string{"Europe main"}, slices.Collect(maps.Values(names)))
}

// Rule: a category counts as used when an installed flow has it by a set of the catalogue: of the version that the flow
// was compiled with, whatever newer ones hold.
func TestCategoriesOfSetsCountAsUsedByInstalledFlows(t *testing.T) {
	t.Parallel()
	s, r, _ := withRuler(t)
	// The nodes of this stage hold no geo files, so that a plan would refuse categories: they come after it.
	r.set(func() { r.versions = []map[string]flowsapi.MatchSet{{"ads": {Domain: []string{"ads.example"}}}} })
	s.save(s.choosing("ads"))
	s.install()
	none, err := r.flows.GeoTokens(t.Context())
	require.NoError(t, err)
	require.Empty(t, none)
	r.set(func() {
		r.versions[0]["ads"] = flowsapi.MatchSet{Geosite: []string{"category-ads"}, GeoIP: []string{"ru"}}
	})
	_, err = s.panel.DB.ExecContext(t.Context(), `update flow_versions
		set graph = jsonb_set(graph, '{edges,0,match,geosite}', '["category-ads", "own"]')`)
	require.NoError(t, err)
	on, flow := []string{s.fleet.id("fra-01")}, []string{s.flow}
	wanted := []flowsapi.GeoToken{
		{File: "geoip.dat", Token: "ru", FlowIDs: flow, NodeIDs: on},
		{File: "geosite.dat", Token: "category-ads", FlowIDs: flow, NodeIDs: on},
		{File: "geosite.dat", Token: "own", FlowIDs: flow, NodeIDs: on},
	}
	used, err := r.flows.GeoTokens(t.Context())
	require.NoError(t, err)
	require.Equal(t, wanted, used)

	r.set(func() {
		r.versions = append(r.versions, map[string]flowsapi.MatchSet{"ads": {Geosite: []string{"newer"}}})
	})
	used, err = r.flows.GeoTokens(t.Context())
	require.NoError(t, err)
	require.Equal(t, wanted, used, "the flow runs with the version of its plan")
}

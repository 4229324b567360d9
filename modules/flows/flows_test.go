package flows_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/paneltest"
)

func TestConformance(t *testing.T) {
	paneltest.Check(t, flows.Module(), newFleet("one").manifest())
}

const units = "/api/v1/connection-units"

// stage is a panel with a fleet of two servers and one flow between them.
type stage struct {
	t     *testing.T
	panel *paneltest.Panel
	fleet *fleet
	admin *paneltest.Client
	flow  string
}

func setup(t *testing.T) *stage {
	t.Helper()
	s := &stage{t: t, fleet: newFleet("ams-01", "fra-01")}
	s.panel = paneltest.New(t, s.fleet.manifest(), flows.Module())
	s.admin = s.panel.Admin()
	s.flow = s.create("Europe main", 443)
	return s
}

func (s *stage) drawing(port int) graph.Graph {
	return graph.Graph{
		Nodes: []graph.Node{
			{Key: "in", Kind: graph.Entry, NodeID: s.fleet.id("fra-01"), Params: graph.Params{Listener: &graph.Listener{
				Protocol: "vless", Port: port, Reality: &graph.Reality{Target: "www.example.org:443"},
			}}},
			{Key: "out", Kind: graph.Exit, NodeID: s.fleet.id("ams-01")},
		},
		Edges: []graph.Edge{{From: "in", To: "out"}},
	}
}

func (s *stage) create(name string, port int) string {
	s.t.Helper()
	g := s.drawing(port)
	return s.admin.Post(units, map[string]any{"name": name, "graph": g}).Is(201).Text("id")
}

func (s *stage) path(rest string) string { return units + "/" + s.flow + rest }

func (s *stage) get() flows.Flow {
	s.t.Helper()
	var f flows.Flow
	s.admin.Get(s.path("")).Is(200).JSON(&f)
	return f
}

func (s *stage) save(g graph.Graph) flows.Draft {
	s.t.Helper()
	var d flows.Draft
	s.admin.Put(s.path("/draft"), map[string]any{"revision": s.get().DraftRevision, "graph": g}).Is(200).JSON(&d)
	return d
}

func (s *stage) compile() plan.Plan {
	s.t.Helper()
	var p plan.Plan
	s.admin.Post(s.path("/plan/compile"), nil).Is(201).JSON(&p)
	return p
}

// ready compiles and waits for the evidence.
func (s *stage) ready() plan.Plan {
	s.t.Helper()
	p := s.compile()
	require.Eventually(s.t, func() bool {
		var seen plan.Plan
		s.admin.Get(s.path("/plans/" + p.ID)).Is(200).JSON(&seen)
		for _, c := range seen.Readiness {
			if c.Status != plan.Confirmed {
				return false
			}
		}
		return true
	}, 10*time.Second, 20*time.Millisecond)
	return p
}

func order(p plan.Plan, force bool) map[string]any {
	return map[string]any{"id": p.ID, "revision": p.Revision, "force_apply": force}
}

func (s *stage) apply(p plan.Plan) flows.Apply {
	s.t.Helper()
	var a flows.Apply
	s.admin.Post(s.path("/apply"), order(p, false)).Is(200).JSON(&a)
	return a
}

func (s *stage) install() flows.Apply {
	s.t.Helper()
	a := s.apply(s.ready())
	require.Equal(s.t, "applied", a.State, "%+v", a)
	return a
}

// ended waits for the end of an apply.
func (s *stage) ended(id string) flows.Apply {
	s.t.Helper()
	var a flows.Apply
	require.Eventually(s.t, func() bool {
		s.admin.Get(s.path("/applies/" + id)).Is(200).JSON(&a)
		return a.FinishedAt != nil
	}, 20*time.Second, 20*time.Millisecond)
	return a
}

// Specification, Endpoints rule 9: a link is issued separately, is not cached and matches the last installed
// configuration.
// Specification, Flow: a plan has id and revision; "id and revision are sent back" when it is applied.
func TestAFlowIsInstalledExitsFirstAndItsLinkMatches(t *testing.T) {
	t.Parallel()
	s := setup(t)
	require.Equal(t, "draft", s.get().State)
	a := s.install()
	require.Equal(t, []string{"exit", "entry"}, []string{a.Steps[0].Role, a.Steps[1].Role})
	require.Equal(t, []string{"prepare", "switch", "commit"}, s.fleet.phases("ams-01"))
	require.Equal(t, []string{"prepare", "switch", "commit"}, s.fleet.phases("fra-01"))
	f := s.get()
	require.Equal(t, "applied", f.State)
	require.Equal(t, "in_sync", f.Drift.State)
	require.Equal(t, 1, *f.InstalledVersionNumber)
	require.True(t, f.Clients[0].Installed)

	answer := s.admin.Post(s.path("/connection-link"), nil).Is(200)
	require.Equal(t, "no-store", answer.Header.Get("Cache-Control"))
	uri := answer.Text("uri")
	require.Contains(t, uri, "@192.0.2.2:443?")
	id := strings.TrimPrefix(strings.Split(uri, "@")[0], "vless://")
	require.Contains(t, s.fleet.serving("fra-01"), id, "the link holds what the server knows")
}

// Trap 1: a save without a change has no plan steps, and no server is contacted.
// Specification, Endpoints rule 3: saving a flow draft does not start an installation.
func TestSavingWithoutAChangeInstallsNothing(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.install()
	before, revision := s.fleet.contacts(), s.get().DraftRevision
	require.Equal(t, revision, s.save(s.drawing(443)).Revision)
	p := s.compile()
	require.True(t, p.IsNoop)
	require.Empty(t, p.Steps)
	a := s.apply(p)
	require.Equal(t, "applied", a.State)
	require.Equal(t, 1, *a.VersionNumber, "no new version")
	require.Equal(t, before, s.fleet.contacts())
}

// Trap 2: ports are compared across the fleet per layer 4.
// Specification, Errors: compilation errors, found port conflicts and a revision mismatch are "not overridden by
// force_apply".
func TestAPortOfAnotherFlowIsAConflictNeverForced(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.install()
	s.flow = s.create("Second", 443)
	p := s.compile()
	require.Len(t, p.Conflicts, 1)
	s.admin.Post(s.path("/apply"), order(p, true)).Refused(409, "port_conflict")
	g := s.drawing(443)
	g.Nodes[0].Params.Listener = &graph.Listener{Protocol: "shadowsocks2022", Port: 443, L4: "udp"}
	s.save(g)
	require.Empty(t, s.compile().Conflicts)
}

// Trap 3: two applies at once, the second gets 409.
func TestASecondApplyIsRefused(t *testing.T) {
	t.Parallel()
	s := setup(t)
	p := s.ready()
	s.fleet.scripted(silence(agentapi.PhaseSwitch))
	require.Equal(t, "applying", s.admin.Post(s.path("/apply?wait=0"), order(p, false)).Is(200).Text("state"))
	s.admin.Post(s.path("/apply"), order(p, false)).Refused(409, "apply_active")
}

// silence never answers a phase.
func silence(phase agentapi.ApplyPhase) func(nodesapi.Order) (*nodesapi.Result, bool) {
	return func(o nodesapi.Order) (*nodesapi.Result, bool) {
		args, ok := o.Args.(agentapi.ApplyConfigArgs)
		return nil, ok && args.Phase == phase
	}
}

func refusal(node string, phase agentapi.ApplyPhase, r nodesapi.Result) func(nodesapi.Order) (*nodesapi.Result, bool) {
	return func(o nodesapi.Order) (*nodesapi.Result, bool) {
		args, ok := o.Args.(agentapi.ApplyConfigArgs)
		if !ok || args.Phase != phase || o.NodeID != node {
			return nil, false
		}
		return &r, true
	}
}

// Trap 4: an agent that goes away during an apply leaves the previous configuration serving and nothing half-applied.
func TestAnAgentThatGoesAwayLeavesThePreviousVersionServing(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.install()
	entry, exit := s.fleet.serving("fra-01"), s.fleet.serving("ams-01")
	s.save(s.drawing(8443))
	p := s.ready()
	s.fleet.scripted(refusal(s.fleet.id("fra-01"), agentapi.PhaseSwitch, nodesapi.Result{Code: string(agentapi.CodeExpired)}))
	a := s.ended(s.apply(p).ApplyID)
	require.Equal(t, "apply_failed", a.State)
	require.Equal(t, "expired", a.Error.Code)
	require.Equal(t, entry, s.fleet.serving("fra-01"))
	require.Equal(t, exit, s.fleet.serving("ams-01"))
	require.Contains(t, s.fleet.phases("fra-01"), "revert")
	f := s.get()
	require.Equal(t, "apply_failed", f.State)
	require.Equal(t, 1, *f.InstalledVersionNumber)
	s.admin.Post(s.path("/connection-link"), nil).Is(200)
}

// An agent that is away before the apply begins: 422 agent_offline, also under force.
func TestAnAbsentAgentRefusesTheApply(t *testing.T) {
	t.Parallel()
	s := setup(t)
	p := s.ready()
	s.fleet.set("fra-01", func(n *nodesapi.Node) { n.Online = false })
	s.admin.Post(s.path("/apply"), order(p, true)).Refused(422, "agent_offline")
	require.Empty(t, s.fleet.phases("ams-01"))
}

// Trap 5: a configuration that the core refuses shows the core's own words; no server switches.
func TestTheCoresWordsAreInTheStepAndNothingSwitches(t *testing.T) {
	t.Parallel()
	s := setup(t)
	p := s.ready()
	s.fleet.scripted(refusal(s.fleet.id("ams-01"), agentapi.PhasePrepare, nodesapi.Result{
		Code: string(agentapi.CodeCoreRefused), Stage: string(agentapi.StageTest), Error: "the core refuses it", StderrTail: "line 7: no",
	}))
	a := s.ended(s.apply(p).ApplyID)
	require.Equal(t, "apply_failed", a.State)
	require.Equal(t, "line 7: no", a.Steps[0].Error.Output)
	require.Equal(t, "failed", a.Steps[0].Stages[1].State, "the stage is the test")
	for _, node := range []string{"ams-01", "fra-01"} {
		require.Equal(t, []string{"prepare", "revert"}, s.fleet.phases(node))
	}
	require.Nil(t, s.get().InstalledRevision)
}

// A real client that does not get through the new listener takes the servers back.
func TestAFailedProbeReverts(t *testing.T) {
	t.Parallel()
	s := setup(t)
	p := s.ready()
	s.fleet.scripted(func(o nodesapi.Order) (*nodesapi.Result, bool) {
		args, ok := o.Args.(agentapi.ProbeArgs)
		return &nodesapi.Result{Code: string(agentapi.CodeUnreachable), Error: "no answer"}, ok && args.Through != nil
	})
	a := s.ended(s.apply(p).ApplyID)
	require.Equal(t, "apply_failed", a.State)
	require.Equal(t, []string{"prepare", "switch", "revert"}, s.fleet.phases("fra-01"))
}

// Trap 18 and decision 7: somebody else's binding gets exactly the answer of an unknown one, also for full access.
func TestAForeignDomainBindingLooksUnknown(t *testing.T) {
	t.Parallel()
	s := setup(t)
	foreign := database.NewID()
	s.fleet.domains[foreign] = nodesapi.Domain{ID: foreign, NodeID: s.fleet.id("fra-01"), Hostname: "x.example.org", OwnerID: database.NewID()}
	var bodies []string
	for _, id := range []string{foreign, database.NewID()} {
		g := s.drawing(443)
		g.Nodes[0].NodeDomainID = id
		a := s.admin.Put(s.path("/draft"), map[string]any{"revision": 1, "graph": g}).Refused(422, "invalid_value")
		a.JSON(&struct{}{})
		text, _, _ := strings.Cut(string(a.Body), `"request_id"`)
		bodies = append(bodies, text)
		require.Contains(t, string(a.Body), "node_domain_unknown")
	}
	require.Equal(t, bodies[0], bodies[1])
}

func TestAnOwnBindingGivesTheLinkItsHostName(t *testing.T) {
	t.Parallel()
	s := setup(t)
	own := database.NewID()
	s.fleet.domains[own] = nodesapi.Domain{ID: own, NodeID: s.fleet.id("fra-01"), Hostname: "fra.example.org", OwnerID: s.admin.AccountID}
	g := s.drawing(443)
	g.Nodes[0].NodeDomainID = own
	s.save(g)
	s.install()
	require.Equal(t, "fra.example.org", s.get().Entry.Host)
	require.Contains(t, s.admin.Post(s.path("/connection-link"), nil).Is(200).Text("uri"), "@fra.example.org:443")
}

// Trap 19: a plan whose draft has moved on is refused, also under force.
// Specification, Flow draft: apply needs "plan compiled, revision current".
// Specification, Errors: 409 is a state conflict.
func TestAPlanOfAnOlderDraftIsRefused(t *testing.T) {
	t.Parallel()
	s := setup(t)
	p := s.ready()
	s.save(s.drawing(8443))
	s.admin.Post(s.path("/apply"), order(p, true)).Refused(409, "plan_revision_conflict")
	p.Revision++
	s.admin.Post(s.path("/apply"), order(p, true)).Refused(409, "plan_revision_conflict")
}

// What else outdates a plan is plan_stale: here a client that was added after it was compiled.
func TestAPlanOfAnotherWorldIsStale(t *testing.T) {
	t.Parallel()
	s := setup(t)
	p := s.ready()
	s.admin.Post(s.path("/clients"), map[string]any{"label": "Boris"}).Is(201)
	s.admin.Post(s.path("/apply"), order(p, true)).Refused(409, "plan_stale")
}

// Trap 20: an occupied port is 409 under force; unconfirmed readiness passes with force and is recorded.
// Specification, Endpoints rule 2: force_apply accepts unconfirmed readiness and nothing else; the result records
// what was bypassed.
func TestForcePassesReadinessAloneAndIsRecorded(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.fleet.scripted(func(o nodesapi.Order) (*nodesapi.Result, bool) {
		args, ok := o.Args.(agentapi.ProbeArgs)
		return done(agentapi.ProbeData{Dial: &agentapi.DialData{}}), ok && args.Dial != nil
	})
	p := s.compile()
	require.Eventually(t, func() bool {
		var seen plan.Plan
		s.admin.Get(s.path("/plans/" + p.ID)).Is(200).JSON(&seen)
		failed := 0
		for _, c := range seen.Readiness {
			if c.Status == plan.Failed {
				failed++
			}
		}
		return failed == 3
	}, 10*time.Second, 20*time.Millisecond)
	refused := s.admin.Post(s.path("/apply"), order(p, false)).Refused(422, "readiness_unconfirmed")
	require.Len(t, refused.Value("checks"), 3)
	require.Empty(t, s.fleet.phases("fra-01"))

	var a flows.Apply
	s.admin.Post(s.path("/apply?wait=0"), order(p, true)).Is(200).JSON(&a)
	require.Len(t, a.BypassedChecks, 3, "also while it is applying")
	require.Equal(t, "firewall", a.BypassedChecks[0].Group)
	require.Equal(t, "applied", s.ended(a.ApplyID).State)
	require.Len(t, s.get().BypassedChecks, 3, "the version keeps the mark")

	s.fleet.set("fra-01", func(n *nodesapi.Node) {
		n.Sockets = []nodesapi.Socket{{L4: "tcp", IP: "::", Port: 8443, Process: "nginx"}}
	})
	s.save(s.drawing(8443))
	s.admin.Post(s.path("/apply"), order(s.compile(), true)).Refused(409, "port_conflict")
}

// Specification, Errors: 422 is well-formed data that fails business validation.
func TestADraftThatCannotBeCompiledIsRefusedAndStoresNothing(t *testing.T) {
	t.Parallel()
	s := setup(t)
	g := s.drawing(443)
	g.Edges = []graph.Edge{}
	require.Equal(t, "path_without_exit", s.save(g).Problems[0].Code)
	a := s.admin.Post(s.path("/plan/compile"), nil).Refused(422, "compile_failed")
	require.Contains(t, string(a.Body), `"path_without_exit"`)
	require.Equal(t, 200, s.admin.Post(s.path("/plan/preview"), nil).Status)
	n, err := s.panel.DB.NewSelect().Table("flow_plans").Count(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)
	require.Zero(t, s.fleet.contacts())
}

func TestSavingNeedsTheRevisionItStartsFrom(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.admin.Put(s.path("/draft"), map[string]any{"graph": s.drawing(443)}).Refused(400, "missing_field")
	s.admin.Put(s.path("/draft"), map[string]any{"revision": 7, "graph": s.drawing(1)}).Refused(409, "revision_conflict")
	s.admin.Do("PUT", s.path("/draft"), map[string]any{"graph": s.drawing(444)}, "If-Match", `"1"`).Is(200)
}

func TestDisablingTakesTheFlowOffAndEnablingPutsItBack(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.install()
	s.fleet.set("ams-01", func(n *nodesapi.Node) { n.Online = false })
	s.ended(s.admin.Post(s.path("/disable"), nil).Is(202).Text("apply_id"))
	require.Empty(t, s.fleet.serving("fra-01"), "no core is needed any more")
	require.False(t, s.get().Enabled)
	s.admin.Post(s.path("/connection-link"), nil).Refused(422, "invalid_value")
	s.admin.Post(s.path("/enable"), nil).Refused(422, "agent_offline")
	s.fleet.set("ams-01", func(n *nodesapi.Node) { n.Online = true })
	a := s.ended(s.admin.Post(s.path("/enable"), nil).Is(202).Text("apply_id"))
	require.Equal(t, "applied", a.State)
	require.True(t, s.get().Enabled)
	require.Equal(t, 1, *s.get().InstalledVersionNumber)
}

func TestDeletingRemovesTheFlowFromItsServersAndLeavesOthers(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.install()
	first := s.flow
	s.flow = s.create("Second", 8443)
	s.install()
	require.Contains(t, s.fleet.serving("fra-01"), first)
	require.Contains(t, s.fleet.serving("fra-01"), s.flow)
	s.admin.Delete(s.path("")).Is(202)
	require.Eventually(t, func() bool { return !strings.Contains(s.fleet.serving("fra-01"), s.flow) }, 10*time.Second, 20*time.Millisecond)
	require.Contains(t, s.fleet.serving("fra-01"), first)
	s.admin.Get(s.path("")).Refused(404, "not_found")
}

// A public link is a subscription; unknown and revoked tokens get the same answer.
func TestSubscriptionsFollowTheInstalledFlow(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.install()
	client := s.get().Clients[0].ID
	answer := s.admin.Post(s.path("/clients/"+client+"/public-link"), nil).Is(201)
	token := answer.Text("url")[strings.LastIndex(answer.Text("url"), "/s/"):]
	body := s.panel.Anonymous().Get(token).Is(200).Body
	links, err := base64.StdEncoding.DecodeString(string(body))
	require.NoError(t, err)
	require.Equal(t, s.admin.Post(s.path("/connection-link"), nil).Text("uri")+"\n", string(links))

	s.admin.Delete(s.path("/clients/" + client + "/public-link")).Is(204)
	revoked := s.panel.Anonymous().Get(token).Refused(404, "not_found")
	unknown := s.panel.Anonymous().Get("/s/NOSUCHTOKEN").Refused(404, "not_found")
	require.Equal(t, revoked.Text("detail"), unknown.Text("detail"))
}

// A panel that stops in the middle is followed by the next one, which brings the apply to its end.
func TestAnotherPanelFinishesAnInterruptedApply(t *testing.T) {
	t.Parallel()
	s := setup(t)
	p := s.ready()
	s.fleet.scripted(silence(agentapi.PhaseSwitch))
	id := s.admin.Post(s.path("/apply?wait=0"), order(p, false)).Is(200).Text("apply_id")
	require.Eventually(t, func() bool { return len(s.fleet.phases("ams-01")) == 2 }, 10*time.Second, 10*time.Millisecond)
	require.NoError(t, s.panel.App.Stop(t.Context()))
	s.fleet.scripted(nil)
	s.panel = paneltest.Start(t, paneltest.On(s.panel.DB), paneltest.Modules(s.fleet.manifest(), flows.Module()))
	s.admin = s.panel.Admin()
	s.fleet.catchUp() // the agent has carried out what it was ordered while no panel ran
	require.Equal(t, "applied", s.ended(id).State)
}

// Whatever answer of the fleet gets lost after it has taken effect, as when a panel is killed between an order and its
// note, the apply is continued: every server ends with the new revision, and no lock is left.
func TestAnApplySurvivesALostAnswerAtEveryCall(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.install()
	for lost, reached := 1, true; reached; lost++ {
		s.save(s.drawing(2000 + lost))
		p := s.ready()
		s.fleet.loseAnswer(lost)
		a := s.ended(s.apply(p).ApplyID)
		require.Equal(t, "applied", a.State, "answer %d: %+v", lost, a)
		reached = s.fleet.wasLost()
		for _, node := range []string{"fra-01", "ams-01"} {
			require.Contains(t, s.fleet.serving(node), s.flow)
		}
		require.Contains(t, s.fleet.serving("fra-01"), fmt.Sprintf(`"port":"%d"`, 2000+lost))
	}
	n, err := s.panel.DB.NewSelect().Table("flow_node_locks").Count(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)
}

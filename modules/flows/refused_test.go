package flows_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/domains/domainsapi"
	"panel/modules/flows"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
)

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

// Trap 18 and decision 7: somebody else's binding gets exactly the answer of an unknown one, also for full access.
func TestAForeignDomainBindingLooksUnknown(t *testing.T) {
	t.Parallel()
	s := setup(t)
	foreign := database.NewID()
	s.fleet.domains[foreign] = domainsapi.Domain{
		ID:       foreign,
		NodeID:   s.fleet.id("fra-01"),
		Hostname: "x.example.org",
		OwnerID:  database.NewID(),
	}
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

// The same where a flow is made with its drawing, and where a drawing is only previewed: neither takes a foreign
// binding, nor tells that there is one.
func TestADrawingInABodyNamesNoForeignBinding(t *testing.T) {
	t.Parallel()
	s := setup(t)
	foreign := database.NewID()
	s.fleet.domains[foreign] = domainsapi.Domain{
		ID: foreign, NodeID: s.fleet.id("fra-01"), Hostname: "x.example.org", OwnerID: database.NewID(),
	}
	for _, id := range []string{foreign, database.NewID()} {
		g := s.drawing(443)
		g.Nodes[0].NodeDomainID = id
		order := map[string]any{"name": "another flow", "graph": g}
		made := s.admin.Post("/api/v1/connection-units", order).Refused(422, "invalid_value")
		require.Contains(t, string(made.Body), "node_domain_unknown")
		require.NotContains(t, string(made.Body), "x.example.org")
		shown := s.admin.Post(s.path("/plan/preview"), map[string]any{"graph": g}).Is(200)
		var preview plan.Plan
		shown.JSON(&preview)
		require.Equal(t, []string{"node_domain_unknown"}, codes(preview.Errors))
		require.Empty(t, preview.Steps)
		require.NotContains(t, string(shown.Body), "x.example.org")
	}
	require.NotContains(t, string(s.admin.Get("/api/v1/connection-units").Is(200).Body), "another flow",
		"nothing was made")
}

// A tag is a name, not a text: each is stored, journalled and comes in every page of flows.
func TestATagIsShort(t *testing.T) {
	t.Parallel()
	s := setup(t)
	long := []string{strings.Repeat("й", 65)}
	s.admin.Post("/api/v1/connection-units", map[string]any{"name": "another flow", "tags": long}).
		Refused(422, "invalid_value")
	s.admin.Patch(s.path(""), map[string]any{"revision": 1, "tags": long}).Refused(422, "invalid_value")
	s.admin.Post("/api/v1/connection-units", map[string]any{"name": "another flow", "tags": []string{strings.Repeat("й",
		64)}}).Is(201)
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
	s.admin.PostOnce(s.path("/clients"), map[string]any{"label": "Boris"}).Is(201)
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
	}, 60*time.Second, 20*time.Millisecond)
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
	s.admin.Put(s.path("/draft"), map[string]any{"revision": 7, "graph": s.drawing(1)}).
		Refused(409, "revision_conflict")
	s.admin.Do("PUT", s.path("/draft"), map[string]any{"graph": s.drawing(444)}, "If-Match", `"1"`).Is(200)
}

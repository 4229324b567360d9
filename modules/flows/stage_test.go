package flows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/modules/flows"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/module"
	"panel/platform/paneltest"
)

const units = "/api/v1/connection-units"

// stage is a panel with a fleet of two nodes and one flow between them.
type stage struct {
	t     *testing.T
	panel *paneltest.Panel
	fleet *fleet
	admin *paneltest.Client
	flow  string
}

func setup(t *testing.T, more ...module.Module) *stage {
	t.Helper()
	return setupOn(t, newFleet("ams-01", "fra-01"), more...)
}

// setupOn is setup with a fleet of one's own.
func setupOn(t *testing.T, on *fleet, more ...module.Module) *stage {
	t.Helper()
	s := &stage{t: t, fleet: on}
	features := append([]module.Module{
		s.fleet.manifest(), s.fleet.bindings(), clients.Module(), flows.Module(),
	}, more...)
	s.panel = paneltest.New(t, features...)
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

func (s *stage) get() flows.FlowDetail {
	s.t.Helper()
	var f flows.FlowDetail
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
	s.confirmed(p)
	return p
}

// confirmed waits until nothing of a plan is open.
func (s *stage) confirmed(p plan.Plan) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		var seen plan.Plan
		s.admin.Get(s.path("/plans/" + p.ID)).Is(200).JSON(&seen)
		for _, c := range seen.Readiness {
			if c.Status != plan.Confirmed {
				return false
			}
		}
		return true
	}, 60*time.Second, 20*time.Millisecond)
}

func order(p plan.Plan, force bool) map[string]any {
	return map[string]any{"id": p.ID, "revision": p.Revision, "force_apply": force}
}

// apply installs a plan and waits for the end, also beyond that of the request.
func (s *stage) apply(p plan.Plan) flows.Apply {
	s.t.Helper()
	return s.ended(s.admin.Post(s.path("/apply"), order(p, false)).Is(200).Text("apply_id"))
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
	}, 60*time.Second, 20*time.Millisecond)
	return a
}

// switching waits until the panel has noted its order to a node to switch, which comes after the node has had it.
func (s *stage) switching(applyID, node string) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		var noted int
		require.NoError(s.t, s.panel.DB.NewRaw(`select count(*) from flow_apply_steps
			where apply_id = ? and node_id = ? and step #>> '{orders,switch}' <> ''`, applyID, s.fleet.id(node)).Scan(s.t.Context(), &noted))
		return noted == 1
	}, 60*time.Second, 10*time.Millisecond)
}

// calls counts what the panel has asked of the fleet up to now.
func (f *fleet) calls() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.called
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

// agentAnswer is what an agent says about a port that it cannot bind.
type agentAnswer struct {
	data   agentapi.ProbeData
	code   string
	holder string
}

func bindHeld(by string) agentapi.ProbeData {
	return agentapi.ProbeData{Bind: &agentapi.BindData{Owner: by}}
}

// toBind gives the answer to every question of one node about a port.
func (a *agentAnswer) toBind(node string) func(nodesapi.Order) (*nodesapi.Result, bool) {
	return func(o nodesapi.Order) (*nodesapi.Result, bool) {
		args, ok := o.Args.(agentapi.ProbeArgs)
		r := done(a.data)
		r.OK, r.Code, r.Error = false, a.code, "the port is in use"
		return r, ok && args.Bind != nil && o.NodeID == node
	}
}

// insideTarget answers like a node on which the target's name leads to the node itself.
func insideTarget(o nodesapi.Order) (*nodesapi.Result, bool) {
	args, ok := o.Args.(agentapi.ProbeArgs)
	if !ok || args.TLS == nil {
		return nil, false
	}
	if args.TLS.Public {
		r := done(agentapi.ProbeData{TLS: &agentapi.TLSData{Inside: true}})
		r.OK, r.Code = false, string(agentapi.CodeUnreachable)
		return r, true
	}
	return done(
		agentapi.ProbeData{
			TLS: &agentapi.TLSData{Version: "1.3", ALPN: "h2", NameMatches: true, Suitable: true, Inside: true},
		},
	), true
}

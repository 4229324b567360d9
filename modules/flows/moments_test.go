package flows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/domains/domainsapi"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/modules/nodes/nodesapi"
	"panel/platform/database"
)

// A rule holds when it is needed and not only where it was first asked: each of these worlds was in order when the
// drawing was saved, installed and compiled, and is broken afterwards.
var rules = []struct {
	name  string
	draw  func(s *stage, g *graph.Graph)
	spoil func(s *stage)
	code  string // of the problem; a taken port is a conflict and not a problem
}{
	{
		name: "the binding is its owner's",
		draw: func(s *stage, g *graph.Graph) { g.Nodes[0].NodeDomainID = s.bind("fra-01") },
		spoil: func(s *stage) {
			s.rebind(func(d *domainsapi.Domain) { d.OwnerID = database.NewID() })
		},
		code: "node_domain_unknown",
	},
	{
		name:  "the binding is there",
		draw:  func(s *stage, g *graph.Graph) { g.Nodes[0].NodeDomainID = s.bind("fra-01") },
		spoil: func(s *stage) { s.rebind(nil) },
		code:  "node_domain_unknown",
	},
	{
		name: "the binding is the node's",
		draw: func(s *stage, g *graph.Graph) { g.Nodes[0].NodeDomainID = s.bind("fra-01") },
		spoil: func(s *stage) {
			s.rebind(func(d *domainsapi.Domain) { d.NodeID = s.fleet.id("ams-01") })
		},
		code: "node_domain_unknown",
	},
	{
		name: "the target is outside the node",
		draw: func(_ *stage, g *graph.Graph) {
			g.Nodes[0].Params.Listener.Reality = &graph.Reality{
				Target:      "203.0.113.9:443",
				ServerNames: []string{"www.example.org"},
			}
		},
		spoil: func(s *stage) {
			s.fleet.set("fra-01", func(n *nodesapi.Node) { n.Addresses = []string{"203.0.113.9"} })
		},
		code: "target_private",
	},
	{
		name: "the core speaks the transport",
		draw: func(_ *stage, g *graph.Graph) { g.Nodes[0].Params.Listener.Transport = "xhttp" },
		spoil: func(s *stage) {
			s.fleet.set("fra-01", func(n *nodesapi.Node) { n.CoreVersion = "1.8.24" })
		},
		code: "transport_not_supported",
	},
	{
		name: "the node is there",
		draw: func(*stage, *graph.Graph) {},
		spoil: func(s *stage) {
			s.fleet.mu.Lock()
			defer s.fleet.mu.Unlock()
			delete(s.fleet.nodes, s.fleet.id("ams-01"))
		},
		code: "unknown_node",
	},
	{
		name: "the port is free",
		draw: func(*stage, *graph.Graph) {},
		spoil: func(s *stage) {
			s.fleet.set("fra-01", func(n *nodesapi.Node) {
				n.Sockets = []nodesapi.Socket{{L4: "tcp", IP: "0.0.0.0", Port: 443, Process: "nginx"}}
			})
		},
	},
}

// bind gives the flow's owner a binding to a node.
func (s *stage) bind(node string) string {
	s.fleet.mu.Lock()
	defer s.fleet.mu.Unlock()
	id := database.NewID()
	s.fleet.domains[id] = domainsapi.Domain{
		ID:       id,
		NodeID:   s.fleet.id(node),
		Hostname: "fra.example.org",
		OwnerID:  s.admin.AccountID,
	}
	return id
}

// rebind changes every binding, or removes them.
func (s *stage) rebind(change func(d *domainsapi.Domain)) {
	s.fleet.mu.Lock()
	defer s.fleet.mu.Unlock()
	for id, d := range s.fleet.domains {
		if change == nil {
			delete(s.fleet.domains, id)
			continue
		}
		change(&d)
		s.fleet.domains[id] = d
	}
}

func codes(problems []graph.Problem) []string {
	out := []string{}
	for _, p := range problems {
		out = append(out, p.Code)
	}
	return out
}

func TestEveryRuleIsAskedAtEveryMoment(t *testing.T) {
	t.Parallel()
	for _, rule := range rules {
		t.Run(rule.name, func(t *testing.T) {
			t.Parallel()
			s := setup(t)
			g := s.drawing(443)
			rule.draw(s, &g)
			s.save(g)
			s.install()
			s.ended(s.admin.Post(s.path("/disable"), nil).Is(202).Text("apply_id"))
			older := s.ready()
			rule.spoil(s)
			if rule.code == "" {
				s.refusesThePort(older)
				return
			}
			s.refuses(older, rule.code)
		})
	}
}

func (s *stage) refuses(older plan.Plan, code string) {
	var preview plan.Plan
	s.admin.Post(s.path("/plan/preview"), nil).Is(200).JSON(&preview)
	require.Equal(s.t, []string{code}, codes(preview.Errors))
	for _, path := range []string{"/plan/compile", "/enable"} {
		refused := s.admin.Post(s.path(path), nil).Refused(422, "compile_failed")
		var answer struct{ Errors []struct{ Code string } }
		refused.JSON(&answer)
		require.Len(s.t, answer.Errors, 1, path)
		require.Equal(s.t, code, answer.Errors[0].Code, path)
	}
	for _, force := range []bool{false, true} {
		s.admin.Post(s.path("/apply"), order(older, force)).Refused(409, "plan_stale")
	}
	require.False(s.t, s.get().Enabled)
}

func (s *stage) refusesThePort(older plan.Plan) {
	var preview plan.Plan
	s.admin.Post(s.path("/plan/preview"), nil).Is(200).JSON(&preview)
	require.Len(s.t, preview.Conflicts, 1)
	newer := s.compile()
	require.Len(s.t, newer.Conflicts, 1)
	s.admin.Post(s.path("/enable"), nil).Refused(409, "port_conflict")
	for _, p := range []plan.Plan{older, newer} {
		for _, force := range []bool{false, true} {
			s.admin.Post(s.path("/apply"), order(p, force)).Refused(409, "port_conflict")
		}
	}
}

// What a probe finds counts like what a heartbeat tells: a port that another process holds is never forced.
func TestAPortThatAProbeFoundTakenIsNeverForced(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]*agentAnswer{
		"a named process":    {data: bindHeld("python3"), code: "port_in_use", holder: "python3"},
		"an unknown process": {data: bindHeld(""), code: "port_in_use"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := setup(t)
			s.fleet.scripted(answer.toBind(s.fleet.id("fra-01")))
			p := s.compile()
			var seen plan.Plan
			require.Eventually(t, func() bool {
				s.admin.Get(s.path("/plans/" + p.ID)).Is(200).JSON(&seen)
				return len(seen.Conflicts) > 0
			}, 60*time.Second, 20*time.Millisecond)
			require.Equal(t, plan.Conflict{
				Kind: "port", NodeID: s.fleet.id("fra-01"), L4: "tcp", Port: 443, Path: "nodes[0].params.listener.port",
				With: plan.ConflictWith{Process: answer.holder},
			}, seen.Conflicts[0])
			for _, force := range []bool{false, true} {
				refused := s.admin.Post(s.path("/apply"), order(p, force)).Refused(409, "port_conflict")
				require.Len(t, refused.Value("conflicts"), 1)
			}
			require.Empty(t, s.fleet.phases("fra-01"))

			s.fleet.scripted(nil)
			s.admin.PostOnce(s.path("/plans/"+p.ID+"/recheck"), nil).Is(202)
			s.confirmed(p)
			require.Equal(t, "applied", s.apply(p).State, "the port was freed and checked again")
		})
	}
}

// A name is judged by the node that resolves it: a target that turns out to be inside is not forced either, unless the
// drawing allows it.
func TestATargetThatANodeFindsInsideIsNeverForced(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.fleet.scripted(insideTarget)
	p := s.compile()
	require.Eventually(t, func() bool {
		var seen plan.Plan
		s.admin.Get(s.path("/plans/" + p.ID)).Is(200).JSON(&seen)
		for _, c := range seen.Readiness {
			if c.Group == plan.GroupTarget {
				return c.Status == plan.Failed
			}
		}
		return false
	}, 60*time.Second, 20*time.Millisecond)
	for _, force := range []bool{false, true} {
		refused := s.admin.Post(s.path("/apply"), order(p, force)).Refused(422, "compile_failed")
		require.Contains(t, string(refused.Body), `"target_private"`)
		require.Contains(t, string(refused.Body), "nodes[0].params.listener.reality.target")
	}
	g := s.drawing(443)
	g.Nodes[0].Params.Listener.Reality.AllowPrivateTarget = true
	s.save(g)
	require.Equal(t, "applied", s.install().State)
}

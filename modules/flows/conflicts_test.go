package flows_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/domains/domainsapi"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/modules/nodes/nodesapi"
	"panel/platform/database"
)

// named draws an entry with TLS for a domain of its node.
func (s *stage) named(host, transport, path string) graph.Graph {
	id := ""
	s.fleet.mu.Lock()
	for known, d := range s.fleet.domains {
		if d.Hostname == host {
			id = known
		}
	}
	if id == "" {
		id = database.NewID()
		s.fleet.domains[id] = domainsapi.Domain{
			ID: id, NodeID: s.fleet.id("fra-01"), Hostname: host, OwnerID: s.admin.AccountID,
		}
	}
	s.fleet.mu.Unlock()
	s.fleet.set("fra-01", func(n *nodesapi.Node) { n.Capabilities = append(n.Capabilities, "document_certificates") })
	g := s.drawing(443)
	g.Nodes[0].NodeDomainID = id
	g.Nodes[0].Params.Listener = &graph.Listener{
		Protocol: "vless", Security: graph.TLS, Transport: transport, Path: path, Port: 443,
	}
	return g
}

// Two flows with one host name and path on a node and port: found when the draft is compiled, it does not compile and
// the finding stands at the field; nothing is stored.
func TestAHostNameOfAnotherFlowDoesNotCompile(t *testing.T) {
	t.Parallel()
	for transport, want := range map[string]struct{ code, field string }{
		"ws":  {"sni_path", "nodes[0].params.listener.path"},
		"raw": {"domain", "nodes[0].node_domain_id"},
	} {
		s := setup(t)
		s.save(s.named("fra.example.org", transport, ""))
		s.install()
		s.flow = s.create("Second", 8443)
		s.save(s.named("fra.example.org", transport, ""))
		refused := s.admin.Post(s.path("/plan/compile"), nil).Refused(422, "compile_failed")
		require.Contains(t, string(refused.Body), `"field":"`+want.field+`"`)
		require.Contains(t, string(refused.Body), `"code":"`+want.code+`"`)
		var preview plan.Plan
		s.admin.Post(s.path("/plan/preview"), nil).Is(200).JSON(&preview)
		require.Equal(t, want.code, preview.Conflicts[0].Kind)
		require.Equal(t, "domain_conflict", preview.Obstacles[0].Code)
	}
}

// The same found when a plan is applied, because another flow came first: 409, and no force passes it.
func TestAHostNameThatWasTakenSinceThePlanIsNeverForced(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.save(s.named("fra.example.org", "ws", "/a"))
	mine, p := s.flow, s.compile()
	s.flow = s.create("Second", 8443)
	s.save(s.named("fra.example.org", "ws", "/a"))
	s.install()
	s.flow = mine
	for _, force := range []bool{false, true} {
		refused := s.admin.Post(s.path("/apply"), order(p, force)).Refused(409, "domain_conflict")
		require.Contains(t, string(refused.Body), `"kind":"sni_path"`)
		require.Contains(t, string(refused.Body), "fra.example.org")
	}
}

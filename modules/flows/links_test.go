package flows_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/domains/domainsapi"
	"panel/modules/flows/internal/plan"
	"panel/modules/nodes/nodesapi"
)

func (s *stage) link() string {
	s.t.Helper()
	return s.admin.Post(s.path("/connection-link"), nil).Is(200).Text("uri")
}

// Specification, Endpoints rule 9: a link matches the last installed configuration. Whatever happens to the binding
// or the node's address afterwards, links stay until a plan that shows the change is installed.
func TestALinkIsAFunctionOfTheInstalledVersionAlone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		bound    bool
		move     func(s *stage)
		old, new string
	}{
		"the node's address changes": {
			move: func(s *stage) { s.fleet.set("fra-01", func(n *nodesapi.Node) { n.Address = "198.51.100.9" }) },
			old:  "@192.0.2.2:443", new: "@198.51.100.9:443",
		},
		"the binding is renamed": {
			bound: true,
			move:  func(s *stage) { s.rebind(func(d *domainsapi.Domain) { d.Hostname = "new.example.org" }) },
			old:   "@fra.example.org:443", new: "@new.example.org:443",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := setup(t)
			g := s.drawing(443)
			if c.bound {
				g.Nodes[0].NodeDomainID = s.bind("fra-01")
			}
			s.save(g)
			s.install()
			before, contacts := s.link(), s.fleet.contacts()
			require.Contains(t, before, c.old)
			c.move(s)
			require.Equal(t, before, s.link())
			drift := s.get().Drift
			require.Equal(t, "drifted", drift.State)
			require.Equal(t, []string{s.fleet.id("fra-01")}, drift.NodeIDs)

			p := s.compile()
			require.False(t, p.IsNoop)
			require.Empty(t, p.Steps, "no node has to change")
			require.Len(t, p.Diff.Listeners, 1)
			require.Equal(t, "host", p.Diff.Listeners[0].Field)
			require.Equal(t, "applied", s.apply(p).State)
			require.Contains(t, s.link(), c.new)
			require.Equal(t, contacts, s.fleet.contacts())
			require.Equal(t, "in_sync", s.get().Drift.State)
			require.True(t, s.compile().IsNoop)
		})
	}
}

// A binding that is lost after the installation, by whatever way, changes no link either.
func TestALinkOutlivesItsBinding(t *testing.T) {
	t.Parallel()
	s := setup(t)
	g := s.drawing(443)
	g.Nodes[0].NodeDomainID = s.bind("fra-01")
	s.save(g)
	s.install()
	before := s.link()
	s.rebind(nil)
	require.Equal(t, before, s.link())
}

// What an older panel installed has no note of its hosts: its links are made as that panel made them.
func TestAVersionWithoutItsHostsKeepsItsLink(t *testing.T) {
	t.Parallel()
	s := setup(t)
	g := s.drawing(443)
	g.Nodes[0].NodeDomainID = s.bind("fra-01")
	s.save(g)
	s.install()
	_, err := s.panel.DB.ExecContext(t.Context(), "update flows set installed_hosts = '[]'")
	require.NoError(t, err)
	require.Contains(t, s.link(), "@fra.example.org:443")
	require.Equal(t, "in_sync", s.get().Drift.State)
	require.True(t, s.compile().IsNoop, "what is not known is no difference")
	s.rebind(nil)
	require.Contains(t, s.link(), "@192.0.2.2:443")
}

// A plan whose links would name another host than it showed is stale.
func TestAPlanShowsTheHostsThatItInstalls(t *testing.T) {
	t.Parallel()
	s := setup(t)
	p := s.ready()
	s.fleet.set("fra-01", func(n *nodesapi.Node) { n.Address = "198.51.100.9" })
	s.admin.Post(s.path("/apply"), order(p, true)).Refused(409, "plan_stale")
}

// Preview, like every answer of a plan, tells at most so much of a drawing that is wrong everywhere.
func TestARefusedDrawingIsAnsweredShortly(t *testing.T) {
	t.Parallel()
	s := setup(t)
	g := s.drawing(443)
	for range 99 {
		g.Nodes = append(g.Nodes, g.Nodes[1])
	}
	s.save(g)
	refused := s.admin.Post(s.path("/plan/compile"), nil).Refused(422, "compile_failed")
	require.Len(t, refused.Value("errors"), 20)
	require.Less(t, len(refused.Body), 8*1024)
	var p plan.Plan
	s.admin.Post(s.path("/plan/preview"), nil).Is(200).JSON(&p)
	require.LessOrEqual(t, len(p.Errors), 100)
	require.True(t, strings.HasPrefix(p.Errors[0].Path, "nodes["))
}

// The palette of the interface looks for a client without knowing its flow.
func TestClientsOfAllFlowsAreFoundByName(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.save(s.drawing(443))
	for _, label := range []string{"Joanna", "anna", "Boris"} {
		s.admin.Post(s.path("/clients"), map[string]any{"label": label}).Is(201)
	}
	gone := s.admin.Post(s.path("/clients"), map[string]any{"label": "Anna gone"}).Is(201).Text("id")
	s.admin.Delete(s.path("/clients/" + gone)).Is(204)
	s.install()
	s.admin.Post(s.path("/clients"), map[string]any{"label": "Annabel"}).Is(201)
	var found struct {
		Items []struct {
			Label     string `json:"label"`
			FlowID    string `json:"flow_id"`
			FlowName  string `json:"flow_name"`
			Installed bool   `json:"installed"`
		} `json:"items"`
	}
	s.admin.Get("/api/v1/connection-units/clients?q=ANNA").Is(200).JSON(&found)
	var labels []string
	for _, one := range found.Items {
		labels = append(labels, one.Label)
		require.Equal(t, s.get().ID, one.FlowID)
		require.Equal(t, s.get().Name, one.FlowName)
		require.Equal(t, one.Label != "Annabel", one.Installed, one.Label)
	}
	require.Equal(t, []string{"anna", "Annabel", "Joanna"}, labels)
	s.admin.Get("/api/v1/connection-units/clients").Is(400)
}

// The journal tells what a saved drawing changed, block by block, and not only its number.
func TestTheJournalTellsWhatADraftChanged(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.save(s.drawing(443))
	s.save(s.drawing(8443))
	var found struct {
		Items []struct {
			Changes map[string]struct {
				From, To any
			} `json:"changes"`
		} `json:"items"`
	}
	s.admin.Get("/api/v1/audit?action=flow.draft_saved&limit=1").Is(200).JSON(&found)
	require.Len(t, found.Items, 1)
	block := found.Items[0].Changes["block "+s.drawing(443).Nodes[0].Key]
	require.NotEqual(t, block.From, block.To)
	require.NotContains(t, block.To, "position")
}

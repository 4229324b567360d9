package flows_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/domains/domainsapi"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/redraw"
)

const replacing = units + "/bulk/replace-node"

// replaced waits for the end of a change of drafts.
func (s *stage) replaced(id string) (change redraw.Change) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		s.admin.Get(units + "/bulk/changes/" + id).Is(http.StatusOK).JSON(&change)
		return change.FinishedAt != nil
	}, 60*time.Second, 20*time.Millisecond)
	return change
}

func (s *stage) draft() (g graph.Graph) {
	s.t.Helper()
	var d struct{ Graph graph.Graph }
	s.admin.Get(s.path("/draft")).Is(http.StatusOK).JSON(&d)
	return d.Graph
}

func (s *stage) binding(id string) domainsapi.Domain {
	s.t.Helper()
	found, err := s.fleet.ByIDs(s.t.Context(), id)
	require.NoError(s.t, err)
	return found[id]
}

// served is a stage whose flow is installed on fra-01 with a host name; waw-01 may take its place.
func served(t *testing.T) (s *stage, bound string, g graph.Graph) {
	t.Helper()
	s = setupOn(t, newFleet("ams-01", "fra-01", "waw-01"))
	bound, g = s.bind("fra-01"), s.drawing(443)
	g.Nodes[0].NodeDomainID = bound
	s.save(g)
	s.install()
	return s, bound, g
}

// Rule: a node is replaced by another in all drafts and in the bindings that they name, a plan for each, applied
// together. A binding in use moves with the apply of the first flow that serves it, and with nothing else.
func TestANodeIsReplacedInManyFlows(t *testing.T) {
	t.Parallel()
	s, bound, _ := served(t)
	first := s.flow
	second := s.create("Other", 8443)
	s.flow = second
	s.install()

	body := map[string]any{
		"node_id": s.fleet.id("fra-01"), "by_node_id": s.fleet.id("waw-01"), "dry_run": true,
	}
	var told redraw.Change
	s.admin.Post(replacing, body).Is(http.StatusOK).JSON(&told)
	require.Equal(t, []string{"fra-01", "waw-01"}, []string{told.NodeName, told.ByNodeName})
	require.Len(t, told.Items, 2, "by the names of the flows")
	require.Equal(t, []string{"fra.example.org"}, told.Items[0].Domains)
	require.Empty(t, told.Items[1].Domains)
	require.Equal(t, "fra-01", told.Items[0].Blocks[0].From)
	require.Equal(t, "waw-01", told.Items[0].Blocks[0].To)
	require.Equal(t, s.fleet.id("fra-01"), s.draft().Nodes[0].NodeID, "a dry run changes nothing")

	body["dry_run"] = false
	var begun redraw.Change
	s.admin.Post(replacing, body).Is(http.StatusAccepted).JSON(&begun)
	ended := s.replaced(begun.ID)
	for _, item := range ended.Items {
		require.Equal(t, redraw.Changed, item.State, "%+v", item)
	}
	state, _ := s.operation(begun.OperationID)
	require.Equal(t, "succeeded", state)
	require.Contains(t, s.panel.Recorded("flow", first), redraw.ActionNode)
	moving := s.binding(bound)
	require.Equal(t, s.fleet.id("fra-01"), moving.NodeID, "until an apply its record leads to where the flow is")
	require.Equal(t, s.fleet.id("waw-01"), moving.MovingTo)

	s.flow = first
	require.Equal(t, s.fleet.id("waw-01"), s.draft().Nodes[0].NodeID)
	require.NotEmpty(t, s.fleet.serving("fra-01"), "nothing is installed by it")
	one := s.wanted(s.ready())
	s.flow = second
	two := s.wanted(s.ready())
	bulk := s.bulkEnded(s.startBulk(false, one, two).ID)
	for _, item := range bulk.Items {
		require.Equal(t, "applied", item.State, "%+v", item)
	}
	require.Empty(t, s.fleet.serving("fra-01"))
	require.NotEmpty(t, s.fleet.serving("waw-01"))
	arrived := s.binding(bound)
	require.Equal(t, s.fleet.id("waw-01"), arrived.NodeID)
	require.Empty(t, arrived.MovingTo)
	require.Empty(t, arrived.MovedFrom, "nobody serves it on the old node any more")
}

// A flow that still serves a binding on the old node keeps its right to it, until it is installed on the new one, too.
func TestABindingServesTheFlowsOfBothNodesWhileTheyMove(t *testing.T) {
	t.Parallel()
	s, bound, _ := served(t)
	first := s.flow
	second := s.create("Other", 8443)
	s.flow = second
	g := s.drawing(8443)
	g.Nodes[0].NodeDomainID = bound
	s.save(g)
	s.install()

	var begun redraw.Change
	s.admin.Post(replacing, map[string]any{
		"node_id": s.fleet.id("fra-01"), "by_node_id": s.fleet.id("waw-01"),
	}).Is(http.StatusAccepted).JSON(&begun)
	s.replaced(begun.ID)
	s.flow = first
	s.install()
	require.Equal(t, s.fleet.id("waw-01"), s.binding(bound).NodeID)
	require.Equal(t, s.fleet.id("fra-01"), s.binding(bound).MovedFrom)

	s.flow = second
	s.save(g)
	require.True(t, s.compile().IsNoop, "back on the old node it is what is installed, and allowed")
	g.Nodes[0].NodeID = s.fleet.id("waw-01")
	s.save(g)
	s.install()
	require.Empty(t, s.binding(bound).MovedFrom)
	g.Nodes[0].NodeID = s.fleet.id("fra-01")
	s.admin.Put(s.path("/draft"), map[string]any{
		"revision": s.admin.Get(s.path("/draft")).Value("revision"), "graph": g,
	}).Refused(http.StatusUnprocessableEntity, "invalid_value")
}

// Whoever draws the flow back where it was takes the move back: no binding waits for an apply that does not come.
func TestAMoveThatNobodyWantsAnyMoreIsForgotten(t *testing.T) {
	t.Parallel()
	s, bound, g := served(t)
	var begun redraw.Change
	s.admin.Post(replacing, map[string]any{
		"node_id": s.fleet.id("fra-01"), "by_node_id": s.fleet.id("waw-01"), "flow_ids": []string{s.flow},
	}).Is(http.StatusAccepted).JSON(&begun)
	s.replaced(begun.ID)
	require.Equal(t, s.fleet.id("waw-01"), s.binding(bound).MovingTo)
	s.save(g)
	require.Empty(t, s.binding(bound).MovingTo)
	require.Equal(t, s.fleet.id("fra-01"), s.binding(bound).NodeID)
}

// What makes no sense is refused with the field that it is about.
func TestAReplacementThatMakesNoSense(t *testing.T) {
	t.Parallel()
	s := setupOn(t, newFleet("ams-01", "fra-01", "waw-01"))
	a, b := s.fleet.id("fra-01"), s.fleet.id("waw-01")
	for field, body := range map[string]map[string]any{
		"node_id":     {"node_id": "nonsense", "by_node_id": b},
		"by_node_id":  {"node_id": a, "by_node_id": a},
		"flow_ids[0]": {"node_id": a, "by_node_id": b, "flow_ids": []string{a}},
	} {
		refused := s.admin.Post(replacing, body).Refused(http.StatusUnprocessableEntity, "invalid_value")
		require.Contains(t, string(refused.Body), `"`+field+`"`)
	}
	refused := s.admin.Post(replacing, map[string]any{"node_id": b, "by_node_id": a}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	require.Contains(t, string(refused.Body), `"not_drawn"`)
	s.panel.As("connection_units.view", "connection_units.edit").Post(replacing, map[string]any{
		"node_id": a, "by_node_id": b,
	}).Refused(http.StatusForbidden, "permission_denied")
}

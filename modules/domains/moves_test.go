package domains

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/domains/domainsapi"
	"panel/platform/access"
	"panel/platform/paneltest"
)

// movers are two nodes, of which the first has a binding.
type movers struct {
	t          *testing.T
	panel      *paneltest.Panel
	with       *ports
	admin      *paneltest.Client
	from, to   string
	id         string
	withCaller context.Context //nolint:containedctx // a caller for all calls of a test
}

const movingFlow = "0199a0de-0000-7000-8000-00000000f10e"

func newMovers(t *testing.T) *movers {
	t.Helper()
	panel, with := asked(t)
	m := &movers{t: t, panel: panel, with: with, admin: panel.Admin()}
	m.from, m.to = m.admin.AddNode("fra-01"), m.admin.AddNode("waw-01")
	m.id = m.admin.Post("/api/v1/node-domains", map[string]any{"node_id": m.from, "zone": "example.org", "label": "a"}).
		Is(http.StatusCreated).Text("id")
	m.withCaller = access.With(t.Context(), access.Caller{Kind: access.System, Username: "test"})
	return m
}

func (m *movers) binding() domainsapi.Domain {
	m.t.Helper()
	found, err := m.with.domains.ByIDs(m.t.Context(), m.id)
	require.NoError(m.t, err)
	return found[m.id]
}

// A binding in use changes its node with the apply of a flow alone: until then it leads to where it was, and afterwards
// flows that are still installed there keep their right to it.
func TestABindingInUseMovesWithItsFlows(t *testing.T) {
	t.Parallel()
	m := newMovers(t)
	require.NoError(t, m.with.domains.SetUses(m.withCaller, movingFlow, m.id))
	require.NoError(t, m.with.domains.Move(m.withCaller, m.to, m.id))
	moving := m.binding()
	require.Equal(t, m.from, moving.NodeID)
	require.True(t, moving.On(m.from))
	require.True(t, moving.On(m.to))
	require.False(t, moving.On(""))
	shown := m.admin.Get("/api/v1/node-domains/" + m.id).Is(http.StatusOK)
	require.Equal(t, m.to, shown.Text("moving_to"), "people see where it goes")

	require.NoError(t, m.with.domains.Arrive(m.withCaller, map[string]string{m.id: m.from}))
	require.Equal(t, m.from, m.binding().NodeID, "an apply on the old node moves nothing")
	require.NoError(t, m.with.domains.Arrive(m.withCaller, map[string]string{m.id: m.to}))
	arrived := m.binding()
	require.Equal(t, []string{m.to, "", m.from}, []string{arrived.NodeID, arrived.MovingTo, arrived.MovedFrom})
	require.NoError(t, m.with.domains.Settle(m.withCaller, map[string][]string{m.id: {m.from, m.to}}))
	require.Equal(t, m.from, m.binding().MovedFrom, "a drawing has it there")
	require.NoError(t, m.with.domains.Settle(m.withCaller, map[string][]string{m.id: {m.to}}))
	require.Empty(t, m.binding().MovedFrom)
	require.Equal(t,
		[]string{"domain.created", "domain.updated", "domain.updated", "domain.updated"},
		m.panel.Recorded("node_domain", m.id), "each step is told once")
}

// A binding that no flow uses needs no apply.
func TestABindingThatNobodyUsesMovesAtOnce(t *testing.T) {
	t.Parallel()
	m := newMovers(t)
	on, err := m.with.domains.OnNode(t.Context(), m.from)
	require.NoError(t, err)
	require.Len(t, on, 1)
	require.NoError(t, m.with.domains.Move(m.withCaller, m.to, m.id))
	require.Equal(t, m.to, m.binding().NodeID)
	require.Empty(t, m.binding().MovedFrom)
	on, err = m.with.domains.OnNode(t.Context(), m.from)
	require.NoError(t, err)
	require.Empty(t, on)
}

// Rule: a node that a binding in use moves to, or has come from, is not deleted meanwhile.
func TestNodesOfAMoveStay(t *testing.T) {
	t.Parallel()
	m := newMovers(t)
	require.NoError(t, m.with.domains.SetUses(m.withCaller, movingFlow, m.id))
	require.NoError(t, m.with.domains.Move(m.withCaller, m.to, m.id))
	m.admin.Delete("/api/v1/nodes/"+m.to).Refused(http.StatusConflict, "node_in_use")
	require.NoError(t, m.with.domains.Settle(m.withCaller, map[string][]string{m.id: {m.from}}))
	require.Empty(t, m.binding().MovingTo, "nobody wants it there any more")
	m.admin.Delete("/api/v1/nodes/" + m.to).Is(http.StatusNoContent)
}

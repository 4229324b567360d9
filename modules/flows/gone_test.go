package flows_test

import (
	"context"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/modules/domains"
	"panel/modules/flows"
	"panel/modules/flows/internal/graph"
	"panel/modules/nodes"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/module"
	"panel/platform/paneltest"
)

// muted is a stage on the real module of nodes, with nodes that are heard and answer no order.
func muted(t *testing.T, more ...module.Module) (s *stage, entry, exit string) {
	t.Helper()
	s = &stage{t: t, panel: paneltest.New(t, append(more, nodes.Module(), domains.Module(),
		clients.Module(), flows.Module())...)}
	s.admin = s.panel.Admin()
	var ids [2]string
	for i := range ids {
		agent := s.panel.Enroll("muted-" + strconv.Itoa(i))
		ids[i] = agent.NodeID
		agent.Beat(func(b *agentapi.Heartbeat) {
			b.Core.Version, b.Capabilities, b.Sockets = "26.3.27", []agentapi.Capability{agentapi.CanApply}, nil
		})
		s.admin.Patch("/api/v1/nodes/"+ids[i], map[string]any{"revision": 1, "address": "192.0.2." + strconv.Itoa(i+1)})
		agent.Shown("agent.connected", true)
	}
	return s, ids[0], ids[1]
}

// between draws a flow from one node to another.
func between(entry, exit string) graph.Graph {
	return graph.Graph{
		Nodes: []graph.Node{
			{Key: "in", Kind: graph.Entry, NodeID: entry, Params: graph.Params{Listener: &graph.Listener{
				Protocol: "vless", Port: 8443, Reality: &graph.Reality{Target: "www.example.org:443"},
			}}},
			{Key: "out", Kind: graph.Exit, NodeID: exit},
		},
		Edges: []graph.Edge{{From: "in", To: "out"}},
	}
}

// A node is not deleted while something is being installed on it; should it vanish all the same, the apply ends,
// frees the nodes and the flow can be changed again.
func TestAnApplyEndsWhenItsServerIsGone(t *testing.T) {
	t.Parallel()
	s, entry, exit := muted(t)
	s.flow = s.admin.PostOnce(units, map[string]any{"name": "Hanging", "graph": between(entry, exit)}).
		Is(http.StatusCreated).
		Text("id")
	id := s.admin.Post(s.path("/apply?wait=0"), order(s.compile(), true)).Is(http.StatusOK).Text("apply_id")
	var orders int
	require.Eventually(t, func() bool {
		require.NoError(
			t,
			s.panel.DB.NewRaw("select count(*) from node_commands where kind = 'apply_config'").
				Scan(t.Context(), &orders),
		)
		return orders == 2
	}, 60*time.Second, 20*time.Millisecond)
	refused := s.admin.Delete("/api/v1/nodes/"+exit).Refused(http.StatusConflict, "node_in_use")
	require.Equal(t, []any{s.flow}, refused.Value("flow_ids"))

	_, err := s.panel.DB.ExecContext(t.Context(), "delete from nodes where id = any(array[?, ?]::uuid[])", entry, exit)
	require.NoError(t, err)
	a := s.ended(id)
	require.Equal(t, "apply_failed", a.State)
	require.Equal(t, "expired", a.Error.Code)
	n, err := s.panel.DB.NewSelect().Table("flow_node_locks").Count(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)
	s.admin.Delete(s.path("")).Is(http.StatusAccepted)
}

// slow is a module that keeps the deletion of a node in the middle: its guard is asked inside the transaction.
type slow struct {
	fleet   nodesapi.Fleet
	reached chan struct{}
	goOn    chan struct{}
}

func (s *slow) manifest() module.Module {
	return module.Module{
		Name: "slow", Summary: "Thinks long about the deletion of nodes", Requires: []string{"nodes"},
		Attach: func(f nodesapi.Fleet, g nodesapi.Guards) module.Parts {
			s.fleet = f
			g.Add("it is needed", func(context.Context, string) ([]string, error) {
				s.reached <- struct{}{}
				<-s.goOn
				return nil, nil
			})
			return module.Parts{}
		},
	}
}

// lockAwaited returns once a session of the panel's database waits for a lock.
func (s *stage) lockAwaited() {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		n, err := s.panel.DB.NewSelect().Table("pg_stat_activity").
			Where("datname = current_database() and wait_event_type = 'Lock'").Count(s.t.Context())
		return err == nil && n > 0
	}, 60*time.Second, 5*time.Millisecond)
}

// An apply and the deletion of its node meet in one order. Where the deletion is first, the apply waits for its end
// and is refused; nothing of it is left.
func TestAnApplyDoesNotBeginOnANodeThatIsBeingDeleted(t *testing.T) {
	t.Parallel()
	slow := &slow{reached: make(chan struct{}), goOn: make(chan struct{})}
	s, entry, exit := muted(t, slow.manifest())
	s.flow = s.admin.PostOnce(units, map[string]any{"name": "Hanging", "graph": between(entry, exit)}).
		Is(http.StatusCreated).
		Text("id")
	p := s.compile()
	deleted, applied := make(chan *paneltest.Answer, 1), make(chan *paneltest.Answer, 1)
	go func() { deleted <- s.admin.Delete("/api/v1/nodes/" + exit) }()
	<-slow.reached
	go func() { applied <- s.admin.Post(s.path("/apply?wait=0"), order(p, true)) }()
	s.lockAwaited()
	require.Empty(t, applied)
	close(slow.goOn)
	require.Equal(t, http.StatusNoContent, (<-deleted).Status)
	(<-applied).Refused(http.StatusConflict, "plan_stale")
	n, err := s.panel.DB.NewSelect().Table("flow_applies").Count(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)
}

// Where the apply is first, the deletion waits for its row and is refused by it.
func TestANodeThatIsHeldIsNotDeletedBeforeTheEndOfTheTransaction(t *testing.T) {
	t.Parallel()
	slow := &slow{reached: make(chan struct{}, 1), goOn: make(chan struct{})}
	close(slow.goOn)
	s, entry, _ := muted(t, slow.manifest())
	deleted := make(chan *paneltest.Answer, 1)
	require.NoError(t, s.panel.DB.InTx(t.Context(), func(ctx context.Context) error {
		none := database.NewID()
		missing, err := slow.fleet.Hold(ctx, entry, none, "zzz", none)
		require.NoError(t, err)
		require.Equal(t, []string{none, "zzz"}, missing)
		go func() { deleted <- s.admin.Delete("/api/v1/nodes/" + entry) }()
		s.lockAwaited()
		require.Empty(t, slow.reached, "nobody is asked while it waits")
		return nil
	}))
	require.Equal(t, http.StatusNoContent, (<-deleted).Status)
	missing, err := slow.fleet.Hold(t.Context(), entry)
	require.NoError(t, err)
	require.Equal(t, []string{entry}, missing)
}

// A removal needs no node that is gone: the flow leaves the others and ends.
func TestAFlowIsRemovedAlsoWhenANodeIsGone(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.install()
	s.fleet.mu.Lock()
	delete(s.fleet.nodes, s.fleet.id("ams-01"))
	s.fleet.mu.Unlock()
	a := s.ended(s.admin.Post(s.path("/disable"), nil).Is(http.StatusAccepted).Text("apply_id"))
	require.Equal(t, "applied", a.State, "%+v", a.Error)
	require.Empty(t, s.fleet.serving("fra-01"))
}

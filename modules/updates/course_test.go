package updates

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/updates/updatesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/events"
)

// silent makes the panel believe that the node has not reported for a day.
func (s *server) silent() {
	s.st.t.Helper()
	_, err := s.st.panel.DB.ExecContext(s.st.t.Context(),
		"update node_reports set seen_at = now() - interval '1 day' where node_id = ?", s.NodeID)
	require.NoError(s.st.t, err)
}

// watched ends the time for which a finished ring is watched.
func (st *stage) watched(id string) {
	st.t.Helper()
	st.eventually(func() bool {
		ended, err := st.panel.DB.ExecContext(st.t.Context(), `update agent_rollouts
			set rested_at = rested_at - interval '1 hour', lease_until = now()
			where id = ? and rested_at is not null and lease_token = ''`, id) // the panel writes no more of it meanwhile
		require.NoError(st.t, err)
		n, err := ended.RowsAffected()
		return err == nil && n == 1
	})
	st.looks()
}

// looks has the panel look for rollouts whose rows the test has changed.
func (st *stage) looks() {
	st.t.Helper()
	require.NoError(st.t, database.Notify(st.t.Context(), st.panel.DB, "lease", "agent_rollouts"))
}

func (r Rollout) node(t *testing.T, name string) RolloutNode {
	t.Helper()
	for _, n := range r.Nodes {
		if n.Name == name {
			return n
		}
	}
	require.Fail(t, "the rollout does not have the node "+name)
	return RolloutNode{}
}

// A node that went offline before its turn is left out with the reason, and holds up nobody.
func TestANodeThatIsOfflineIsLeftOut(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.noPause()
	a, b := st.server("aaa", "1.0.0"), st.server("bbb", "1.0.0")
	b.silent()
	id := st.start("3")
	a.succeeds()
	r := st.ends(id, done)
	left := r.node(t, "bbb")
	require.Equal(t, []string{skipped, "offline", "1.0.0"}, []string{left.State, left.Stage, left.From})
	require.Nil(t, left.OrderedAt)
	require.Equal(t, map[string]int{done: 1, skipped: 1}, r.Counts)
	require.Empty(t, b.Commands())
	b.beat("1.0.0")
	st.eventually(func() bool {
		return st.editor().Post("/api/v1/nodes/"+b.NodeID+"/agent-update", map[string]any{}).
			Status == http.StatusAccepted
	})
	b.succeeds()
}

// An agent that cannot update itself is left out from the beginning and told so; alone it is refused.
func TestAnAgentThatCannotUpdateItselfIsLeftOut(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.noPause()
	a, old := st.server("aaa", "1.0.0"), st.server("old", "0.2.0")
	old.Beat(func(b *agentapi.Heartbeat) { b.AgentVersion, b.Capabilities = "0.1.0", nil })
	old.Shown("agent.version", "0.1.0")
	st.editor().Post("/api/v1/nodes/"+old.NodeID+"/agent-update", map[string]any{}).
		Refused(http.StatusUnprocessableEntity, "agent_too_old")
	id := st.start("3")
	a.succeeds()
	left := st.ends(id, done).node(t, "old")
	require.Equal(t, []string{skipped, "agent_too_old"}, []string{left.State, left.Stage})
	require.Contains(t, left.Error, "run the install command")
	require.Empty(t, old.Commands())
}

// An agent that is offline cannot be updated alone: the order would wait for nobody knows how long.
func TestAnOfflineAgentIsNotUpdatedAlone(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	a := st.server("aaa", "1.0.0")
	a.silent()
	st.editor().Post("/api/v1/nodes/"+a.NodeID+"/agent-update", map[string]any{}).
		Refused(http.StatusUnprocessableEntity, "agent_offline")
	require.Empty(t, st.journal())
}

// No more nodes are at work than the settings allow, and each that ends lets the next begin.
func TestNoMoreNodesAreAtWorkThanAllowed(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.editor().Put("/api/v1/nodes/agent-rings",
		map[string]any{"sizes": []int{100}, "pause_seconds": 0, "parallel": 2, "revision": 1}).Is(http.StatusOK)
	servers := []*server{
		st.server("aaa", "1.0.0"),
		st.server("bbb", "1.0.0"),
		st.server("ccc", "1.0.0"),
		st.server("ddd", "1.0.0"),
	}
	id := st.start("1")
	servers[0].order()
	servers[1].order()
	require.Equal(t, map[string]int{updating: 2, waiting: 2}, st.rollout(id).Counts)
	servers[1].succeeds()
	servers[2].order()
	require.Empty(t, servers[3].Commands(), "the first has not ended")
	servers[0].succeeds()
	servers[2].succeeds()
	servers[3].succeeds()
	require.Equal(t, map[string]int{done: 4}, st.ends(id, done).Counts)
}

// A node that is removed while it is at work takes its part of the rollout with it, and the others go on.
func TestARolloutGoesOnWithoutANodeThatIsRemoved(t *testing.T) {
	t.Parallel()
	st, a, b, id := rolling(t)
	a.order()
	st.panel.Admin().Delete("/api/v1/nodes/" + a.NodeID).Is(http.StatusNoContent)
	b.succeeds()
	r := st.ends(id, done)
	require.Equal(t, map[string]int{done: 1}, r.Counts)
}

// An order that nobody answered ends with its deadline: the node has failed and the rollout stops.
func TestAnAgentThatNeverAnswersFails(t *testing.T) {
	t.Parallel()
	st, a, b, id := rolling(t)
	order := a.order()
	require.WithinRange(
		t,
		order.Deadline,
		st.rollout(id).StartedAt.Add(orderLimit),
		st.rollout(id).StartedAt.Add(2*orderLimit),
	)
	_, err := st.panel.DB.ExecContext(
		t.Context(),
		"update node_commands set deadline = now() - interval '1 s' where id = ?",
		order.ID,
	)
	require.NoError(t, err)
	r := st.ends(id, failed)
	require.Equal(t, failed, r.node(t, "aaa").State)
	require.NotEmpty(t, r.node(t, "aaa").Error)
	require.Equal(t, waiting, r.node(t, "bbb").State)
	require.Empty(t, b.Commands())
}

// Domain 4.20: a node that took the build and fell silent while its ring was watched stops the rollout.
func TestANodeThatFallsSilentWhileItsRingIsWatchedStopsTheRollout(t *testing.T) {
	t.Parallel()
	st, a, b, id := watching(t)
	a.silent()
	st.watched(id)
	r := st.ends(id, failed)
	require.Contains(t, r.Detail, "aaa does not report with the new build any more")
	require.Equal(t, done, r.node(t, "aaa").State)
	require.Empty(t, b.Commands())
}

// The same holds for one that went back to its old build after it had reported the new one.
func TestANodeThatWentBackWhileItsRingIsWatchedStopsTheRollout(t *testing.T) {
	t.Parallel()
	st, a, b, id := watching(t)
	a.beat("1.0.0")
	a.Shown("agent.version", "1.0.0")
	st.watched(id)
	require.Contains(t, st.ends(id, failed).Detail, "aaa")
	require.Empty(t, b.Commands())
}

// A ring that was watched without a complaint lets the next one begin; the rollout ends with the ring that was ordered.
func TestARolloutEndsWithTheRingThatWasOrdered(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	a, b, c := st.server("aaa", "1.0.0"), st.server("bbb", "1.0.0"), st.server("ccc", "1.0.0")
	id := st.start("2")
	a.succeeds()
	require.Empty(t, b.Commands(), "the first ring is watched")
	st.watched(id)
	b.succeeds()
	st.eventually(func() bool { r := st.rollout(id); return r.Ring == 2 && r.RestUntil != nil })
	st.watched(id)
	r := st.ends(id, done)
	require.Equal(t, []int{2, 2}, []int{r.Ring, r.Through})
	require.Empty(t, c.Commands())
	rings := st.viewer().Get("/api/v1/nodes/agent-rings").Is(http.StatusOK)
	require.EqualValues(t, 1, rings.Value("behind"))
	require.Nil(t, rings.Value("active"))
}

// What failed in one rollout is tried by the next, which a person starts; a node that took the build is left alone.
func TestTheNextRolloutTakesUpWhatTheLastOneLeft(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.noPause()
	a, b := st.server("aaa", "1.0.0"), st.server("bbb", "1.0.0")
	first := st.start("3")
	a.succeeds()
	b.fails()
	st.ends(first, failed)
	second := st.start("3")
	b.succeeds()
	r := st.ends(second, done)
	require.Equal(t, map[string]int{done: 1}, r.Counts)
	require.Empty(t, a.Commands())
	list := st.viewer().Get("/api/v1/nodes/agent-rings/rollouts").Is(http.StatusOK)
	require.EqualValues(t, 2, list.Value("total"))
}

// The journal and the events name the node, both versions and where it failed, and who had ordered it.
func TestWhatHappensToANodeIsRecordedAndPublished(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.noPause()
	a, b := st.server("aaa", "1.0.0"), st.server("bbb", "1.0.0")
	news := st.panel.Follow()
	id := st.start("3")
	require.Equal(t, id, news.Next(updatesapi.RolloutStarted).SubjectID)
	require.Equal(t, a.NodeID, news.Next(updatesapi.NodeUpdateStarted).SubjectID)
	a.succeeds()
	require.Equal(t, updatesapi.NodeUpdate{Name: "aaa", Version: newVersion}, news.Next(updatesapi.NodeUpdateDone).Data)
	require.Equal(t, id, news.Next(updatesapi.RolloutProgress).SubjectID)
	b.fails()
	event := news.Next(updatesapi.NodeUpdateFailed)
	data, err := events.DataOf[updatesapi.NodeUpdate](event)
	require.NoError(t, err)
	require.Equal(
		t,
		updatesapi.NodeUpdate{Name: "bbb", Version: newVersion, Stage: "heartbeat", Error: "no heartbeat"},
		data,
	)
	ended, err := events.DataOf[updatesapi.Rollout](news.Next(updatesapi.RolloutEnded))
	require.NoError(t, err)
	require.Equal(t, failed, ended.State)
	require.Equal(t, []string{"node.update_started", "node.update_failed"}, st.recorded(b.NodeID))
	var actors []string
	require.NoError(t, st.panel.DB.NewRaw(`select distinct actor_name from journal where action like 'node.update%'
		or action like 'node.rollout%'`).Scan(t.Context(), &actors))
	require.Equal(t, []string{st.rollout(id).StartedBy}, actors,
		"what the panel does for a person is that person's act")
}

// recorded gives what the journal tells of updates of a node.
func (st *stage) recorded(nodeID string) (actions []string) {
	st.t.Helper()
	require.NoError(st.t, st.panel.DB.NewRaw(`select action from journal where object_id = ? and action like 'node.update%'
		order by at, id`, nodeID).Scan(st.t.Context(), &actions))
	return actions
}

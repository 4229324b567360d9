package updates

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// crowd adds so many nodes that are done to a rollout.
func (w *world) crowd(rollout string, size int) {
	w.t.Helper()
	for _, statement := range []string{
		`insert into nodes select crowd.* from (select * from nodes limit 1) n, generate_series(1, ?0) i, jsonb_populate_record(
			null::nodes, to_jsonb(n) || jsonb_build_object('id', gen_random_uuid(), 'name', 'crowd-' || i,
			'name_key', 'crowd-' || i)) crowd`,
		`insert into agent_rollout_nodes (rollout_id, node_id, name, ring, place, state, active)
			select ?1, id, name, 1, 1000, 'done', false from nodes where name like 'crowd-%'`,
		"analyze agent_rollout_nodes",
	} {
		_, err := w.panel.DB.NewRaw(statement, size, rollout).Exec(w.t.Context())
		require.NoError(w.t, err)
	}
}

// read counts the rows of the nodes of rollouts that were read in two seconds.
func (w *world) read() int {
	w.t.Helper()
	rows := func() (n int) {
		require.NoError(w.t, w.panel.DB.NewRaw(`select seq_tup_read + coalesce(idx_tup_fetch, 0) from pg_stat_user_tables
			where relname = 'agent_rollout_nodes' and pg_stat_clear_snapshot() is not null`).Scan(w.t.Context(), &n))
		return n
	}
	<-time.After(2 * time.Second) // what was read before is counted within a second
	before := rows()
	<-time.After(2 * time.Second)
	return rows() - before
}

// What a rollout reads depends on the nodes at work, not on the fleet; while a ring is watched it reads nothing.
func TestARolloutReadsOnlyTheNodesAtWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.server("aaa", "1.0.0")
	w.server("bbb", "1.0.0")
	id := w.start("2")
	order := a.order()
	require.NotEmpty(t, order.ID)
	w.crowd(id, 2000)
	require.Less(t, w.read(), 100, "one node is at work among 2,000")
	a.succeeds()
	w.eventually(func() bool { return w.rollout(id).RestUntil != nil })
	require.Less(t, w.read(), 10, "the ring is watched for a minute")
	var lease string
	require.NoError(
		t,
		w.panel.DB.NewRaw("select lease_token from agent_rollouts where id = ?", id).Scan(t.Context(), &lease),
	)
	require.Empty(t, lease, "nobody holds a lease for a minute of waiting")
}

// A stop ends the watching of a ring at once.
func TestAStopEndsThePauseBetweenRings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.server("aaa", "1.0.0"), w.server("bbb", "1.0.0")
	id := w.start("2")
	a.succeeds()
	w.eventually(func() bool { return w.rollout(id).RestUntil != nil })
	w.editor().Post("/api/v1/nodes/agent-rings/rollouts/"+id+"/stop", nil).Is(http.StatusAccepted)
	w.ends(id, stopped)
	require.Empty(t, b.orders())
}

// A rollout whose steps fail again and again ends with the reason, and its nodes can be updated again.
func TestAPoisonRolloutIsGivenUpWithItsReason(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.server("aaa", "1.0.0")
	_, err := w.panel.DB.ExecContext(t.Context(), `create function refuse() returns trigger language plpgsql as
		$$ begin raise exception 'no space left for orders'; end $$;
		create trigger refuse before update on agent_rollout_nodes for each row when (new.state = 'ordering')
		execute function refuse()`)
	require.NoError(t, err)
	id := w.start("1")
	w.eventually(func() bool {
		done, err := w.panel.DB.NewRaw(`update agent_rollouts set lease_failures = ?, lease_until = now()
			where id = ? and lease_token = '' and lease_failures > 0`, attempts-1, id).Exec(t.Context())
		require.NoError(t, err)
		n, err := done.RowsAffected()
		require.NoError(t, err)
		return n == 1
	})
	r := w.ends(id, failed)
	require.Contains(t, r.Detail, "no space left for orders")
	require.Contains(t, w.journal(), "node.rollout_ended")
	_, err = w.panel.DB.ExecContext(t.Context(), "drop trigger refuse on agent_rollout_nodes")
	require.NoError(t, err)
	w.start("1")
	a.succeeds()
}

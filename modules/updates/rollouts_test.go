package updates

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// crowd adds so many nodes that are done to a rollout.
func (st *stage) crowd(rollout string, size int) {
	st.t.Helper()
	for _, statement := range []string{
		`insert into nodes select crowd.* from (select * from nodes limit 1) n, generate_series(1, ?0) i, jsonb_populate_record(
			null::nodes, to_jsonb(n) || jsonb_build_object('id', gen_random_uuid(), 'name', 'crowd-' || i,
			'name_key', 'crowd-' || i)) crowd`,
		`insert into agent_rollout_nodes (rollout_id, node_id, name, ring, place, state, active)
			select ?1, id, name, 1, 1000, 'done', false from nodes where name like 'crowd-%'`,
		"analyze agent_rollout_nodes",
	} {
		_, err := st.panel.DB.NewRaw(statement, size, rollout).Exec(st.t.Context())
		require.NoError(st.t, err)
	}
}

// reads waits for two seconds in which fewer rows of the nodes of rollouts are read: what was read before may be
// counted late.
func (st *stage) reads(fewer int, why string) {
	st.t.Helper()
	rows := func() (n int) {
		require.NoError(st.t, st.panel.DB.NewRaw(`select seq_tup_read + coalesce(idx_tup_fetch, 0) from pg_stat_user_tables
			where relname = 'agent_rollout_nodes' and pg_stat_clear_snapshot() is not null`).Scan(st.t.Context(), &n))
		return n
	}
	require.Eventually(st.t, func() bool {
		before := rows()
		<-time.After(2 * time.Second)
		return rows()-before < fewer
	}, time.Minute, time.Millisecond, why)
}

// What a rollout reads depends on the nodes at work, not on the fleet; while a ring is watched it reads nothing.
func TestARolloutReadsOnlyTheNodesAtWork(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	a := st.server("aaa", "1.0.0")
	st.server("bbb", "1.0.0")
	id := st.start("2")
	order := a.order()
	require.NotEmpty(t, order.ID)
	st.crowd(id, 2000)
	st.reads(100, "one node is at work among 2,000")
	a.succeeds()
	st.eventually(func() bool { return st.rollout(id).RestUntil != nil })
	st.reads(10, "the ring is watched for a minute")
	var held int
	st.eventually(func() bool { // nobody holds a lease for a minute of waiting
		const query = "select count(*) from agent_rollouts where id = ? and lease_token <> ''"
		require.NoError(t, st.panel.DB.NewRaw(query, id).Scan(t.Context(), &held))
		return held == 0
	})
}

// A stop ends the watching of a ring at once.
func TestAStopEndsThePauseBetweenRings(t *testing.T) {
	t.Parallel()
	st, _, b, id := watching(t)
	st.editor().Post("/api/v1/nodes/agent-rings/rollouts/"+id+"/stop", nil).Is(http.StatusAccepted)
	st.ends(id, stopped)
	require.Empty(t, b.Commands())
}

// A rollout whose steps fail again and again ends with the reason, and its nodes can be updated again.
func TestAPoisonRolloutIsGivenUpWithItsReason(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	a := st.server("aaa", "1.0.0")
	_, err := st.panel.DB.ExecContext(t.Context(), `create function refuse() returns trigger language plpgsql as
		$$ begin raise exception 'no space left for orders'; end $$;
		create trigger refuse before update on agent_rollout_nodes for each row when (new.state = 'ordering')
		execute function refuse()`)
	require.NoError(t, err)
	id := st.start("1")
	st.eventually(func() bool {
		done, err := st.panel.DB.NewRaw(`update agent_rollouts set lease_failures = ?, lease_until = now()
			where id = ? and lease_token = '' and lease_failures > 0`, attempts-1, id).Exec(t.Context())
		require.NoError(t, err)
		n, err := done.RowsAffected()
		require.NoError(t, err)
		return n == 1
	})
	st.looks()
	r := st.ends(id, failed)
	require.Contains(t, r.Detail, "no space left for orders")
	require.Contains(t, st.journal(), "node.rollout_ended")
	_, err = st.panel.DB.ExecContext(t.Context(), "drop trigger refuse on agent_rollout_nodes")
	require.NoError(t, err)
	st.start("1")
	a.succeeds()
}

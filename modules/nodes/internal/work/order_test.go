package work

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"panel/modules/nodes/internal/nodetest"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
)

// delivered collects the revisions that reach the stream of a node.
type delivered struct {
	mu        sync.Mutex
	revisions []int64
}

func (d *delivered) deliver(_ string, work agentapi.Pending) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.revisions = append(d.revisions, work.DesiredRevision)
}

func (d *delivered) all() []int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]int64(nil), d.revisions...)
}

// wish makes a revision the wanted one, as another transaction would.
func wish(t *testing.T, db *database.DB, node string, revision int) {
	t.Helper()
	_, err := db.ExecContext(t.Context(), "update nodes set desired_revision = ? where id = ?", revision, node)
	require.NoError(t, err)
}

// waitingFor waits until at least so many sessions of the database wait for a lock; none means none.
func waitingFor(t *testing.T, db *database.DB, sessions int) {
	t.Helper()
	eventually(t, func() bool {
		var n int
		require.NoError(t, db.NewRaw(`select count(*) from pg_stat_activity
			where datname = current_database() and wait_event_type = 'Lock'`).Scan(t.Context(), &n))
		return n >= sessions && (sessions > 0 || n == 0)
	})
}

// Two changes at once are read at once, and whoever read the older state may end last. It reaches no stream any more:
// the agent would go back to the configuration before until its next heartbeat.
func TestAStreamNeverGetsAnOlderWishAfterANewerOne(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	o := unnotified(t, db)
	for round := range 20 {
		seen := new(delivered)
		o.Queue.mu.Lock()
		o.Streams(func([]string) []string { return ids }, seen.deliver)
		o.Queue.mu.Unlock()
		older, newer := 2*round+1, 2*round+2
		require.NoError(t, db.WithTx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			// Both have read the wish when they reach the commands.
			_, err := tx.ExecContext(ctx, "lock table node_commands in access exclusive mode")
			require.NoError(t, err)
			for n, revision := range []int{older, newer} {
				wish(t, db, ids[0], revision)
				o.Changed(ids)
				waitingFor(t, db, n+1)
			}
			return nil
		}))
		eventually(t, func() bool {
			if all := seen.all(); len(all) > 0 && all[len(all)-1] == int64(newer) {
				return true
			}
			o.Changed(ids) // in case a reading took too long on a busy machine
			return false
		})
		waitingFor(t, db, 0)
		for at, revision := range seen.all() {
			require.True(t, at == 0 || revision >= seen.all()[at-1], "%v", seen.all())
		}
	}
}

// Who has asked while a change was under way gets what holds after it, not what he happened to read before.
func TestWhoAsksDuringAChangeGetsWhatHoldsAfterIt(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	o := unnotified(t, db)
	answer := make(chan agentapi.Pending, 1)
	require.NoError(t, db.WithTx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.ExecContext(ctx, "lock table node_commands in access exclusive mode")
		require.NoError(t, err)
		wish(t, db, ids[0], 1)
		go func() {
			pending, err := o.Pending(context.WithoutCancel(t.Context()), ids[0])
			if err != nil {
				t.Error(err)
			}
			answer <- pending
		}()
		waitingFor(t, db, 1)
		wish(t, db, ids[0], 2)
		o.Changed(ids)
		return nil
	}))
	require.EqualValues(t, 2, (<-answer).DesiredRevision)
}

// An order named twice is one order: who waits for it does not wait for ever.
func TestWhoWaitsForAnOrderTwiceGetsItTwice(t *testing.T) {
	t.Parallel()
	db := nodetest.Tables(t)
	o, node := unnotified(t, db), nodetest.Node(t, db)
	id, other := o.order(t, node, nil), o.order(t, node, nil)
	require.NoError(t, o.Finish(t.Context(), node, good(id)))
	require.NoError(t, o.Finish(t.Context(), node, good(other)))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	results, err := o.Await(ctx, id, other, id)
	require.NoError(t, err)
	require.Equal(t, []string{id, other, id}, []string{results[0].ID, results[1].ID, results[2].ID})
	results, err = o.Await(ctx)
	require.NoError(t, err)
	require.Empty(t, results)
}

// A panel hears at once of results that another one took, without reading again and again.
func TestAResultOfAnotherPanelArrives(t *testing.T) {
	t.Parallel()
	db := nodetest.Tables(t)
	here, there, node := onDatabase(t, db), onDatabase(t, db), nodetest.Node(t, db)
	id := here.order(t, node, nil)
	ended := make(chan []nodesapi.Result, 1)
	go func() {
		results, err := here.Await(context.WithoutCancel(t.Context()), id)
		if err != nil {
			t.Error(err)
		}
		ended <- results
	}()
	eventually(t, func() bool {
		here.Commands.mu.Lock()
		defer here.Commands.mu.Unlock()
		return len(here.Commands.waiters) == 1
	})
	require.NoError(t, there.Finish(t.Context(), node, good(id)))
	eventually(t, func() bool {
		there.clock.Advance(noticePause) // the clock of this panel stands still
		return len(ended) == 1
	})
	require.True(t, (<-ended)[0].OK)
}

// A notification that was lost costs the time until the next reading, not the result.
func TestALostNotificationCostsTimeOnly(t *testing.T) {
	t.Parallel()
	db := nodetest.Tables(t)
	uninformed, there, node := unnotified(t, db), unnotified(t, db), nodetest.Node(t, db)
	id := uninformed.order(t, node, nil)
	ended := make(chan error, 1)
	go func() {
		_, err := uninformed.Await(context.WithoutCancel(t.Context()), id)
		ended <- err
	}()
	require.NoError(t, there.Finish(t.Context(), node, good(id)))
	eventually(t, func() bool {
		uninformed.clock.Advance(readAgain)
		return len(ended) == 1
	})
	require.NoError(t, <-ended)
}

// Orders are given with what their sender writes about them, or not at all; no agent hears of orders that were undone.
func TestOrdersAreUndoneWithWhatIsWrittenAboutThem(t *testing.T) {
	t.Parallel()
	db := nodetest.Tables(t)
	o, node := unnotified(t, db), nodetest.Node(t, db)
	changed, give := o.Wait(node)
	defer give()
	order := nodesapi.Order{NodeID: node, Kind: "restart_core", Deadline: o.clock.Now().Add(time.Minute)}
	full := errors.New("the journal is out of order")
	_, err := o.SendWith(t.Context(), []nodesapi.Order{order}, func(context.Context, bun.Tx) error { return full })
	require.Error(t, err)
	require.Empty(t, o.waiting(t, node))
	select {
	case <-changed:
		require.Fail(t, "a long-poll was woken for nothing")
	default:
	}
	var noted string
	ids, err := o.SendWith(t.Context(), []nodesapi.Order{order}, func(ctx context.Context, tx bun.Tx) error {
		return tx.NewRaw("select kind from node_commands").Scan(ctx, &noted)
	})
	require.NoError(t, err)
	require.Equal(t, "restart_core", noted, "what is written about an order sees it")
	require.Equal(t, ids, o.waiting(t, node))
	<-changed
}

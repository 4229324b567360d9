package database_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"
	"go.uber.org/zap/zaptest"

	"panel/platform/database"
	"panel/platform/database/dbtest"
)

// listener runs one that handles "rights" and stops with the test.
func listener(t *testing.T, db *database.DB, handle func(payload string)) *database.Listener {
	t.Helper()
	l := database.NewListener(db.Pool, zaptest.NewLogger(t))
	l.On("rights", handle)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx) }()
	t.Cleanup(func() { stop(); require.NoError(t, <-ended) })
	require.Eventually(t, l.Healthy, 60*time.Second, time.Millisecond)
	return l
}

func notified(t *testing.T, db *database.DB, payload string) database.Barrier {
	t.Helper()
	var barrier database.Barrier
	require.NoError(t, db.WithTx(t.Context(), func(ctx context.Context, tx bun.Tx) (err error) {
		require.NoError(t, database.Notify(ctx, tx, "rights", payload))
		barrier, err = database.NewBarrier(ctx, tx)
		return err
	}))
	return barrier
}

// After the barrier every panel on the database has handled the change: nobody answers before the slowest one knows.
func TestABarrierReturnsOnlyWhenEveryListenerHasHandledTheChange(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	var quick, slow atomic.Int64
	listener(t, db, func(string) { quick.Add(1) })
	listener(t, db, func(string) { <-time.After(5 * time.Millisecond); slow.Add(1) })
	const more = 100 // than a listener remembers
	for round := range int64(more) {
		require.NoError(t, notified(t, db, "x").Await(t.Context(), db))
		require.Equal(t, round+1, quick.Load())
		require.Equal(t, round+1, slow.Load())
	}
}

// Nobody waits for a panel that is gone, nor for ever for one that hangs; without any panel there is nothing to wait
// for.
func TestABarrierDoesNotWaitForTheDeadNorForEver(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	require.NoError(t, notified(t, db, "nobody").Await(t.Context(), db))
	release := make(chan struct{})
	l := listener(t, db, func(string) { <-release })
	err := notified(t, db, "hangs").Await(t.Context(), db)
	close(release) // before anything may fail: the listener must come to its end
	require.ErrorIs(t, err, database.ErrLaggards)
	require.NoError(t, notified(t, db, "well again").Await(t.Context(), db))
	require.Eventually(t, l.Healthy, 60*time.Second, time.Millisecond, "it hung for longer than it may go unconfirmed")
	_, err = db.ExecContext(
		t.Context(),
		"select pg_terminate_backend(pid) from pg_locks where classid = 1885433191 and database = (select oid from pg_database where datname = current_database())",
	)
	require.NoError(t, err)
	require.NoError(t, notified(t, db, "gone").Await(t.Context(), db))
}

// A barrier costs a change no more than a few milliseconds.
func BenchmarkBarrier(b *testing.B) {
	db := dbtest.New(b)
	for range 2 {
		l := database.NewListener(db.Pool, zaptest.NewLogger(b))
		ctx, stop := context.WithCancel(context.Background())
		go func() { _ = l.Run(ctx) }()
		b.Cleanup(stop)
		require.Eventually(b, l.Healthy, 60*time.Second, time.Millisecond)
	}
	for b.Loop() {
		barrier, err := database.NewBarrier(b.Context(), db)
		require.NoError(b, err)
		require.NoError(b, barrier.Await(b.Context(), db))
	}
}

package database_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap/zaptest"

	"panel/platform/database"
	"panel/platform/database/dbtest"
)

// Whoever has caught up has handled everything that was committed before, however many ask at the same time.
func TestWhoHasCaughtUpHasHandledWhatWasCommittedBefore(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	var handled atomic.Int64
	l := listener(t, db, func(string) { handled.Add(1) })
	const writers, rounds = 8, 40
	var committed atomic.Int64
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for range rounds {
				if err := database.Notify(t.Context(), db, "rights", "x"); err != nil {
					t.Error(err)
					return
				}
				before := committed.Add(1)
				if l.CatchUp(t.Context()) && handled.Load() < before {
					t.Errorf("%d were committed, %d handled", before, handled.Load())
				}
			}
		})
	}
	all.Wait()
	require.Eventually(t, func() bool { return l.CatchUp(t.Context()) }, 60*time.Second, time.Millisecond)
	require.EqualValues(t, writers*rounds, handled.Load())
}

// A listener that does not listen says so: whoever asks must read the database.
func TestNobodyCatchesUpWithAListenerThatDoesNotListen(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	require.False(t, database.NewListener(db.Pool, zaptest.NewLogger(t)).CatchUp(t.Context()), "it never began")

	release := make(chan struct{})
	l := listener(t, db, func(string) { <-release })
	require.NoError(t, database.Notify(t.Context(), db, "rights", "hangs"))
	require.False(t, l.CatchUp(t.Context()), "what was told is not handled yet")
	close(release)
	require.Eventually(t, func() bool { return l.CatchUp(t.Context()) }, 60*time.Second, time.Millisecond)

	_, err := db.ExecContext(t.Context(),
		"select pg_terminate_backend(pid) from pg_locks where classid = 1885433191 and database = (select oid from pg_database where datname = current_database())")
	require.NoError(t, err)
	require.Eventually(t, func() bool { return l.CatchUp(t.Context()) }, 60*time.Second, time.Millisecond,
		"it listens again")
}

// Catching up costs about as much as an empty statement, and less for each the more ask at once.
func BenchmarkCatchUp(b *testing.B) {
	db := dbtest.New(b)
	l := database.NewListener(db.Pool, zaptest.NewLogger(b))
	go func() { _ = l.Run(b.Context()) }()
	require.Eventually(b, l.Healthy, 60*time.Second, time.Millisecond)
	b.ResetTimer()
	b.SetParallelism(32)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if !l.CatchUp(b.Context()) {
				b.Error("the listener does not listen")
			}
		}
	})
}

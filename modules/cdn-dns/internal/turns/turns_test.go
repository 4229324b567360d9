package turns

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/fault"
)

const table = "create table cdndns_name_locks (name text primary key, token uuid not null, until timestamptz not null)"

// two are the turns of two panels on one database.
func two(t *testing.T) (db *database.DB, one, other *Turns) {
	t.Helper()
	db = dbtest.New(t)
	_, err := db.ExecContext(t.Context(), table)
	require.NoError(t, err)
	return db, New(db), New(db)
}

func locks(t *testing.T, db *database.DB) (n int) {
	t.Helper()
	require.NoError(t, db.NewRaw("select count(*) from cdndns_name_locks").Scan(t.Context(), &n))
	return n
}

func TestPanelsWriteToANameOneAfterTheOther(t *testing.T) {
	t.Parallel()
	db, one, other := two(t)
	var inside, most atomic.Int32
	done := make(chan error)
	for n := range 8 {
		panel := []*Turns{one, other}[n%2]
		go func() {
			_, release, err := panel.Take(context.WithoutCancel(t.Context()), "www.example.com")
			if err == nil {
				most.Store(max(most.Load(), inside.Add(1)))
				<-time.After(5 * time.Millisecond) // of a write
				inside.Add(-1)
				release()
			}
			done <- err
		}()
	}
	for range 8 {
		require.NoError(t, <-done)
	}
	require.EqualValues(t, 1, most.Load())
	require.Zero(t, locks(t, db))
}

func TestNamesDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	_, one, other := two(t)
	_, release, err := one.Take(t.Context(), "a.example.com")
	require.NoError(t, err)
	defer release()
	_, beside, err := other.Take(t.Context(), "b.example.com")
	require.NoError(t, err)
	beside()
}

// A panel that is killed keeps nobody from a name for longer than its write could have taken, and when it was only
// frozen, it takes nothing from its successor.
func TestALockThatIsNotGivenBackEnds(t *testing.T) {
	t.Parallel()
	db, killed, other := two(t)
	killed.hold, killed.margin = 100*time.Millisecond, 200*time.Millisecond
	held, late, err := killed.Take(t.Context(), "www.example.com")
	require.NoError(t, err)
	_, release, err := other.Take(t.Context(), "www.example.com")
	require.NoError(t, err)
	require.ErrorIs(t, held.Err(), context.DeadlineExceeded, "the write is over before the next one begins")
	late()
	require.Equal(t, 1, locks(t, db), "the lock belongs to the other one")
	release()
	require.Zero(t, locks(t, db))
}

func TestNobodyWaitsWithoutAnEnd(t *testing.T) {
	t.Parallel()
	_, one, other := two(t)
	_, release, err := one.Take(t.Context(), "www.example.com")
	require.NoError(t, err)
	defer release()
	other.wait = 50 * time.Millisecond
	_, _, err = other.Take(t.Context(), "www.example.com")
	require.Equal(t, "unavailable", fault.Code(err))

	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = New(other.db).Take(gone, "www.example.com")
	require.ErrorIs(t, err, context.Canceled)
}

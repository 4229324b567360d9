package lease_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/lease"
)

func table(t *testing.T) *database.DB {
	t.Helper()
	db := dbtest.New(t)
	_, err := db.ExecContext(t.Context(), `create table jobs (id uuid primary key, note text not null default '', started_at timestamptz not null default now(),
		finished_at timestamptz, runner text not null default '', lease_until timestamptz not null)`)
	require.NoError(t, err)
	return db
}

func added(t *testing.T, db *database.DB, until time.Time) string {
	t.Helper()
	id := database.NewID()
	_, err := db.ExecContext(t.Context(), "insert into jobs (id, lease_until) values (?, ?)", id, until)
	require.NoError(t, err)
	return id
}

func note(t *testing.T, db *database.DB, id, word string) error {
	t.Helper()
	return lease.Kept(db.ExecContext(t.Context(), "update jobs set note = ? where id = ? and runner = ?", word, id, word))
}

func TestWorkIsClaimedOnceUntilTheLeaseEnds(t *testing.T) {
	t.Parallel()
	db, now := table(t), time.Now().UTC()
	id := added(t, db, now)
	one, two := lease.New(db, "jobs"), lease.New(db, "jobs")
	ids, word, err := one.Claim(t.Context(), now)
	require.NoError(t, err)
	require.Equal(t, []string{id}, ids)
	ids, _, err = two.Claim(t.Context(), now)
	require.NoError(t, err)
	require.Empty(t, ids)
	require.NoError(t, note(t, db, id, word))

	ids, newer, err := two.Claim(t.Context(), now.Add(lease.Holds))
	require.NoError(t, err)
	require.Equal(t, []string{id}, ids)
	require.ErrorIs(t, note(t, db, id, word), lease.ErrLost, "who comes back too late is refused")
	require.NoError(t, one.LetGo(t.Context(), id, word, now))
	ids, _, err = one.Claim(t.Context(), now.Add(lease.Holds))
	require.NoError(t, err)
	require.Empty(t, ids, "a lost claim ends no other one")
	require.NoError(t, two.LetGo(t.Context(), id, newer, now))
	ids, _, err = one.Claim(t.Context(), now)
	require.NoError(t, err)
	require.Equal(t, []string{id}, ids)
}

// After a pause of the whole machine the lease of a driver has ended while it still runs: its own process starts no second one.
func TestWhatIsDrivenIsNotClaimedAgainByTheSameProcess(t *testing.T) {
	t.Parallel()
	db, now := table(t), time.Now().UTC()
	id := added(t, db, now)
	desk := lease.New(db, "jobs")
	_, word, err := desk.Claim(t.Context(), now)
	require.NoError(t, err)
	end := make(chan struct{})
	desk.Go(id, func() { <-end })
	ids, _, err := desk.Claim(t.Context(), now.Add(time.Hour))
	require.NoError(t, err)
	require.Empty(t, ids)
	require.NoError(t, note(t, db, id, word), "nobody has taken it, so its driver goes on")
	close(end)
	desk.Wait()
	ids, newer, err := desk.Claim(t.Context(), now.Add(time.Hour))
	require.NoError(t, err)
	require.Equal(t, []string{id}, ids)
	require.NotEqual(t, word, newer)
	require.ErrorIs(t, note(t, db, id, word), lease.ErrLost)
}

package jobs_test

import (
	"context"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"panel/platform/database/dbtest"
	"panel/platform/entitlement"
	"panel/platform/jobs"
)

// Old rows go in batches, young ones and those without a time stay, and a rule that cannot hold stops no other.
func TestTidyRemovesWhatIsOld(t *testing.T) {
	t.Parallel()
	db, clock := dbtest.New(t), clockwork.NewFakeClockAt(moment(t, "2026-05-01T10:00:00Z"))
	_, err := db.ExecContext(t.Context(), `create table leaves (n int not null, fell_at timestamptz);
		insert into leaves select n, '2026-05-01T10:00:00Z'::timestamptz - n * interval '1 hour' from generate_series(1, 50) n;
		insert into leaves values (99, null)`)
	require.NoError(t, err)
	worker := jobs.TidyWorker(db, clock, []jobs.Tidy{
		{Table: "branches", Column: "fell_at", Age: time.Hour},
		{Table: "leaves", Column: "fell_at", Age: 24 * time.Hour, Batch: 7},
	})
	require.ErrorContains(t, worker.Work(t.Context(), jobs.Job{}), "branches")
	var left []int
	require.NoError(t, db.NewRaw("select n from leaves order by n desc").Scan(t.Context(), &left))
	require.Len(t, left, 25)
	require.Equal(t, []int{99, 24}, left[:2])
}

// Rows that a rule names as staying stay however old they are, and what another transaction holds is left for later.
func TestTidyLeavesWhatItsRuleKeepsAndWhatIsLocked(t *testing.T) {
	t.Parallel()
	db, clock := dbtest.New(t), clockwork.NewFakeClockAt(moment(t, "2026-05-01T10:00:00Z"))
	_, err := db.ExecContext(t.Context(), `create table leaves (n int primary key, pressed bool, fell_at timestamptz);
		insert into leaves select n, n % 10 = 0, '2026-04-01T10:00:00Z' from generate_series(1, 30) n`)
	require.NoError(t, err)
	worker := jobs.TidyWorker(db, clock, []jobs.Tidy{
		{Table: "leaves", Column: "fell_at", Age: 24 * time.Hour, Unless: "pressed"},
	})
	left := func() (n []int) {
		require.NoError(t, db.NewRaw("select n from leaves order by n").Scan(t.Context(), &n))
		return n
	}
	require.NoError(t, db.WithTx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.ExecContext(ctx, "select from leaves where n = 7 for update")
		require.NoError(t, err)
		require.NoError(t, worker.Work(t.Context(), jobs.Job{}))
		require.Equal(t, []int{7, 10, 20, 30}, left())
		return nil
	}))
	require.NoError(t, worker.Work(t.Context(), jobs.Job{}))
	require.Equal(t, []int{10, 20, 30}, left())
}

// All rules together are one schedule, which goes on in every state of the license.
func TestTidyingGoesOnWhateverTheLicenseSays(t *testing.T) {
	t.Parallel()
	all := jobs.TidySchedule()
	require.Equal(t, []entitlement.Conduct{entitlement.GoesOn, entitlement.GoesOn},
		[]entitlement.Conduct{all.ReadOnly, all.Blocked})
	require.Equal(t, jobs.TidyWorker(nil, nil, nil).Kind, all.Args().Kind())
}

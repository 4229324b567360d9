package jobs_test

import (
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/platform/database/dbtest"
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

package jobs_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/jobs"
)

// counter counts statements, and the fetches among them.
type counter struct{ all, fetches atomic.Int64 }

func (c *counter) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	c.all.Add(1)
	if strings.Contains(q.SQL, "set state = 'running'") {
		c.fetches.Add(1)
	}
	return ctx
}

func (c *counter) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func counted(t *testing.T) (*database.DB, *counter) {
	t.Helper()
	c := &counter{}
	db, err := database.Open(t.Context(), dbtest.DSN(t), database.Options{MaxConns: 12, Tracer: c})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db, c
}

// Goal P16: all queues of an idle panel together ask at most once a second, however many kinds there are.
func TestAnIdlePanelAsksForJobsAtMostOnceASecond(t *testing.T) {
	t.Parallel()
	db, c := counted(t)
	nothing := func(context.Context, jobs.Job) error { return nil }
	start(t, db, jobs.Worker{Kind: "notes.write", Work: nothing}, jobs.Worker{
		Kind: "notes.read", Work: nothing,
		Limit: 9,
	})
	eventually(t, func() bool { return c.fetches.Load() > 0 })
	const watched = 6 * time.Second
	require.Eventually(t, func() bool {
		before := c.fetches.Load()
		<-time.After(watched)
		return c.fetches.Load()-before <= int64(watched/time.Second)
	}, 15*watched, time.Millisecond)
}

// Jobs that are inserted one by one share their fetches and ends: each costs its insertion and little more.
func TestAJobCostsItsInsertionAndLittleMore(t *testing.T) {
	t.Parallel()
	db, c := counted(t)
	var done atomic.Int64
	queue := start(t, db, jobs.Worker{Kind: "notes.write", Limit: 100, Work: func(context.Context, jobs.Job) error {
		done.Add(1)
		return nil
	}})
	eventually(t, func() bool { return c.fetches.Load() > 0 })
	const many = 1000
	before := c.all.Load()
	for range many {
		require.NoError(t, queue.Insert(t.Context(), note{}, jobs.Opts{}))
	}
	eventually(t, func() bool { return done.Load() == many })
	left := "select count(*) from jobs.river_job where state <> 'completed'"
	eventually(t, func() bool { return count(t, db, left) == 0 })
	perJob := float64(c.all.Load()-before) / many
	t.Logf("%.2f statements for each job", perJob)
	require.Less(t, perJob, 2.0)
}

// An inserted job writes no index that nothing reads.
func TestAJobWritesOnlyIndexesThatAreRead(t *testing.T) {
	t.Parallel()
	var names []string
	require.NoError(t, dbtest.New(t).NewRaw(`select indexname from pg_indexes
		where schemaname = 'jobs' and tablename = 'river_job' order by 1`).Scan(t.Context(), &names))
	require.Equal(t, []string{
		"job_backlog", "job_postponed", "job_running", "river_job_pkey", "river_job_state_and_finalized_at_index",
		"river_job_unique_idx",
	}, names)
}

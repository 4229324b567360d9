package jobs_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest"

	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/events"
	"panel/platform/jobs"
	"panel/platform/metrics"
	"panel/platform/operations"
)

const soon, often = 90 * time.Second, 10 * time.Millisecond

type note struct {
	Name string `json:"name"`
	kind string
}

func (n note) Kind() string {
	if n.kind == "" {
		return "notes.write"
	}
	return n.kind
}

// journal collects what workers did.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) add(line string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, line)
}

func (j *journal) all() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.lines)
}

// work is a worker of the kind that writes names into the journal.
func (j *journal) work(kind string) jobs.Worker {
	return jobs.Worker{Kind: kind, Work: jobs.Do(func(_ context.Context, _ jobs.Job, n note) error {
		j.add(n.Name)
		return nil
	})}
}

// start runs the workers until the test ends.
func start(t *testing.T, db *database.DB, workers ...jobs.Worker) *jobs.Enqueuer {
	t.Helper()
	enqueuer, _, stop := run(t, db, workers...)
	t.Cleanup(stop)
	return enqueuer
}

func run(
	t *testing.T,
	db *database.DB,
	workers ...jobs.Worker,
) (enqueuer *jobs.Enqueuer, runner *jobs.Runner, stop func()) {
	t.Helper()
	enqueuer, runner = jobs.New(db, operations.NewStore(db, events.New(db, nil, zap.NewNop())), zaptest.NewLogger(t))
	require.NoError(t, runner.Add(workers...))
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := runner.Run(ctx); err != nil {
			t.Errorf("the runner ended: %v", err)
		}
	})
	var once sync.Once
	return enqueuer, runner, func() { once.Do(func() { cancel(); running.Wait() }) }
}

func states(t *testing.T, db *database.DB, kind string) []string {
	t.Helper()
	var found []string
	require.NoError(
		t,
		db.NewRaw("select state::text from jobs.river_job where kind = ? order by id", kind).Scan(t.Context(), &found),
	)
	return found
}

func eventually(t *testing.T, condition func() bool, about ...any) {
	t.Helper()
	require.Eventually(t, condition, soon, often, about...)
}

// The tables are River's own: what its migrations leave, without the indexes that are left out on purpose.
func TestTheTablesAreThoseOfRiver(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	_, err := db.ExecContext(t.Context(), "create schema plain")
	require.NoError(t, err)
	migrator, err := rivermigrate.New(riverpgxv5.New(db.Pool), &rivermigrate.Config{Schema: "plain"})
	require.NoError(t, err)
	_, err = migrator.Migrate(t.Context(), rivermigrate.DirectionUp, nil)
	require.NoError(t, err)
	for _, query := range []string{
		`select table_name || ' ' || column_name || ' ' || udt_name || ' ' || is_nullable || ' ' || coalesce(replace(column_default, ? || '.', ''), '')
			from information_schema.columns where table_schema = ? and table_name like 'river%' and table_name <> 'river_migration' order by 1`,
		`select replace(indexdef, ? || '.', '') from pg_indexes where schemaname = ? and indexname like 'river%' and tablename <> 'river_migration'
			and indexname not in ('river_job_kind', 'river_job_args_index', 'river_job_metadata_index',
				'river_job_prioritized_fetching_index') order by 1`,
		`select conname || replace(pg_get_constraintdef(oid), ? || '.', '') from pg_constraint where connamespace = ?::regnamespace
			and conrelid::regclass::text like '%.river%' and conrelid::regclass::text not like '%migration' order by 1`,
		`select replace(e.enumlabel, ? || '.', '') from pg_enum e join pg_type t on t.oid = e.enumtypid
			where t.typnamespace = ?::regnamespace order by e.enumsortorder`,
	} {
		var ours, theirs []string
		require.NoError(t, db.NewRaw(query, "jobs", "jobs").Scan(t.Context(), &ours))
		require.NoError(t, db.NewRaw(query, "plain", "plain").Scan(t.Context(), &theirs))
		require.NotEmpty(t, theirs)
		require.Equal(t, theirs, ours)
	}
}

func TestAJobRunsWhenItsTransactionHasCommitted(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	var seen journal
	queue := start(t, db, seen.work("notes.write"))
	undone := errors.New("undone")
	err := db.InTx(t.Context(), func(ctx context.Context) error {
		require.NoError(t, queue.Insert(ctx, note{Name: "undone"}, jobs.Opts{}))
		return undone
	})
	require.ErrorIs(t, err, undone)
	require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error {
		return queue.Insert(ctx, note{Name: "committed"}, jobs.Opts{})
	}))
	require.NoError(t, queue.Insert(t.Context(), note{Name: "by itself"}, jobs.Opts{}))
	eventually(t, func() bool { return slices.Equal(states(t, db, "notes.write"), []string{"completed", "completed"}) })
	require.Equal(t, []string{"committed", "by itself"}, seen.all())
}

func TestAUniqueJobIsInsertedOnceUntilItHasEnded(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	var seen journal
	hold := make(chan struct{})
	queue := start(
		t,
		db,
		seen.work("notes.other"),
		jobs.Worker{Kind: "notes.write", Work: jobs.Do(func(_ context.Context, _ jobs.Job, n note) error {
			<-hold
			seen.add(n.Name)
			return nil
		})},
	)
	one := jobs.Opts{Unique: "profile 1"}
	require.NoError(t, queue.Insert(t.Context(), note{Name: "first"}, one))
	eventually(t, func() bool { return slices.Equal(states(t, db, "notes.write"), []string{"running"}) })
	require.NoError(t, queue.Insert(t.Context(), note{Name: "kept out"}, one))
	require.NoError(t, queue.Insert(t.Context(), note{Name: "another kind", kind: "notes.other"}, one))
	close(hold)
	eventually(t, func() bool { return slices.Equal(states(t, db, "notes.write"), []string{"completed"}) })
	require.NoError(t, queue.Insert(t.Context(), note{Name: "again"}, one))
	eventually(t, func() bool { return len(seen.all()) == 3 })
	require.ElementsMatch(t, []string{"another kind", "first", "again"}, seen.all())
}

func TestAPostponedJobWaitsForItsTime(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	var seen journal
	queue := start(t, db, seen.work("notes.write"))
	require.NoError(t, queue.Insert(t.Context(), note{Name: "tomorrow"}, jobs.Opts{At: time.Now().Add(24 * time.Hour)}))
	require.NoError(t, queue.Insert(t.Context(), note{Name: "in a moment"}, jobs.Opts{At: time.Now().Add(time.Second)}))
	require.NoError(t, queue.Insert(t.Context(), note{Name: "long ago"}, jobs.Opts{At: time.Now().Add(-time.Hour)}))
	eventually(t, func() bool { return slices.Equal(seen.all(), []string{"long ago", "in a moment"}) })
}

func TestAJobOfAnUnknownKindIsRefused(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	queue, runner := jobs.New(db, operations.NewStore(db, events.New(db, nil, zap.NewNop())), zap.NewNop())
	require.ErrorContains(t, queue.Insert(t.Context(), note{}, jobs.Opts{}), "notes.write")
	require.NoError(t, runner.Add(jobs.Worker{Kind: "notes.write"}))
	require.ErrorContains(t, runner.Add(jobs.Worker{Kind: "notes.write"}), "has one already")
}

// A job that fails, or panics, is tried again, keeps its errors, and is given up after its last attempt.
func TestAFailingJobIsTriedAgainAndGivenUpInTheEnd(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	var seen journal
	queue, runner, stop := run(
		t,
		db,
		jobs.Worker{Kind: "notes.write", Attempts: 2, Work: func(_ context.Context, job jobs.Job) error {
			seen.add("run")
			if !job.Last {
				panic("broken pencil")
			}
			return errors.New("no paper")
		}},
	)
	defer stop()
	require.NoError(t, queue.Insert(t.Context(), note{}, jobs.Opts{}))
	eventually(t, func() bool { return slices.Equal(states(t, db, "notes.write"), []string{"discarded"}) })
	require.Len(t, seen.all(), 2)
	var reasons []string
	require.NoError(t, db.NewRaw("select unnest(errors)->>'error' from jobs.river_job").Scan(t.Context(), &reasons))
	require.Len(t, reasons, 2)
	require.Contains(t, reasons[0], "broken pencil")
	require.Equal(t, "no paper", reasons[1])
	require.Equal(t, "2", metric(t, runner, `panel_job_failures_total{kind="notes.write"}`))
	require.Equal(t, "1", metric(t, runner, `panel_jobs_given_up{kind="notes.write"}`))
	require.Equal(t, "0", metric(t, runner, `panel_jobs_waiting{kind="notes.write"}`))
}

func TestAPermanentErrorIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	var seen journal
	queue := start(
		t,
		db,
		jobs.Worker{Kind: "notes.write", Work: jobs.Do(func(context.Context, jobs.Job, struct{ note }) error {
			seen.add("run")
			return jobs.Permanent(errors.New("no such profile"))
		})},
	)
	require.NoError(t, queue.Insert(t.Context(), note{}, jobs.Opts{}))
	eventually(t, func() bool { return slices.Equal(states(t, db, "notes.write"), []string{"cancelled"}) })
	require.Len(t, seen.all(), 1)
}

func TestTheTimeLimitEndsTheContextOfARun(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	var seen journal
	wait := func(ctx context.Context, _ jobs.Job) error {
		<-ctx.Done()
		seen.add(ctx.Err().Error())
		return jobs.Permanent(ctx.Err())
	}
	queue := start(
		t,
		db,
		jobs.Worker{Kind: "notes.write", Timeout: 20 * time.Millisecond, Work: wait},
		jobs.Worker{Kind: "notes.other", Work: wait},
	)
	require.NoError(t, queue.Insert(t.Context(), note{}, jobs.Opts{}))
	require.NoError(t, queue.Insert(t.Context(), note{kind: "notes.other"}, jobs.Opts{Timeout: 20 * time.Millisecond}))
	eventually(t, func() bool { return len(seen.all()) == 2 })
	require.Equal(t, []string{context.DeadlineExceeded.Error(), context.DeadlineExceeded.Error()}, seen.all())
}

// A kind whose runs sleep, fail or panic delays no other kind, however long its backlog is.
func TestNobodyWaitsForAnotherKind(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	var seen journal
	hold := make(chan struct{})
	t.Cleanup(func() { close(hold) })
	queue := start(t, db, seen.work("notes.write"),
		jobs.Worker{Kind: "notes.sleeps", Limit: 2, Work: func(ctx context.Context, _ jobs.Job) error {
			select {
			case <-hold:
			case <-ctx.Done():
			}
			return nil
		}},
		jobs.Worker{Kind: "notes.panics", Work: func(context.Context, jobs.Job) error { panic("again") }},
		jobs.Worker{Kind: "notes.poison", Work: func(context.Context, jobs.Job) error { return errors.New("again") }})
	for _, kind := range []string{"notes.sleeps", "notes.panics", "notes.poison"} {
		for range 50 {
			require.NoError(t, queue.Insert(t.Context(), note{kind: kind}, jobs.Opts{}))
		}
	}
	eventually(t, func() bool {
		return strings.Count(strings.Join(states(t, db, "notes.sleeps"), " "), "running") == 2
	})
	for range 20 {
		require.NoError(t, queue.Insert(t.Context(), note{Name: "quick"}, jobs.Opts{}))
	}
	eventually(t, func() bool { return len(seen.all()) == 20 })
	require.Equal(
		t,
		2,
		strings.Count(strings.Join(states(t, db, "notes.sleeps"), " "), "running"),
		"a kind keeps its limit",
	)
}

// A kind of limit one keeps the order of insertion, also while its backlog is longer than what one fetch brings.
func TestAKindKeepsItsOrder(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	var seen journal
	queue := start(t, db, seen.work("notes.write"), seen.work("notes.other"))
	var wanted []string
	for _, name := range strings.Split("the quick brown fox jumps over the lazy dog and back again until it is tired",
		" ") {
		wanted = append(wanted, name)
		require.NoError(t, queue.Insert(t.Context(), note{Name: name}, jobs.Opts{}))
	}
	eventually(t, func() bool { return len(seen.all()) == len(wanted) })
	require.Equal(t, wanted, seen.all())
}

// At a stop a running job may end; what does not end in time is cancelled and handed back without the loss of an
// attempt.
func TestAStoppingPanelHandsBackWhatRuns(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	began := make(chan struct{}, 1)
	queue, _, stop := run(t, db, jobs.Worker{Kind: "notes.write", Work: func(ctx context.Context, _ jobs.Job) error {
		began <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}})
	require.NoError(t, queue.Insert(t.Context(), note{Name: "kept"}, jobs.Opts{}))
	<-began
	stop()
	var left struct {
		State   string
		Attempt int
		Clients int
	}
	require.NoError(
		t,
		db.NewRaw("select state, attempt, (select count(*) from jobs.clients) as clients from jobs.river_job").
			Scan(t.Context(), &left),
	)
	require.Equal(t, "available", left.State)
	require.Zero(t, left.Attempt)
	require.Zero(t, left.Clients, "nobody waits for a panel that has stopped")
	var seen journal
	start(t, db, seen.work("notes.write"))
	eventually(t, func() bool { return slices.Equal(seen.all(), []string{"kept"}) })
}

// The effect of a job and its end commit together where the worker finishes in its own transaction.
func TestFinishCommitsWithTheEffect(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	_, err := db.ExecContext(t.Context(), "create table effects (name text not null)")
	require.NoError(t, err)
	queue := start(
		t,
		db,
		jobs.Worker{Kind: "notes.write", Work: jobs.Do(func(ctx context.Context, job jobs.Job, n note) error {
			return db.InTx(ctx, func(ctx context.Context) error {
				_, err := db.In(ctx).ExecContext(ctx, "insert into effects values (?)", n.Name)
				if err == nil && job.Attempt > 1 {
					err = job.Finish(ctx)
				}
				if err == nil && job.Attempt == 1 {
					return errors.New("undone")
				}
				return err
			})
		})},
	)
	require.NoError(t, queue.Insert(t.Context(), note{Name: "once"}, jobs.Opts{}))
	eventually(t, func() bool { return slices.Equal(states(t, db, "notes.write"), []string{"completed"}) })
	var n int
	require.NoError(t, db.NewRaw("select count(*) from effects").Scan(t.Context(), &n))
	require.Equal(t, 1, n)
}

// metric gives one line of a scrape.
func metric(t *testing.T, runner *jobs.Runner, line string) string {
	t.Helper()
	registry := metrics.New("test")
	require.NoError(t, registry.Add(runner.Metrics()...))
	answer := httptest.NewRecorder()
	registry.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for shown := range strings.Lines(answer.Body.String()) {
		if value, found := strings.CutPrefix(shown, line+" "); found {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

package jobs_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/events"
	"panel/platform/jobs"
	"panel/platform/operations"
)

// followed inserts a job together with an operation and gives the operation's id.
func followed(t *testing.T, queue *jobs.Enqueuer, job note, o jobs.Opts) string {
	t.Helper()
	o.Operation = &operations.New{About: operations.About{Type: "note", ID: "7", Name: job.Name}}
	require.NoError(t, queue.Insert(t.Context(), job, o))
	return o.Operation.ID
}

// operation reads one as it is stored.
func operation(t *testing.T, db *database.DB, id string) operations.Row {
	t.Helper()
	row, err := operations.NewStore(db, events.New(db, nil, zap.NewNop())).Get(t.Context(), id)
	require.NoError(t, err)
	return row
}

// reaches waits for the state of an operation.
func reaches(t *testing.T, db *database.DB, id string, state operations.State) operations.Row {
	t.Helper()
	eventually(t, func() bool { return operation(t, db, id).State == state }, state)
	return operation(t, db, id)
}

// Who follows a job sees how far it is, why an attempt failed while another one follows, and how it ended.
func TestAnOperationShowsEachAttemptOfItsJob(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	goOn := make(chan error)
	work := func(ctx context.Context, j jobs.Job) error {
		if err := j.Progress(ctx, 10*j.Attempt); err != nil {
			return err
		}
		return <-goOn
	}
	queue := start(t, db, jobs.Worker{Kind: "notes.write", Attempts: 3, Work: work})
	id := followed(t, queue, note{Name: "a long note"}, jobs.Opts{})
	eventually(t, func() bool { return operation(t, db, id).Progress == 10 })
	require.Equal(t, operations.Running, operation(t, db, id).State)
	goOn <- errors.New("no paper")
	require.Equal(t, "no paper", reaches(t, db, id, operations.Queued).Error, "another attempt follows")
	goOn <- nil
	done := reaches(t, db, id, operations.Succeeded)
	require.Equal(t, 100, done.Progress)
	require.Empty(t, done.Error)
	require.NotNil(t, done.FinishedAt)
	require.Equal(t, "notes.write a long note", done.Kind+" "+done.ObjectName)
}

// The last attempt and an error that no attempt mends both end an operation as failed, with the reason.
func TestAnOperationFailsWithTheReasonOfItsJob(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	work := func(_ context.Context, _ jobs.Job, n note) error {
		if n.Name == "panics" {
			panic("broken pencil")
		}
		return jobs.Permanent(errors.New("no such profile"))
	}
	queue := start(t, db, jobs.Worker{Kind: "notes.write", Work: jobs.Do(work)})
	hopeless := followed(t, queue, note{Name: "hopeless"}, jobs.Opts{})
	last := followed(t, queue, note{Name: "panics"}, jobs.Opts{Attempts: 1})
	require.Equal(t, "no such profile", reaches(t, db, hopeless, operations.Failed).Error)
	require.Contains(t, reaches(t, db, last, operations.Failed).Error, "broken pencil")
	eventually(t, func() bool {
		return slices.Equal(states(t, db, "notes.write"), []string{"cancelled", "discarded"})
	})
}

// A job that was cancelled while it waited never runs; one that runs is told so, and both end as cancelled.
func TestACancelledJobEndsWhereverItIs(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	told := make(chan bool, 1)
	queue := start(t, db, jobs.Worker{Kind: "notes.write", Work: func(ctx context.Context, _ jobs.Job) error {
		<-ctx.Done()
		told <- jobs.Cancelled(ctx)
		return ctx.Err()
	}})
	running := followed(t, queue, note{Name: "running"}, jobs.Opts{Timeout: time.Hour})
	waiting := followed(t, queue, note{Name: "waiting"}, jobs.Opts{})
	reaches(t, db, running, operations.Running)

	over, err := queue.Cancel(t.Context(), *operation(t, db, waiting).JobID)
	require.NoError(t, err)
	require.True(t, over, "it had not begun")
	over, err = queue.Cancel(t.Context(), *operation(t, db, running).JobID)
	require.NoError(t, err)
	require.False(t, over, "its worker has to listen")
	require.True(t, <-told)
	reaches(t, db, running, operations.Cancelled)
	eventually(t, func() bool {
		return strings.Join(states(t, db, "notes.write"), " ") == "cancelled cancelled"
	})
	require.Empty(t, told, "the one that waited never ran")
	over, err = queue.Cancel(t.Context(), *operation(t, db, waiting).JobID)
	require.NoError(t, err)
	require.False(t, over, "what has ended is not cancelled again")
}

// The end of a job that a stopping panel hands back is not known yet: who follows it sees it wait, and then succeed.
func TestAnOperationOutlivesTheStopOfItsPanel(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	began := make(chan struct{}, 1)
	queue, _, stop := run(t, db, jobs.Worker{Kind: "notes.write", Work: func(ctx context.Context, _ jobs.Job) error {
		began <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}})
	id := followed(t, queue, note{}, jobs.Opts{Attempts: 1, Timeout: time.Hour})
	<-began
	stop()
	left := operation(t, db, id)
	require.Equal(t, operations.Queued, left.State)
	require.Nil(t, left.FinishedAt)
	start(t, db, jobs.Worker{Kind: "notes.write", Work: func(context.Context, jobs.Job) error { return nil }})
	reaches(t, db, id, operations.Succeeded)
}

// A unique job that is kept out has no operation: nobody follows what does not run.
func TestAJobThatIsKeptOutHasNoOperation(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	queue, _, stop := run(t, db, jobs.Worker{Kind: "notes.write"})
	stop()
	only := jobs.Opts{Unique: "profile 1"}
	require.NotEmpty(t, followed(t, queue, note{}, only))
	require.Empty(t, followed(t, queue, note{}, only))
	require.Equal(t, 1, count(t, db, "select count(*) from operations"))
}

// Many jobs of one kind are inserted by one statement, in their order, and with the transaction or not at all.
func TestManyJobsAreInsertedTogether(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	var seen journal
	queue := start(t, db, seen.work("notes.write"))
	var all [][]byte
	var wanted []string
	for n := range 40 {
		wanted = append(wanted, strconv.Itoa(n))
		all = append(all, []byte(`{"name":"`+wanted[n]+`"}`))
	}
	undone := errors.New("undone")
	require.ErrorIs(t, db.InTx(t.Context(), func(ctx context.Context) error {
		require.NoError(t, queue.InsertAll(ctx, "notes.write", all))
		return undone
	}), undone)
	require.NoError(t, queue.InsertAll(t.Context(), "notes.write", all))
	eventually(t, func() bool { return len(seen.all()) >= len(wanted) })
	require.Equal(t, wanted, seen.all())
	require.ErrorContains(t, queue.InsertAll(t.Context(), "notes.unknown", all), "no module of this build has a worker")
}

// What a worker cannot read is given up at once: another attempt would read the same.
func TestArgumentsThatCannotBeReadAreNotTriedAgain(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	var seen journal
	queue := start(t, db, seen.work("notes.write"))
	require.NoError(t, queue.InsertAll(t.Context(), "notes.write", [][]byte{[]byte(`{"name":7}`)}))
	eventually(t, func() bool { return strings.Join(states(t, db, "notes.write"), " ") == "cancelled" })
	require.Equal(t, 1, count(t, db,
		"select count(*) from jobs.river_job where errors[1]->>'error' like '%arguments of the job%'"))
	require.Empty(t, seen.all())
}

// The metrics name each kind that has a worker or jobs, so that work which nobody does any more is seen too.
func TestTheBacklogOfEachKindIsMeasured(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	hold := make(chan struct{})
	queue, runner, stop := run(t, db, jobs.Worker{Kind: "notes.write", Work: func(context.Context, jobs.Job) error {
		<-hold
		return nil
	}}, jobs.Worker{Kind: "notes.idle"})
	t.Cleanup(stop)
	t.Cleanup(func() { close(hold) }) // before the stop waits for it
	for range 3 {
		require.NoError(t, queue.Insert(t.Context(), note{}, jobs.Opts{}))
	}
	_, err := db.ExecContext(t.Context(), `insert into jobs.river_job
			(kind, args, max_attempts, metadata, queue, scheduled_at)
		values ('notes.orphan', '{}', 3, '{}', 'panel', now() - interval '1 hour')`)
	require.NoError(t, err)
	eventually(t, func() bool { return metric(t, runner, `panel_jobs_running{kind="notes.write"}`) == "1" })
	for line, value := range map[string]string{
		`panel_jobs_waiting{kind="notes.write"}`:      "2",
		`panel_jobs_waiting{kind="notes.orphan"}`:     "1",
		`panel_jobs_waiting{kind="notes.idle"}`:       "0",
		`panel_jobs_running{kind="notes.idle"}`:       "0",
		`panel_job_runs_total{kind="notes.write"}`:    "1",
		`panel_job_runs_total{kind="notes.idle"}`:     "0",
		`panel_jobs_given_up{kind="notes.orphan"}`:    "0",
		`panel_job_failures_total{kind="notes.idle"}`: "0",
	} {
		require.Equal(t, value, metric(t, runner, line), line)
	}
	age, err := strconv.ParseFloat(metric(t, runner, `panel_jobs_oldest_seconds{kind="notes.orphan"}`), 64)
	require.NoError(t, err)
	require.GreaterOrEqual(t, age, 3600.0)
}

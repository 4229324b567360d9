package jobs_test

import (
	"os"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/jobs"
)

func prepared(t *testing.T) (db *database.DB, dsn string) {
	t.Helper()
	dsn = dbtest.DSN(t)
	db, err := database.Open(t.Context(), dsn, database.Options{MaxConns: 12})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	_, err = db.ExecContext(t.Context(), effects)
	require.NoError(t, err)
	return db, dsn
}

func count(t *testing.T, db *database.DB, query string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, db.NewRaw(query, args...).Scan(t.Context(), &n))
	return n
}

// kills is how often a panel is killed: few in the suite, PANEL_TEST_KILLS=200 for the whole measure.
func kills(t *testing.T) int {
	t.Helper()
	const few = 6
	if given, err := strconv.Atoi(os.Getenv("PANEL_TEST_KILLS")); err == nil {
		return given
	}
	return few
}

// Panels that insert and work are killed again and again: each job of a committed transaction has its effect once,
// none of a transaction that was rolled back has one.
func TestKilledPanelsLoseNothingAndDoubleNothing(t *testing.T) {
	t.Parallel()
	db, dsn := prepared(t)
	dbtest.Spawn(t, dsn, "steady")
	for n := range kills(t) {
		done := count(t, db, "select count(*) from effects")
		victim := dbtest.Spawn(t, dsn, "busy "+strconv.Itoa(n))
		eventually(t, func() bool { return count(t, db, "select count(*) from effects") > done+n%7 })
		require.NoError(t, victim.Kill())
	}
	left := "select count(*) from jobs.river_job where state <> 'completed'"
	require.Eventually(t, func() bool { return count(t, db, left) == 0 }, 2*time.Minute, 100*time.Millisecond)
	require.Positive(t, count(t, db, "select count(*) from asked"))
	require.Zero(
		t,
		count(t, db, "select count(*) from (select name from effects group by name having count(*) > 1) doubled"),
	)
	require.Zero(t, count(t, db, "select count(*) from asked where name not in (select name from effects)"), "lost")
	require.Zero(t, count(t, db, "select count(*) from effects where name not in (select name from asked)"),
		"rolled back")
}

// A job in the middle of its run when its panel is killed runs again on another one within half a minute.
func TestAKilledPanelsJobRunsAgainElsewhere(t *testing.T) {
	t.Parallel()
	db, dsn := prepared(t)
	victim := dbtest.Spawn(t, dsn, "victim")
	queue, _, stop := run(t, db, gated(db, "heir"))
	stop()
	require.NoError(t, queue.Insert(t.Context(), note{kind: "notes.gate"}, jobs.Opts{}))
	eventually(t, func() bool { return count(t, db, "select count(*) from effects where by = 'victim'") == 1 })
	_, err := db.ExecContext(t.Context(), "insert into gates values ('heir')")
	require.NoError(t, err)
	require.NoError(t, victim.Kill())
	_, _, stop = run(t, db, gated(db, "heir"))
	defer stop()
	eventually(t, func() bool { return count(t, db, "select count(*) from effects where name = 'finished'") == 1 })
	require.Equal(t, 2, count(t, db, "select attempt from jobs.river_job"))
}

// A panel that is frozen is given up. When it wakes up, what its run finishes does not count: the run of its heir goes
// on.
func TestAFrozenPanelIsFencedWhenItWakesUp(t *testing.T) {
	t.Parallel()
	db, dsn := prepared(t)
	frozen := dbtest.Spawn(t, dsn, "frozen")
	queue, _, stop := run(t, db, gated(db, "heir"))
	stop()
	require.NoError(t, queue.Insert(t.Context(), note{kind: "notes.gate"}, jobs.Opts{}))
	began := "select count(*) from effects where name = 'began' and by = ?"
	eventually(t, func() bool { return count(t, db, began, "frozen") == 1 })
	require.NoError(t, frozen.Signal(syscall.SIGSTOP))
	_, _, stop = run(t, db, gated(db, "heir"))
	defer stop()
	eventually(t, func() bool { return count(t, db, began, "heir") == 1 })

	_, err := db.ExecContext(t.Context(), "insert into gates values ('frozen')")
	require.NoError(t, err)
	require.NoError(t, frozen.Signal(syscall.SIGCONT))
	eventually(t, func() bool {
		return count(t, db, "select count(*) from effects where name = 'lost' and by = 'frozen'") == 1
	})
	eventually(
		t,
		func() bool { return count(t, db, "select count(*) from jobs.clients") == 2 },
		"it comes back under a new name",
	)
	require.Equal(t, 1, count(t, db, "select count(*) from jobs.river_job where state = 'running' and attempt = 2"))
	_, err = db.ExecContext(t.Context(), "insert into gates values ('heir')")
	require.NoError(t, err)
	eventually(
		t,
		func() bool { return count(t, db, "select count(*) from jobs.river_job where state = 'completed'") == 1 },
	)
	require.Equal(t, 1, count(t, db, "select count(*) from effects where name = 'finished' and by = 'heir'"))
	require.Equal(t, 1, count(t, db, "select count(*) from effects where name = 'finished'"))
}

// A job that kills every panel that runs it is given up after its attempts.
func TestAJobThatKillsItsPanelIsGivenUp(t *testing.T) {
	t.Parallel()
	db, dsn := prepared(t)
	queue, _, stop := run(t, db, gated(db, "heir"))
	stop()
	require.NoError(t, queue.Insert(t.Context(), note{kind: "notes.gate"}, jobs.Opts{Attempts: 1}))
	victim := dbtest.Spawn(t, dsn, "victim")
	eventually(t, func() bool { return count(t, db, "select count(*) from effects") == 1 })
	require.NoError(t, victim.Kill())
	_, _, stop = run(t, db, gated(db, "heir"))
	defer stop()
	eventually(
		t,
		func() bool { return count(t, db, "select count(*) from jobs.river_job where state = 'discarded'") == 1 },
	)
	var reason string
	require.NoError(t, db.NewRaw("select errors[1]->>'error' from jobs.river_job").Scan(t.Context(), &reason))
	require.Contains(t, reason, "killed or stalled")
}

// Many insert the same unique job at once; one is there.
func TestAUniqueJobIsInsertedOnceByManyAtOnce(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	queue, _, stop := run(t, db, jobs.Worker{Kind: "notes.write"})
	stop()
	failures := make(chan error, 20)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { failures <- queue.Insert(t.Context(), note{}, jobs.Opts{Unique: "one"}) })
	}
	all.Wait()
	close(failures)
	for err := range failures {
		require.NoError(t, err)
	}
	require.Equal(t, 1, count(t, db, "select count(*) from jobs.river_job"))
}

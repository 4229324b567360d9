package backlog_test

import (
	"context"
	"errors"
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/entitlement"
	"panel/platform/events"
)

const soon = time.Minute

func prepared(t *testing.T) (db *database.DB, dsn string) {
	t.Helper()
	dsn = dbtest.DSN(t)
	db, err := database.Open(t.Context(), dsn, database.Options{MaxConns: 12})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	_, err = db.ExecContext(t.Context(), tables)
	require.NoError(t, err)
	return db, dsn
}

func count(t *testing.T, db *database.DB, query string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, db.NewRaw(query, args...).Scan(t.Context(), &n))
	return n
}

func run(t *testing.T, db *database.DB, license entitlement.State, listeners ...events.Listener) *events.Bus {
	t.Helper()
	p, err := newPanel(db, license, listeners...)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.runner.Run(ctx) }()
	t.Cleanup(func() { stop(); require.NoError(t, <-ended) })
	return p.bus
}

func written(name string) events.Event {
	return events.Event{Kind: "note.written", SubjectID: name, Data: note{Name: name}}
}

// kills is how often a panel is killed: few in the suite, PANEL_TEST_KILLS=200 for the whole measure.
func kills() int {
	const few = 6
	if given, err := strconv.Atoi(os.Getenv("PANEL_TEST_KILLS")); err == nil {
		return given
	}
	return few
}

// Panels that emit and listen are killed again and again.
func TestKilledPanelsLoseNoEventAndInventNone(t *testing.T) {
	t.Parallel()
	db, dsn := prepared(t)
	dbtest.Spawn(t, dsn, "steady")
	for n := range kills() {
		before := count(t, db, "select count(*) from handled")
		victim := dbtest.Spawn(t, dsn, "busy "+strconv.Itoa(n))
		require.Eventually(t, func() bool { return count(t, db, "select count(*) from handled") > before+n%7 }, soon,
			time.Millisecond)
		require.NoError(t, victim.Kill())
	}
	left := "select count(*) from jobs.river_job where state <> 'completed'"
	require.Eventually(t, func() bool { return count(t, db, left) == 0 }, 2*time.Minute, 100*time.Millisecond)
	require.Positive(t, count(t, db, "select count(*) from asked"))
	for _, name := range []string{"first.count", "second.count"} {
		require.Zero(t,
			count(t, db, "select count(*) from asked where name not in (select name from handled where listener = ?)",
				name), "lost")
	}
	require.Zero(t, count(t, db, "select count(*) from handled where name not in (select name from asked)"),
		"rolled back")
}

func TestAListenerThatSleepsAndOneThatPanicsDelayNobody(t *testing.T) {
	t.Parallel()
	db, _ := prepared(t)
	released := make(chan struct{})
	sleeping := listener("slow.sleep", func(ctx context.Context, _ events.Event) error {
		select {
		case <-released:
		case <-ctx.Done():
		}
		return nil
	})
	sleeping.Timeout = 10 * time.Minute
	panicking := listener("broken.panic", func(context.Context, events.Event) error { panic("broken") })
	bus := run(t, db, entitlement.State{}, sleeping, panicking, counting(db, "fine.count"))
	const many = 50
	for n := range many {
		require.NoError(t, bus.Emit(t.Context(), written(strconv.Itoa(n))))
	}
	require.Eventually(t, func() bool { return count(t, db, "select count(*) from handled") == many }, soon,
		10*time.Millisecond)
	require.Equal(t, 1,
		count(t, db, "select count(*) from jobs.river_job where kind = 'slow.sleep' and state = 'running'"))
	require.Zero(t,
		count(t, db, "select count(*) from jobs.river_job where kind = 'slow.sleep' and state = 'completed'"))
	require.Positive(t,
		count(t, db, "select count(*) from jobs.river_job where kind = 'broken.panic' and errors <> '{}'"))
	close(released)
}

func TestAnEventThatAListenerAlwaysFailsOnEndsWithItsReason(t *testing.T) {
	t.Parallel()
	db, _ := prepared(t)
	poisoned := listener("fails.always", func(context.Context,
		events.Event,
	) error {
		return errors.New("no such word")
	})
	poisoned.Attempts = 1
	bus := run(t, db, entitlement.State{}, poisoned)
	require.NoError(t, bus.Emit(t.Context(), written("poison")))
	ended := "select count(*) from jobs.river_job where state = 'discarded' and errors[1]->>'error' like '%no such word%'"
	require.Eventually(t, func() bool { return count(t, db, ended) == 1 }, soon, 10*time.Millisecond)
}

func TestAnEventThatFailedComesAgain(t *testing.T) {
	t.Parallel()
	db, _ := prepared(t)
	var calls atomic.Int32
	bus := run(t, db, entitlement.State{}, listener("late.count", func(context.Context, events.Event) error {
		if calls.Add(1) == 1 {
			return errors.New("not yet")
		}
		return nil
	}))
	require.NoError(t, bus.Emit(t.Context(), written("once more")))
	require.Eventually(t, func() bool {
		return count(t, db, "select count(*) from jobs.river_job where state = 'completed' and attempt = 2") == 1
	}, soon, 10*time.Millisecond)
}

func TestManyEventsOfOneChangeAreKeptByOneStatementForEachListenerInTheirOrder(t *testing.T) {
	t.Parallel()
	db, statements := dbtest.Counted(t)
	p, err := newPanel(db, entitlement.State{}, counting(db, "fine.count"))
	require.NoError(t, err)
	const many = 1000
	all := make([]events.Event, many)
	for n := range all {
		all[n] = written(strconv.Itoa(n))
	}
	before := statements.Sent()
	require.NoError(t, p.bus.Emit(t.Context(), all...))
	require.LessOrEqual(t, statements.Sent()-before, int64(4),
		"begin, insert, commit, and the notification that follows")
	require.Equal(t, many, count(t, db, "select count(*) from jobs.river_job"))
	require.Zero(t, count(t, db, `select count(*) from (select (args->'data'->>'name')::int as n,
		row_number() over (order by id) - 1 as place from jobs.river_job) j where n <> place`))
}

func TestAListenerThatStopsPassesEventsOverWhileThePanelIsReadOnlyOrItsFeatureIsBlocked(t *testing.T) {
	t.Parallel()
	db, _ := prepared(t)
	stops, blocked, goes := counting(db, "acts.stop"), counting(db, "sold.stop"), counting(db, "looks.on")
	stops.ReadOnly = entitlement.Stops
	blocked.Feature, blocked.Blocked = "sold", entitlement.Stops
	goes.Feature = "sold"
	bus := run(t, db, entitlement.State{State: entitlement.Degraded}, stops, blocked, goes)
	require.NoError(t, bus.Emit(t.Context(), written("one")))
	require.Eventually(t, func() bool {
		return count(t, db, "select count(*) from jobs.river_job where state = 'completed'") == 3
	}, soon, 10*time.Millisecond)
	require.Equal(t, 1, count(t, db, "select count(*) from handled where listener = 'looks.on'"))
	require.Equal(t, 1, count(t, db, "select count(*) from handled"))
}

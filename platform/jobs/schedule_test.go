package jobs_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/jobs"
	"panel/platform/operations"
)

func rule(t *testing.T, text, zone string) jobs.Rule {
	t.Helper()
	r, err := jobs.ParseRule(text, zone)
	require.NoError(t, err)
	return r
}

func moment(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	require.NoError(t, err)
	return at
}

func TestRulesKeepTheClockOnTheWall(t *testing.T) {
	t.Parallel()
	const berlin = "Europe/Berlin"
	for _, c := range []struct{ name, rule, zone, after, next string }{
		{"the next minute", "* * * * *", "", "2026-05-01T10:00:30Z", "2026-05-01T10:01:00Z"},
		{"strictly after", "0 3 * * *", "", "2026-05-01T03:00:00Z", "2026-05-02T03:00:00Z"},
		{"summer time", "0 3 * * *", berlin, "2026-05-01T03:00:00Z", "2026-05-02T01:00:00Z"},
		{"winter time", "0 3 * * *", berlin, "2026-01-01T03:00:00Z", "2026-01-02T02:00:00Z"},
		{"the day without 02:30 has a run", "30 2 * * *", berlin, "2026-03-28T02:00:00Z", "2026-03-29T01:30:00Z"},
		{"and the day after it", "30 2 * * *", berlin, "2026-03-29T01:30:00Z", "2026-03-30T00:30:00Z"},
		{"the day with two 02:30 has one", "30 2 * * *", berlin, "2026-10-24T00:30:00Z", "2026-10-25T01:30:00Z"},
		{"and no other", "30 2 * * *", berlin, "2026-10-25T01:30:00Z", "2026-10-26T01:30:00Z"},
		{"an odd offset", "15 12 * * *", "Asia/Kathmandu", "2026-05-01T00:00:00Z", "2026-05-01T06:30:00Z"},
		{"leap days", "0 0 29 2 *", "", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z"},
		{"weekdays", "0 9 * * 1-5", "", "2026-05-01T10:00:00Z", "2026-05-04T09:00:00Z"},
	} {
		require.Equal(t, moment(t, c.next), rule(t, c.rule, c.zone).Next(moment(t, c.after)), c.name)
	}
	require.True(t, rule(t, "0 0 30 2 *", "").Next(moment(t, "2026-01-01T00:00:00Z")).IsZero(), "never")
}

func TestRulesThatAreNotFiveFieldsAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "* * * *", "* * * * * *", "@every 5m", "@daily", "TZ=UTC * * * * *",
		"CRON_TZ=UTC * * * * *", "61 * * * *", "x * * * *",
	} {
		_, err := jobs.ParseRule(text, "")
		require.Error(t, err, text)
	}
	_, err := jobs.ParseRule("* * * * *", "Mars/Olympus")
	require.ErrorContains(t, err, "Mars/Olympus")
}

// A rule never goes back and never stands still, whatever it is.
func FuzzRules(f *testing.F) {
	f.Add("*/5 * * * *", "Europe/Berlin", int64(1774749600))
	f.Add("30 2 * * 0", "America/St_Johns", int64(1793491200))
	f.Add("0 0 31 * *", "Australia/Lord_Howe", int64(1))
	f.Fuzz(func(t *testing.T, text, zone string, unix int64) {
		r, err := jobs.ParseRule(text, zone)
		if err != nil {
			return
		}
		at := time.Unix(unix%4e9, 0).UTC()
		if next := r.Next(at); !next.IsZero() {
			require.True(t, next.After(at), "%s after %s", next, at)
		}
	})
}

// bell is a schedule whose job does nothing but be there.
func bell(name, cron string) jobs.Schedule {
	return jobs.Schedule{
		Name: name, Cron: cron, ReadOnly: entitlement.GoesOn, Blocked: entitlement.GoesOn,
		Args: func() jobs.Args { return note{Name: name} },
	}
}

var full = entitlement.Fixed{State: entitlement.Active}

// schedule runs the schedules on a panel of their own until the test ends.
func schedule(
	t *testing.T,
	db *database.DB,
	clock clockwork.Clock,
	license entitlement.Source,
	log *zap.Logger,
	all ...jobs.Schedule,
) {
	t.Helper()
	queue, runner := jobs.New(db, operations.NewStore(db, events.New(db, nil, zap.NewNop())), zap.NewNop())
	require.NoError(t, runner.Add(jobs.Worker{Kind: "notes.write"}))
	scheduler := jobs.NewScheduler(db, queue, license, clock, log)
	require.NoError(t, scheduler.Add(all...))
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := scheduler.Run(ctx); err != nil {
			t.Errorf("the scheduler ended: %v", err)
		}
	})
	t.Cleanup(func() { cancel(); running.Wait() })
}

func ready(t *testing.T, db *database.DB, schedules int) {
	t.Helper()
	eventually(t, func() bool {
		n := 0
		require.NoError(t, db.NewRaw("select count(*) from jobs.schedules").Scan(t.Context(), &n))
		return n == schedules
	})
}

func names(t *testing.T, db *database.DB) []string {
	t.Helper()
	var found []string
	require.NoError(t, db.NewRaw("select args->>'name' from jobs.river_job order by id").Scan(t.Context(), &found))
	return found
}

// due moves the next run of a schedule; what is due runs at the next tick of a panel.
func due(t *testing.T, db *database.DB, clock *clockwork.FakeClock, name string, ago time.Duration) {
	t.Helper()
	_, err := db.ExecContext(
		t.Context(),
		"update jobs.schedules set next_at = ? where name = ?",
		clock.Now().Add(-ago),
		name,
	)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), "update jobs.river_job set state = 'completed', finalized_at = now()")
	require.NoError(t, err)
	clock.Advance(time.Minute)
}

// Two panels run a schedule once, and a long absence is made up by one run.
func TestAScheduleRunsOnceForAllPanels(t *testing.T) {
	t.Parallel()
	db, clock := dbtest.New(t), clockwork.NewFakeClockAt(moment(t, "2026-05-01T10:00:30Z"))
	for range 2 {
		schedule(t, db, clock, full, zap.NewNop(), bell("notes.hourly", "0 * * * *"))
	}
	ready(t, db, 1)
	require.NoError(t, clock.BlockUntilContext(t.Context(), 2))
	clock.Advance(time.Minute)
	require.NoError(t, clock.BlockUntilContext(t.Context(), 2))
	require.Empty(t, names(t, db))
	due(t, db, clock, "notes.hourly", 100*time.Hour)
	eventually(t, func() bool { return len(names(t, db)) > 0 })
	require.NoError(t, clock.BlockUntilContext(t.Context(), 2))
	require.Equal(t, []string{"notes.hourly"}, names(t, db))
	var next time.Time
	require.NoError(t, db.NewRaw("select next_at from jobs.schedules").Scan(t.Context(), &next))
	require.Equal(t, moment(t, "2026-05-01T11:00:00Z"), next.UTC())
}

// While a job of the schedule has not ended, no second one is inserted; the one after it is.
func TestAScheduleDoesNotOvertakeItsOwnJob(t *testing.T) {
	t.Parallel()
	db, clock := dbtest.New(t), clockwork.NewFakeClockAt(moment(t, "2026-05-01T10:00:30Z"))
	schedule(t, db, clock, full, zap.NewNop(), bell("notes.minutely", "* * * * *"))
	ready(t, db, 1)
	for range 3 {
		require.NoError(t, clock.BlockUntilContext(t.Context(), 1))
		clock.Advance(time.Minute)
	}
	require.NoError(t, clock.BlockUntilContext(t.Context(), 1))
	require.Equal(t, []string{"notes.minutely"}, names(t, db))
	due(t, db, clock, "notes.minutely", 0)
	eventually(t, func() bool { return slices.Equal(names(t, db), []string{"notes.minutely", "notes.minutely"}) })
}

// A read-only panel and a blocked feature stop what says so, and the log tells it.
func TestSchedulesStopWhereTheLicenseDoesNotLetThem(t *testing.T) {
	t.Parallel()
	acts, looks, paid := bell("notes.acts", "* * * * *"), bell("notes.looks", "* * * * *"), bell("notes.paid",
		"* * * * *")
	acts.ReadOnly = entitlement.Stops
	paid.Feature, paid.Blocked = "notes", entitlement.Stops
	for _, c := range []struct {
		license entitlement.Fixed
		run     []string
	}{
		{entitlement.Fixed{State: entitlement.Active, Enabled: []string{"notes"}}, []string{
			"notes.acts", "notes.looks",
			"notes.paid",
		}},
		{entitlement.Fixed{State: entitlement.Active}, []string{"notes.acts", "notes.looks"}},
		{entitlement.Fixed{State: entitlement.Degraded, Enabled: []string{"notes"}}, []string{
			"notes.looks",
			"notes.paid",
		}},
	} {
		core, lines := observer.New(zap.InfoLevel)
		db, clock := dbtest.New(t), clockwork.NewFakeClockAt(moment(t, "2026-05-01T10:00:30Z"))
		schedule(t, db, clock, c.license, zap.New(core), acts, looks, paid)
		ready(t, db, 3)
		require.NoError(t, clock.BlockUntilContext(t.Context(), 1))
		clock.Advance(time.Minute)
		require.NoError(t, clock.BlockUntilContext(t.Context(), 1))
		require.ElementsMatch(t, c.run, names(t, db))
		require.Equal(t, 3-len(c.run), lines.FilterMessage("a schedule did not run").Len())
	}
}

func TestSchedulesThatAreNotDeclaredWholeAreRefused(t *testing.T) {
	t.Parallel()
	scheduler := jobs.NewScheduler(nil, nil, full, clockwork.NewFakeClock(), zap.NewNop())
	require.NoError(t, scheduler.Add(bell("notes.one", "* * * * *")))
	require.ErrorContains(t, scheduler.Add(bell("notes.one", "* * * * *")), "taken")
	require.ErrorContains(t, scheduler.Add(bell("notes.two", "every day")), "notes.two")
	silent := bell("notes.three", "* * * * *")
	silent.Blocked = ""
	require.ErrorContains(t, scheduler.Add(silent), "Blocked")
}

// A schedule whose rule has changed with a new build gets its next run by the new rule; the others keep theirs.
func TestAChangedRuleMovesTheNextRun(t *testing.T) {
	t.Parallel()
	db, clock := dbtest.New(t), clockwork.NewFakeClockAt(moment(t, "2026-05-01T10:00:30Z"))
	next := func(name string) time.Time {
		var at time.Time
		require.NoError(t, db.NewRaw("select next_at from jobs.schedules where name = ?", name).Scan(t.Context(), &at))
		return at.UTC()
	}
	t.Run("before", func(t *testing.T) { //nolint:paralleltest // the next one follows it
		schedule(t, db, clock, full, zap.NewNop(), bell("notes.moved", "0 12 * * *"), bell("notes.kept", "0 13 * * *"))
		ready(t, db, 2)
	})
	require.Equal(t, moment(t, "2026-05-01T12:00:00Z"), next("notes.moved"))
	clock.Advance(time.Hour)
	schedule(t, db, clock, full, zap.NewNop(), bell("notes.moved", "30 11 * * *"), bell("notes.kept", "0 13 * * *"))
	eventually(t, func() bool { return next("notes.moved").Equal(moment(t, "2026-05-01T11:30:00Z")) })
	require.Equal(t, moment(t, "2026-05-01T13:00:00Z"), next("notes.kept"))
}

package lease_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/lease"
)

const works = `create table works (id uuid primary key,
	note text not null default '', lock text not null default 'held',
	due timestamptz default now(), finished_at timestamptz,
	lease_token text not null default '', lease_until timestamptz not null default now(),
	lease_failures integer not null default 0, lease_error text not null default '')`

var open = lease.Table{Name: "works", Open: "finished_at is null"}

func workTable(t *testing.T) *database.DB {
	t.Helper()
	db := dbtest.New(t)
	_, err := db.ExecContext(t.Context(), works)
	require.NoError(t, err)
	return db
}

func insert(t *testing.T, db *database.DB) string {
	t.Helper()
	id := database.NewID()
	_, err := db.ExecContext(t.Context(), "insert into works (id) values (?)", id)
	require.NoError(t, err)
	return id
}

// notes brings notifications within this process.
type notes struct {
	mu       sync.Mutex
	handlers []func(string)
}

func (n *notes) On(_ string, handle func(string)) { n.handlers = append(n.handlers, handle) }
func (n *notes) OnReady(func())                   {}

func (n *notes) send(payload string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, handle := range n.handlers {
		handle(payload)
	}
}

// run starts a driver; stop ends it and waits.
func run(t *testing.T, db *database.DB, p lease.Process) (d *lease.Driver, stop func()) {
	t.Helper()
	return runWith(t, db, &notes{}, clockwork.NewRealClock(), p)
}

func runWith(
	t *testing.T, db *database.DB, n *notes, clock clockwork.Clock, p lease.Process,
) (d *lease.Driver, stop func()) {
	t.Helper()
	p.Name = "work"
	if p.Table.Name == "" {
		p.Table = open
	}
	d = lease.New(db, n, clock, zap.NewNop(), p)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	t.Cleanup(stop)
	return d, stop
}

func eventually(t *testing.T, holds func() bool, about ...any) {
	t.Helper()
	require.Eventually(t, holds, 60*time.Second, 10*time.Millisecond, about...)
}

func text(t *testing.T, db *database.DB, column, id string) (value string) {
	t.Helper()
	query := "select coalesce((" + column + ")::text, '') from works where id = ?"
	require.NoError(t, db.NewRaw(query, id).Scan(t.Context(), &value))
	return value
}

func finish(ctx context.Context, db *database.DB, c *lease.Claim, note string) error {
	const end = "update works set note = ?, finished_at = now() where id = ? and lease_token = ?"
	return lease.CheckFence(db.In(ctx).NewRaw(end, note, c.ID, c.Token).Exec(ctx))
}

func giveUp(db *database.DB) func(context.Context, *lease.Claim, error) error {
	return func(ctx context.Context, c *lease.Claim, cause error) error {
		const end = "update works set note = ?, lock = '', finished_at = now() where id = ?"
		_, err := db.In(ctx).NewRaw(end, cause.Error(), c.ID).Exec(ctx)
		return err
	}
}

func TestARowIsSteppedUntilItIsDone(t *testing.T) {
	t.Parallel()
	db := workTable(t)
	id := insert(t, db)
	steps := 0
	run(t, db, lease.Process{Step: func(ctx context.Context, c *lease.Claim) (lease.Next, error) {
		if steps++; steps < 3 {
			return lease.After(time.Millisecond), nil
		}
		return lease.Done(), finish(ctx, db, c, fmt.Sprint(steps))
	}})
	eventually(t, func() bool { return text(t, db, "note", id) == "3" && text(t, db, "lease_token", id) == "" })
}

// A row that fails for ever, or panics, is given up with its reason and releases what it holds; its neighbours go on.
func TestAPoisonRowIsGivenUpVisiblyAndNobodyWaitsForIt(t *testing.T) {
	t.Parallel()
	for name, fails := range map[string]func() error{
		"the node 7 is on fire": func() error { return errors.New("the node 7 is on fire") },
		"panic: index 7":        func() error { panic("index 7") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := workTable(t)
			poison, good := insert(t, db), insert(t, db)
			var tried atomic.Int32
			run(t, db, lease.Process{
				Parallel: 1, Attempts: 4, FirstPause: time.Millisecond, GiveUp: giveUp(db),
				Step: func(ctx context.Context, c *lease.Claim) (lease.Next, error) {
					if c.ID == poison {
						tried.Add(1)
						return lease.Again(), fails()
					}
					return lease.Done(), finish(ctx, db, c, "good")
				},
			})
			eventually(t, func() bool {
				return text(t, db, "lock", poison) == "" &&
					text(t, db, "note", good) == "good"
			})
			eventually(t, func() bool { return text(t, db, "lease_failures", poison) == "4" })
			require.Equal(t, name, text(t, db, "note", poison))
			require.Equal(t, name, text(t, db, "lease_error", poison))
			require.EqualValues(t, 4, tried.Load())
		})
	}
}

// Failures are tried again after a pause; meanwhile the row says how often and why, and nobody holds a lease on it.
func TestAFailingRowBacksOffWithItsStateOnTheRow(t *testing.T) {
	t.Parallel()
	db := workTable(t)
	id := insert(t, db)
	var tried atomic.Int32
	run(t, db, lease.Process{
		FirstPause: time.Hour, LongestPause: time.Hour, GiveUp: giveUp(db),
		Step: func(context.Context, *lease.Claim) (lease.Next, error) {
			tried.Add(1)
			return lease.Again(), errors.New("no disk")
		},
	})
	eventually(t, func() bool {
		return text(t, db, "lease_failures", id) == "1" && text(t, db, "lease_token",
			id) == ""
	})
	require.Equal(t, "no disk", text(t, db, "lease_error", id))
	require.Equal(t, "true", text(t, db, "lease_until > now() + interval '59 minutes'", id))
	require.Empty(t, text(t, db, "finished_at", id))
	require.EqualValues(t, 1, tried.Load())
}

// GiveUp that fails itself leaves the row open, and is called again.
func TestAGiveUpThatFailsIsTriedAgain(t *testing.T) {
	t.Parallel()
	db := workTable(t)
	id := insert(t, db)
	var asked, steps atomic.Int32
	run(t, db, lease.Process{
		Attempts: 1, FirstPause: time.Millisecond, LongestPause: 50 * time.Millisecond,
		Step: func(context.Context, *lease.Claim) (lease.Next, error) {
			steps.Add(1)
			return lease.Again(), errors.New("broken")
		},
		GiveUp: func(ctx context.Context, c *lease.Claim, cause error) error {
			switch asked.Add(1) {
			case 1:
				return errors.New("the end is broken, too")
			case 2:
				panic("the end panics")
			}
			return giveUp(db)(ctx, c, cause)
		},
	})
	eventually(t, func() bool { return text(t, db, "note", id) == "broken" })
	require.EqualValues(t, 3, asked.Load())
	require.EqualValues(t, 1, steps.Load(), "no further step of a row that is being given up")
}

func TestNoMoreRowsAreDrivenAtOnceThanAllowed(t *testing.T) {
	t.Parallel()
	db := workTable(t)
	for range 12 {
		insert(t, db)
	}
	var now, tooMany, ended atomic.Int32
	full := make(chan struct{})
	run(t, db, lease.Process{Parallel: 3, Step: func(ctx context.Context, c *lease.Claim) (lease.Next, error) {
		if now.Add(1) > 3 {
			tooMany.Add(1)
		}
		defer now.Add(-1)
		<-full
		defer ended.Add(1)
		return lease.Done(), finish(ctx, db, c, "")
	}})
	eventually(t, func() bool { return now.Load() == 3 })
	close(full)
	eventually(t, func() bool { return ended.Load() == 12 })
	require.Zero(t, tooMany.Load())
}

// A panel that stops hands its rows on at once: nobody waits for the end of the lease.
func TestAStoppingPanelReleasesItsRows(t *testing.T) {
	t.Parallel()
	db := workTable(t)
	id := insert(t, db)
	began := make(chan struct{}, 1)
	_, stop := run(t, db, lease.Process{Step: func(ctx context.Context, _ *lease.Claim) (lease.Next, error) {
		began <- struct{}{}
		<-ctx.Done()
		return lease.Again(), ctx.Err()
	}})
	<-began
	require.NotEmpty(t, text(t, db, "lease_token", id))
	stop()
	require.Equal(t, "true", text(t, db, "lease_token = '' and lease_until <= now() and lease_failures = 0", id))
}

// A pause of a process is the business of no driver: the row is free, and a wake ends the pause on any panel.
func TestALongPauseHoldsNoLeaseAndAWakeEndsIt(t *testing.T) {
	t.Parallel()
	db := workTable(t)
	id := insert(t, db)
	n := &notes{}
	d, _ := runWith(t, db, n, clockwork.NewRealClock(), lease.Process{
		Step: func(ctx context.Context, c *lease.Claim) (lease.Next, error) {
			if text(t, db, "lock", c.ID) == "held" {
				return lease.After(time.Hour), nil
			}
			return lease.Done(), finish(ctx, db, c, "woken")
		},
	})
	eventually(t, func() bool {
		return text(t, db, "lease_until > now() + interval '1 minute' and lease_token = ''", id) == "true"
	})
	require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error {
		_, err := db.In(ctx).NewRaw("update works set lock = '' where id = ?", id).Exec(ctx)
		return errors.Join(err, d.Wake(ctx, id))
	}))
	n.send("works " + id)
	eventually(t, func() bool { return text(t, db, "note", id) == "woken" })
}

// A wake that arrives while a step runs is not lost with the pause that the step asks for.
func TestAWakeDuringAStepCountsAfterIt(t *testing.T) {
	t.Parallel()
	for _, pause := range []time.Duration{time.Second, time.Hour} {
		t.Run(pause.String(), func(t *testing.T) {
			t.Parallel()
			db := workTable(t)
			insert(t, db)
			n := &notes{}
			steps := make(chan int, 8)
			count := 0
			runWith(t, db, n, clockwork.NewFakeClock(), lease.Process{
				Step: func(_ context.Context, c *lease.Claim) (lease.Next, error) {
					count++
					steps <- count
					if count == 1 {
						n.send("works " + c.ID)
					}
					return lease.After(pause), nil
				},
			})
			require.Equal(t, 1, <-steps)
			require.Equal(t, 2, <-steps)
		})
	}
}

// A step that ignores its limit loses its row, and nothing that it writes afterwards counts.
func TestAStalledStepLosesItsRow(t *testing.T) {
	t.Parallel()
	db := workTable(t)
	id := insert(t, db)
	first := make(chan *lease.Claim, 1)
	resume := make(chan struct{})
	late := make(chan error, 1)
	step := func(ctx context.Context, c *lease.Claim) (lease.Next, error) {
		select {
		case first <- c:
			<-resume
			late <- c.InTx(context.WithoutCancel(ctx), func(context.Context) error { return errors.New("not reached") })
			return lease.Done(), nil
		default:
			return lease.Done(), finish(ctx, db, c, "heir")
		}
	}
	run(t, db, lease.Process{StepLimit: 100 * time.Millisecond, Step: step})
	eventually(t, func() bool { return text(t, db, "note", id) == "heir" })
	close(resume)
	require.ErrorIs(t, <-late, lease.ErrLost)
	require.Contains(t, text(t, db, "note", id), "heir")
}

// An idle driver hardly asks the database.
func TestAnIdleDriverPollsRarely(t *testing.T) {
	t.Parallel()
	db := workTable(t)
	_, stop := run(t, db, heir(db))
	defer stop()
	eventually(t, func() bool { return scans(t, db) > 0 })
	require.Eventually(t, func() bool {
		before := scans(t, db)
		<-time.After(6 * time.Second)
		return scans(t, db)-before <= 2*2+1
	}, 90*time.Second, time.Millisecond, "every five seconds, one statement with two looks at the table")
}

// scans counts how often the table was read.
func scans(t *testing.T, db *database.DB) (n int) {
	t.Helper()
	require.NoError(t, db.NewRaw(`select coalesce(sum(seq_scan + coalesce(idx_scan, 0)), 0) from pg_stat_user_tables
		where relname = 'works' and pg_stat_clear_snapshot() is not null`).Scan(t.Context(), &n))
	return n
}

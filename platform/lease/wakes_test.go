package lease_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/platform/database"
	"panel/platform/lease"
)

func wakes(t *testing.T, db *database.DB) (n int) {
	t.Helper()
	require.NoError(t, db.NewRaw("select count(*) from lease_wakes").Scan(t.Context(), &n))
	return n
}

func set(t *testing.T, db *database.DB, id, columns string) {
	t.Helper()
	_, err := db.ExecContext(t.Context(), "update works set "+columns+" where id = ?", id)
	require.NoError(t, err)
}

// finishing ends every row that it is given.
func finishing(db *database.DB) lease.Process {
	return lease.Process{Step: func(ctx context.Context, c *lease.Claim) (lease.Next, error) {
		return lease.Done(), finish(ctx, db, c, "done")
	}}
}

// A row is woken while a panel drives it that then releases it for an hour and dies, before it has heard: another
// panel, which heard when there was nothing for it to do, goes on with the row all the same.
func TestAWakeIsNotLostWithThePanelThatDrivesTheRow(t *testing.T) {
	t.Parallel()
	db, n, clock := workTable(t), &notes{}, clockwork.NewFakeClock()
	id := insert(t, db)
	set(t, db, id, "lease_token = 'the panel that will die', lease_until = now() + interval '1 hour'")
	d, _ := runWith(t, db, n, clock, finishing(db))
	require.NoError(t, d.Wake(t.Context(), id))
	n.send("works " + id)
	eventually(t, func() bool { // the other panel has taken notice: a second row that is due is done
		second := insert(t, db)
		n.send("works " + second)
		return text(t, db, "note", second) == "done"
	})
	require.Empty(t, text(t, db, "note", id), "somebody drives it")
	set(t, db, id, "lease_token = '', lease_until = now() + interval '1 hour'")
	eventually(t, func() bool {
		clock.Advance(time.Hour) // it knew the end of the lease
		return text(t, db, "note", id) == "done"
	})
	eventually(t, func() bool { return wakes(t, db) == 0 })
}

// A wake counts when its transaction commits, and only then.
func TestAWakeOfATransactionThatIsUndoneIsNone(t *testing.T) {
	t.Parallel()
	db := workTable(t)
	id := insert(t, db)
	d := lease.New(db, &notes{}, clockwork.NewRealClock(), zap.NewNop(), lease.Process{Name: "work", Table: open})
	err := db.InTx(t.Context(), func(ctx context.Context) error {
		require.NoError(t, d.Wake(ctx, id))
		return context.Canceled
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, wakes(t, db))
}

// What woke a row that has ended meanwhile goes too.
func TestWakesOfEndedRowsGo(t *testing.T) {
	t.Parallel()
	db, n := workTable(t), &notes{}
	id := insert(t, db)
	set(t, db, id, "finished_at = now()")
	d, _ := runWith(t, db, n, clockwork.NewRealClock(), finishing(db))
	require.NoError(t, d.Wake(t.Context(), id))
	n.send("works")
	eventually(t, func() bool { return wakes(t, db) == 0 })
	require.Empty(t, text(t, db, "note", id))
}

// Transactions that wake the same rows in different order do not wait for each other.
func TestWakersDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	db := workTable(t)
	one, two := insert(t, db), insert(t, db)
	for _, id := range []string{one, two} {
		set(t, db, id, "lease_token = 'somebody', lease_until = now() + interval '1 hour'")
	}
	d := lease.New(db, &notes{}, clockwork.NewRealClock(), zap.NewNop(), lease.Process{Name: "work", Table: open})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	err := db.InTx(ctx, func(first context.Context) error {
		require.NoError(t, d.Wake(first, one))
		return db.InTx(ctx, func(second context.Context) error { // a transaction of its own
			require.NoError(t, d.Wake(second, two))
			require.NoError(t, d.Wake(second, one))
			return d.Wake(first, two)
		})
	})
	require.NoError(t, err)
	require.Equal(t, 4, wakes(t, db))
}

// held is a process whose steps stop in the middle until they are told to go on. A step ends its row when it finds a
// note on it, and else pauses.
type held struct {
	t       *testing.T
	began   chan int
	proceed chan struct{}
	steps   int
}

func hold(t *testing.T, db *database.DB, pause time.Duration) (*held, lease.Process) {
	t.Helper()
	h := &held{t: t, began: make(chan int), proceed: make(chan struct{})}
	return h, lease.Process{Step: func(ctx context.Context, c *lease.Claim) (lease.Next, error) {
		var note string
		if err := db.NewRaw("select note from works where id = ?", c.ID).Scan(ctx, &note); err != nil {
			return lease.Next{}, err
		}
		if note == "neighbour" {
			return lease.Done(), finish(ctx, db, c, "seen")
		}
		if err := h.stop(ctx); err != nil {
			return lease.Next{}, err
		}
		if note == "change" {
			return lease.Done(), finish(ctx, db, c, fmt.Sprint(h.steps))
		}
		return lease.After(pause), nil
	}}
}

func (h *held) stop(ctx context.Context) error {
	h.steps++
	select {
	case h.began <- h.steps:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-h.proceed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// begins waits for a step, which must be the one of this number.
func (h *held) begins(number int) {
	h.t.Helper()
	select {
	case n := <-h.began:
		require.Equal(h.t, number, n)
	case <-time.After(time.Minute):
		h.t.Fatalf("step %d does not begin", number)
	}
}

func (h *held) goesOn() { h.proceed <- struct{}{} }

// barrier waits until the driver has handled every notification that came before: a row that it is told of is done.
func barrier(t *testing.T, db *database.DB, n *notes) {
	t.Helper()
	id := database.NewID()
	_, err := db.ExecContext(t.Context(), "insert into works (id, note) values (?, 'neighbour')", id)
	require.NoError(t, err)
	n.send("works " + id)
	eventually(t, func() bool { return text(t, db, "note", id) == "seen" })
}

// The notification of a wake comes in the middle of the step whose claim has consumed it, and another after its end.
func TestANotificationOfAConsumedWakeMakesNoFurtherStep(t *testing.T) {
	t.Parallel()
	for name, pause := range map[string]time.Duration{"held": time.Second, "released": time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, n, clock := workTable(t), &notes{}, clockwork.NewFakeClock()
			id := insert(t, db)
			set(t, db, id, "lease_until = now() + interval '1 hour'")
			h, p := hold(t, db, pause)
			d, _ := runWith(t, db, n, clock, p)
			require.NoError(t, d.Wake(t.Context(), id))
			n.send("works") // what the other notification is about is claimed before it comes
			h.begins(1)
			n.send("works " + id)
			h.goesOn()
			if pause > time.Minute {
				eventually(t, func() bool { return text(t, db, "lease_token", id) == "" })
			} else {
				require.NoError(t, clock.BlockUntilContext(t.Context(), 1))
			}
			n.send("works " + id)
			barrier(t, db, n)
			set(t, db, id, "note = 'change'")
			require.NoError(t, d.Wake(t.Context(), id))
			n.send("works " + id)
			h.begins(2)
			h.goesOn()
			eventually(t, func() bool { return text(t, db, "note", id) == "2" })
		})
	}
}

// A wake in the middle of a step makes one further step, whether the row is held or released for its pause.
func TestAWakeInTheMiddleOfAStepMakesOneFurtherStep(t *testing.T) {
	t.Parallel()
	for name, pause := range map[string]time.Duration{"held": time.Second, "released": time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, n, clock := workTable(t), &notes{}, clockwork.NewFakeClock()
			id := insert(t, db)
			h, p := hold(t, db, pause)
			d, _ := runWith(t, db, n, clock, p)
			h.begins(1)
			require.NoError(t, d.Wake(t.Context(), id))
			require.NoError(t, d.Wake(t.Context(), id))
			n.send("works " + id)
			h.goesOn()
			h.begins(2)
			require.Zero(t, wakes(t, db), "the step that has begun answers them")
			set(t, db, id, "note = 'change'")
			h.goesOn()
			eventually(t, func() bool { return pause < time.Minute || text(t, db, "lease_token", id) == "" })
			barrier(t, db, n)
			require.NoError(t, d.Wake(t.Context(), id))
			n.send("works " + id)
			h.begins(3)
			h.goesOn()
			eventually(t, func() bool { return text(t, db, "note", id) == "3" })
		})
	}
}

// Who has lost the row leaves its wakes to whoever has it.
func TestAWakeIsLeftToWhoeverHasTheRow(t *testing.T) {
	t.Parallel()
	db, n, clock := workTable(t), &notes{}, clockwork.NewFakeClock()
	id := insert(t, db)
	h, p := hold(t, db, time.Second)
	d, _ := runWith(t, db, n, clock, p)
	h.begins(1)
	set(t, db, id, "lease_token = 'another panel', lease_until = now() + interval '1 hour'")
	require.NoError(t, d.Wake(t.Context(), id))
	n.send("works " + id)
	h.goesOn()
	barrier(t, db, n)
	require.Equal(t, 1, wakes(t, db))
}

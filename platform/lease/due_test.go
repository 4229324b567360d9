package lease_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/platform/lease"
)

// A column with the next moment, by the clock of the panel, says when a process that never ends has something to do.
func TestARowWaitsForItsDueTime(t *testing.T) {
	t.Parallel()
	db := workTable(t)
	idle, id := insert(t, db), insert(t, db)
	clock := clockwork.NewFakeClockAt(time.Date(2031, 1, 2, 3, 0, 0, 0, time.UTC))
	_, err := db.ExecContext(t.Context(), "update works set due = case when id = ? then ?::timestamptz end",
		id, clock.Now().Add(time.Hour))
	require.NoError(t, err)
	n := &notes{}
	table := open
	table.Due = "due"
	var stepped sync.Map
	step := func(ctx context.Context, c *lease.Claim) (lease.Next, error) {
		stepped.Store(c.ID, true)
		_, err := db.ExecContext(ctx, "update works set due = ? where id = ?", clock.Now().Add(time.Hour), c.ID)
		return lease.Done(), err
	}
	runWith(t, db, n, clock, lease.Process{Table: table, Step: step})
	asked := func() bool { _, yes := stepped.Load(id); return yes }
	n.send("works ")
	require.Never(t, asked, 300*time.Millisecond, 10*time.Millisecond)
	clock.Advance(time.Hour)
	n.send("works ")
	eventually(t, asked)
	_, yes := stepped.Load(idle)
	require.False(t, yes)
}

// A row that never ends is given up for this time: at its next due time it is tried as often as before.
func TestARowWithADueTimeBeginsAnewAfterItWasGivenUp(t *testing.T) {
	t.Parallel()
	db := workTable(t)
	id := insert(t, db)
	clock := clockwork.NewFakeClockAt(time.Date(2031, 1, 2, 3, 0, 0, 0, time.UTC))
	set(t, db, id, "due = '2031-01-02 03:00:00Z'")
	n := &notes{}
	table := open
	table.Due = "due"
	var tried, given atomic.Int32
	runWith(t, db, n, clock, lease.Process{
		Table: table, Attempts: 3, FirstPause: time.Millisecond, LongestPause: 10 * time.Millisecond,
		Step: func(context.Context, *lease.Claim) (lease.Next, error) {
			tried.Add(1)
			panic("out of range")
		},
		GiveUp: func(ctx context.Context, c *lease.Claim, _ error) error {
			given.Add(1)
			_, err := db.In(ctx).NewRaw("update works set due = ? where id = ?", clock.Now().Add(time.Hour), c.ID).Exec(ctx)
			return err
		},
	})
	for round := int32(1); round <= 2; round++ {
		eventually(t, func() bool { return given.Load() == round && text(t, db, "lease_token", id) == "" })
		require.Equal(t, 3*round, tried.Load())
		require.Equal(t, "panic: out of range", text(t, db, "lease_error", id))
		require.Equal(t, "0", text(t, db, "lease_failures", id))
		clock.Advance(time.Hour)
		n.send("works ")
	}
}

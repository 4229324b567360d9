package lease_test

import (
	"context"
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
	db, n := workTable(t), &notes{}
	id := insert(t, db)
	set(t, db, id, "lease_token = 'the panel that will die', lease_until = now() + interval '1 hour'")
	d, _ := runWith(t, db, n, clockwork.NewRealClock(), finishing(db))
	require.NoError(t, d.Wake(t.Context(), id))
	n.send("works " + id)
	eventually(t, func() bool { // the other panel has taken notice: a second row that is due is done
		second := insert(t, db)
		n.send("works " + second)
		return text(t, db, "note", second) == "done"
	})
	require.Empty(t, text(t, db, "note", id), "somebody drives it")
	set(t, db, id, "lease_token = '', lease_until = now() + interval '1 hour'")
	eventually(t, func() bool { return text(t, db, "note", id) == "done" })
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

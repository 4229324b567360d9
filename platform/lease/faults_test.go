package lease_test

import (
	"context"
	"errors"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/lease"
)

func TestMain(m *testing.M) { dbtest.MainOrChild(m, child) }

// child drives rows and never ends them: its one step says again and again that the victim is at it, and when somebody
// else has its row it says so.
func child(ctx context.Context, dsn, _ string) error {
	db, err := database.Open(ctx, dsn, database.Options{MaxConns: 4})
	if err != nil {
		return err
	}
	return lease.New(db, &notes{}, clockwork.NewRealClock(), zap.NewNop(), lease.Process{
		Name: "work", Table: open, StepLimit: time.Hour, Step: func(ctx context.Context, c *lease.Claim) (lease.Next,
			error,
		) {
			ctx = context.WithoutCancel(ctx)
			for {
				err := sign(ctx, db, c, "victim")
				if errors.Is(err, lease.ErrLost) {
					_, _ = db.ExecContext(ctx, "update works set lock = 'fenced' where id = ?", c.ID)
				}
				if err != nil {
					return lease.After(100 * time.Millisecond), err
				}
				<-time.After(100 * time.Millisecond)
			}
		},
	}).Run(ctx)
}

// victim is another panel that drives a row of the database.
func victim(t *testing.T) (db *database.DB, id string, panel *os.Process) {
	t.Helper()
	dsn := dbtest.DSN(t)
	db, err := database.Open(t.Context(), dsn, database.Options{MaxConns: 6})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	_, err = db.ExecContext(t.Context(), works)
	require.NoError(t, err)
	id = insert(t, db)
	panel = dbtest.Spawn(t, dsn, "victim")
	eventually(t, func() bool { return text(t, db, "note", id) == "victim" })
	return db, id, panel
}

// heir takes rows over and keeps them.
func heir(db *database.DB) lease.Process {
	return lease.Process{Step: func(ctx context.Context, c *lease.Claim) (lease.Next, error) {
		return lease.After(100 * time.Millisecond), sign(ctx, db, c, "heir")
	}}
}

func sign(ctx context.Context, db *database.DB, c *lease.Claim, name string) error {
	const signature = "update works set note = ? where id = ? and lease_token = ?"
	return lease.CheckFence(db.NewRaw(signature, name, c.ID, c.Token).Exec(ctx))
}

// Of two panels one is killed: the other goes on with its row within ten seconds, and never before.
func TestARowOfAKilledPanelIsTakenOverWithinTenSeconds(t *testing.T) {
	t.Parallel()
	db, id, panel := victim(t)
	run(t, db, heir(db))
	<-time.After(lease.TTL + time.Second)
	require.Equal(t, "victim", text(t, db, "note", id), "a living panel renews its lease")
	require.NoError(t, panel.Kill())
	require.Eventually(t, func() bool { return text(t, db, "note", id) == "heir" }, 60*time.Second, 20*time.Millisecond)
	require.Equal(t, "1", text(t, db, "lease_failures", id), "the death counts")
}

// A frozen panel loses its row. When it wakes up, its writes are refused and it leaves the row alone.
func TestAFrozenPanelIsFencedWhenItWakesUp(t *testing.T) {
	t.Parallel()
	db, id, panel := victim(t)
	require.NoError(t, panel.Signal(syscall.SIGSTOP))
	run(t, db, heir(db))
	eventually(t, func() bool { return text(t, db, "note", id) == "heir" })
	token := text(t, db, "lease_token", id)
	require.NoError(t, panel.Signal(syscall.SIGCONT))
	eventually(t, func() bool { return text(t, db, "lock", id) == "fenced" })
	require.Equal(t, "heir", text(t, db, "note", id))
	require.Equal(t, token, text(t, db, "lease_token", id), "the heir goes on undisturbed")
}

// A row that kills every panel which drives it is given up by the one that finds it the last time.
func TestARowThatKillsItsPanelsIsGivenUp(t *testing.T) {
	t.Parallel()
	db, id, panel := victim(t)
	require.NoError(t, panel.Kill())
	p := heir(db)
	p.Attempts, p.GiveUp = 1, giveUp(db)
	run(t, db, p)
	eventually(t, func() bool { return text(t, db, "lock", id) == "" })
	require.Equal(t, "the panel that drove it was killed or stalled", text(t, db, "note", id))
}

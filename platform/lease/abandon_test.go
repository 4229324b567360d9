package lease_test

import (
	"context"
	"testing"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/platform/lease"
)

// "What was under way ends as failed("restored")": no step is made, and the row has the cause.
func TestAbandonedRowsAreGivenUpWithTheirCause(t *testing.T) {
	t.Parallel()
	db := workTable(t)
	id := insert(t, db)
	_, err := db.ExecContext(t.Context(), "update works set lease_token = 'a panel of then', lease_until = now() + interval '1 hour'")
	require.NoError(t, err)
	process := lease.Process{
		Table: open, Name: "work",
		Step: func(context.Context, *lease.Claim) (lease.Next, error) {
			t.Error("a step was made")
			return lease.Done(), nil
		},
		GiveUp: func(ctx context.Context, _ *lease.Claim, cause error) error {
			_, err := db.In(ctx).NewRaw("update works set note = ?, finished_at = now()", cause.Error()).Exec(ctx)
			return err
		},
	}
	before := lease.New(db, &notes{}, clockwork.NewRealClock(), zap.NewNop(), process)
	require.NoError(t, before.Abandon(t.Context(), "restored"))
	run(t, db, process)
	eventually(t, func() bool {
		var note string
		require.NoError(t, db.NewRaw("select note from works where id = ?", id).Scan(t.Context(), &note))
		return note == "restored"
	})
}

// A process that never gives up goes on with its rows.
func TestWhatIsNeverGivenUpIsNotAbandoned(t *testing.T) {
	t.Parallel()
	db := workTable(t)
	insert(t, db)
	d := lease.New(db, &notes{}, clockwork.NewRealClock(), zap.NewNop(), lease.Process{Table: open, Name: "work"})
	require.NoError(t, d.Abandon(t.Context(), "restored"))
	var failures int
	require.NoError(t, db.NewRaw("select lease_failures from works").Scan(t.Context(), &failures))
	require.Zero(t, failures)
}

package audit

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/database"
	"panel/platform/database/dbtest"
)

// The first entry of a database may be written in a transaction that is undone: the key that it made is undone with it,
// and what is written afterwards carries the mark of the key that the database holds.
func TestAKeyOfAnUndoneTransactionIsNotUsed(t *testing.T) {
	t.Parallel()
	db, dir := dbtest.New(t), t.TempDir()
	j := journalOn(t, db, dir, nil)
	undone := errors.New("undone")
	err := db.InTx(t.Context(), func(ctx context.Context) error {
		require.NoError(t, j.Record(ctx, db.In(ctx), Entry{Action: "flow.created"}))
		return undone
	})
	require.ErrorIs(t, err, undone)
	require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error {
		return j.Record(ctx, db.In(ctx), Entry{Action: "flow.created"})
	}))
	j.tended()
	require.True(t, j.verified().Intact)
	require.True(t, journalOn(t, db, dir, nil).verified().Intact, "another panel opens the same key")
}

// Loading the key at the start leaves no statement for the transactions of requests.
func TestALoadedKeyCostsATransactionNothing(t *testing.T) {
	t.Parallel()
	db, sent := dbtest.Counted(t)
	j := journalOn(t, db, t.TempDir(), nil)
	require.NoError(t, j.Load(t.Context()))
	before := sent.Sent()
	require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error {
		require.True(t, database.InTransaction(ctx))
		return j.Record(ctx, db.In(ctx), Entry{Action: "flow.created"})
	}))
	require.EqualValues(t, 3, sent.Sent()-before, "begin, insert, commit")
}

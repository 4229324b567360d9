package database_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"panel/platform/database"
	"panel/platform/database/dbtest"
)

var errRefused = errors.New("refused")

// things gives a database with an empty table and a way to add a row to it through the context.
func things(t *testing.T) (db *database.DB, add func(ctx context.Context, id int) error, count func() int) {
	t.Helper()
	db = dbtest.New(t)
	_, err := db.ExecContext(t.Context(), "create table things (id int primary key)")
	require.NoError(t, err)
	add = func(ctx context.Context, id int) error {
		_, err := db.In(ctx).ExecContext(ctx, "insert into things values (?)", id)
		return err
	}
	count = func() int {
		n, err := db.NewSelect().Table("things").Count(t.Context())
		require.NoError(t, err)
		return int(n)
	}
	return db, add, count
}

func TestInTxUndoesEverythingOnAnError(t *testing.T) {
	t.Parallel()
	db, add, count := things(t)
	err := db.InTx(t.Context(), func(ctx context.Context) error { return errors.Join(add(ctx, 1), errRefused) })
	require.ErrorIs(t, err, errRefused)
	require.Zero(t, count())
	err = db.WithTx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.ExecContext(ctx, "insert into things values (1)")
		return errors.Join(err, errRefused)
	})
	require.ErrorIs(t, err, errRefused)
	require.Zero(t, count())
}

func TestInTxUndoesEverythingOnAPanic(t *testing.T) {
	t.Parallel()
	db, add, count := things(t)
	require.Panics(t, func() {
		_ = db.InTx(t.Context(), func(ctx context.Context) error {
			require.NoError(t, add(ctx, 1))
			panic("in the middle")
		})
	})
	require.Zero(t, count())
}

func TestInJoinsTheTransactionOfTheContext(t *testing.T) {
	t.Parallel()
	db, add, count := things(t)
	require.False(t, database.InTransaction(t.Context()))
	require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error {
		require.True(t, database.InTransaction(ctx))
		require.NoError(t, add(ctx, 1))
		require.Zero(t, count(), "nobody else sees it before the commit")
		return nil
	}))
	require.Equal(t, 1, count())
}

// An inner transaction that fails takes its own part back and leaves the outer one usable.
func TestTransactionsNest(t *testing.T) {
	t.Parallel()
	db, add, count := things(t)
	require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error {
		require.NoError(t, add(ctx, 1))
		require.NoError(t, db.InTx(ctx, func(ctx context.Context) error { return add(ctx, 2) }))
		duplicate := db.InTx(ctx, func(ctx context.Context) error { return errors.Join(add(ctx, 3), add(ctx, 1)) })
		require.Equal(t, "things_pkey", database.Constraint(duplicate))
		return add(ctx, 4)
	}))
	require.Equal(t, 3, count())
	err := db.InTx(t.Context(), func(ctx context.Context) error {
		return errors.Join(db.InTx(ctx, func(ctx context.Context) error { return add(ctx, 5) }), errRefused)
	})
	require.ErrorIs(t, err, errRefused)
	require.Equal(t, 3, count(), "what the inner one did is undone with the outer one")
}

// The transaction of one database is not taken for that of another.
func TestATransactionBelongsToItsDatabase(t *testing.T) {
	t.Parallel()
	db, add, count := things(t)
	other := dbtest.New(t)
	require.NoError(t, other.InTx(t.Context(), func(ctx context.Context) error {
		require.Equal(t, bun.IDB(db.DB), db.In(ctx))
		return nil
	}))
	require.NoError(t, add(t.Context(), 1))
	require.Equal(t, 1, count())
}

// A context that is kept beyond its transaction fails instead of writing outside of it.
func TestAContextThatOutlivesItsTransactionIsRefused(t *testing.T) {
	t.Parallel()
	db, add, count := things(t)
	var kept context.Context
	require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error {
		kept = ctx
		return nil
	}))
	require.False(t, database.InTransaction(kept))
	require.Error(t, add(kept, 1))
	require.Zero(t, count())
}

func TestWhatWaitsForTheCommitHappensOnceAndNotAfterARollback(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	var happened []string
	note := func(word string) func() { return func() { happened = append(happened, word) } }
	undone := errors.New("undone")
	require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error {
		database.AfterCommit(ctx, note("outer"))
		require.NoError(t, db.InTx(ctx, func(ctx context.Context) error {
			database.AfterCommit(ctx, note("inner"))
			return nil
		}))
		require.ErrorIs(t, db.InTx(ctx, func(ctx context.Context) error {
			database.AfterCommit(ctx, note("undone"))
			return undone
		}), undone)
		require.Empty(t, happened)
		return nil
	}))
	require.Equal(t, []string{"outer", "inner"}, happened)
	require.ErrorIs(t, db.InTx(t.Context(), func(ctx context.Context) error {
		database.AfterCommit(ctx, note("undone"))
		return undone
	}), undone)
	database.AfterCommit(t.Context(), note("at once"))
	require.Equal(t, []string{"outer", "inner", "at once"}, happened)
}

package dbtest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"panel/platform/database"
)

// recorded opens a database whose guard tells the test instead of failing it.
func recorded(t *testing.T) (*database.DB, *guard) {
	t.Helper()
	g := &guard{QueryTracer: untraced{}}
	db, err := database.Open(t.Context(), DSN(t), database.Options{MaxConns: 4, Tracer: g})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db, g
}

// Every way to the pool is found while a transaction runs: bun, pgx, batches, COPY, and a transaction beside it.
func TestTheGuardFindsEveryQueryBesideATransaction(t *testing.T) {
	t.Parallel()
	for name, query := range map[string]func(ctx context.Context, db *database.DB) error{
		"bun": func(ctx context.Context, db *database.DB) error {
			return db.NewRaw("select 1").Scan(ctx, new(int))
		},
		"pool": func(ctx context.Context, db *database.DB) error {
			return db.Pool.QueryRow(ctx, "select 1").Scan(new(int))
		},
		"begin": func(ctx context.Context, db *database.DB) error { return beginBeside(ctx, db) },
		"batch": func(ctx context.Context, db *database.DB) error {
			batch := new(pgx.Batch)
			batch.Queue("select 1")
			return db.Pool.SendBatch(ctx, batch).Close()
		},
		"copy": func(ctx context.Context, db *database.DB) error {
			_, err := db.Pool.CopyFrom(ctx, pgx.Identifier{"no_such_table"}, []string{"a"}, pgx.CopyFromRows(nil))
			require.Error(t, err)
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, g := recorded(t)
			require.NoError(t, query(t.Context(), db))
			require.Empty(t, g.violations(), "no transaction runs")
			require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error { return query(ctx, db) }))
			require.Len(t, g.violations(), 1)
			require.Contains(t, g.violations()[0], "guard_test.go", "the place of the query is named")
		})
	}
}

func beginBeside(ctx context.Context, db *database.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	return tx.Rollback()
}

// Queries on the transaction itself, nested ones and those after its end are as they should be.
func TestTheGuardAcceptsWhatRunsInTheTransaction(t *testing.T) {
	t.Parallel()
	db, g := recorded(t)
	var one int
	require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error {
		require.NoError(t, db.In(ctx).NewRaw("select 1").Scan(ctx, &one))
		return db.InTx(ctx, func(ctx context.Context) error { return db.In(ctx).NewRaw("select 1").Scan(ctx, &one) })
	}))
	require.NoError(t, db.In(t.Context()).NewRaw("select 1").Scan(t.Context(), &one))
	require.Empty(t, g.violations())
}

package database_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/database"
	"panel/platform/database/dbtest"
)

type inner struct {
	ID    string `bun:"id,type:uuid"`
	Words []word `bun:"words,array"`
	Note  string `bun:"note"`
}

type word string

type outer struct {
	inner

	Facts map[string]int  `bun:"facts,type:jsonb"`
	Maybe *float64        `bun:"maybe"`
	At    *time.Time      `bun:"at"`
	Raw   json.RawMessage `bun:"raw,type:jsonb"`
	N     int             `bun:"n,scanonly"`
}

const oddRows = `select '0197f3a0-0000-7000-8000-000000000001'::uuid as id, array['a', 'b'] as words, null::text as note,
	'{"x": 1}'::jsonb as facts, 1.5::float8 as maybe, '2026-01-02 03:04:05+05'::timestamptz as at, '[1]'::jsonb as raw, ? + 1 as n
	union all select '0197f3a0-0000-7000-8000-000000000002', null, 'said', null, null, null, null, 2`

// What Read gives is what bun gives.
func TestReadGivesWhatBunGives(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	var byBun, read []outer
	require.NoError(t, db.NewRaw(oddRows, 6).Scan(t.Context(), &byBun))
	args := new(database.Arguments)
	require.NoError(t, database.Read(t.Context(), db, &read, db.NewRaw(oddRows, args.Add(6)), args))
	require.Len(t, read, 2)
	require.Equal(t, byBun, read)
	require.Equal(t, 7, read[0].N)
}

// One statement is prepared for all values; text that holds values would be prepared anew for each.
func TestReadPreparesOneStatementForAllValues(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error {
		for i := range 5 {
			args := new(database.Arguments)
			var n []int
			q := db.NewSelect().ColumnExpr("1 + ?", args.Add(i)).Where("'it''s' <> ?", args.Add("a 'quoted' ? one"))
			require.NoError(t, database.Read(ctx, db, &n, q, args))
			require.Equal(t, []int{i + 1}, n)
		}
		var texts []string
		require.NoError(t,
			db.In(ctx).NewRaw("select statement from pg_prepared_statements where statement like '%1 + %'").
				Scan(ctx, &texts))
		require.Len(t, texts, 1)
		return nil
	}))
}

// A short list of ids in a parameter would be planned anew each time.
func TestAnyOfIsPlannedOnceHoweverManyIDs(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error {
		_, err := db.In(ctx).NewRaw(`create temporary table things on commit drop as
			select gen_random_uuid() as id, n from generate_series(1, 2000) n`).Exec(ctx)
		require.NoError(t, err)
		_, err = db.In(ctx).NewRaw("create unique index on things (id)").Exec(ctx)
		require.NoError(t, err)
		var ids []string
		require.NoError(t, db.In(ctx).NewRaw("select id::text from things where n <= 3 order by n").Scan(ctx, &ids))
		for i := range 20 {
			asked := ids[:1+i%len(ids)]
			args := new(database.Arguments)
			var found []int
			q := db.NewSelect().TableExpr("things").Column("n").Where("id = ?", args.AnyOf(asked)).Order("n")
			require.NoError(t, database.Read(ctx, db, &found, q, args))
			require.Len(t, found, len(asked))
		}
		var anew int
		require.NoError(t, db.In(ctx).NewRaw(`select custom_plans from pg_prepared_statements
			where statement like '%things%' and statement not like '%pg_prepared%'`).Scan(ctx, &anew))
		require.LessOrEqual(t, anew, 5, "the server tries five times what a plan of its own would bring")
		return nil
	}))
}

// In a transaction Read sees what the transaction has written, and takes no second connection.
func TestReadTakesPartInTheTransaction(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	_, err := db.ExecContext(t.Context(), "create table noted (n int)")
	require.NoError(t, err)
	count := func(ctx context.Context) int {
		var n []int
		require.NoError(t, database.Read(ctx, db, &n, db.NewRaw("select count(*) from noted"), nil))
		return n[0]
	}
	require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error {
		_, err := db.In(ctx).NewRaw("insert into noted values (1)").Exec(ctx)
		require.NoError(t, err)
		require.Equal(t, 1, count(ctx))
		require.Equal(t, 0, count(t.Context()))
		return nil
	}))
	require.Equal(t, 1, count(t.Context()))
}

// What cannot be read is told with the column, and never left out.
func TestReadTellsWhatItCannotRead(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	var rows []inner
	require.ErrorContains(t, database.Read(t.Context(), db, &rows, db.NewRaw("select 1 as unknown_column, 2 as note"),
		nil), "unknown_column")
	var n []int
	require.Error(t, database.Read(t.Context(), db, &n, db.NewRaw("select 'x'"), nil))
	require.Error(t, database.Read(t.Context(), db, &n, db.NewRaw("select no_such_column"), nil))
}

package database_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"panel/platform/database"
	"panel/platform/database/dbtest"
)

type order struct {
	bun.BaseModel `bun:"table:orders"`

	ID      string         `bun:"id,pk,type:uuid"`
	Size    int            `bun:",notnull"`
	Labels  []string       `bun:"labels,array"`
	Facts   map[string]int `bun:",type:jsonb"`
	Note    *string
	Beside  *inner `bun:",type:jsonb"`
	SentAt  time.Time
	SeenAt  *time.Time
	Fragile bool
}

const orders = `create table orders (id uuid primary key, size bigint not null, labels text[], facts jsonb, note text,
	beside jsonb, sent_at timestamptz not null, seen_at timestamptz, fragile boolean not null)`

func someOrders() []order {
	note, at := "it's \\ a \"note\"\t\n?", time.Date(2026, 11, 23, 7, 0, 0, 123_456_000, time.UTC)
	return []order{
		{
			ID: database.NewID(), Size: -7, Labels: []string{"a,b", `{"q"}`, ""}, Facts: map[string]int{"x": 1},
			Note: &note, Beside: &inner{Note: "said"}, SentAt: at, SeenAt: &at, Fragile: true,
		},
		{ID: database.NewID(), Labels: []string{}, SentAt: at},
	}
}

// What Copy stores is what an insert of bun's stores.
func TestCopyStoresWhatAnInsertStores(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	_, err := db.ExecContext(t.Context(), orders)
	require.NoError(t, err)
	stored := func() (rows []string) {
		require.NoError(t, db.NewRaw("select p::text from orders p order by id").Scan(t.Context(), &rows))
		_, err := db.NewDelete().Model((*order)(nil)).Where("true").Exec(t.Context())
		require.NoError(t, err)
		return rows
	}
	rows := someOrders()
	_, err = db.NewInsert().Model(&rows).Exec(t.Context())
	require.NoError(t, err)
	inserted := stored()
	require.NoError(t, database.Copy(t.Context(), db, rows))
	require.Equal(t, inserted, stored())
	require.Len(t, inserted, 2)
	require.NoError(t, database.Copy[order](t.Context(), db, nil))
	require.Empty(t, stored())
}

func TestCopyTakesPartInTheTransaction(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	_, err := db.ExecContext(t.Context(), orders)
	require.NoError(t, err)
	undone := errors.New("undone")
	err = db.InTx(t.Context(), func(ctx context.Context) error {
		require.NoError(t, database.Copy(ctx, db, someOrders()))
		n, err := db.In(ctx).NewSelect().Model((*order)(nil)).Count(ctx)
		require.NoError(t, err)
		require.EqualValues(t, 2, n)
		return undone
	})
	require.ErrorIs(t, err, undone)
	n, err := db.NewSelect().Model((*order)(nil)).Count(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)
}

// Who copies learns of a broken constraint as from an insert.
func TestCopyTellsOfABrokenConstraint(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	_, err := db.ExecContext(t.Context(), orders)
	require.NoError(t, err)
	twice := someOrders()
	twice[1].ID = twice[0].ID
	var broken *pgconn.PgError
	require.ErrorAs(t, database.Copy(t.Context(), db, twice), &broken)
	require.Equal(t, "orders_pkey", broken.ConstraintName)
}

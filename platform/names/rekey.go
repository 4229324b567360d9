package names

import (
	"context"
	"fmt"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/platform/database"
)

// keyBatch is how many rows are read and keyed at a time.
const keyBatch = 5000

type keyedRow struct {
	ID, Name string
	Key      *string
}

// Rekey gives every row of a table the search key of its name: those that an older panel has written or renamed, and
// those of another folding. A row that is renamed meanwhile keeps the key that its writer gave it.
func Rekey(ctx context.Context, db *database.DB, table, column, keyColumn string) error {
	last := "00000000-0000-0000-0000-000000000000"
	for {
		var rows []keyedRow
		err := db.In(ctx).NewSelect().TableExpr(table).ColumnExpr("id, "+column+" as name, "+keyColumn+" as key").
			Where("id > ?", last).OrderExpr("id").Limit(keyBatch).Scan(ctx, &rows)
		if err != nil {
			return database.Fault(fmt.Errorf("read %s.%s to key it: %w", table, column, err), nil)
		}
		var ids, given, keys []string
		for _, row := range rows {
			last = row.ID
			if key := SearchKey(row.Name); row.Key == nil || *row.Key != key {
				ids, given, keys = append(ids, row.ID), append(given, row.Name), append(keys, key)
			}
		}
		if len(ids) > 0 {
			_, err = db.In(ctx).ExecContext(ctx, `update `+table+` as r set `+keyColumn+` = k.key
				from unnest(?::uuid[], ?::text[], ?::text[]) as k (id, name, key)
				where r.id = k.id and r.`+column+` = k.name`,
				pgdialect.Array(ids), pgdialect.Array(given), pgdialect.Array(keys))
		}
		if err != nil || len(rows) < keyBatch {
			return database.Fault(err, nil)
		}
	}
}

package database

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun/dialect/sqltype"
	"github.com/uptrace/bun/extra/bunjson"
	"github.com/uptrace/bun/schema"
)

// Copy inserts rows by COPY, all of their columns as bun knows them. It is for rows that are large or many: in an
// insert of bun's every value is written into the text of the statement, which the server reads again letter by letter.
// A nil pointer is null. With a transaction in the context it writes in that transaction. Errors are those of inserts.
func Copy[T any](ctx context.Context, db *DB, rows []T) error {
	if len(rows) == 0 {
		return nil
	}
	table := db.Table(reflect.TypeFor[T]())
	source := &copied[T]{rows: rows, fields: table.Fields, at: -1}
	copies := func(ctx context.Context, on querier) error {
		_, err := on.CopyFrom(ctx, pgx.Identifier(strings.Split(table.Name, ".")), source.columns(), source)
		return err
	}
	t := transactionOf(ctx)
	if t == nil || t.db != db {
		return copies(ctx, db.Pool)
	}
	return t.read(ctx, copies)
}

// copied gives the rows to COPY.
type copied[T any] struct {
	rows   []T
	fields []*schema.Field
	at     int
}

func (c *copied[T]) columns() []string {
	names := make([]string, len(c.fields))
	for i, f := range c.fields {
		names[i] = f.Name
	}
	return names
}

// Next goes on to the next row, if there is one.
func (c *copied[T]) Next() bool {
	c.at++
	return c.at < len(c.rows)
}

// Values are those of the row.
func (c *copied[T]) Values() ([]any, error) {
	row := reflect.ValueOf(&c.rows[c.at]).Elem()
	values := make([]any, len(c.fields))
	for i, f := range c.fields {
		value := f.Value(row)
		switch {
		case value.Kind() == reflect.Pointer && value.IsNil():
		case isJSON(f):
			text, err := bunjson.Marshal(value.Interface())
			if err != nil {
				return nil, fmt.Errorf("encode column %s: %w", f.Name, err)
			}
			values[i] = text
		default:
			values[i] = value.Interface()
		}
	}
	return values, nil
}

// Err has nothing to add to what Values said.
func (c *copied[T]) Err() error { return nil }

func isJSON(f *schema.Field) bool {
	kind := f.UserSQLType
	if kind == "" {
		kind = f.DiscoveredSQLType
	}
	return strings.EqualFold(kind, sqltype.JSON) || strings.EqualFold(kind, sqltype.JSONB)
}

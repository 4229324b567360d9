package database

import (
	"context"
	"database/sql/driver"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/schema"
)

// Arguments are what a query that Read runs compares with. They travel beside its text, so that the text is the same
// each time and the server need not read and plan it again. What chooses another plan, such as a limit or a state of a
// few, is better written into the text.
type Arguments struct{ values []any }

// Add gives what stands for the value in the text of the query. Without Arguments it is the value itself.
func (a *Arguments) Add(value any) any {
	if a == nil {
		if list, several := value.([]string); several {
			return pgdialect.Array(list)
		}
		return value
	}
	return bun.Safe(a.Place(value))
}

// Place is Add for text that is put together by hand.
func (a *Arguments) Place(value any) string {
	a.values = append(a.values, value)
	return "$" + strconv.Itoa(len(a.values))
}

// AnyOf gives the right side of a comparison with any of these ids, as in "n.id = ?". The planner sees the length of a
// parameter that is a list and plans each execution anew while that is short, which costs more than to read the rows;
// the length of a subquery it does not know, so one plan serves all.
func (a *Arguments) AnyOf(ids []string) any {
	return bun.Safe("any(array(select unnest(" + a.Place(ids) + "::uuid[])))")
}

func (a *Arguments) given() []any {
	if a == nil {
		return nil
	}
	return a.values
}

// Columns lists the columns of a row's type, each of the table that the alias names. A prepared statement names what it
// reads, because a table that gets another column may not change what it gives.
func Columns[T any](db *DB, alias string) string {
	fields := db.Table(reflect.TypeFor[T]()).Fields
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = alias + "." + string(f.SQLName)
	}
	return strings.Join(names, ", ")
}

// Read runs a query as a prepared statement and reads its rows: into structs by the names of their columns, as bun
// knows them, or into plain values when it has one column. It is for what is asked often and reads much: bun alone has
// each text planned anew, which costs more than a page of rows. With a transaction in the context it reads in that
// transaction.
func Read[T any](ctx context.Context, db *DB, into *[]T, q schema.QueryAppender, args *Arguments) error {
	text, err := q.AppendQuery(db.QueryGen(), nil)
	if err != nil {
		return fmt.Errorf("write a query: %w", err)
	}
	read := func(ctx context.Context, on querier) error {
		rows, err := on.Query(ctx, string(text), args.given()...)
		if err != nil {
			return err
		}
		defer rows.Close()
		*into, err = collect[T](db, rows)
		return err
	}
	t := transactionOf(ctx)
	if t == nil || t.db != db {
		return read(ctx, db.Pool)
	}
	return t.read(ctx, read)
}

// querier is a connection or a pool of them.
type querier interface {
	Query(ctx context.Context, text string, arguments ...any) (pgx.Rows, error)
	CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, rows pgx.CopyFromSource) (int64, error)
}

type reading func(ctx context.Context, on querier) error

type readingKey struct{}

// read hands the reading the transaction's connection, which database/sql keeps to itself: our driver runs it in place
// of the text.
func (t *transaction) read(ctx context.Context, do reading) error {
	rows, err := t.tx.Tx.QueryContext(context.WithValue(ctx, readingKey{}, do), "")
	if err != nil {
		return err
	}
	return rows.Close() //nolint:sqlclosecheck // nothing happens between
}

// nothing are the rows that database/sql sees of a reading.
type nothing struct{}

func (nothing) Columns() []string         { return nil }
func (nothing) Close() error              { return nil }
func (nothing) Next([]driver.Value) error { return io.EOF }

// usualPage is how many rows there are mostly where there is more than one.
const usualPage = 64

// collect reads all rows. A null leaves the zero value.
func collect[T any](db *DB, rows pgx.Rows) ([]T, error) {
	var out []T
	var columns []column
	for rows.Next() {
		if len(out) == 1 {
			out = slices.Grow(out, usualPage)
		}
		var zero T
		out = append(out, zero)
		row := reflect.ValueOf(&out[len(out)-1]).Elem()
		if columns == nil {
			found, err := columnsOf(db, rows, row)
			if err != nil {
				return nil, err
			}
			columns = found
		}
		for i, raw := range rows.RawValues() {
			if raw == nil {
				continue
			}
			if err := columns[i].plan.Scan(raw, columns[i].of(row).Addr().Interface()); err != nil {
				return nil, fmt.Errorf("read column %s: %w", rows.FieldDescriptions()[i].Name, err)
			}
		}
	}
	return out, rows.Err()
}

// column is where the values of one column go and how.
type column struct {
	field *schema.Field // nil for the row itself
	plan  pgtype.ScanPlan
}

func (c column) of(row reflect.Value) reflect.Value {
	if c.field == nil {
		return row
	}
	return c.field.Value(row)
}

func columnsOf(db *DB, rows pgx.Rows, row reflect.Value) ([]column, error) {
	described := rows.FieldDescriptions()
	columns := make([]column, len(described))
	whole := len(described) == 1 && row.Kind() != reflect.Struct
	for i, d := range described {
		if !whole {
			if columns[i].field = db.Table(row.Type()).LookupField(d.Name); columns[i].field == nil {
				return nil, fmt.Errorf("read column %s: %s has no field for it", d.Name, row.Type())
			}
		}
		columns[i].plan = rows.Conn().TypeMap().PlanScan(d.DataTypeOID, d.Format, columns[i].of(row).Addr().Interface())
	}
	return columns, nil
}

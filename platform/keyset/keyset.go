// Package keyset pages through lists of the database by the value of the last row seen, so that a deep page costs as
// much as the first.
package keyset

import (
	"cmp"
	"strings"

	"github.com/uptrace/bun"

	"panel/platform/database"
	"panel/platform/httpapi"
)

// Order is one way to sort a list: an expression over the table, the type of its value, and the column that breaks ties
// where it is not the list's own.
type Order struct {
	Expression string
	Kind       httpapi.CursorValue
	ID         string
}

// Keyset is one page of a list, as it was asked for.
type Keyset struct {
	Order
	desc  bool
	sort  string
	limit int
	after *httpapi.Cursor
}

// usualLimit is the size of a page that names none.
const usualLimit = 50

// New reads the page query. The list is sorted as usual says when the query names no order.
// Faults: bad_parameter (400) for an unknown sort field or a cursor of another list.
func New(query httpapi.PageQuery, idColumn, usual string, orders map[string]Order) (*Keyset, error) {
	sort := cmp.Or(query.Sort, usual)
	name, desc := strings.CutPrefix(sort, "-")
	by, known := orders[name]
	if !known {
		return nil, httpapi.ErrSort
	}
	k := &Keyset{Order: by, desc: desc, sort: sort, limit: cmp.Or(query.Limit, usualLimit)}
	k.ID = cmp.Or(k.ID, idColumn)
	after, err := httpapi.ReadCursor(query.Cursor, sort, by.Kind)
	k.after = after
	return k, err
}

// Apply adds the order, the start and one row more than the page holds, which shows whether there is a next one. The
// last row's sort_key is the value of the order. Where the query takes arguments, the start is two of them.
func (k *Keyset) Apply(q *bun.SelectQuery, args *database.Arguments) *bun.SelectQuery {
	than := ">"
	if k.desc {
		than = "<"
	}
	if k.after != nil {
		q = q.Where("(("+k.Expression+"), "+k.ID+") "+than+" (?::"+string(k.Kind)+", ?::uuid)",
			args.Add(k.after.Value), args.Add(k.after.ID))
	}
	return q.ColumnExpr("(" + k.Expression + ")::text AS sort_key").
		OrderExpr(k.Sorted()).Limit(int64(k.limit) + 1)
}

// Sorted is the order as SQL.
func (k *Keyset) Sorted() string { return k.SortedBy("("+k.Expression+")", k.ID) }

// SortedBy is the order over columns that hold the value and the id already, as those of a subquery do.
func (k *Keyset) SortedBy(value, id string) string {
	direction := "ASC"
	if k.desc {
		direction = "DESC"
	}
	return value + " " + direction + ", " + id + " " + direction
}

// next gives the cursor after the row.
func (k *Keyset) next(sortKey, id string) *string {
	return httpapi.Cursor{Sort: k.sort, Value: sortKey, ID: id}.Text()
}

// Page turns rows into items and cuts the row that was read too many.
func Page[R, T any](
	k *Keyset, rows []R, total int, item func(*R) T, last func(*R) (sortKey, id string),
) httpapi.Page[T] {
	out := httpapi.Page[T]{Items: []T{}, Total: total}
	if len(rows) > k.limit {
		rows = rows[:k.limit]
		out.NextCursor = k.next(last(&rows[len(rows)-1]))
	}
	for i := range rows {
		out.Items = append(out.Items, item(&rows[i]))
	}
	return out
}

package nodes

import (
	"strings"

	"github.com/uptrace/bun"

	"panel/platform/httpapi"
)

// order is one way to sort a list: an expression over the table, the type of its value, and the column that breaks ties
// where it is not the list's own.
type order struct {
	expression string
	kind       httpapi.CursorValue
	id         string
}

// keyset pages through a list by the value of the last row seen, so that a deep page costs as much as the first.
type keyset struct {
	order
	desc  bool
	sort  string
	limit int
	after *httpapi.Cursor
}

// newKeyset reads the page query. Faults: bad_parameter (400) for an unknown sort field or a cursor of another list.
func newKeyset(query httpapi.PageQuery, idColumn, usual string, orders map[string]order) (*keyset, error) {
	sort := query.Sort
	if sort == "" {
		sort = usual
	}
	name, desc := strings.CutPrefix(sort, "-")
	by, known := orders[name]
	if !known {
		return nil, httpapi.ErrSort
	}
	k := &keyset{order: by, desc: desc, sort: sort, limit: query.Limit}
	if k.id == "" {
		k.id = idColumn
	}
	if k.limit == 0 {
		k.limit = 50
	}
	after, err := httpapi.ReadCursor(query.Cursor, sort, by.kind)
	k.after = after
	return k, err
}

// apply adds the order, the start and one row more than the page holds, which tells whether there is a next one.
func (k *keyset) apply(q *bun.SelectQuery) *bun.SelectQuery {
	than := ">"
	if k.desc {
		than = "<"
	}
	if k.after != nil {
		q = q.Where("(("+k.expression+"), "+k.id+") "+than+" (?::"+string(k.kind)+", ?::uuid)", k.after.Value, k.after.ID)
	}
	return q.ColumnExpr("(" + k.expression + ")::text AS sort_key").
		OrderExpr(k.sorted()).Limit(int64(k.limit) + 1)
}

// sorted is the order as SQL.
func (k *keyset) sorted() string {
	direction := "ASC"
	if k.desc {
		direction = "DESC"
	}
	return "(" + k.expression + ") " + direction + ", " + k.id + " " + direction
}

// next gives the cursor after the row.
func (k *keyset) next(sortKey, id string) *string {
	return httpapi.Cursor{Sort: k.sort, Value: sortKey, ID: id}.Text()
}

// page turns rows into items and cuts the row that was read too many.
func page[R, T any](k *keyset, rows []R, total int, item func(*R) T, last func(*R) (sortKey, id string)) httpapi.Page[T] {
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

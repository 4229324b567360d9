package nodes

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/uptrace/bun"

	"panel/platform/fault"
	"panel/platform/httpapi"
)

// order is one way to sort a list: an expression over the table, the type of its value, and the column that breaks ties
// where it is not the list's own.
type order struct{ expression, kind, id string }

// keyset pages through a list by the value of the last row seen, so that a deep page costs as much as the first.
type keyset struct {
	order
	desc  bool
	sort  string
	limit int
	after *mark
}

// mark is the last row of a page.
type mark struct {
	Sort  string `json:"s"`
	Value string `json:"v"`
	ID    string `json:"i"`
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
		return nil, fault.Malformed("bad_parameter", "this list cannot be sorted by that field").Field("query.sort", "bad_parameter", "unknown field")
	}
	k := &keyset{order: by, desc: desc, sort: sort, limit: query.Limit}
	if k.id == "" {
		k.id = idColumn
	}
	if k.limit == 0 {
		k.limit = 50
	}
	return k, k.read(query.Cursor)
}

func (k *keyset) read(cursor string) error {
	if cursor == "" {
		return nil
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	after := new(mark)
	if err != nil || json.Unmarshal(text, after) != nil || after.Sort != k.sort {
		return fault.Malformed("bad_parameter", "the cursor does not belong to this list; start again without it").
			Field("query.cursor", "bad_parameter", "not a cursor of this list")
	}
	k.after = after
	return nil
}

// apply adds the order, the start and one row more than the page holds, which tells whether there is a next one.
func (k *keyset) apply(q *bun.SelectQuery) *bun.SelectQuery {
	than := ">"
	if k.desc {
		than = "<"
	}
	if k.after != nil {
		q = q.Where("(("+k.expression+"), "+k.id+") "+than+" (?::"+k.kind+", ?::uuid)", k.after.Value, k.after.ID)
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
	text, _ := json.Marshal(mark{Sort: k.sort, Value: sortKey, ID: id}) // three texts always encode
	cursor := base64.RawURLEncoding.EncodeToString(text)
	return &cursor
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

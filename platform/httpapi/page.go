package httpapi

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"panel/platform/fault"
	"panel/platform/pattern"
)

// Page is the answer of every list: rows, where the next page starts, how many rows match.
type Page[T any] struct {
	Items      []T     `json:"items"`
	NextCursor *string `json:"next_cursor" doc:"Pass as cursor to read on; null on the last page"`
	Total      int     `json:"total"`
}

// PageQuery is embedded in the input of every list.
type PageQuery struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Cursor string `query:"cursor" maxLength:"512"`
	Sort   string `query:"sort" maxLength:"64" doc:"Field to sort by; a leading minus turns the order"`
}

// Cursor is where a page ended: how the list was sorted, what its last row has there, and the row's id.
type Cursor struct {
	Sort  string `json:"s"`
	Value string `json:"v"`
	ID    string `json:"i"`
}

// Text is what a client passes on.
func (c Cursor) Text() *string {
	raw, _ := json.Marshal(c) // three texts always encode
	text := base64.RawURLEncoding.EncodeToString(raw)
	return &text
}

// CursorValue is what a list is sorted by; the words are types of the database, where the value is compared.
type CursorValue string

// The values that a cursor may hold.
const (
	CursorText   CursorValue = "text"
	CursorMoment CursorValue = "timestamptz"
	CursorNumber CursorValue = "float8"
)

// ErrCursor refuses a cursor that the list did not give.
var ErrCursor = fault.Malformed("bad_parameter", "the cursor does not belong to this list; start again without it").
	Field("query.cursor", "bad_parameter", "not a cursor of this list")

// ErrSort refuses an order that the list does not have.
var ErrSort = fault.Malformed("bad_parameter", "this list cannot be sorted by that field").
	Field("query.sort", "bad_parameter", "unknown field")

// ReadCursor gives what a cursor of a list in this order says; nil for the first page. A client may write what it likes
// into a cursor, so that only what the database can compare passes. Fault: bad_parameter (400).
func ReadCursor(text, sort string, value CursorValue) (*Cursor, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // the first page has none
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	c := new(Cursor)
	if err != nil || json.Unmarshal(raw, c) != nil || c.Sort != sort || len(c.ID) != 36 || uuid.Validate(c.ID) != nil ||
		!value.fits(c.Value) {
		return nil, ErrCursor
	}
	return c, nil
}

var decimal = pattern.Of(`^-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?$`)

// moments are the forms in which the database and the API write one.
var moments = []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07", "2006-01-02 15:04:05.999999999Z07:00"}

func (v CursorValue) fits(text string) bool {
	switch v {
	case CursorNumber:
		_, err := strconv.ParseFloat(text, 64)
		return err == nil && decimal().MatchString(text)
	case CursorMoment:
		return slices.ContainsFunc(moments, func(form string) bool {
			at, err := time.Parse(form, text)
			return err == nil && holdable(at)
		})
	case CursorText:
	}
	return !hasControl(text)
}

// ShortList is a list that is whole in memory: what tells its rows apart, and the orders that it has.
type ShortList[T any] struct {
	ID    func(T) string
	Sorts map[string]func(a, b T) int
	Usual string // the order when none is asked for
}

// Page sorts the rows and cuts one page out of them. Fault: bad_parameter (400).
func (l ShortList[T]) Page(rows []T, q PageQuery) (Page[T], error) {
	page := Page[T]{Items: []T{}, Total: len(rows)}
	if q.Sort == "" {
		q.Sort = l.Usual
	}
	after, err := ReadCursor(q.Cursor, q.Sort, CursorText)
	if err != nil {
		return page, err
	}
	rows, err = l.sorted(rows, q.Sort)
	if err != nil {
		return page, err
	}
	if after != nil {
		at := slices.IndexFunc(rows, func(row T) bool { return l.ID(row) == after.ID })
		if at < 0 {
			return page, ErrCursor
		}
		rows = rows[at+1:]
	}
	page.Items = append(page.Items, rows[:min(q.Limit, len(rows))]...)
	if len(rows) > q.Limit {
		page.NextCursor = Cursor{Sort: q.Sort, ID: l.ID(rows[q.Limit-1])}.Text()
	}
	return page, nil
}

func (l ShortList[T]) sorted(rows []T, sort string) ([]T, error) {
	name, down := strings.CutPrefix(sort, "-")
	compare := l.Sorts[name]
	if compare == nil {
		return nil, ErrSort
	}
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b T) int {
		order := compare(a, b)
		if order == 0 {
			order = strings.Compare(l.ID(a), l.ID(b))
		}
		if down {
			return -order
		}
		return order
	})
	return rows, nil
}

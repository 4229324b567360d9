package httpapi

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const someID = "0197f3a0-0000-7000-8000-000000000001"

// A cursor leads back to the place that it was made at, in the order that it was made for.
func TestACursorLeadsBackToItsPlace(t *testing.T) {
	t.Parallel()
	for value, kind := range map[string]CursorValue{
		"a name, and ' \" \\ 😀": CursorText, "": CursorText, "-12.5e3": CursorNumber, "0": CursorNumber,
		"2026-05-01T10:00:00.123456Z": CursorMoment, "2026-05-01 10:00:00.123456+00": CursorMoment,
	} {
		given := Cursor{Sort: "-name", Value: value, ID: someID}
		read, err := ReadCursor(*given.Text(), "-name", kind)
		require.NoError(t, err, value)
		require.Equal(t, &given, read)
		_, err = ReadCursor(*given.Text(), "name", kind)
		require.ErrorIs(t, err, ErrCursor, "it belongs to another order")
	}
	first, err := ReadCursor("", "name", CursorText)
	require.NoError(t, err)
	require.Nil(t, first)
}

// A client may write what it likes into a cursor: only what the database can compare reaches it, and everything else is
// the client's mistake.
func TestAForgedCursorIsRefused(t *testing.T) {
	t.Parallel()
	forged := func(c Cursor) string { return *c.Text() }
	for name, c := range map[string]struct {
		text string
		kind CursorValue
	}{
		"no base64":       {"%%%", CursorText},
		"padded base64":   {base64.StdEncoding.EncodeToString([]byte(`{"s":"name"}`)), CursorText},
		"no JSON":         {base64.RawURLEncoding.EncodeToString([]byte("name")), CursorText},
		"another type":    {base64.RawURLEncoding.EncodeToString([]byte(`{"s":7}`)), CursorText},
		"no id":           {forged(Cursor{Sort: "name", Value: "x"}), CursorText},
		"a wrong id":      {forged(Cursor{Sort: "name", Value: "x", ID: "' or 1=1"}), CursorText},
		"an id in braces": {forged(Cursor{Sort: "name", Value: "x", ID: "{" + someID + "}"}), CursorText},
		"a control sign":  {forged(Cursor{Sort: "name", Value: "a\x00b", ID: someID}), CursorText},
		"no number":       {forged(Cursor{Sort: "name", Value: "NaN", ID: someID}), CursorNumber},
		"infinite":        {forged(Cursor{Sort: "name", Value: "Infinity", ID: someID}), CursorNumber},
		"hexadecimal":     {forged(Cursor{Sort: "name", Value: "0x10", ID: someID}), CursorNumber},
		"too large":       {forged(Cursor{Sort: "name", Value: "1e999", ID: someID}), CursorNumber},
		"no moment":       {forged(Cursor{Sort: "name", Value: "now()", ID: someID}), CursorMoment},
		"an early year":   {forged(Cursor{Sort: "name", Value: "0000-01-01T00:00:00Z", ID: someID}), CursorMoment},
		"a late year":     {forged(Cursor{Sort: "name", Value: "9999-12-31T23:59:59-01:00", ID: someID}), CursorMoment},
	} {
		read, err := ReadCursor(c.text, "name", c.kind)
		require.ErrorIs(t, err, ErrCursor, name)
		require.Nil(t, read, name)
	}
}

// A short list keeps its order where rows are equal, so that no page repeats or leaves out a row.
func TestEqualRowsOfAShortListKeepTheirOrder(t *testing.T) {
	t.Parallel()
	type person struct{ id, name string }
	var all []person
	for n := range 9 {
		all = append(all, person{strings.TrimSuffix(someID, "1") + string(rune('1'+n)), []string{"anna", "boris"}[n%2]})
	}
	list := ShortList[person]{
		ID: func(p person) string { return p.id }, Usual: "name",
		Sorts: map[string]func(a, b person) int{
			"name": func(a, b person) int { return strings.Compare(a.name, b.name) },
		},
	}
	for _, sort := range []string{"name", "-name"} {
		var seen []string
		query := PageQuery{Limit: 2, Sort: sort}
		for more := true; more; {
			page, err := list.Page(all, query)
			require.NoError(t, err)
			for _, one := range page.Items {
				require.NotContains(t, seen, one.id)
				seen = append(seen, one.id)
			}
			if more = page.NextCursor != nil; more {
				query.Cursor = *page.NextCursor
			}
		}
		require.Len(t, seen, len(all), sort)
	}
	page, err := list.Page(nil, PageQuery{Limit: 2})
	require.NoError(t, err)
	require.NotNil(t, page.Items, "an empty page is an empty list")
	require.Nil(t, page.NextCursor)
}

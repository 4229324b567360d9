// Package bodies makes documents that the API's own description allows, and such that are right but for one thing, for
// tests that ask the same of every operation.
package bodies

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// API is the part of the API's description that says what an operation takes.
type API struct {
	Paths      map[string]map[string]Operation `json:"paths"`
	Components struct {
		Schemas map[string]*Schema `json:"schemas"`
	} `json:"components"`
}

// Operation is what the description says about one operation.
type Operation struct {
	Parameters  []Parameter                `json:"parameters"`
	Responses   map[string]json.RawMessage `json:"responses"`
	RequestBody struct {
		Content map[string]struct {
			Schema *Schema `json:"schema"`
		} `json:"content"`
	} `json:"requestBody"`
}

// Parameter is one of an operation.
type Parameter struct {
	Name     string  `json:"name"`
	In       string  `json:"in"`
	Required bool    `json:"required"`
	Schema   *Schema `json:"schema"`
}

// Schema is what one place of a document may hold.
type Schema struct {
	Ref        string             `json:"$ref"`
	Type       types              `json:"type"`
	Properties map[string]*Schema `json:"properties"`
	Items      *Schema            `json:"items"`
	Others     json.RawMessage    `json:"additionalProperties"`
	Enum       []any              `json:"enum"`
	Format     string             `json:"format"`
	Pattern    string             `json:"pattern"`
	MinLength  int                `json:"minLength"`
	MinItems   int                `json:"minItems"`
	Minimum    *json.Number       `json:"minimum"`
}

// types are one word or several.
type types []string

func (t *types) UnmarshalJSON(text []byte) error {
	if text[0] == '[' {
		return json.Unmarshal(text, (*[]string)(t))
	}
	*t = make(types, 1)
	return json.Unmarshal(text, &(*t)[0])
}

// Of is one operation.
func (d *API) Of(method, path string) Operation { return d.Paths[path][strings.ToLower(method)] }

// Body is the schema of what an operation takes as JSON, or nil.
func (o Operation) Body() *Schema { return o.RequestBody.Content["application/json"].Schema }

// Solved follows references.
func (d *API) Solved(s *Schema) *Schema {
	for s.Ref != "" {
		s = d.Components.Schemas[s.Ref[strings.LastIndex(s.Ref, "/")+1:]]
	}
	return s
}

// Kind is the type, without null.
func (s *Schema) Kind() string {
	for _, one := range s.Type {
		if one != "null" {
			return one
		}
	}
	return "anything"
}

// Nullable says whether null is allowed.
func (s *Schema) Nullable() bool { return slices.Contains(s.Type, "null") }

// Values is the schema of the members of a table, whose keys are data; nil where keys are fields.
func (s *Schema) Values(t testing.TB) *Schema {
	t.Helper()
	if len(s.Others) == 0 || s.Others[0] != '{' {
		return nil
	}
	of := new(Schema)
	require.NoError(t, json.Unmarshal(s.Others, of))
	return of
}

// Change is what makes a good document a bad one: at the path another value, a second member beside it, or more inside
// it.
type Change struct{ Path, Value, Beside, Inside string }

// writer makes documents in which every declared field stands, with a value that its declaration allows.
type writer struct {
	t      testing.TB
	of     *API
	change Change
	within []*Schema
	text   strings.Builder
}

// Document is one in which every declared field stands, but for the change.
func (d *API) Document(t testing.TB, s *Schema, c Change) string {
	t.Helper()
	w := &writer{t: t, of: d, change: c}
	w.value("", s)
	return w.text.String()
}

func (w *writer) value(path string, s *Schema) {
	s = w.of.Solved(s)
	if path == w.change.Path && w.change.Value != "" {
		w.text.WriteString(w.change.Value)
		return
	}
	w.within = append(w.within, s)
	switch s.Kind() {
	case "object":
		w.object(path, s)
	case "array":
		w.list(path, s)
	default:
		w.text.WriteString(Sample(w.t, s))
	}
	w.within = w.within[:len(w.within)-1]
}

func (w *writer) object(path string, s *Schema) {
	separator := "{"
	for _, name := range slices.Sorted(maps.Keys(members(w.t, s))) {
		of := w.of.Solved(members(w.t, s)[name])
		if slices.Contains(w.within, of) {
			continue // a type that holds itself
		}
		at := Below(path, name)
		w.text.WriteString(separator + strconv.Quote(name) + ":")
		w.value(at, of)
		if at == w.change.Path {
			w.text.WriteString(w.change.Beside)
		}
		separator = ","
	}
	if path == w.change.Path && w.change.Inside != "" {
		w.text.WriteString(separator + w.change.Inside)
		separator = ","
	}
	w.text.WriteString(strings.TrimPrefix(separator, ",") + "}")
}

func (w *writer) list(path string, s *Schema) {
	w.text.WriteString("[")
	for i := range max(1, s.MinItems) {
		if i > 0 {
			w.text.WriteString(",")
		}
		w.value(fmt.Sprintf("%s[%d]", path, i), s.Items)
	}
	w.text.WriteString("]")
}

// Below is the path of a member.
func Below(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }

// members are the fields of an object, or one of a table.
func members(t testing.TB, s *Schema) map[string]*Schema {
	t.Helper()
	if values := s.Values(t); values != nil {
		return map[string]*Schema{"k": values}
	}
	return s.Properties
}

// ID has the form of an identifier, and nothing has it.
const ID = "01900000-0000-7000-8000-000000000000"

// Sample is a value that the declaration allows.
func Sample(t testing.TB, s *Schema) string {
	t.Helper()
	if len(s.Enum) > 0 {
		text, err := json.Marshal(s.Enum[0])
		require.NoError(t, err)
		return string(text)
	}
	switch s.Kind() {
	case "boolean":
		return "true"
	case "integer", "number":
		if s.Minimum != nil {
			return s.Minimum.String()
		}
		return "1"
	case "string":
		return strconv.Quote(sampleText(t, s))
	}
	return `{"x":1}`
}

func sampleText(t testing.TB, s *Schema) string {
	t.Helper()
	switch s.Format {
	case "uuid":
		return ID
	case "date-time":
		return "2030-01-01T00:00:00Z"
	}
	for _, text := range []string{"aaaaaaaaaaaaaaaa"[:max(1, min(s.MinLength, 16))], "AA", "EUR", "07:30", "10-20", "#2563eb"} {
		if s.Pattern == "" || regexp.MustCompile(s.Pattern).MatchString(text) {
			return text
		}
	}
	t.Fatalf("no text that matches %s: add one here", s.Pattern)
	return ""
}

// Place is one position in a document.
type Place struct {
	Path, Parent, Name string
	Schema             *Schema
}

// Places are all positions in the documents of a schema: the document itself, fields, items, members of tables.
func (d *API) Places(t testing.TB, s *Schema) []Place {
	t.Helper()
	var found []Place
	var visit func(p Place, within []*Schema)
	visit = func(p Place, within []*Schema) {
		p.Schema = d.Solved(p.Schema)
		if slices.Contains(within, p.Schema) {
			return
		}
		found = append(found, p)
		within = append(within, p.Schema)
		switch p.Schema.Kind() {
		case "array":
			visit(Place{Path: p.Path + "[0]", Schema: p.Schema.Items}, within)
		case "object":
			all := members(t, p.Schema)
			for _, name := range slices.Sorted(maps.Keys(all)) {
				visit(Place{Path: Below(p.Path, name), Parent: p.Path, Name: name, Schema: all[name]}, within)
			}
		}
	}
	visit(Place{Schema: s}, nil)
	return found
}

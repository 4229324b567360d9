package app_test

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

// described is the part of the API's description that says what an operation takes.
type described struct {
	Paths      map[string]map[string]describedOperation `json:"paths"`
	Components struct {
		Schemas map[string]*schema `json:"schemas"`
	} `json:"components"`
}

type describedOperation struct {
	Parameters  []parameterOf              `json:"parameters"`
	Responses   map[string]json.RawMessage `json:"responses"`
	RequestBody struct {
		Content map[string]struct {
			Schema *schema `json:"schema"`
		} `json:"content"`
	} `json:"requestBody"`
}

type parameterOf struct {
	Name     string  `json:"name"`
	In       string  `json:"in"`
	Required bool    `json:"required"`
	Schema   *schema `json:"schema"`
}

type schema struct {
	Ref        string             `json:"$ref"`
	Type       types              `json:"type"`
	Properties map[string]*schema `json:"properties"`
	Items      *schema            `json:"items"`
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

func (d *described) of(line policy) describedOperation {
	return d.Paths[line.path][strings.ToLower(line.method)]
}

// body is the schema of what the operation takes as JSON, or nil.
func (d *described) body(line policy) *schema {
	return d.of(line).RequestBody.Content["application/json"].Schema
}

func (d *described) solved(s *schema) *schema {
	for s.Ref != "" {
		s = d.Components.Schemas[s.Ref[strings.LastIndex(s.Ref, "/")+1:]]
	}
	return s
}

func (s *schema) kind() string {
	for _, one := range s.Type {
		if one != "null" {
			return one
		}
	}
	return "anything"
}

func (s *schema) nullable() bool { return slices.Contains(s.Type, "null") }

// values is the schema of the members of a table, whose keys are data; nil where keys are fields.
func (s *schema) values(t *testing.T) *schema {
	t.Helper()
	if len(s.Others) == 0 || s.Others[0] != '{' {
		return nil
	}
	of := new(schema)
	require.NoError(t, json.Unmarshal(s.Others, of))
	return of
}

// change is what makes a good document a bad one: at the path another value, a second member beside it, or more inside it.
type change struct{ path, value, beside, inside string }

// writer makes documents in which every declared field stands, with a value that its declaration allows.
type writer struct {
	t      *testing.T
	of     *described
	change change
	within []*schema
	text   strings.Builder
}

func (d *described) document(t *testing.T, s *schema, c change) string {
	t.Helper()
	w := &writer{t: t, of: d, change: c}
	w.value("", s)
	return w.text.String()
}

func (w *writer) value(path string, s *schema) {
	s = w.of.solved(s)
	if path == w.change.path && w.change.value != "" {
		w.text.WriteString(w.change.value)
		return
	}
	w.within = append(w.within, s)
	switch s.kind() {
	case "object":
		w.object(path, s)
	case "array":
		w.list(path, s)
	default:
		w.text.WriteString(sample(w.t, s))
	}
	w.within = w.within[:len(w.within)-1]
}

func (w *writer) object(path string, s *schema) {
	separator := "{"
	for _, name := range slices.Sorted(maps.Keys(members(w.t, s))) {
		of := w.of.solved(members(w.t, s)[name])
		if slices.Contains(w.within, of) {
			continue // a type that holds itself
		}
		at := below(path, name)
		w.text.WriteString(separator + strconv.Quote(name) + ":")
		w.value(at, of)
		if at == w.change.path {
			w.text.WriteString(w.change.beside)
		}
		separator = ","
	}
	if path == w.change.path && w.change.inside != "" {
		w.text.WriteString(separator + w.change.inside)
		separator = ","
	}
	w.text.WriteString(strings.TrimPrefix(separator, ",") + "}")
}

func (w *writer) list(path string, s *schema) {
	w.text.WriteString("[")
	for i := range max(1, s.MinItems) {
		if i > 0 {
			w.text.WriteString(",")
		}
		w.value(fmt.Sprintf("%s[%d]", path, i), s.Items)
	}
	w.text.WriteString("]")
}

func below(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }

// members are the fields of an object, or one of a table.
func members(t *testing.T, s *schema) map[string]*schema {
	t.Helper()
	if values := s.values(t); values != nil {
		return map[string]*schema{"k": values}
	}
	return s.Properties
}

const someID = "01900000-0000-7000-8000-000000000000"

// sample is a value that the declaration allows.
func sample(t *testing.T, s *schema) string {
	t.Helper()
	if len(s.Enum) > 0 {
		text, err := json.Marshal(s.Enum[0])
		require.NoError(t, err)
		return string(text)
	}
	switch s.kind() {
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

func sampleText(t *testing.T, s *schema) string {
	t.Helper()
	switch s.Format {
	case "uuid":
		return someID
	case "date-time":
		return "2030-01-01T00:00:00Z"
	}
	for _, text := range []string{"aaaaaaaaaaaaaaaa"[:max(1, min(s.MinLength, 16))], "AA"} {
		if s.Pattern == "" || regexp.MustCompile(s.Pattern).MatchString(text) {
			return text
		}
	}
	t.Fatalf("no text that matches %s: add one here", s.Pattern)
	return ""
}

// place is one position in a document.
type place struct {
	path, parent, name string
	schema             *schema
}

// places are all positions in the documents of a schema: the document itself, fields, items, members of tables.
func (d *described) places(t *testing.T, s *schema) []place {
	t.Helper()
	var found []place
	var visit func(p place, within []*schema)
	visit = func(p place, within []*schema) {
		p.schema = d.solved(p.schema)
		if slices.Contains(within, p.schema) {
			return
		}
		found = append(found, p)
		within = append(within, p.schema)
		switch p.schema.kind() {
		case "array":
			visit(place{path: p.path + "[0]", schema: p.schema.Items}, within)
		case "object":
			all := members(t, p.schema)
			for _, name := range slices.Sorted(maps.Keys(all)) {
				visit(place{path: below(p.path, name), parent: p.path, name: name, schema: all[name]}, within)
			}
		}
	}
	visit(place{schema: s}, nil)
	return found
}

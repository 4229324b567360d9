package paneltest

import (
	"bytes"
	"encoding"
	"encoding/json"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/stretchr/testify/require"
)

// whole demands of every answer of a typed operation that no list and no table in it is null: the description says
// array or object, and a program that counts or walks through one breaks on null. An empty list is [].
func (a *Answer) whole(method, path string) {
	a.panel.t.Helper()
	if a.Status >= http.StatusMultipleChoices || !bytes.Contains(a.Body, []byte("null")) {
		return
	}
	answer := a.panel.answerOf(method, path)
	if answer == nil {
		return
	}
	var value any
	require.NoError(a.panel.t, json.Unmarshal(a.Body, &value))
	if place := nullIn(answer, value, ""); place != "" {
		a.panel.t.Errorf("%s %s answers with null at %s, which is a list or a table: %.1000s", method, path, place,
			a.Body)
	}
}

// answerOf is the type of the body that an operation answers with; nil where none has one.
func (p *Panel) answerOf(method, path string) reflect.Type {
	path, _, _ = strings.Cut(path, "?")
	var found reflect.Type
	literals := -1
	for _, op := range p.App.Server().Routes() {
		if op.Method != method {
			continue
		}
		n, fits := literalsOf(op.Path, path)
		if !fits || n <= literals {
			continue
		}
		found, literals = nil, n
		if op.Answer() != nil {
			if body, has := op.Answer().FieldByName("Body"); has {
				found = body.Type
			}
		}
	}
	return found
}

// literalsOf counts the parts of a path that an operation names; an operation that names more takes the request.
func literalsOf(pattern, path string) (count int, fits bool) {
	parts, given := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(parts) != len(given) {
		return 0, false
	}
	for i, part := range parts {
		switch {
		case part == given[i]:
			count++
		case !strings.HasPrefix(part, "{"):
			return 0, false
		}
	}
	return count, true
}

var (
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

// nullIn gives the place of the first list or table that is null, or nothing. What writes its JSON itself and what has
// no type are not looked into.
func nullIn(t reflect.Type, value any, at string) string {
	if t.Implements(jsonMarshaler) || t.Implements(textMarshaler) || reflect.PointerTo(t).Implements(jsonMarshaler) {
		return ""
	}
	switch t.Kind() {
	case reflect.Pointer:
		if value == nil {
			return ""
		}
		return nullIn(t.Elem(), value, at)
	case reflect.Slice, reflect.Array:
		return nullInList(t, value, at)
	case reflect.Map:
		return nullInTable(t, value, at)
	case reflect.Struct:
		return nullInStruct(t, value, at)
	default:
		return ""
	}
}

func nullInList(t reflect.Type, value any, at string) string {
	if t.Elem().Kind() == reflect.Uint8 {
		return "" // bytes are a text
	}
	if value == nil {
		return at + "[]"
	}
	items, _ := value.([]any)
	for i, item := range items {
		if found := nullIn(t.Elem(), item, at+"["+strconv.Itoa(i)+"]"); found != "" {
			return found
		}
	}
	return ""
}

func nullInTable(t reflect.Type, value any, at string) string {
	if value == nil {
		return at + "{}"
	}
	members, _ := value.(map[string]any)
	for name, member := range members {
		if found := nullIn(t.Elem(), member, at+"."+name); found != "" {
			return found
		}
	}
	return ""
}

func nullInStruct(t reflect.Type, value any, at string) string {
	members, _ := value.(map[string]any)
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" || !field.IsExported() && !field.Anonymous || field.Tag.Get("nullable") == "true" {
			continue
		}
		inner, present, place := value, true, at
		if !field.Anonymous || name != "" {
			if name == "" {
				name = field.Name
			}
			inner, present = members[name]
			place = at + "." + name
		}
		if !present {
			continue
		}
		if found := nullIn(field.Type, inner, place); found != "" {
			return found
		}
	}
	return ""
}

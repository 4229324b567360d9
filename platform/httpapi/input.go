package httpapi

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"panel/platform/fault"
)

// places are the tags that say where a field of an input comes from.
var places = []string{"path", "query", "header", "cookie", "json"}

// checkInput refuses what the libraries would pass over in silence: a field or an embedded struct that is not exported,
// although its tags say that something is to be read into it.
func checkInput(t reflect.Type, seen map[reflect.Type]bool) error {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array ||
		t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return nil
	}
	seen[t] = true
	for i := range t.NumField() {
		field := t.Field(i)
		switch {
		case !field.IsExported() && field.Anonymous && reads(field.Type):
			return fmt.Errorf("its input embeds %s, which is not exported, so that nothing would be read into it; export the type", field.Type)
		case !field.IsExported() && tagged(field):
			return fmt.Errorf("the field %s of its input %s has a tag and is not exported, so that nothing would be read into it", field.Name, t)
		case field.IsExported():
			if err := checkInput(field.Type, seen); err != nil {
				return err
			}
		}
	}
	return nil
}

func tagged(field reflect.StructField) bool {
	for _, place := range places {
		if name, has := field.Tag.Lookup(place); has && name != "-" {
			return true
		}
	}
	return false
}

// reads tells whether something is read into a struct: it has a body or a field with a place.
func reads(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		field := t.Field(i)
		if tagged(field) || field.Name == "Body" || field.Anonymous && reads(field.Type) {
			return true
		}
	}
	return false
}

// Revision is the one that a change starts from, from the body or from If-Match. Fault: missing_field (400).
func Revision(inBody *int64, ifMatch string) (int64, error) {
	if inBody != nil {
		return *inBody, nil
	}
	if n, err := strconv.ParseInt(strings.Trim(strings.TrimPrefix(ifMatch, "W/"), `"`), 10, 64); err == nil {
		return n, nil
	}
	return 0, fault.Malformed("missing_field",
		"send the revision that the change starts from, in the body or as If-Match").
		Field("revision", "missing_field", "required")
}

// ErrRevision says that a change starts from a revision that is no longer the current one.
var ErrRevision = fault.Conflict("revision_conflict",
	"somebody else changed this in the meantime; read it again and repeat the change")

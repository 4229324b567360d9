package httpapi

import (
	"fmt"
	"reflect"
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

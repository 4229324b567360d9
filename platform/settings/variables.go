package settings

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"panel/platform/audit"
	"panel/platform/config"
)

// Variable is the variable that gives a field its default, and which of both holds.
type Variable struct {
	Field string `json:"field" doc:"Field of the settings"`
	Name  string `json:"variable" doc:"Variable of the panel's environment"`
	Given bool   `json:"given" doc:"The operator set the variable"`
	Value string `json:"value" doc:"What the variable says; its default where it is not set"`
	Holds bool   `json:"holds" doc:"true: the variable holds; false: what is stored in the settings"`
}

// DefaultsTo names the variable that holds while a field of the document, one of its outer ones, is empty. Such a field
// is "omitempty", and its default is what the variable says. Call it right after Open.
func (d *Doc[T]) DefaultsTo(cfg *config.Config, field string, key config.Key) *Doc[T] {
	if !fields(&d.defaults)[field].IsValid() {
		//nolint:forbidigo // a mistake in the code, which every start shows
		panic(fmt.Sprintf("the settings %s have no field %s", d.name, field))
	}
	if key.Secret {
		//nolint:forbidigo // as above
		panic(fmt.Sprintf("%s is secret and cannot be shown in the settings %s", key.Name, d.name))
	}
	d.variables = append(d.variables, Variable{
		Field: field, Name: key.Name, Given: cfg.Given(key), Value: cfg.String(key), Holds: true,
	})
	return d
}

// fill gives empty fields what their variable says, and their names.
func (d *Doc[T]) fill(value *T) (unset []string) {
	given, usual := fields(value), fields(&d.defaults)
	for _, v := range d.variables {
		if given[v.Field].IsZero() {
			given[v.Field].Set(usual[v.Field])
			unset = append(unset, v.Field)
		}
	}
	return unset
}

// holding says of each variable whether it holds beside a stored document.
func (d *Doc[T]) holding(text []byte) ([]Variable, error) {
	if len(d.variables) == 0 {
		return nil, nil
	}
	var stored map[string]json.RawMessage
	if err := json.Unmarshal(text, &stored); err != nil {
		return nil, err
	}
	all := slices.Clone(d.variables)
	for i := range all {
		_, own := stored[all[i].Field]
		all[i].Holds = !own
	}
	return all, nil
}

// without is the JSON form of a document without some of its fields.
func without(document any, names []string) ([]byte, error) {
	text, err := json.Marshal(document)
	if err != nil || len(names) == 0 {
		return text, err
	}
	var tree map[string]json.RawMessage
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil, err
	}
	for _, name := range names {
		delete(tree, name)
	}
	return json.Marshal(tree)
}

// sourceChanges adds the fields that go over from their variable to the document or back, also where both say the same.
func sourceChanges(changes map[string]audit.Change, before, after []Variable) {
	for i := range min(len(before), len(after)) {
		was, is := before[i], after[i]
		if was.Holds == is.Holds {
			continue
		}
		change, differs := changes[is.Field]
		if !differs {
			change = audit.Change{From: is.Value, To: is.Value}
		}
		variable := is.Name + ": " + is.Value
		if was.Holds {
			change.From = variable
		} else {
			change.To = variable
		}
		changes[is.Field] = change
	}
}

// fields finds the outer fields of a document by their JSON names.
func fields(document any) map[string]reflect.Value {
	value := reflect.ValueOf(document).Elem()
	found := map[string]reflect.Value{}
	for i := range value.NumField() {
		name, _, _ := strings.Cut(value.Type().Field(i).Tag.Get("json"), ",")
		if value.Type().Field(i).IsExported() && name != "-" {
			found[name] = value.Field(i)
		}
	}
	return found
}

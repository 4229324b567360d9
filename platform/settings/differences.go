package settings

import (
	"encoding/json"
	"maps"
	"reflect"

	"panel/platform/audit"
)

// differences lists what a change alters, by JSON path. Of secrets it says whether they are set, and that they changed.
func differences(before, after any) (map[string]audit.Change, error) {
	old, err := flatten(before)
	if err != nil {
		return nil, err
	}
	next, err := flatten(after)
	if err != nil {
		return nil, err
	}
	changes := map[string]audit.Change{}
	for path := range maps.Keys(merged(old, next)) {
		if !reflect.DeepEqual(old[path], next[path]) {
			changes[path] = audit.Change{From: old[path], To: next[path]}
		}
	}
	stored := secrets(before)
	for path, field := range secrets(after) {
		delete(changes, path)
		if stored[path].Reveal() != field.Reveal() {
			changes[path] = audit.Change{From: word(stored[path]), To: word(field)}
		}
	}
	return changes, nil
}

func word(secret *Secret) string {
	if secret.Set() {
		return "set"
	}
	return "unset"
}

func merged(a, b map[string]any) map[string]any {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// flatten gives the values of a document by their path; lists are values.
func flatten(document any) (map[string]any, error) {
	text, err := json.Marshal(document)
	if err != nil {
		return nil, err
	}
	var tree map[string]any
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil, err
	}
	flat := map[string]any{}
	spread(tree, "", flat)
	return flat, nil
}

func spread(tree map[string]any, path string, flat map[string]any) {
	for name, value := range tree {
		if inner, nested := value.(map[string]any); nested {
			spread(inner, path+name+".", flat)
			continue
		}
		flat[path+name] = value
	}
}

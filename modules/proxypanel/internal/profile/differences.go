package profile

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Difference is one field of a configuration that is not as it was written. A secret value is Hidden.
type Difference struct {
	Name   string // tag of the inbound or outbound; empty for the rest of the configuration
	Field  string // path within it, "streamSettings.network"
	Ours   string // empty: it is not in ours
	Theirs string // empty: it is not in theirs
}

// Hidden stands for a value that must not be shown.
const Hidden = "***"

// Most differences are told of one configuration, and most characters of one value.
const (
	Most      = 50
	mostValue = 200
)

// Compare lists what differs, at most Most of it.
func Compare(ours, theirs json.RawMessage) []Difference {
	before, after := leaves(ours), leaves(theirs)
	paths := map[path]bool{}
	for p := range before {
		paths[p] = true
	}
	for p := range after {
		paths[p] = true
	}
	found := []Difference{}
	for _, p := range slices.SortedFunc(maps.Keys(paths), path.compare) {
		if before[p] == after[p] {
			continue
		}
		if len(found) == Most {
			break
		}
		found = append(found, Difference{p.name, p.field, p.shown(before[p]), p.shown(after[p])})
	}
	return found
}

type path struct{ name, field string }

func (p path) compare(other path) int {
	if by := strings.Compare(p.name, other.name); by != 0 {
		return by
	}
	return strings.Compare(p.field, other.field)
}

// secret are words in the names of fields whose values are never shown.
var secret = []string{"key", "password", "secret", "clients", "users", "shortid", "certificate", ".id", "auth", "seed"}

func (p path) shown(value string) string {
	if value == "" {
		return ""
	}
	field := "." + strings.ToLower(p.field)
	if slices.ContainsFunc(secret, func(word string) bool { return strings.Contains(field, word) }) {
		return Hidden
	}
	if runes := []rune(value); len(runes) > mostValue {
		return string(runes[:mostValue]) + "…"
	}
	return value
}

// leaves are the values of a configuration by their paths. Inbounds and outbounds go by their tags.
func leaves(text json.RawMessage) map[path]string {
	all := map[path]string{}
	written, good := canonical(text)
	var whole map[string]any
	if !good || json.Unmarshal(written, &whole) != nil {
		return all
	}
	for name, value := range whole {
		list, is := value.([]any)
		if !is || name != "inbounds" && name != "outbounds" {
			collect(all, "", name, value)
			continue
		}
		for i, one := range list {
			member, _ := one.(map[string]any)
			tag, _ := member["tag"].(string)
			if tag == "" {
				tag = fmt.Sprintf("%s[%d]", name, i)
			}
			collect(all, tag, "", one)
		}
	}
	return all
}

func collect(all map[path]string, name, field string, value any) {
	switch value := value.(type) {
	case map[string]any:
		for key, member := range value {
			collect(all, name, strings.TrimPrefix(field+"."+key, "."), member)
		}
	case []any:
		if len(value) == 0 {
			all[path{name, field}] = "[]"
		}
		for i, member := range value {
			collect(all, name, fmt.Sprintf("%s[%d]", field, i), member)
		}
	default:
		text, _ := json.Marshal(value)
		all[path{name, field}] = strings.Trim(string(text), `"`)
	}
}

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

// Compare lists what differs, at most Most of it. Of two configurations that are not the Same it always lists
// something: what is not listed cannot be overwritten.
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
		ours, theirs := before[p], after[p]
		found = append(found, Difference{p.name, p.field, p.shown(ours, theirs), p.shown(theirs, ours)})
	}
	if len(found) == 0 && len(before) > 0 && !Same(ours, theirs) {
		found = append(found, Difference{Field: "sequence", Ours: sequence(ours), Theirs: sequence(theirs)})
	}
	return found
}

// sequence are the tags of a configuration in their order: the first outbound takes what no rule has decided about.
func sequence(config json.RawMessage) string {
	var whole struct{ Inbounds, Outbounds []json.RawMessage }
	_ = json.Unmarshal(config, &whole)
	tags := []string{}
	for _, one := range append(whole.Inbounds, whole.Outbounds...) {
		tags = append(tags, tagOf(one))
	}
	return cut(strings.Join(tags, ", "))
}

type path struct{ name, field string }

func (p path) compare(other path) int {
	if by := strings.Compare(p.name, other.name); by != 0 {
		return by
	}
	return strings.Compare(p.field, other.field)
}

// secret are words in the names of fields whose values are never shown.
var secret = []string{
	"key", "pass", "secret", "clients", "users", "accounts", "shortid", "certificate", ".id", "auth", "seed", "cryption",
}

// shown is a value as people read it: a text without its quotes, unless these are all that tells it from the other one.
func (p path) shown(value, other string) string {
	field := "." + strings.ToLower(p.field)
	plain := strings.Trim(value, `"`)
	switch {
	case value == "":
		return ""
	case slices.ContainsFunc(secret, func(word string) bool { return strings.Contains(field, word) }):
		return Hidden
	case plain == "" || plain == strings.Trim(other, `"`):
		return cut(value)
	}
	return cut(plain)
}

func cut(text string) string {
	if runes := []rune(text); len(runes) > mostValue {
		return string(runes[:mostValue]) + "…"
	}
	return text
}

// leaves are the values of a configuration by their paths, as JSON. Inbounds and outbounds go by their tags; one
// without a tag, or with one that another has, goes by its place.
func leaves(text json.RawMessage) map[path]string {
	all := map[path]string{}
	written, good := canonical(text)
	var whole map[string]any
	if !good || json.Unmarshal(written, &whole) != nil {
		return all
	}
	taken := map[string]bool{"": true}
	for _, list := range []string{"inbounds", "outbounds"} {
		members, is := whole[list].([]any)
		if !is {
			continue
		}
		delete(whole, list)
		for i, one := range members {
			member, _ := one.(map[string]any)
			name, _ := member["tag"].(string)
			if taken[name] {
				name = fmt.Sprintf("%s[%d]", list, i)
			}
			taken[name] = true
			collect(all, name, "", one)
		}
	}
	for name, value := range whole {
		collect(all, "", name, value)
	}
	return all
}

func collect(all map[path]string, name, field string, value any) {
	switch value := value.(type) {
	case map[string]any:
		if len(value) == 0 {
			all[path{name, field}] = "{}"
		}
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
		all[path{name, field}] = string(text)
	}
}

// Package profile makes the configuration that a node of a proxy panel runs for entries of flows, and compares two.
//
// A configuration is that of Xray. All of it follows from its parts, so that whoever makes it again from the same parts
// makes the same.
package profile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Part is what one entry adds to a configuration. It holds secrets.
type Part struct {
	Tag       string            `json:"tag"`
	Inbound   json.RawMessage   `json:"inbound"` // without users: the proxy panel puts its own there
	Outbounds []json.RawMessage `json:"outbounds"`
	Rules     []json.RawMessage `json:"rules"`
	Resolves  bool              `json:"resolves"` // its rules need the addresses of names
}

// blocked is the first outbound, which takes what no rule has decided about.
const blocked = `{"tag":"flow.unmatched","protocol":"blackhole"}`

type routing struct {
	Strategy string            `json:"domainStrategy"`
	Rules    []json.RawMessage `json:"rules"`
}

type config struct {
	Inbounds  []json.RawMessage `json:"inbounds"`
	Outbounds []json.RawMessage `json:"outbounds"`
	Routing   routing           `json:"routing"`
}

// Build makes the configuration of some parts, at least one. Two that have an outbound in common share it; one tag for
// two different outbounds is an error.
func Build(parts []Part) (json.RawMessage, error) {
	made := config{
		Inbounds: []json.RawMessage{}, Outbounds: []json.RawMessage{json.RawMessage(blocked)},
		Routing: routing{Strategy: "AsIs", Rules: []json.RawMessage{}},
	}
	known := map[string]json.RawMessage{tagOf(made.Outbounds[0]): made.Outbounds[0]}
	for _, part := range sorted(parts) {
		if tagOf(part.Inbound) != part.Tag {
			return nil, fmt.Errorf("the inbound %s has another tag: %s", part.Tag, tagOf(part.Inbound))
		}
		made.Inbounds = append(made.Inbounds, part.Inbound)
		for _, one := range part.Outbounds {
			tag := tagOf(one)
			before, has := known[tag]
			switch {
			case !has:
				known[tag] = one
				made.Outbounds = append(made.Outbounds, one)
			case !Same(before, one):
				return nil, fmt.Errorf("two different outbounds have the tag %q", tag)
			}
		}
		made.Routing.Rules = append(made.Routing.Rules, part.Rules...)
		if part.Resolves {
			made.Routing.Strategy = "IPOnDemand"
		}
	}
	text, err := json.Marshal(made)
	if err != nil {
		return nil, fmt.Errorf("write the configuration of a profile: %w", err)
	}
	return text, nil
}

// Minimal makes the barest configuration with the inbounds of some parts. A proxy panel hides why it refuses the
// configuration that a profile begins with, and takes none without inbounds.
func Minimal(parts []Part) (json.RawMessage, error) {
	bare := make([]Part, 0, len(parts))
	for _, part := range parts {
		var given struct {
			Port any `json:"port"`
		}
		if err := json.Unmarshal(part.Inbound, &given); err != nil {
			return nil, fmt.Errorf("read the inbound %s: %w", part.Tag, err)
		}
		text, err := json.Marshal(map[string]any{
			"tag": part.Tag, "port": given.Port, "protocol": "vless", "settings": map[string]any{"decryption": "none"},
		})
		if err != nil {
			return nil, fmt.Errorf("write the inbound %s: %w", part.Tag, err)
		}
		bare = append(bare, Part{Tag: part.Tag, Inbound: text})
	}
	return Build(bare)
}

func sorted(parts []Part) []Part {
	return slices.SortedFunc(slices.Values(parts), func(a, b Part) int { return strings.Compare(a.Tag, b.Tag) })
}

func tagOf(part json.RawMessage) string {
	var named struct {
		Tag string `json:"tag"`
	}
	_ = json.Unmarshal(part, &named)
	return named.Tag
}

// Same says whether two configurations are the same, whatever the order of their members. Empty lists of users are
// nothing: the proxy panel adds them.
func Same(a, b json.RawMessage) bool {
	one, first := canonical(a)
	other, second := canonical(b)
	return first && second && bytes.Equal(one, other)
}

func canonical(text json.RawMessage) ([]byte, bool) {
	var value any
	if json.Unmarshal(text, &value) != nil {
		return nil, false
	}
	written, err := json.Marshal(withoutUsers(value))
	return written, err == nil
}

func withoutUsers(value any) any {
	config, is := value.(map[string]any)
	if !is {
		return value
	}
	inbounds, _ := config["inbounds"].([]any)
	for _, one := range inbounds {
		inbound, _ := one.(map[string]any)
		settings, _ := inbound["settings"].(map[string]any)
		if users, is := settings["clients"].([]any); is && len(users) == 0 {
			delete(settings, "clients")
		}
	}
	return value
}

// Package xray reads a configuration of the Xray core: what listens there becomes entries, with its clients and rules.
package xray

import (
	"encoding/json"
	"fmt"
	"strings"

	"panel/modules/imports/internal/foreign"
)

// Config is a configuration as far as it is read. Unknown members of a listener are told of, other ones skipped.
type Config struct {
	Inbounds  []json.RawMessage `json:"inbounds"`
	Outbounds []Outbound        `json:"outbounds"`
	Routing   Routing           `json:"routing"`
	API       struct {
		Tag string `json:"tag"`
	} `json:"api"`
	Reverse     json.RawMessage `json:"reverse"`
	DNS         json.RawMessage `json:"dns"`
	FakeDNS     json.RawMessage `json:"fakedns"`
	Observatory json.RawMessage `json:"observatory"`
	Burst       json.RawMessage `json:"burstObservatory"`
}

// Outbound is a way out.
type Outbound struct {
	Tag      string `json:"tag"`
	Protocol string `json:"protocol"`
}

// Inbound is a listener.
type Inbound struct {
	Tag      string          `json:"tag"`
	Listen   json.RawMessage `json:"listen"`
	Port     json.RawMessage `json:"port"`
	Protocol string          `json:"protocol"`
	Settings json.RawMessage `json:"settings"`
	Stream   json.RawMessage `json:"streamSettings"`
	Sniffing struct {
		Enabled bool `json:"enabled"`
	} `json:"sniffing"`

	Name string `json:"panelName"` // that another panel gives it
	Off  bool   `json:"panelOff"`  // it is switched off there
	ID   string `json:"panelID"`   // that another panel names it by
}

// Read reads a whole configuration. It fails for what is none.
func Read(text []byte) (*foreign.Config, error) {
	var c Config
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, fmt.Errorf("read a configuration of Xray: %w", err)
	}
	out := &foreign.Config{Format: "xray"}
	c.ReadInto(out)
	return out, nil
}

// ReadInto adds what the configuration has to out.
func (c *Config) ReadInto(out *foreign.Config) {
	for name, section := range map[string]json.RawMessage{
		"reverse": c.Reverse, "dns": c.DNS, "fakedns": c.FakeDNS, "observatory": c.Observatory, "burstObservatory": c.Burst,
	} {
		if filled(section) {
			out.Note(name, foreign.SectionLeftOut, "", name)
		}
	}
	c.outbounds(out)
	for i, text := range c.Inbounds {
		path := fmt.Sprintf("inbounds[%d]", i)
		var in Inbound
		if err := json.Unmarshal(text, &in); err != nil {
			out.Note(path, foreign.NotReadable, "", "")
			continue
		}
		if in.ID != "" {
			path = "inbounds[id=" + in.ID + "]"
		}
		if in.Tag != "" && in.Tag == c.API.Tag {
			continue // the core's own door for its panel
		}
		r := &reader{out: out, path: path, in: &in, key: entryKey(&in, i)}
		r.read(c)
	}
}

func filled(section json.RawMessage) bool {
	text := strings.TrimSpace(string(section))
	return text != "" && text != "null" && text != "{}" && text != "[]"
}

// entryKey names an entry within its source.
func entryKey(in *Inbound, at int) string {
	if key := foreign.Clean(in.Tag, foreign.MaxLabel); key != "" {
		return key
	}
	return fmt.Sprintf("inbound-%d", at+1)
}

// outbounds tells of ways out that are neither the node itself nor nowhere.
func (c *Config) outbounds(out *foreign.Config) {
	for i, o := range c.Outbounds {
		switch o.Protocol {
		case "freedom", "direct", "blackhole", "block", "dns", "":
		default:
			out.Note(fmt.Sprintf("outbounds[%d]", i), foreign.OutboundLeftOut, "", o.Protocol)
		}
	}
}

// leaves says what becomes of traffic that a rule gives to a way out.
func (c *Config) leaves(tag string) (refused, known bool) {
	for _, o := range c.Outbounds {
		if o.Tag == tag {
			refused = o.Protocol == "blackhole" || o.Protocol == "block"
			return refused, refused || o.Protocol == "freedom" || o.Protocol == "direct"
		}
	}
	return false, false
}

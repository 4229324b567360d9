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
	Tag      string          `json:"tag"`
	Protocol string          `json:"protocol"`
	Proxy    json.RawMessage `json:"proxySettings"`
	Stream   json.RawMessage `json:"streamSettings"`
}

// chained says whether the way out leads through another one.
func (o *Outbound) chained() bool {
	var proxy struct {
		Tag string `json:"tag"`
	}
	var stream struct {
		Sockopt struct {
			Dialer string `json:"dialerProxy"`
		} `json:"sockopt"`
	}
	_ = json.Unmarshal(o.Proxy, &proxy) // absent: through none
	_ = json.Unmarshal(o.Stream, &stream)
	return proxy.Tag+stream.Sockopt.Dialer != ""
}

// direct says whether traffic leaves from the node itself.
func (o *Outbound) direct() bool {
	protocol := strings.ToLower(o.Protocol)
	return (protocol == "freedom" || protocol == "direct") && !o.chained()
}

// refuses says whether traffic ends here.
func (o *Outbound) refuses() bool {
	protocol := strings.ToLower(o.Protocol)
	return protocol == "blackhole" || protocol == "block"
}

// mostInbounds is how many listeners are looked at; most of them may be such that cannot be entries.
const mostInbounds = 10 * foreign.MaxEntries

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
	c.sections(out)
	c.outbounds(out)
	defer out.NoteShared()
	for i, text := range c.Inbounds {
		path := fmt.Sprintf("inbounds[%d]", i)
		if i >= mostInbounds {
			out.Note(path, foreign.TooMany, "", "")
			return
		}
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
		r := &reader{out: out, path: path, in: &in, key: entryKey(out, &in, i)}
		r.read(c)
	}
}

// sections tells of what a configuration has beside listeners, rules and ways out.
func (c *Config) sections(out *foreign.Config) {
	for _, section := range []struct {
		name string
		text json.RawMessage
	}{
		{"reverse", c.Reverse},
		{"dns", c.DNS},
		{"fakedns", c.FakeDNS},
		{"observatory", c.Observatory},
		{"burstObservatory", c.Burst},
	} {
		if filled(section.text) {
			out.Note(section.name, foreign.SectionLeftOut, "", section.name)
		}
	}
}

func filled(section json.RawMessage) bool {
	text := strings.TrimSpace(string(section))
	return text != "" && text != "null" && text != "{}" && text != "[]"
}

// entryKey names an entry within its source, as no entry before it is named.
func entryKey(out *foreign.Config, in *Inbound, at int) string {
	base := foreign.Clean(in.Tag, foreign.MaxLabel)
	if base == "" {
		base = fmt.Sprintf("inbound-%d", at+1)
	}
	key := base
	for n := 2; out.Has(key); n++ {
		suffix := fmt.Sprintf("-%d", n)
		key = foreign.Clean(base, foreign.MaxLabel-len(suffix)) + suffix
	}
	return key
}

// outbounds tells of ways out that are neither the node itself nor nowhere.
func (c *Config) outbounds(out *foreign.Config) {
	for i := range c.Outbounds {
		o := &c.Outbounds[i]
		protocol := strings.ToLower(o.Protocol)
		if !o.direct() && !o.refuses() && protocol != "dns" && protocol != "" {
			out.Note(fmt.Sprintf("outbounds[%d]", i), foreign.OutboundLeftOut, "", o.Protocol)
		}
	}
}

// leaves says what becomes of traffic that a rule gives to a way out.
func (c *Config) leaves(tag string) (refused, known bool) {
	for i := range c.Outbounds {
		if o := &c.Outbounds[i]; tag != "" && o.Tag == tag {
			return o.refuses(), o.refuses() || o.direct()
		}
	}
	return false, false
}

// refuses says whether traffic that no rule chooses is refused: it goes where the first way out leads.
func (c *Config) refuses() bool { return len(c.Outbounds) > 0 && c.Outbounds[0].refuses() }

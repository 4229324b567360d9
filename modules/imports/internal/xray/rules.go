package xray

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"panel/modules/imports/internal/foreign"
)

// Routing is which traffic goes where.
type Routing struct {
	Rules []json.RawMessage `json:"rules"`
}

type rule struct {
	Inbounds list `json:"inboundTag"`
	Domain   list `json:"domain"`
	Domains  list `json:"domains"`
	IP       list `json:"ip"`
	Port     text `json:"port"`
	Protocol list `json:"protocol"`
	Network  list `json:"network"`
}

// known are the members of a rule that are read; whatever else is filled chooses traffic in a way that flows cannot.
var known = []string{
	"type", "inboundTag", "outboundTag", "balancerTag", "domain", "domains", "ip", "port", "protocol", "network",
	"ruleTag", "domainMatcher", "enabled",
}

// Limits of rules: how many are looked at, and how much one may list.
const (
	mostRules = 10 * foreign.MaxRules
	mostNames = 1000
	mostLists = 100
	mostPorts = 200
)

// rules adds those that apply to the entry. One that chooses everything is the last that is ever reached.
func (r *reader) rules(c *Config, e *foreign.Entry) {
	e.Refuses = c.refuses()
	for i, raw := range c.Routing.Rules {
		path := fmt.Sprintf("routing.rules[%d]", i)
		if i >= mostRules {
			r.out.Note(path, foreign.TooMany, r.key, "")
			return
		}
		var parsed struct {
			rule
			Outbound string `json:"outboundTag"`
			Enabled  *bool  `json:"enabled"`
		}
		if json.Unmarshal(raw, &parsed) != nil {
			r.out.Note(path, foreign.NotReadable, r.key, "")
			continue
		}
		one := parsed.rule
		if len(one.Inbounds) > 0 && !slices.Contains(one.Inbounds, r.in.Tag) ||
			parsed.Enabled != nil && !*parsed.Enabled || c.API.Tag != "" && parsed.Outbound == c.API.Tag {
			continue
		}
		refused, leaves := c.leaves(parsed.Outbound)
		match, ok := one.match(raw)
		switch {
		case !leaves || !ok:
			r.out.Note(path, foreign.RuleLeftOut, r.key, parsed.Outbound)
		case match.Empty():
			e.Refuses = refused
			return
		case len(e.Rules) >= foreign.MaxRules:
			r.out.Note(path, foreign.TooMany, r.key, "")
			return
		default:
			e.Rules = append(e.Rules, foreign.Rule{Match: match, Refuse: refused})
		}
	}
}

// protocolsSeen are those that can be told from what a connection carries.
var protocolsSeen = []string{"http", "tls", "quic", "bittorrent"}

// match is the rule in the words of drawings: one of its names or addresses, and every other condition.
func (one *rule) match(raw json.RawMessage) (m foreign.Match, ok bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return m, false
	}
	for name, value := range members {
		if !slices.Contains(known, name) && filled(value) && string(value) != `""` {
			return m, false
		}
	}
	if len(one.Network) > 0 && (!slices.Contains(one.Network, "tcp") || !slices.Contains(one.Network, "udp")) {
		return m, false
	}
	domains := slices.Concat(one.Domain, one.Domains)
	if len(domains) > 0 && len(one.IP) > 0 {
		return m, false // there both must fit
	}
	m.Port, m.Protocol = strings.ReplaceAll(foreign.Clean(string(one.Port), mostPorts+1), " ", ""), one.Protocol
	for _, p := range m.Protocol {
		if !slices.Contains(protocolsSeen, p) {
			return m, false
		}
	}
	if !one.names(&m, domains) || !one.addresses(&m) {
		return m, false
	}
	return m, len(m.Domain) <= mostNames && len(m.IP) <= mostNames && len(m.Geosite) <= mostLists &&
		len(m.GeoIP) <= mostLists && len(m.Port) <= mostPorts && len(m.Protocol) <= len(protocolsSeen)
}

func (one *rule) names(m *foreign.Match, domains []string) bool {
	for _, d := range domains {
		if foreign.Clean(d, len(d)) != d || d == "" {
			return false
		}
		kind, rest, prefixed := strings.Cut(d, ":")
		switch {
		case !prefixed:
			m.Domain = append(m.Domain, "keyword:"+d) // so the core reads a name without a prefix
		case kind == "geosite":
			m.Geosite = append(m.Geosite, rest)
		case kind == "full" || kind == "domain" || kind == "keyword" || kind == "regexp":
			m.Domain = append(m.Domain, d)
		default:
			return false
		}
	}
	return true
}

func (one *rule) addresses(m *foreign.Match) bool {
	for _, a := range one.IP {
		if code, geo := strings.CutPrefix(a, "geoip:"); geo {
			m.GeoIP = append(m.GeoIP, foreign.Clean(code, foreign.MaxLabel))
			continue
		}
		network, err := netip.ParsePrefix(a)
		address, single := netip.ParseAddr(a)
		if (err != nil || network.Addr().Is4In6()) && (single != nil || address.Zone() != "") {
			return false
		}
		m.IP = append(m.IP, a)
	}
	return true
}

// list is one text or several.
type list []string

// UnmarshalJSON reads a list of texts, or one text with commas.
func (l *list) UnmarshalJSON(raw []byte) error {
	var several []string
	if err := json.Unmarshal(raw, &several); err == nil {
		*l = several
		return nil
	}
	var one string
	if err := json.Unmarshal(raw, &one); err != nil {
		return fmt.Errorf("read a list of texts: %w", err)
	}
	*l = nil
	for _, part := range strings.Split(one, ",") {
		if part = strings.TrimSpace(part); part != "" {
			*l = append(*l, part)
		}
	}
	return nil
}

// text is a text or a number.
type text string

// UnmarshalJSON reads a text, or a number as its digits.
func (t *text) UnmarshalJSON(raw []byte) error {
	var s string
	if err := json.Unmarshal(raw, &s); err == nil {
		*t = text(s)
		return nil
	}
	var n json.Number
	if err := json.Unmarshal(raw, &n); err != nil {
		return fmt.Errorf("read a text or a number: %w", err)
	}
	*t = text(n.String())
	return nil
}

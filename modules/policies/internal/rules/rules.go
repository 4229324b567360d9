// Package rules is what policies may say about flows: the kinds of rules, what each takes, and what of a drawing it
// forbids.
package rules

import (
	"fmt"
	"slices"
	"strings"
)

// Kinds of policies. A flow obeys at most one of each.
const (
	Balancer = "balancer"
	Routing  = "routing"
	Limits   = "limits"
	Security = "security"
)

// Types of rules.
const (
	PoolStrategies   = "pool_strategies"
	PoolFallbacks    = "pool_fallbacks"
	MinPoolMembers   = "min_pool_members"
	BlockKinds       = "block_kinds"
	MustBlock        = "must_block"
	CatalogueSets    = "catalogue_sets"
	GeoTokens        = "geo_tokens"
	MaxClients       = "max_clients"
	MaxNodes         = "max_nodes"
	MaxEntries       = "max_entries"
	Securities       = "securities"
	Transports       = "transports"
	Presets          = "presets"
	PrivateAddresses = "private_addresses"

	// AllowedProtocols is what a policy of each kind may say besides its rules.
	AllowedProtocols = "allowed_protocols"
	// EnabledPlans is that a custom plan works only where a policy of the flow enables it.
	EnabledPlans = "enabled_plans"
)

// Rule is one line of a policy.
type Rule struct {
	Type   string   `json:"type" enum:"pool_strategies,pool_fallbacks,min_pool_members,block_kinds,must_block,catalogue_sets,geo_tokens,max_clients,max_nodes,max_entries,securities,transports,presets,private_addresses"`
	Name   string   `json:"name,omitempty" maxLength:"64" doc:"What people call it; refusals name it"`
	Values []string `json:"values,omitempty" maxItems:"100" doc:"What is allowed; must_block: what has to be blocked, such as protocol:bittorrent, geosite:ads, geoip:xx, set:ads or port:25"`
	Number int      `json:"number,omitempty" minimum:"0" maximum:"100000" doc:"The limit, where the rule has one"`
}

// Title is what people call a rule.
func (r Rule) Title() string {
	if r.Name != "" {
		return r.Name
	}
	return r.Type
}

// form says what a type of rules takes.
type form struct {
	kind   string // of policies
	values []string
	free   func(value string) bool // values that no list has
	any    bool                    // values may be left out
	least  int                     // of the number
	number bool
}

var forms = map[string]form{
	PoolStrategies: {
		kind:   Balancer,
		values: []string{"ordered", "round_robin", "random", "least_ping", "least_load", "least_users", "sticky"},
	},
	PoolFallbacks:  {kind: Balancer, values: []string{"block", "direct", "member", "pool"}},
	MinPoolMembers: {kind: Balancer, number: true, least: 1},
	BlockKinds:     {kind: Routing, values: []string{"exit", "transit", "transit_pool", "direct", "custom"}},
	MustBlock:      {kind: Routing, free: token},
	CatalogueSets:  {kind: Routing},
	GeoTokens:      {kind: Routing},
	MaxClients:     {kind: Limits, number: true},
	MaxNodes:       {kind: Limits, number: true, least: 1},
	MaxEntries:     {kind: Limits, number: true, least: 1},
	Securities:     {kind: Security, values: []string{"none", "tls", "reality"}},
	Transports:     {kind: Security, values: []string{"raw", "xhttp", "grpc", "ws", "httpupgrade", "quic"}},
	Presets:        {kind: Security, free: Name, any: true},

	PrivateAddresses: {kind: Security},
}

// Protocols are those that listeners of entries speak.
var Protocols = []string{"vless", "trojan", "shadowsocks2022", "vmess", "hysteria2", "wireguard"}

// tokenKinds begin what must be blocked.
var tokenKinds = []string{"protocol", "geosite", "geoip", "domain", "ip", "port", "set"}

func token(value string) bool {
	kind, rest, found := strings.Cut(value, ":")
	return found && slices.Contains(tokenKinds, kind) && rest != "" && len(rest) <= 253 && plain(rest)
}

func plain(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// Name reports whether something of the catalogue may be called so.
func Name(value string) bool {
	if value == "" || len(value) > 40 || value[0] == '-' || value[0] == '_' {
		return false
	}
	return !strings.ContainsFunc(value, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_'
	})
}

// Check says what is wrong with a rule of a policy of some kind: the member and a sentence; nothing when it is sound.
func Check(kind string, r Rule) (field, message string) {
	f, known := forms[r.Type]
	switch {
	case !known:
		return "type", "there is no such rule"
	case f.kind != kind:
		return "type", "this rule belongs to policies of the kind " + f.kind
	case f.number && r.Number < f.least:
		return "number", fmt.Sprintf("must be at least %d", f.least)
	case !f.number && r.Number != 0:
		return "number", "this rule takes no number"
	}
	return f.check(r)
}

func (f form) check(r Rule) (field, message string) {
	takes := len(f.values) > 0 || f.free != nil
	switch {
	case !takes && len(r.Values) > 0:
		return "values", "this rule takes no values"
	case takes && !f.any && len(r.Values) == 0:
		return "values", "name at least one value"
	}
	for i, v := range r.Values {
		if f.free != nil && !f.free(v) || f.free == nil && !slices.Contains(f.values, v) {
			return fmt.Sprintf("values[%d]", i), "this rule does not know the value"
		}
		if slices.Contains(r.Values[:i], v) {
			return fmt.Sprintf("values[%d]", i), "the value is there already"
		}
	}
	return "", ""
}

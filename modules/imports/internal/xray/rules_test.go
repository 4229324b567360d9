package xray_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/imports/internal/foreign"
)

var waysOut = []any{
	object{"tag": "direct", "protocol": "freedom"},
	object{"tag": "block", "protocol": "blackhole"},
	object{"tag": "warp", "protocol": "wireguard"},
	object{"protocol": "freedom"},
	object{"tag": "through", "protocol": "freedom", "proxySettings": object{"tag": "warp"}},
}

// ruled reads a listener with rules.
func ruled(t *testing.T, rules ...any) (foreign.Entry, []string) {
	t.Helper()
	c := read(t, object{
		"inbounds": []any{shadowsocks(nil)}, "outbounds": waysOut[:2], "routing": object{"rules": rules},
	})
	require.Len(t, c.Entries, 1)
	return c.Entries[0], told(c)
}

// blocked reads the match of a rule that refuses.
func blocked(t *testing.T, conditions object) (foreign.Match, bool) {
	t.Helper()
	e, lines := ruled(t, with(conditions, object{"type": "field", "outboundTag": "block"}))
	if len(e.Rules) == 0 {
		require.Equal(t, []string{"routing.rules[0] rule_left_out block"}, lines, conditions)
		return foreign.Match{}, false
	}
	require.True(t, e.Rules[0].Refuse)
	require.Empty(t, lines, conditions)
	return e.Rules[0].Match, true
}

func TestRulesChooseTraffic(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		given  object
		wanted foreign.Match
	}{
		{
			object{"domain": []any{"geosite:cn", "ads", "full:a.example", "domain:b.example", "regexp:^x$", "keyword:y"}},
			foreign.Match{
				Geosite: []string{"cn"},
				Domain:  []string{"keyword:ads", "full:a.example", "domain:b.example", "regexp:^x$", "keyword:y"},
			},
		},
		{object{"domains": []any{"domain:a.example"}}, foreign.Match{Domain: []string{"domain:a.example"}}},
		{
			object{"domain": "domain:a.example, domain:b.example"},
			foreign.Match{Domain: []string{"domain:a.example", "domain:b.example"}},
		},
		{
			object{"ip": []any{"geoip:private", "geoip:!cn", "10.0.0.0/8", "2001:db8::/32", "192.0.2.7"}},
			foreign.Match{GeoIP: []string{"private", "!cn"}, IP: []string{"10.0.0.0/8", "2001:db8::/32", "192.0.2.7"}},
		},
		{object{"port": 53}, foreign.Match{Port: "53"}},
		{object{"port": "53, 1000-2000"}, foreign.Match{Port: "53,1000-2000"}},
		{object{"protocol": []any{"bittorrent", "quic"}}, foreign.Match{Protocol: []string{"bittorrent", "quic"}}},
		{
			object{"protocol": "tls", "ip": []any{"192.0.2.7"}, "network": "tcp,udp", "ruleTag": "r", "domainMatcher": "mph"},
			foreign.Match{Protocol: []string{"tls"}, IP: []string{"192.0.2.7"}},
		},
		{object{"port": 53, "network": []any{"udp", "tcp"}}, foreign.Match{Port: "53"}},
		{object{"port": 53, "user": []any{}, "source": "", "attrs": object{}}, foreign.Match{Port: "53"}},
	} {
		match, ok := blocked(t, c.given)
		require.True(t, ok, c.given)
		require.Equal(t, c.wanted, match)
	}
}

// A rule that flows cannot hold is left out as a whole: half of it would choose other traffic.
func TestRulesThatFlowsCannotHoldAreTold(t *testing.T) {
	t.Parallel()
	names := func(n int, text string) (out []any) {
		for i := range n {
			out = append(out, fmt.Sprintf(text, i))
		}
		return out
	}
	for _, given := range []object{
		{"domain": []any{"domain:a.example"}, "ip": []any{"192.0.2.1"}},
		{"port": 53, "user": []any{"anna"}},
		{"port": 53, "source": []any{"192.0.2.1"}},
		{"port": 53, "sourcePort": 5},
		{"port": 53, "attrs": object{":method": "GET"}},
		{"port": 53, "Attrs": object{":method": "GET"}},
		{"port": 53, "process": []any{"curl"}},
		{"port": 53, "network": "udp"},
		{"port": 53, "network": []any{"tcp"}},
		{"protocol": []any{"bittorrent", "http2"}},
		{"protocol": []any{"tls", "tls", "tls", "tls", "tls"}},
		{"domain": []any{"ext:file.dat:tag"}},
		{"domain": []any{"dotless:a"}},
		{"domain": []any{""}},
		{"domain": []any{"full:a\u0000b"}},
		{"ip": []any{"ext:file.dat:tag"}},
		{"ip": []any{"fe80::1%eth0"}},
		{"ip": []any{"::ffff:192.0.2.0/120"}},
		{"ip": []any{"not an address"}},
		{"domain": names(1001, "domain:d%d.example")},
		{"domain": names(101, "geosite:c%d")},
		{"ip": names(101, "geoip:c%d")},
		{"port": strings.Repeat("1,", 150) + "1"},
	} {
		_, ok := blocked(t, given)
		require.False(t, ok, given)
	}
}

func TestRulesLeadWhereTheyDid(t *testing.T) {
	t.Parallel()
	rules := []any{}
	for _, tag := range []any{"direct", "block", "warp", "through", "nowhere", nil, ""} {
		rules = append(rules, object{"port": 53, "outboundTag": tag, "balancerTag": "b"})
	}
	c := read(t, object{"inbounds": []any{shadowsocks(nil)}, "outbounds": waysOut, "routing": object{"rules": rules}})
	require.Equal(t, []foreign.Rule{
		{Match: foreign.Match{Port: "53"}}, {Match: foreign.Match{Port: "53"}, Refuse: true},
	}, c.Entries[0].Rules)
	require.Equal(t, []string{
		"outbounds[2] outbound_left_out wireguard", "outbounds[4] outbound_left_out freedom",
		"routing.rules[2] rule_left_out warp", "routing.rules[3] rule_left_out through",
		"routing.rules[4] rule_left_out nowhere", "routing.rules[5] rule_left_out", "routing.rules[6] rule_left_out",
	}, told(c))
}

// A rule applies to the listeners that it names, and to all when it names none.
func TestRulesApplyToTheirListeners(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule  object
		rules int
	}{
		{object{"inboundTag": []any{"ss"}}, 1},
		{object{"inboundTag": "other,ss"}, 1},
		{object{"inboundTag": []any{"other"}}, 0},
		{object{"inboundTag": []any{}}, 1},
		{object{"enabled": false}, 0},
		{object{"enabled": true}, 1},
	} {
		e, lines := ruled(t, with(c.rule, object{"port": 53, "outboundTag": "block"}))
		require.Len(t, e.Rules, c.rules, c)
		require.Empty(t, lines)
	}
	_, lines := ruled(t, 5, object{"domain": 5}, "x", []any{}, object{"port": object{}})
	require.Equal(t, []string{
		"routing.rules[0] not_readable", "routing.rules[1] not_readable", "routing.rules[2] not_readable",
		"routing.rules[3] not_readable", "routing.rules[4] not_readable",
	}, lines)
}

// What no rule chooses goes where the first way out leads. A rule without conditions is the last that is reached.
func TestTheRestGoesWhereItWent(t *testing.T) {
	t.Parallel()
	all := func(tag string) object { return object{"network": "tcp,udp", "outboundTag": tag} }
	first, last := object{"port": 443, "outboundTag": "direct"}, object{"port": 5, "outboundTag": "block"}
	e, lines := ruled(t, first, all("block"), last)
	require.Empty(t, lines)
	require.True(t, e.Refuses)
	require.Equal(t, []foreign.Rule{{Match: foreign.Match{Port: "443"}}}, e.Rules)
	e, _ = ruled(t, object{"inboundTag": "ss", "outboundTag": "direct"}, all("block"))
	require.False(t, e.Refuses)
	require.Empty(t, e.Rules)
	c := read(t, object{
		"inbounds": []any{shadowsocks(nil)}, "outbounds": []any{waysOut[1], waysOut[0]},
		"routing": object{"rules": []any{object{"port": 443, "outboundTag": "direct"}}},
	})
	require.True(t, c.Entries[0].Refuses, "the first way out is a black hole: only what a rule lets out leaves")
	require.Len(t, c.Entries[0].Rules, 1)
}

func TestRulesAboveTheLimitAreTold(t *testing.T) {
	t.Parallel()
	rules := make([]any, 150)
	for i := range rules {
		rules[i] = object{"port": i + 1, "outboundTag": "block"}
	}
	e, lines := ruled(t, rules...)
	require.Len(t, e.Rules, foreign.MaxRules)
	require.Equal(t, []string{"routing.rules[100] over_limit"}, lines)
	strange := make([]any, 1500)
	for i := range strange {
		strange[i] = object{"enabled": false}
	}
	_, lines = ruled(t, strange...)
	require.Equal(t, []string{"routing.rules[1000] over_limit"}, lines)
}

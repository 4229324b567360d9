package rules_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/policies/internal/rules"
)

// drawn is a flow with an entry, a pool and a way out, which blocks some traffic first.
func drawn() flowsapi.Drawn {
	return flowsapi.Drawn{
		FlowID: "f",
		Listeners: []flowsapi.DrawnListener{{
			Path: "nodes[0].params.listener", Protocol: "vless", Transport: "raw", Security: "reality", Flow: "vision",
		}},
		Blocks: []flowsapi.DrawnBlock{
			{Path: "nodes[0]", Key: "in", Kind: "entry", NodeID: "a"},
			{Path: "nodes[1]", Key: "pool", Kind: "transit_pool", PoolID: "europe"},
			{Path: "nodes[2]", Key: "stop", Kind: "block"},
			{Path: "nodes[3]", Key: "out", Kind: "direct", Private: true},
		},
		Ways: []flowsapi.DrawnWay{
			{Path: "edges[0]", From: "in", To: "stop", Protocol: []string{"bittorrent"}},
			{
				Path: "edges[1]", From: "in", To: "stop", Sets: []string{"ads"},
				Match: flowsapi.MatchSet{Geosite: []string{"ads"}, GeoIP: []string{"xx"}},
			},
			{Path: "edges[2]", From: "in", To: "stop", Port: "25,465"},
			{
				Path: "edges[3]", From: "in", To: "out", Own: flowsapi.MatchSet{Geosite: []string{"ru"}, GeoIP: []string{"!ru"}},
				Match: flowsapi.MatchSet{Geosite: []string{"ru"}, GeoIP: []string{"!ru"}},
			},
			{Path: "edges[4]", From: "in", To: "stop", Protocol: []string{"quic"}},
			{Path: "edges[5]", From: "in", To: "pool"},
		},
		Pools: map[string]flowsapi.Pool{
			"europe": {
				ID: "europe", Name: "Europe", Strategy: "random", Members: []flowsapi.PoolMember{{NodeID: "b"}, {NodeID: "c"}},
				Fallback: flowsapi.PoolFallback{Kind: "pool", PoolID: "asia"},
			},
			"asia": {
				ID: "asia", Name: "Asia", Strategy: "ordered", Members: []flowsapi.PoolMember{{NodeID: "d"}},
				Fallback: flowsapi.PoolFallback{Kind: "direct"},
			},
		},
		Clients: func(context.Context) (int, error) { return 3, nil },
	}
}

var catalogue = rules.Catalogue{
	Presets: []rules.Preset{
		{Name: "reality", Protocol: "vless", Security: "reality"}, {Name: "trojan", Protocol: "trojan"},
	},
	GeoTokens: []string{"geosite:ru"},
}

// Each rule forbids what it says, at the field that has it, and lets everything else be.
func TestEachRuleForbidsWhatItSays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rule  rules.Rule
		paths []string
	}{
		"strategies": {rules.Rule{Type: rules.PoolStrategies, Values: []string{"ordered"}}, []string{"nodes[1].pool_id"}},
		"fallbacks": {
			rules.Rule{Type: rules.PoolFallbacks, Values: []string{"pool", "block"}}, []string{"nodes[1].pool_id"},
		},
		"members":           {rules.Rule{Type: rules.MinPoolMembers, Number: 2}, []string{"nodes[1].pool_id"}},
		"members enough":    {rules.Rule{Type: rules.MinPoolMembers, Number: 1}, nil},
		"kinds":             {rules.Rule{Type: rules.BlockKinds, Values: []string{"exit"}}, []string{"nodes[1].kind", "nodes[3].kind"}},
		"kinds allowed":     {rules.Rule{Type: rules.BlockKinds, Values: []string{"transit_pool", "direct"}}, nil},
		"must block":        {rules.Rule{Type: rules.MustBlock, Values: []string{"protocol:quic"}}, []string{"nodes[0]"}},
		"blocked by a set":  {rules.Rule{Type: rules.MustBlock, Values: []string{"set:ads", "geosite:ads", "geoip:xx"}}, nil},
		"blocked by a port": {rules.Rule{Type: rules.MustBlock, Values: []string{"port:25", "protocol:bittorrent"}}, nil},
		"sets alone":        {rules.Rule{Type: rules.CatalogueSets}, []string{"edges[3].match"}},
		"geo tokens":        {rules.Rule{Type: rules.GeoTokens}, []string{"edges[3].match.geoip[0]"}},
		"clients":           {rules.Rule{Type: rules.MaxClients, Number: 2}, []string{""}},
		"clients enough":    {rules.Rule{Type: rules.MaxClients, Number: 3}, nil},
		"nodes":             {rules.Rule{Type: rules.MaxNodes, Number: 2}, []string{"nodes"}},
		"entries":           {rules.Rule{Type: rules.MaxEntries, Number: 1}, nil},
		"securities":        {rules.Rule{Type: rules.Securities, Values: []string{"tls"}}, []string{"nodes[0].params.listener.security"}},
		"transports":        {rules.Rule{Type: rules.Transports, Values: []string{"xhttp"}}, []string{"nodes[0].params.listener.transport"}},
		"presets":           {rules.Rule{Type: rules.Presets}, nil},
		"another preset":    {rules.Rule{Type: rules.Presets, Values: []string{"trojan"}}, []string{"nodes[0].params.listener"}},
		"private":           {rules.Rule{Type: rules.PrivateAddresses}, []string{"nodes[3].params.private"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.rule.Name = "The rule"
			found, err := rules.Judge(t.Context(), rules.Policy{Name: "Strict", Rules: []rules.Rule{c.rule}}, catalogue, drawn())
			require.NoError(t, err)
			var paths []string
			for _, v := range found {
				paths = append(paths, v.Path)
				require.Equal(t, flowsapi.ForbiddenByPolicy, v.Code)
				require.Equal(t, c.rule.Type, v.Rule)
				require.Contains(t, v.Message, `policy "Strict", rule "The rule": `)
			}
			require.Equal(t, c.paths, paths)
		})
	}
}

func TestAPolicyAllowsProtocols(t *testing.T) {
	t.Parallel()
	found, err := rules.Judge(t.Context(), rules.Policy{Name: "P", Protocols: []string{"trojan"}}, catalogue, drawn())
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, "nodes[0].params.listener.protocol", found[0].Path)
	found, err = rules.Judge(t.Context(), rules.Policy{Name: "P", Protocols: []string{"trojan", "vless"}}, catalogue, drawn())
	require.NoError(t, err)
	require.Empty(t, found)
}

// A way with a second condition lets a part of the traffic through, and one after an open way comes too late.
func TestOnlyWholeAndFirstWaysBlock(t *testing.T) {
	t.Parallel()
	must := rules.Policy{Rules: []rules.Rule{{Type: rules.MustBlock, Values: []string{"geosite:ads"}}}}
	d := drawn()
	d.Ways[1].Port = "443"
	found, err := rules.Judge(t.Context(), must, catalogue, d)
	require.NoError(t, err)
	require.Len(t, found, 1)
	d.Ways = []flowsapi.DrawnWay{{From: "in", To: "stop"}}
	found, err = rules.Judge(t.Context(), must, catalogue, d)
	require.NoError(t, err)
	require.Empty(t, found, "everything is blocked")
}

func TestAPolicyThatCannotCountSaysSo(t *testing.T) {
	t.Parallel()
	d, lost := drawn(), errors.New("no database")
	d.Clients = func(context.Context) (int, error) { return 0, lost }
	_, err := rules.Judge(t.Context(), rules.Policy{Rules: []rules.Rule{{Type: rules.MaxClients}}}, catalogue, d)
	require.ErrorIs(t, err, lost)
}

// A rule belongs to one kind of policies and takes what it says.
func TestRulesAreChecked(t *testing.T) {
	t.Parallel()
	for field, r := range map[string]rules.Rule{
		"type":      {Type: "nonsense"},
		"number":    {Type: rules.MaxNodes},
		"values":    {Type: rules.MaxNodes, Number: 2, Values: []string{"x"}},
		"values[1]": {Type: rules.MaxClients},
	} {
		kind := rules.Limits
		if field == "values[1]" {
			kind, r = rules.Security, rules.Rule{Type: rules.Securities, Values: []string{"tls", "tls"}}
		}
		got, message := rules.Check(kind, r)
		require.Equal(t, field, got)
		require.NotEmpty(t, message)
	}
	field, _ := rules.Check(rules.Routing, rules.Rule{Type: rules.MaxNodes, Number: 1})
	require.Equal(t, "type", field, "it belongs to another kind")
	field, _ = rules.Check(rules.Security, rules.Rule{Type: rules.Securities})
	require.Equal(t, "values", field)
	for _, bad := range []string{"ads", "geosite:", "name:x", "geosite:a b", "port:\n"} {
		field, _ = rules.Check(rules.Routing, rules.Rule{Type: rules.MustBlock, Values: []string{bad}})
		require.Equal(t, "values[0]", field, bad)
	}
	field, _ = rules.Check(rules.Security, rules.Rule{Type: rules.Presets, Values: []string{"Ünsafe"}})
	require.Equal(t, "values[0]", field)
	field, _ = rules.Check(rules.Routing, rules.Rule{Type: rules.GeoTokens, Number: 3})
	require.Equal(t, "number", field)
	for _, good := range []rules.Rule{
		{Type: rules.MustBlock, Values: []string{"set:ads", "protocol:bittorrent"}}, {Type: rules.CatalogueSets},
	} {
		field, message := rules.Check(rules.Routing, good)
		require.Empty(t, field, message)
	}
}

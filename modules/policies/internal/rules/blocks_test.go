package rules_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/policies/internal/rules"
)

// ways is a drawing of one entry whose ways stand in the order in which they are tried; "stop" blocks, "out" lets go.
func ways(list ...flowsapi.DrawnWay) flowsapi.Drawn {
	d := flowsapi.Drawn{Blocks: []flowsapi.DrawnBlock{
		{Path: "nodes[0]", Key: "in", Kind: "entry"},
		{Path: "nodes[1]", Key: "out", Kind: "direct"},
		{Path: "nodes[2]", Key: "stop", Kind: "block"},
	}}
	for _, w := range list {
		if w.From == "" {
			w.From = "in"
		}
		d.Ways = append(d.Ways, w)
	}
	return d
}

func blocking(m flowsapi.MatchSet, more ...func(*flowsapi.DrawnWay)) flowsapi.DrawnWay {
	w := flowsapi.DrawnWay{To: "stop", Match: m, Own: m}
	for _, one := range more {
		one(&w)
	}
	return w
}

func port(text string) func(*flowsapi.DrawnWay) { return func(w *flowsapi.DrawnWay) { w.Port = text } }

func protocol(list ...string) func(*flowsapi.DrawnWay) {
	return func(w *flowsapi.DrawnWay) { w.Protocol = list }
}

func missing(t *testing.T, d flowsapi.Drawn, values ...string) (paths []string) {
	t.Helper()
	must := rules.Policy{Name: "P", Rules: []rules.Rule{{Type: rules.MustBlock, Values: values}}}
	found, err := rules.Judge(t.Context(), must, rules.Catalogue{}, d)
	require.NoError(t, err)
	for _, v := range found {
		paths = append(paths, v.Path)
	}
	return paths
}

// A port is blocked by itself, in a list, and in a range that holds it; never by a part of what the rule names.
func TestPortsAreBlockedByListsAndRanges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		way, rule string
		blocked   bool
	}{
		{"25", "port:25", true},
		{"25", "port:26", false},
		{"25,465,587", "port:465", true},
		{"20-30", "port:25", true},
		{"20-30", "port:20-30", true},
		{"20-30", "port:22-25", true},
		{"20-30", "port:30-31", false},
		{"25,465,587", "port:25,587", true},
		{"25,465", "port:25,587", false},
		{"1-65535", "port:25", true},
		{"25, 465", "port:465", true},
		{"250", "port:25", false},
		{"25", "port:2", false},
		{"30-20", "port:25", false},
		{"25", "port:smtp", false},
		{"20-24,26-30", "port:20-30", false},
	} {
		got := missing(t, ways(blocking(flowsapi.MatchSet{}, port(c.way)), flowsapi.DrawnWay{To: "out"}), c.rule)
		require.Equal(t, c.blocked, len(got) == 0, "%s by a way of %s", c.rule, c.way)
	}
}

// A second condition lets a part through: such a way blocks nothing that a rule could ask for.
func TestAWayWithTwoConditionsBlocksAPartAlone(t *testing.T) {
	t.Parallel()
	ads := flowsapi.MatchSet{Geosite: []string{"ads"}}
	for name, w := range map[string]flowsapi.DrawnWay{
		"names at a port":       blocking(ads, port("443")),
		"names of a protocol":   blocking(ads, protocol("http")),
		"a protocol at a port":  blocking(flowsapi.MatchSet{}, port("443"), protocol("quic")),
		"all three":             blocking(ads, port("443"), protocol("quic")),
		"what leaves instead":   {To: "out", Match: ads},
		"a way of another node": {From: "elsewhere", To: "stop", Match: ads},
	} {
		d := ways(w)
		for _, value := range []string{"geosite:ads", "port:443", "protocol:quic", "protocol:http"} {
			require.NotEmpty(t, missing(t, d, value), "%s: %s", name, value)
		}
	}
}

// Every kind of condition can be asked for; values count as they are written.
func TestEachConditionCanBeAskedFor(t *testing.T) {
	t.Parallel()
	m := flowsapi.MatchSet{
		Geosite: []string{"ads", "!ru"}, GeoIP: []string{"xx"}, Domain: []string{"full:a.example"}, IP: []string{"192.0.2.0/24"},
	}
	d := ways(
		blocking(m, func(w *flowsapi.DrawnWay) { w.Sets = []string{"banks"} }),
		blocking(flowsapi.MatchSet{}, protocol("bittorrent", "quic")),
		flowsapi.DrawnWay{To: "out"},
	)
	require.Empty(t, missing(t, d, "geosite:ads", "geosite:!ru", "geoip:xx", "domain:full:a.example", "ip:192.0.2.0/24",
		"set:banks", "protocol:quic", "protocol:bittorrent"))
	for _, other := range []string{
		"geosite:ru", "geoip:!xx", "domain:a.example", "ip:192.0.2.1", "set:ads", "protocol:tls", "port:1",
	} {
		require.Equal(t, []string{"nodes[0]"}, missing(t, d, other), other)
	}
}

// What comes after the first open way is too late, and each entry answers for itself.
func TestWaysCountFromTheFirstToTheFirstOpenOne(t *testing.T) {
	t.Parallel()
	ads := blocking(flowsapi.MatchSet{Geosite: []string{"ads"}})
	torrent := blocking(flowsapi.MatchSet{}, protocol("bittorrent"))
	open := flowsapi.DrawnWay{To: "out", Match: flowsapi.MatchSet{Domain: []string{"own.example"}}}
	require.Empty(t, missing(t, ways(ads, torrent, open), "geosite:ads", "protocol:bittorrent"))
	require.Len(t, missing(t, ways(ads, open, torrent), "geosite:ads", "protocol:bittorrent"), 1)
	require.Len(t, missing(t, ways(open, ads, torrent), "geosite:ads", "protocol:bittorrent"), 2)
	require.Len(t, missing(t, ways(), "geosite:ads"), 1, "an entry without ways blocks nothing")

	d := ways(ads, flowsapi.DrawnWay{To: "out"})
	d.Blocks = append(d.Blocks, flowsapi.DrawnBlock{Path: "nodes[3]", Key: "second", Kind: "entry"})
	d.Ways = append(d.Ways, flowsapi.DrawnWay{From: "second", To: "out"})
	require.Equal(t, []string{"nodes[3]"}, missing(t, d, "geosite:ads"))
	d.Ways[len(d.Ways)-1].To = "stop"
	require.Empty(t, missing(t, d, "geosite:ads"), "everything of the second is blocked, and ads of the first")
	require.Equal(t, []string{"nodes[0]"}, missing(t, d, "port:25"))
}

func like(t *testing.T, presets []rules.Preset, l flowsapi.DrawnListener, values ...string) bool {
	t.Helper()
	only := rules.Policy{Rules: []rules.Rule{{Type: rules.Presets, Values: values}}}
	found, err := rules.Judge(t.Context(), only, rules.Catalogue{Presets: presets},
		flowsapi.Drawn{Listeners: []flowsapi.DrawnListener{l}})
	require.NoError(t, err)
	return len(found) == 0
}

// A preset allows what it says, and leaves open what it does not say; a catalogue without presets allows none.
func TestAPresetLeavesOpenWhatItDoesNotSay(t *testing.T) {
	t.Parallel()
	vision := rules.Preset{Name: "vision", Protocol: "vless", Transport: "raw", Security: "reality", Flow: "xtls-rprx-vision"}
	anything := rules.Preset{Name: "tls", Security: "tls"}
	listener := flowsapi.DrawnListener{
		Path: "nodes[0].params.listener", Protocol: "vless", Transport: "raw", Security: "reality", Flow: "xtls-rprx-vision",
	}
	require.True(t, like(t, []rules.Preset{vision}, listener))
	require.True(t, like(t, []rules.Preset{anything, vision}, listener, "vision"))
	require.False(t, like(t, []rules.Preset{anything, vision}, listener, "tls"))
	require.False(t, like(t, nil, listener))
	require.False(t, like(t, []rules.Preset{vision}, listener, "gone"), "a preset that the catalogue has no more")
	for _, change := range []func(*flowsapi.DrawnListener){
		func(l *flowsapi.DrawnListener) { l.Protocol = "trojan" },
		func(l *flowsapi.DrawnListener) { l.Transport = "xhttp" },
		func(l *flowsapi.DrawnListener) { l.Security = "tls" },
		func(l *flowsapi.DrawnListener) { l.Flow = "" },
	} {
		other := listener
		change(&other)
		require.False(t, like(t, []rules.Preset{vision}, other), "%+v", other)
		require.Equal(t, other.Security == "tls", like(t, []rules.Preset{anything}, other), "%+v", other)
	}
}

// Categories that ways name themselves have to be in the catalogue, whether they are chosen or left out by them.
func TestCategoriesHaveToBeInTheCatalogue(t *testing.T) {
	t.Parallel()
	tokens := rules.Policy{Rules: []rules.Rule{{Type: rules.GeoTokens}}}
	d := ways(
		flowsapi.DrawnWay{Path: "edges[0]", To: "stop", Own: flowsapi.MatchSet{Geosite: []string{"ads", "unknown"}}},
		flowsapi.DrawnWay{Path: "edges[1]", To: "out", Own: flowsapi.MatchSet{GeoIP: []string{"!ru", "!xx"}}},
		flowsapi.DrawnWay{Path: "edges[2]", To: "out", Match: flowsapi.MatchSet{GeoIP: []string{"zz"}}},
	)
	catalogue := rules.Catalogue{GeoTokens: []string{"geosite:ads", "geoip:ru", "geosite:xx"}}
	found, err := rules.Judge(t.Context(), tokens, catalogue, d)
	require.NoError(t, err)
	require.Len(t, found, 2, "what a set holds is the catalogue's own business")
	require.Equal(t, "edges[0].match.geosite[1]", found[0].Path)
	require.Equal(t, "edges[1].match.geoip[1]", found[1].Path)
	require.Contains(t, found[1].Message, "geoip:xx")
}

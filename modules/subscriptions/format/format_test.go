package format_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"panel/modules/flows/flowsapi"
	"panel/modules/subscriptions/format"
)

var update = flag.Bool("update", false, "write the golden texts anew")

// hostile are names that mean something to one of the forms.
var hostile = []string{
	"", " ", "a: b", "- a", "#", "'", `"`, `\`, "\n", "a\nproxies: []", "a\r\nb", "{}", "[", "&a", "*a", "!!str", "%00", "%", "a#b",
	"a,b,DIRECT", "true", "null", "~", "1e3", "0x1F", "proxy", "PROXY", "Auto", "DIRECT", "</script>", "\x00", "\x7f", "\u0085",
	"\u2028", "\u202eevil", "\ufeff", "\xff\xfe", "👩\u200d💻", "🇩🇪 Франкфурт", strings.Repeat("x", 300), "a?b@c:d/e", "<<", "|", ">", "@", "`",
}

func drawnName(t *rapid.T, label string) string {
	if rapid.Bool().Draw(t, label+" is hostile") {
		return rapid.SampledFrom(hostile).Draw(t, label)
	}
	return rapid.String().Draw(t, label)
}

// Whatever a flow, a client or a block is called, each form is read back by a parser of its own with the connections
// that went in, under names that are told apart.
func TestEveryFormIsReadBackWithHostileNames(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.SampledFrom(samples()), 0, 6).Draw(t, "connections")
		for i := range list {
			list[i].Name = drawnName(t, "name")
			for range rapid.IntRange(0, 2).Draw(t, "refusals") {
				list[i].Refused = append(list[i].Refused, flowsapi.Refusal{
					Domains: []string{"example.net", "regexp:" + drawnName(t, "pattern")}, Networks: []string{"2001:db8::/32"},
				})
			}
		}
		for _, f := range format.All() {
			var want []read
			for _, c := range list {
				if format.Knows(f, c) {
					want = append(want, wanted(c))
				}
			}
			if f == format.WireGuard && len(want) > 1 { // such a file has one
				want = want[:1]
			}
			raw, err := format.Write(f, list)
			require.NoError(t, err)
			require.True(t, utf8.Valid(raw))
			got, names := readers[f](t, raw), map[string]bool{}
			require.Len(t, got, len(want))
			for i := range got {
				require.NotEmpty(t, got[i].Name)
				require.False(t, names[strings.ToLower(got[i].Name)], "two are called %q", got[i].Name)
				require.False(t, strings.ContainsFunc(got[i].Name, unicode.IsControl))
				names[strings.ToLower(got[i].Name)] = true
				got[i].Name, want[i].Name = "", ""
			}
			require.Equal(t, want, got)
		}
	})
}

// A name that means nothing to a form stays as it is.
func TestAnOrdinaryNameStays(t *testing.T) {
	t.Parallel()
	c := samples()[0]
	for _, name := range []string{"Европа Anna", "👩\u200d💻 work", "a, b & <c>", "100% \"fast\""} {
		c.Name = name
		for _, f := range format.All() {
			raw, err := format.Write(f, []flowsapi.Connection{c, c})
			require.NoError(t, err)
			if format.Knows(f, c) {
				got := readers[f](t, raw)
				require.Equal(t, []string{name, name + " (2)"}, []string{got[0].Name, got[1].Name}, f)
			}
		}
	}
}

// The forms of programs that cannot run here, to be read by people: testdata has what is written for every shape.
// -update writes it anew.
func TestTheFormsOfEveryShape(t *testing.T) {
	t.Parallel()
	list := samples()
	for i := range list {
		list[i].Refused = []flowsapi.Refusal{
			{
				Domains:  []string{"ads.example", "full:x.example", "keyword:track", `regexp:^a\d+,b$`},
				Networks: []string{"192.0.2.0/24"},
			},
			{Ports: "25,1000-2000"},
			{Protocols: []string{"bittorrent"}},
			{Domains: []string{"only.example"}, Ports: "443"},
		}
	}
	for _, f := range configurations {
		raw, err := format.Write(f, list)
		require.NoError(t, err)
		golden := filepath.Join("testdata", string(f)+map[bool]string{true: ".yaml", false: ".json"}[f == format.Clash || f == format.Stash])
		if *update {
			require.NoError(t, os.WriteFile(golden, raw, 0o600))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		require.Equal(t, string(want), string(raw))
	}
}

// A subscription without connections is a document that sends nothing anywhere, not a broken one, and not one that lets
// everything out beside the tunnel.
func TestOfNothingAFormCarriesNothing(t *testing.T) {
	t.Parallel()
	for _, f := range format.All() {
		raw, err := format.Write(f, nil)
		require.NoError(t, err)
		require.Empty(t, readers[f](t, raw))
	}
	raw, err := format.Write(format.Clash, nil)
	require.NoError(t, err)
	require.Contains(t, string(raw), "MATCH,REJECT")
	raw, err = format.Write(format.SingBox, nil)
	require.NoError(t, err)
	require.Contains(t, string(raw), `"action": "reject"`)
	raw, err = format.Write(format.Xray, nil)
	require.NoError(t, err)
	require.Contains(t, string(raw), "blackhole")
}

// A form whose rules hold for all connections refuses only what every one of them refuses.
func TestWhatOneConnectionRefusesIsNotRefusedForAll(t *testing.T) {
	t.Parallel()
	list := []flowsapi.Connection{samples()[0], samples()[0]}
	list[0].Refused = []flowsapi.Refusal{{Domains: []string{"first.test"}}, {Domains: []string{"both.test"}}}
	list[1].Refused = []flowsapi.Refusal{{Domains: []string{"both.test"}}}
	for _, f := range []format.Format{format.SingBox, format.Clash, format.Stash} {
		raw, err := format.Write(f, list)
		require.NoError(t, err)
		require.NotContains(t, string(raw), "first.test")
		require.Contains(t, string(raw), "both.test")
	}
	raw, err := format.Write(format.Xray, list)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(raw), "first.test"), "Xray has a configuration for each")
}

func TestProgramsAreKnownByTheirNames(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]format.Format{
		"":                                 format.Links,
		"v2rayNG/1.9.30":                   format.Links,
		"v2rayN/7.4":                       format.Links,
		"Shadowrocket/2070 CFNetwork/1474": format.Links,
		"HiddifyNext/2.5.7 (android) like ClashMeta v2ray sing-box": format.Links,
		"Happ/3.7.0": format.Xray,
		"SFA/1.11.4 (Build 430; sing-box 1.11.4; language en_US)": format.SingBox,
		"sing-box 1.12.0":                              format.SingBox,
		"SFI/1.11.4 sing-box 1.11.4":                   format.SingBox,
		"clash-verge/v2.0.3":                           format.Clash,
		"ClashMetaForAndroid/2.11.5":                   format.Clash,
		"mihomo/1.19.0":                                format.Clash,
		"FlClash/v0.8.70 clash-verge Platform/android": format.Clash,
		"Stash/3.1.1 Clash/1.9.0":                      format.Stash,
	} {
		form, browser := format.For(agent, "*/*")
		require.Equal(t, want, form, agent)
		require.False(t, browser)
	}
	const chrome = "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/126 Mobile Safari/537.36"
	_, browser := format.For(chrome, "text/html,application/xhtml+xml")
	require.True(t, browser)
	_, browser = format.For("Happ/3.7.0", "text/html")
	require.False(t, browser, "a program that claims to read pages is still a program")
}

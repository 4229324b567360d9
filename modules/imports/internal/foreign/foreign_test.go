package foreign_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/imports/internal/foreign"
)

// drawing is one as flows read it.
type drawing struct {
	Nodes []struct {
		Key          string
		Kind         string
		NodeID       string `json:"node_id"`
		NodeDomainID string `json:"node_domain_id"`
		Params       struct{ Listener *foreign.Listener }
	}
	Edges []struct {
		From, To string
		Match    *foreign.Match
		Priority int
	}
}

func drawn(t *testing.T, e foreign.Entry, nodeID string) (d drawing) {
	t.Helper()
	text, err := e.Drawing(nodeID)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &d))
	return d
}

func keys(d drawing) (out []string) {
	for _, n := range d.Nodes {
		out = append(out, n.Key+":"+n.Kind)
	}
	return out
}

func ways(d drawing) (out []string) {
	for _, e := range d.Edges {
		out = append(out, e.From+">"+e.To)
	}
	return out
}

func TestAnEntryIsDrawnWithItsRules(t *testing.T) {
	t.Parallel()
	l := &foreign.Listener{Protocol: "vless", Port: 443, Security: "tls", AcceptProxy: true}
	d := drawn(t, foreign.Entry{Listener: l}, "n")
	require.Equal(t, []string{"entry:entry", "out:direct"}, keys(d))
	require.Equal(t, []string{"entry>out"}, ways(d))
	require.Equal(t, l, d.Nodes[0].Params.Listener)
	require.Equal(t, "n", d.Nodes[0].NodeID)
	require.Empty(t, d.Nodes[0].NodeDomainID, "a binding is chosen in the draft")

	rules := []foreign.Rule{{Match: foreign.Match{Port: "53"}}, {Match: foreign.Match{Port: "25"}, Refuse: true}}
	d = drawn(t, foreign.Entry{Listener: &foreign.Listener{Protocol: "vmess"}, Rules: rules}, "")
	require.Equal(t, []string{"entry:entry", "out:direct", "refused:block"}, keys(d))
	require.Equal(t, []string{"entry>out", "entry>refused", "entry>out"}, ways(d))
	require.Equal(t, "25", d.Edges[1].Match.Port)
	require.Less(t, d.Edges[0].Priority, d.Edges[1].Priority, "rules are tried in their order")
	require.Less(t, d.Edges[1].Priority, d.Edges[2].Priority)
	require.Nil(t, d.Edges[2].Match)

	d = drawn(t, foreign.Entry{Listener: l, Refuses: true}, "")
	require.Equal(t, []string{"entry:entry", "refused:block"}, keys(d), "no block stands there without a way to it")
	d = drawn(t, foreign.Entry{Listener: l, Refuses: true, Rules: rules[:1]}, "")
	require.Equal(t, []string{"entry>out", "entry>refused"}, ways(d))
}

func TestAWholeFlowIsDrawnAsItIs(t *testing.T) {
	t.Parallel()
	e := foreign.Entry{Flow: &foreign.Flow{Drawing: json.RawMessage(`{"nodes":[]}`)}}
	text, err := e.Drawing("n")
	require.NoError(t, err)
	require.JSONEq(t, `{"nodes":[]}`, string(text))
}

// Whatever is told of has words, in English and in Russian, and one code for each of them.
func TestEachReasonHasWordsInBothLanguages(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../russian.txt")
	require.NoError(t, err)
	lines := strings.Split(string(raw), "\n")
	seen := map[string]bool{}
	require.IsIncreasing(t, foreign.Codes())
	for _, code := range foreign.Codes() {
		words := code.Reason()
		require.NotEmpty(t, words, code)
		require.False(t, seen[words], "two codes say %q", words)
		seen[words] = true
		at := -1
		for i, line := range lines {
			if line == words {
				at = i
			}
		}
		require.GreaterOrEqual(t, at, 0, "no Russian for %q", words)
		require.Regexp(t, `[а-яё]`, lines[at+1])
	}
	require.Empty(t, foreign.Code("unheard_of").Reason())
}

func TestTextsAreMadeFitToBeShown(t *testing.T) {
	t.Parallel()
	for given, wanted := range map[string]string{
		"anna": "anna", "  anna ": "anna", "a\x00b": "a b", "a\nb": "a b", "\u202eevil": "evil", "a\u2028b": "a b",
		"a\xffb": "ab", "": "", " \t\n": "", "яяяяяяяя": "яяяяя", "abcd  x": "abcd", "🇩🇪🇩🇪🇩🇪": "🇩🇪🇩🇪🇩",
	} {
		require.Equal(t, wanted, foreign.Clean(given, 5), "%q", given)
	}
}

func TestMomentsStayInTheCalendar(t *testing.T) {
	t.Parallel()
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	require.Equal(t, &at, foreign.Moment(1_893_456_000_000))
	require.Equal(t, 9999, foreign.Moment(253402300799000).Year())
	for _, none := range []int64{0, -1, 253402300799001, 1<<63 - 1, -1 << 63} {
		require.Nil(t, foreign.Moment(none))
	}
}

func TestMatchesThatChooseEverything(t *testing.T) {
	t.Parallel()
	require.True(t, (&foreign.Match{}).Empty())
	one := []string{"x"}
	for _, m := range []foreign.Match{
		{Port: "1"}, {Domain: one}, {IP: one}, {Geosite: one}, {GeoIP: one}, {Protocol: one},
	} {
		require.False(t, m.Empty())
	}
}

// What is above the limits of one source is left out, and told while there is room for it.
func TestLimitsOfASource(t *testing.T) {
	t.Parallel()
	c := new(foreign.Config)
	c.Add("a", foreign.Entry{Key: "a", Clients: make([]foreign.Client, foreign.MaxClients-1)})
	c.Add("b", foreign.Entry{Key: "b", Clients: make([]foreign.Client, 5)})
	require.Len(t, c.Entries[1].Clients, 1)
	require.Equal(t, []foreign.Finding{{Path: "b.clients", Code: foreign.TooMany, Entry: "b"}}, c.Findings)
	require.True(t, c.Has("b"))
	require.False(t, c.Has("c"))
	for range foreign.MaxEntries + foreign.MaxFindings {
		c.Add("c", foreign.Entry{Name: "one more"})
	}
	require.Len(t, c.Entries, foreign.MaxEntries)
	require.Len(t, c.Findings, foreign.MaxFindings)
	require.Equal(t, foreign.MaxClients, c.Clients)
}

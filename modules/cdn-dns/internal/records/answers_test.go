package records

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/modules/cdn-dns/internal/provider"
	"panel/modules/domains/domainsapi"
	"panel/platform/fault"
)

var both = wish{records: []provider.Record{
	{Name: "n1.example.com", Type: "AAAA", Value: "2001:db8::7", TTL: 300},
	{Name: "n1.example.com", Type: "A", Value: "203.0.113.7", TTL: 60},
}}

// What a server answers is compared as a whole: a family too few or an address too many is something else.
func TestAnswersAreComparedAsAWhole(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values []string
		want   wish
		answer string
	}{
		{nil, one, nothing},
		{nil, wish{any: true}, nothing},
		{[]string{"203.0.113.7"}, one, same},
		{[]string{"203.0.113.8"}, one, different},
		{[]string{"203.0.113.7", "203.0.113.8"}, one, different},
		{[]string{"2001:db8::7", "203.0.113.7"}, both, same},
		{[]string{"203.0.113.7"}, both, different},
		{[]string{"198.51.100.1"}, wish{any: true}, same},
		{[]string{"198.51.100.1"}, wish{}, different},
	} {
		require.Equal(t, c.answer, compare(c.values, c.want), "%v", c.values)
	}
}

// Clients ask resolvers, so the first of those that answers says what they get; the zone's own servers are second best.
func TestWhatClientsGetIsWhatTheFirstResolverSays(t *testing.T) {
	t.Parallel()
	zone := func(answer string, values ...string) Answer {
		return Answer{Authoritative: true, Answer: answer, Values: values}
	}
	public := func(answer string, values ...string) Answer { return Answer{Answer: answer, Values: values} }
	for _, c := range []struct {
		answers []Answer
		seen    []string
	}{
		{nil, []string{}},
		{[]Answer{zone(silent), public(refused)}, []string{}},
		{[]Answer{zone(same, "1")}, []string{"1"}},
		{[]Answer{zone(same, "1"), zone(same, "2")}, []string{"1"}},
		{[]Answer{zone(same, "1"), public(different, "2"), public(same, "3")}, []string{"2"}},
		{[]Answer{zone(same, "1"), public(silent), public(same, "3")}, []string{"3"}},
		{[]Answer{zone(alias, "other.example"), public(same, "4")}, []string{"4"}},
		{[]Answer{zone(same, "1"), public(nothing)}, []string{"1"}},
	} {
		require.Equal(t, c.seen, seenBy(c.answers), "%v", c.answers)
	}
}

// An event names everything else that was seen, once and in order.
func TestAnEventNamesWhatElseWasSeen(t *testing.T) {
	t.Parallel()
	require.Empty(t, summary(nil))
	require.Equal(t, []string{"1", "2", "away.example"}, summary([]Answer{
		{Answer: different, Values: []string{"2", "1"}},
		{Answer: same, Values: []string{"9"}},
		{Answer: alias, Values: []string{"away.example"}},
		{Answer: different, Values: []string{"1"}},
		{Answer: silent},
		{Answer: nothing},
	}))
}

// Rule: the panel never touches a record that it did not make. What is neither wanted nor its own stops it; texts are
// other people's business and do not.
func TestStrangersAreWhatIsNeitherWantedNorOurs(t *testing.T) {
	t.Parallel()
	at := func(kind, value string) provider.Record {
		return provider.Record{Name: "n1.example.com", Type: kind, Value: value}
	}
	ours := func(phase, value string) written {
		return written{Hostname: "n1.example.com", Type: "A", Value: value, Phase: phase}
	}
	for what, c := range map[string]struct {
		there     []provider.Record
		own       []written
		strangers []Conflict
	}{
		"nothing":            {},
		"what is wanted":     {there: []provider.Record{at("A", "203.0.113.7")}},
		"a text":             {there: []provider.Record{at("TXT", "v=spf1 -all")}},
		"another address":    {[]provider.Record{at("A", "203.0.113.9")}, nil, []Conflict{{"A", "n1.example.com", "203.0.113.9"}}},
		"the other family":   {[]provider.Record{at("AAAA", "2001:db8::9")}, nil, []Conflict{{"AAAA", "n1.example.com", "2001:db8::9"}}},
		"an alias":           {[]provider.Record{at("CNAME", "x.example")}, nil, []Conflict{{"CNAME", "n1.example.com", "x.example"}}},
		"one of ours":        {[]provider.Record{at("A", "203.0.113.9")}, []written{ours(phaseWritten, "203.0.113.9")}, nil},
		"one half written":   {[]provider.Record{at("A", "203.0.113.9")}, []written{ours(phaseIntent, "203.0.113.9")}, nil},
		"one that was found": {[]provider.Record{at("A", "203.0.113.9")}, []written{ours(phaseFound, "203.0.113.9")}, []Conflict{{"A", "n1.example.com", "203.0.113.9"}}},
		"behind a network": {
			[]provider.Record{{Name: "n1.example.com", Type: "A", Value: "203.0.113.7", Proxied: true}}, nil, nil,
		},
	} {
		require.Equal(t, c.strangers, strangers(c.there, one, c.own), what)
	}
}

// A wanted record is missing until it stands, and blocked while somebody else's stands in its way.
func TestTheStateOfAWantedRecord(t *testing.T) {
	t.Parallel()
	want := Wanted{Type: "A", Name: "n1.example.com", Value: "203.0.113.7"}
	row := func(phase string) []written {
		return []written{
			{Hostname: "n1.example.com", Type: "A", Value: "203.0.113.8", Phase: phaseWritten},
			{Hostname: "n1.example.com", Type: "A", Value: "203.0.113.7", Phase: phase},
		}
	}
	for _, c := range []struct {
		own     []written
		blocked bool
		state   string
	}{
		{nil, false, stateMissing},
		{nil, true, stateBlocked},
		{row(phaseIntent), false, stateMissing},
		{row(phaseIntent), true, stateBlocked},
		{row(phaseWritten), false, phaseWritten},
		{row(phaseWritten), true, phaseWritten},
		{row(phaseFound), false, phaseFound},
	} {
		require.Equal(t, c.state, stateOf(want, c.own, c.blocked), "%v", c)
	}
	require.Nil(t, noted(row(phaseWritten), provider.Record{Name: "other", Type: "A", Value: "203.0.113.7"}))
	require.Equal(t, phaseFound, noted(row(phaseFound), one.records[0]).Phase)
}

// Records are shown in an order that does not depend on what a node said first.
func TestWishesAreShownInOrder(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"2001:db8::7", "203.0.113.7"}, both.values())
	shown := both.shown()
	require.Equal(t, []string{"A", "AAAA"}, []string{shown[0].Type, shown[1].Type})
	require.Equal(t, 60, shown[0].TTL)
	require.NotNil(t, wish{}.shown(), "an empty list, not null")
	require.Equal(t, 5*time.Minute, both.longest())
	require.Zero(t, wish{}.longest())
	_, is := both.like(provider.Record{Name: "n1.example.com", Type: "A", Value: "203.0.113.7", TTL: 9999, Proxied: true})
	require.True(t, is, "whatever its TTL, and whether a network stands in front")
	_, is = both.like(provider.Record{Name: "n2.example.com", Type: "A", Value: "203.0.113.7"})
	require.False(t, is)
}

// A state holds since the first look that saw it; looks that went wrong are counted until one is good.
func TestAStateHoldsSinceItWasSeenFirst(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	w := &watch{State: Pending, Since: now}
	for i, c := range []struct {
		state string
		since int
		bad   int
	}{
		{Pending, 0, 1},
		{Propagating, 2, 2},
		{Propagating, 2, 3},
		{OK, 4, 0},
		{OK, 4, 0},
		{Mismatch, 6, 1},
		{Failed, 7, 2},
		{OK, 8, 0},
	} {
		w.turn(c.state, now.Add(time.Duration(i+1)*time.Minute))
		require.Equal(t, c.state, w.State)
		require.Equal(t, c.bad, w.Bad, "look %d", i)
		require.Equal(t, now.Add(time.Duration(c.since)*time.Minute), w.Since, "look %d", i)
	}
}

// A name that is to lead to a network is no mismatch before an apply has put one there.
func TestANameOfANetworkWaitsForItsApply(t *testing.T) {
	t.Parallel()
	now := time.Now()
	bare := &look{bare: true, want: wish{any: true}, answers: []Answer{{Authoritative: true, Answer: nothing}}}
	require.Equal(t, Pending, judged(&watch{State: Pending}, bare, now))
	bare.bare = false
	require.Equal(t, Mismatch, judged(&watch{State: Pending}, bare, now))
	silentOnes := &look{bare: true, want: wish{any: true}, answers: []Answer{{Answer: silent}}}
	require.Equal(t, Failed, judged(&watch{State: Pending}, silentOnes, now), "that nobody answers is told")
}

// What a service said is shown; what went wrong inside the panel stands in its log alone.
func TestWhatMayBeShownOfAnError(t *testing.T) {
	t.Parallel()
	e := &Engine{Tools: Tools{Log: zap.NewNop()}}
	refused := fault.Upstream("dns_provider_error", "Vultr refused: HTTP 400").Wrap(errors.New("secret-7"))
	require.Equal(t, "Vultr refused: HTTP 400", e.explained("n1.example.com", refused))
	for _, inside := range []error{errors.New("secret-7"), fmt.Errorf("write: %w", errors.New("secret-7"))} {
		require.NotContains(t, e.explained("n1.example.com", inside), "secret-7")
	}
}

// The list of bindings gets the state, the type of the first wanted record and the addresses.
func TestTheListReadsWhatWasSeen(t *testing.T) {
	t.Parallel()
	read := Source().Read
	for text, want := range map[string]domainsapi.State{
		`["ok", "AAAA", ["2001:db8::7"]]`: {DNS: "ok", RecordType: "AAAA", ResolvedIPs: []string{"2001:db8::7"}},
		`["pending", null, []]`:           {DNS: "pending", ResolvedIPs: []string{}},
		`["mismatch", "A", null]`:         {DNS: "mismatch", RecordType: "A"},
	} {
		got, err := read([]byte(text), time.Now())
		require.NoError(t, err)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "{}", `["ok", 4]`} {
		_, err := read([]byte(text), time.Now())
		require.Error(t, err, text)
	}
}

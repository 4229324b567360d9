package policies

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/platform/audit"
	"panel/platform/fault"
	"panel/platform/vault"
)

func given(text string) *string { return &text }

func refusedField(t *testing.T, err error) string {
	t.Helper()
	told, known := fault.As(err)
	require.True(t, known, "%v", err)
	require.Equal(t, "invalid_value", told.Code)
	return told.Fields[0].Field
}

var (
	proxy  = PlanBody{Way: flowsapi.PlanSOCKS, Address: "proxy.example", Port: 1080, User: "panel"}
	direct = PlanBody{Way: flowsapi.PlanDirect, Family: "ipv4"}
	split  = &flowsapi.Fragment{Packets: "tlshello", Length: "100-200", Interval: "10-20"}
)

// A proxy is a name or an address that nodes can dial. Nothing of it breaks out of the configuration that it goes into.
func TestProxiesAreNamesOrAddresses(t *testing.T) {
	t.Parallel()
	for _, good := range []string{
		"a", "proxy.example", "PROXY.Example", "192.0.2.1", "10.0.0.1", "::1", "2001:db8::1", "a_b.example", "xn--e1afmkfd.xn--p1ai",
		strings.Repeat("a", 253),
	} {
		require.True(t, hostname(good), good)
	}
	for _, bad := range []string{
		"", " ", "a b", ".a", "-a", "a..b", "a/b", "a:1", "[::1]", "fe80::1%eth0", "прокси.рф", "a\n", "a\"b", "a@b",
		strings.Repeat("a", 254),
	} {
		require.False(t, hostname(bad), "%q", bad)
	}
	padded := proxy
	padded.Address = "  proxy.example "
	require.NoError(t, checkBody(&padded, nil))
	require.Equal(t, "proxy.example", padded.Address)
}

// Pieces and pauses are a number or two that do not go backwards; what a form cannot hold is no span.
func TestSpansOfFragments(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]int{"0": {0, 0}, "5": {5, 5}, "10-20": {10, 20}, "7-7": {7, 7}, "0-9999": {0, 9999}} {
		low, high, ok := span(text)
		require.True(t, ok, text)
		require.Equal(t, want, [2]int{low, high}, text)
	}
	for _, bad := range []string{"", "-", "1-", "-1", "2-1", "1-2-3", "a", "1-a", "1.5", " 1"} {
		_, _, ok := span(bad)
		require.False(t, ok, "%q", bad)
	}
}

// Each way out has its own members; what belongs to the other is refused with its field, and nothing is silently
// dropped.
func TestEachWayOutHasItsOwnMembers(t *testing.T) {
	t.Parallel()
	change := func(b PlanBody, to func(*PlanBody)) PlanBody { to(&b); return b }
	for name, c := range map[string]struct {
		body     PlanBody
		password *string
		field    string
	}{
		"family of a proxy":   {change(proxy, func(b *PlanBody) { b.Family = "ipv6" }), nil, "body.way"},
		"fragment of a proxy": {change(proxy, func(b *PlanBody) { b.Fragment = split }), nil, "body.way"},
		"password of nobody":  {change(proxy, func(b *PlanBody) { b.User = "" }), given("x"), "body.user"},
		"user with a break":   {change(proxy, func(b *PlanBody) { b.User = "a\tb" }), nil, "body.user"},
		"password of two":     {proxy, given("a\nb"), "body.user"},
		"deleting character":  {proxy, given("a\x7f"), "body.user"},
		"port of direct":      {change(direct, func(b *PlanBody) { b.Port = 1 }), nil, "body.way"},
		"user of direct":      {change(direct, func(b *PlanBody) { b.User = "x" }), nil, "body.way"},
		"password of direct":  {direct, given("x"), "body.way"},
		"direct as it is":     {change(direct, func(b *PlanBody) { b.Family = "any" }), nil, "body.way"},
		"no pause": {change(direct, func(b *PlanBody) {
			b.Fragment = &flowsapi.Fragment{Packets: "1-3", Length: "1", Interval: "x"}
		}), nil, "body.fragment.interval"},
	} {
		body := c.body
		require.Equal(t, c.field, refusedField(t, checkBody(&body, c.password)), name)
	}
	for name, body := range map[string]PlanBody{
		"socks": proxy, "http": change(proxy, func(b *PlanBody) { b.Way = flowsapi.PlanHTTP }), "family": direct,
		"nobody's proxy": change(proxy, func(b *PlanBody) { b.User = "" }),
		"split alone":    change(direct, func(b *PlanBody) { b.Family, b.Fragment = "", split }),
	} {
		require.NoError(t, checkBody(&body, given("")), name)
	}
	alone := change(direct, func(b *PlanBody) { b.Family, b.Fragment = "", split })
	require.NoError(t, checkBody(&alone, nil))
	require.Equal(t, "any", alone.Family, "what is left out is said")
}

// Rule: a password that was given once goes to no other proxy, and to no other user there.
func TestAPasswordStaysWithItsProxyAndUser(t *testing.T) {
	t.Parallel()
	secrets, err := vault.New("a master key that only tests know")
	require.NoError(t, err)
	p := &policies{vault: secrets}
	before := &versionRow{ID: "v1", Body: proxy}
	before.Password = secrets.Seal(passwordRef(before.ID), []byte("planted"))
	kept := func(body PlanBody, password *string) (string, error) { return p.passwordOf(before, body, password) }

	got, err := kept(proxy, nil)
	require.NoError(t, err)
	require.Equal(t, "planted", got, "nothing that matters has changed")
	got, err = kept(proxy, given("new"))
	require.NoError(t, err)
	require.Equal(t, "new", got)
	got, err = kept(proxy, given(""))
	require.NoError(t, err)
	require.Empty(t, got, "none is an answer")
	got, err = kept(direct, nil)
	require.NoError(t, err)
	require.Empty(t, got, "direct has none")
	for _, to := range []func(*PlanBody){
		func(b *PlanBody) { b.Address = "attacker.example" }, func(b *PlanBody) { b.Port++ },
		func(b *PlanBody) { b.User = "root" },
	} {
		other := proxy
		to(&other)
		_, err = kept(other, nil)
		require.Equal(t, "body.password", refusedField(t, err))
	}
	http := proxy
	http.Way = flowsapi.PlanHTTP
	got, err = kept(http, nil)
	require.NoError(t, err)
	require.Equal(t, "planted", got, "the same proxy, spoken to in another way")

	before.ID = "v2"
	_, err = kept(proxy, nil)
	require.Error(t, err, "a sealed password belongs to its row")
	require.NotContains(t, err.Error(), "planted")
	got, err = p.passwordOf(&versionRow{Body: proxy}, proxy, nil)
	require.NoError(t, err)
	require.Empty(t, got)
	got, err = p.passwordOf(nil, proxy, nil)
	require.NoError(t, err)
	require.Empty(t, got)
}

// The journal tells what another version changes, each part by its name, and never a password.
func TestWhatAVersionOfAPlanChangesIsTold(t *testing.T) {
	t.Parallel()
	require.Equal(t, map[string]audit.Change{"way": {To: "socks"}}, bodyChanges(nil, proxy))
	require.Empty(t, bodyChanges(&proxy, proxy))
	moved := proxy
	moved.Port, moved.User = 1081, "other"
	require.Equal(t, map[string]audit.Change{
		"proxy": {From: "proxy.example:1080", To: "proxy.example:1081"}, "user": {From: "panel", To: "other"},
	}, bodyChanges(&proxy, moved))
	require.Equal(t, map[string]audit.Change{
		"way": {From: "socks", To: "direct"}, "proxy": {From: "proxy.example:1080", To: ""}, "user": {From: "panel", To: ""},
		"family": {From: "", To: "ipv4"},
	}, bodyChanges(&proxy, direct))
	pieces := direct
	pieces.Fragment = split
	require.Equal(t, map[string]audit.Change{"fragment": {From: "", To: "tlshello, 100-200 bytes, 10-20 ms"}},
		bodyChanges(&direct, pieces))
	smaller := pieces
	smaller.Fragment = &flowsapi.Fragment{Packets: "tlshello", Length: "1-5", Interval: "10-20"}
	require.Equal(t, "tlshello, 1-5 bytes, 10-20 ms", bodyChanges(&pieces, smaller)["fragment"].To)
}

// Ids of flows are read in any case of letters, each once; what is none is told by its place.
func TestIDsOfFlowsAreRead(t *testing.T) {
	t.Parallel()
	const a, b = "0199aaaa-0000-7000-8000-00000000000b", "0199aaaa-0000-7000-8000-00000000000a"
	got, err := ids([]string{a, strings.ToUpper(b), b, a})
	require.NoError(t, err)
	require.Equal(t, []string{b, a}, got)
	got, err = ids(nil)
	require.NoError(t, err)
	require.Empty(t, got)
	_, err = ids([]string{a, "nonsense"})
	require.Equal(t, "flow_ids[1]", refusedField(t, err))
	require.Equal(t, []string{a}, valid([]string{"x", a, ""}))
}

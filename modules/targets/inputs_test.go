package targets

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"panel/modules/domains/domainsapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/agentapi"
	"panel/platform/config"
	"panel/platform/fault"
	"panel/platform/outbound"
)

// bound are host names that accounts have bound to nodes.
type bound struct {
	domainsapi.Domains
	all   []domainsapi.Domain
	asked int
	fails error
}

func (b *bound) All(_ context.Context, after string, most int) (page []domainsapi.Domain, _ error) {
	b.asked++
	for _, d := range b.all {
		if d.Hostname > after && len(page) < most {
			page = append(page, d)
		}
	}
	return page, b.fails
}

func read(t *testing.T, domains domainsapi.Domains) *inputs {
	t.Helper()
	cfg, err := config.Of(map[string]string{})
	require.NoError(t, err)
	network, err := outbound.NewNetwork(cfg)
	require.NoError(t, err)
	return &inputs{domains: domains, network: network}
}

// A target is written as people write one: in any alphabet and case of letters, with or without a port.
func TestATargetIsReadAsPeopleWriteIt(t *testing.T) {
	t.Parallel()
	in := read(t, nil)
	for text, want := range map[string]agentapi.ScanTarget{
		"www.example.org":            {Host: "www.example.org", Port: 443},
		"  WWW.Example.ORG. ":        {Host: "www.example.org", Port: 443},
		"www.example.org:8443":       {Host: "www.example.org", Port: 8443},
		"пример.рф":                  {Host: "xn--e1afmkfd.xn--p1ai", Port: 443},
		"8.8.8.8":                    {Host: "8.8.8.8", Port: 443},
		"8.8.8.8:1":                  {Host: "8.8.8.8", Port: 1},
		"2001:4860:4860::8888":       {Host: "2001:4860:4860::8888", Port: 443},
		"[2001:4860:4860::8888]":     {Host: "2001:4860:4860::8888", Port: 443},
		"[2001:4860:4860::8888]:853": {Host: "2001:4860:4860::8888", Port: 853},
	} {
		got, why := in.host(text, usualPort)
		require.Empty(t, why, text)
		require.Equal(t, want, got, text)
	}
}

// Rule: private ranges are always refused, however they are written; so is what no client could ask for.
func TestWhatIsNoTargetIsRefused(t *testing.T) {
	t.Parallel()
	in := read(t, nil)
	for text, want := range map[string]string{
		"10.0.0.1": notPublic, "192.168.1.1:443": notPublic, "172.31.255.255": notPublic, "127.0.0.1": notPublic,
		"169.254.169.254": notPublic, "100.64.0.1": notPublic, "0.0.0.0": notPublic, "224.0.0.1": notPublic,
		"255.255.255.255": notPublic, "::1": notPublic, "[::1]:443": notPublic, "fe80::1": notPublic, "fc00::1": notPublic,
		"::ffff:10.0.0.1": notPublic, "[::ffff:127.0.0.1]:443": notPublic, "fe80::1%eth0": notPublic, "::": notPublic,
		"": notHost, "localhost": notHost, "a.localhost": notHost, "single": notHost, "a..example": notHost,
		"-a.example": notHost, "a b.example": notHost, "a.example:0": notHost, "a.example:65536": notHost,
		"a.example:x": notHost, "a.example:443:1": notHost, ":443": notHost, "https://a.example": notHost,
		"a.example/path": notHost, "user@a.example": notHost, "2130706433": notHost, "0x7f.1": notHost,
		"a.example\x00": notHost, strings.Repeat("a", 64) + ".example": notHost,
	} {
		got, why := in.host(text, usualPort)
		require.Equal(t, want, why, "%q became %+v", text, got)
	}
}

// Whatever is typed, what comes out is a public address or a name with a dot, at a port that there is.
func TestNothingTypedLeadsInside(t *testing.T) {
	t.Parallel()
	in := read(t, nil)
	typed := rapid.OneOf(
		rapid.String(),
		rapid.StringMatching(`[0-9a-fx.:\[\]%]{1,24}`),
		rapid.Custom(func(t *rapid.T) string {
			parts := rapid.SliceOfN(rapid.IntRange(0, 255), 4, 4).Draw(t, "address")
			return fmt.Sprintf("%d.%d.%d.%d", parts[0], parts[1], parts[2], parts[3])
		}),
	)
	rapid.Check(t, func(t *rapid.T) {
		target, why := in.host(typed.Draw(t, "typed"), usualPort)
		if why != "" {
			return
		}
		if target.Port < 1 || target.Port > 65535 {
			t.Fatalf("%+v", target)
		}
		addr, err := netip.ParseAddr(target.Host)
		if err != nil && !strings.Contains(target.Host, ".") || err == nil && (addr.IsPrivate() || addr.IsLoopback() ||
			addr.IsUnspecified() || addr.IsLinkLocalUnicast() || addr.IsMulticast()) {
			t.Fatalf("%+v", target)
		}
	})
}

// A network has at most 256 addresses, all of them public; every one is a target, the first and the last as well.
func TestANetworkIsAllItsAddresses(t *testing.T) {
	t.Parallel()
	in := read(t, nil)
	list, err := in.networks([]string{"8.8.4.77/24", "2001:4860:4860::8800/126", " 1.1.1.1/32 "}, 8443)
	require.NoError(t, err)
	require.Len(t, list, 256+4+1)
	require.Equal(t, agentapi.ScanTarget{Host: "8.8.4.0", Port: 8443}, list[0], "from the beginning of the network")
	require.Equal(t, "8.8.4.255", list[255].Host)
	require.Equal(t, "2001:4860:4860::8803", list[259].Host)
	require.Equal(t, "1.1.1.1", list[260].Host)
	for network, end := range map[string]string{
		"8.8.4.0/24": "8.8.4.255", "8.8.4.4/30": "8.8.4.7", "8.8.4.4/32": "8.8.4.4", "2001:db8::100/120": "2001:db8::1ff",
	} {
		require.Equal(t, end, last(netip.MustParsePrefix(network)).String(), network)
	}
}

// What is wrong is told for each field, and the list of it has an end.
func TestWrongInputsAreToldTogether(t *testing.T) {
	t.Parallel()
	in := read(t, nil)
	texts := []string{"www.example.org", "10.0.0.1", "8.8.8.8", "localhost"}
	_, err := in.hosts(texts, usualPort)
	told, known := fault.As(err)
	require.True(t, known)
	require.Len(t, told.Fields, 2)
	require.Equal(t, []string{"inputs[1]", "inputs[3]"}, []string{told.Fields[0].Field, told.Fields[1].Field})
	_, err = in.hosts(make([]string, 500), usualPort)
	told, _ = fault.As(err)
	require.Len(t, told.Fields, mostTold)
	_, err = in.networks([]string{"8.8.8.0/24", "8.8.8.0", "10.0.0.0/30", "8.0.0.0/8"}, usualPort)
	told, _ = fault.As(err)
	require.Len(t, told.Fields, 3)
}

// The neighbours are those of the first public IPv4 address that is known of the node, its own address first.
func TestNeighboursAreThoseOfAPublicAddress(t *testing.T) {
	t.Parallel()
	in := read(t, nil)
	for first, node := range map[string]nodesapi.Node{
		"8.8.4.0":   {Address: "8.8.4.4", Addresses: []string{"9.9.9.9"}},
		"9.9.9.0":   {Address: "10.0.0.4", Addresses: []string{"fe80::1", "2001:4860::1", "9.9.9.9"}},
		"1.1.1.0":   {Address: "entry.example.org", Addresses: []string{"1.1.1.1"}},
		"76.76.2.0": {Address: "::ffff:76.76.2.1"},
	} {
		list, err := in.neighbours(nil, node, usualPort)
		require.NoError(t, err, first)
		require.Len(t, list, 255, "but the node itself")
		require.Equal(t, first, list[0].Host)
	}
	for _, node := range []nodesapi.Node{
		{}, {Address: "10.0.0.1"}, {Address: "2001:4860::1"}, {Address: "192.168.1.1", Addresses: []string{"127.0.0.1"}},
	} {
		_, err := in.neighbours(nil, node, usualPort)
		require.Equal(t, "invalid_value", fault.Code(err), "%+v", node)
	}
}

// Own domains are read page by page, as many as a search may have, and of others only by who has full access.
func TestOwnDomainsAreReadPageByPage(t *testing.T) {
	t.Parallel()
	b := &bound{}
	for i := range 700 {
		owner := "mine"
		if i%7 == 0 {
			owner = "other"
		}
		b.all = append(b.all, domainsapi.Domain{Hostname: fmt.Sprintf("h%03d.example.org", i), OwnerID: owner})
	}
	in := read(t, b)
	as := func(account string, keys ...access.Key) context.Context {
		return access.With(t.Context(), access.Caller{AccountID: account, Permissions: access.Set(keys)})
	}
	list, err := in.own(as("other"), nil, 8443)
	require.NoError(t, err)
	require.Len(t, list, 100)
	require.Equal(t, 4, b.asked, "200 at a time")
	require.Equal(t, agentapi.ScanTarget{Host: "h000.example.org", Port: 8443}, list[0])
	list, err = in.own(as("nobody", access.All), nil, usualPort)
	require.NoError(t, err)
	require.Len(t, list, agentapi.MaxScanTargets, "no more than a search may have")
	list, err = in.own(as("nobody"), nil, usualPort)
	require.NoError(t, err)
	require.Empty(t, list)
	b.fails = errors.New("no database")
	_, err = in.own(as("other"), nil, usualPort)
	require.ErrorIs(t, err, b.fails)
}

// Equal targets are tried once, the first of them where it stands.
func TestATargetIsTriedOnce(t *testing.T) {
	t.Parallel()
	a, b := agentapi.ScanTarget{Host: "a.example", Port: 443}, agentapi.ScanTarget{Host: "a.example", Port: 8443}
	named := a
	named.ServerName = "b.example"
	require.Equal(t, []agentapi.ScanTarget{a, b, named}, once([]agentapi.ScanTarget{a, b, a, named, b, a}))
	require.Empty(t, once(nil))
}

package lookup_test

import (
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/cdn-dns/dnstest"
	"panel/modules/cdn-dns/internal/lookup"
	"panel/platform/config"
	"panel/platform/outbound"
)

func resolver(t *testing.T, public ...string) *lookup.Resolver {
	t.Helper()
	cfg, err := config.Of(map[string]string{"PANEL_OUTBOUND_ALLOW": "127.0.0.1"})
	require.NoError(t, err)
	network, err := outbound.NewNetwork(cfg)
	require.NoError(t, err)
	return lookup.New(network, public)
}

// On a real PowerDNS.
func TestAnAuthoritativeServerIsAskedAboutOneName(t *testing.T) {
	t.Parallel()
	server := dnstest.NewPowerDNS(t, "example.com")
	server.Set("example.com", "www.example.com", "A", "192.0.2.1")
	server.Set("example.com", "six.example.com", "AAAA", "2001:db8::1")
	server.Set("example.com", "alias.example.com", "CNAME", "www.example.com.")
	server.Set("example.com", "text.example.com", "TXT", `"one" "two"`)
	r := resolver(t, server.Address)
	for _, one := range []struct {
		name, kind string
		wanted     []string
	}{
		{"WWW.example.com.", "A", []string{"192.0.2.1"}},
		{"www.example.com", "AAAA", nil},
		{"six.example.com", "AAAA", []string{"2001:db8::1"}},
		{"alias.example.com", "A", nil},
		{"alias.example.com", "CNAME", []string{"www.example.com"}},
		{"text.example.com", "TXT", []string{"onetwo"}},
		{"nothing.example.com", "A", nil},
	} {
		found, err := r.At(t.Context(), server.Address, one.name, one.kind)
		require.NoError(t, err, one.name)
		require.Equal(t, one.wanted, found, "%s %s", one.name, one.kind)
	}
	followed, err := r.Lookup(t.Context(), "alias.example.com", "A")
	require.NoError(t, err)
	require.Equal(t, []string{"192.0.2.1"}, followed, "a resolver's answer is read to its end")
	_, err = r.At(t.Context(), server.Address, "example.net", "A")
	require.ErrorIs(t, err, lookup.ErrRefused, "the server is not responsible")
}

func TestTheServersOfAZoneAreFound(t *testing.T) {
	t.Parallel()
	server := dnstest.NewPowerDNS(t, "example.com")
	server.Set("example.com", "ns1.example.com", "A", "192.0.2.53")
	server.Set("example.com", "ns1.example.com", "AAAA", "2001:db8::53")
	r := resolver(t, server.Address)
	found, err := r.Servers(t.Context(), "example.com", nil)
	require.NoError(t, err)
	require.Equal(t, []string{"192.0.2.53:53", "[2001:db8::53]:53"}, found)
	named, err := r.Servers(t.Context(), "example.com", []string{"ns1.example.com.", "192.0.2.1", "2001:db8::1", "192.0.2.2:5353"})
	require.NoError(t, err)
	require.Equal(t, []string{
		"192.0.2.53:53", "[2001:db8::53]:53", "192.0.2.1:53", "[2001:db8::1]:53", "192.0.2.2:5353",
	}, named)
	_, err = r.Servers(t.Context(), "sub.example.com", nil)
	require.ErrorIs(t, err, lookup.ErrSilent, "a name that is no zone has none")
}

func TestTheNextResolverIsAskedWhenOneIsSilent(t *testing.T) {
	t.Parallel()
	server := dnstest.NewPowerDNS(t, "example.com")
	server.Set("example.com", "www.example.com", "A", "192.0.2.1")
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	found, err := resolver(t, closed.Addr().String(), server.Address).Lookup(t.Context(), "www.example.com", "A")
	require.NoError(t, err)
	require.Equal(t, []string{"192.0.2.1"}, found)
}

func TestAServerThatNeverAnswersCostsSeconds(t *testing.T) {
	t.Parallel()
	began := time.Now()
	_, err := resolver(t).At(t.Context(), dnstest.Slow(t), "www.example.com", "A")
	require.ErrorIs(t, err, lookup.ErrSilent)
	require.Less(t, time.Since(began), 15*time.Second)
	require.NotContains(t, err.Error(), "127.0.0.1")
}

func TestAnAddressThatIsNotAllowedIsNotAsked(t *testing.T) {
	t.Parallel()
	network, err := outbound.Through("")
	require.NoError(t, err)
	_, err = lookup.New(network, nil).At(t.Context(), "169.254.169.254:53", "www.example.com", "A")
	require.ErrorIs(t, err, outbound.ErrForbidden)
}

package routes

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xtls/xray-core/app/router"
	"github.com/xtls/xray-core/common/net"
)

func list(code, network string) *router.GeoIP {
	prefix := netip.MustParsePrefix(network)
	return &router.GeoIP{CountryCode: code, Cidr: []*router.CIDR{
		{Ip: prefix.Addr().AsSlice(), Prefix: uint32(prefix.Bits())},
	}}
}

// holds says whether the core finds an address in a list as these rules name it.
func holds(t *testing.T, of *router.GeoIP, address string) bool {
	t.Helper()
	distinguish(&router.Config{Rule: []*router.RoutingRule{{Geoip: []*router.GeoIP{of}}}})
	matcher, err := router.BuildOptimizedGeoIPMatcher(of)
	require.NoError(t, err)
	return matcher.Match(net.ParseAddress(address).IP())
}

// Rule: the core routes by the newest list of networks, and keeps those of two files with one name apart.
func TestAListOfNetworksIsWhatItsFileHoldsNow(t *testing.T) {
	t.Parallel()
	require.True(t, holds(t, list("RU", "192.0.2.0/24"), "192.0.2.1"))
	require.False(t, holds(t, list("RU", "198.51.100.0/24"), "192.0.2.1"), "an update")
	require.True(t, holds(t, list("RU", "198.51.100.0/24"), "198.51.100.1"))
	require.True(t, holds(t, list("RU", "192.0.2.0/24"), "192.0.2.1"), "a return")
	unnamed := list("", "192.0.2.0/24")
	require.True(t, holds(t, unnamed, "192.0.2.1"))
	require.Empty(t, unnamed.CountryCode, "addresses of the flow itself are no list")
}

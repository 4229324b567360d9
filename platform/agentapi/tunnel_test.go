package agentapi_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
)

// Every client has an address of its own inside a tunnel, beside those of the listener and of the probe.
func TestEveryClientHasAnAddressOfItsOwnInATunnel(t *testing.T) {
	t.Parallel()
	inside := netip.MustParsePrefix("10.0.0.0/8")
	seen := map[netip.Addr]bool{agentapi.TunnelListener(): true, agentapi.TunnelProbe(): true}
	for _, number := range []int64{1, 2, 255, 256, 65536, 1 << 23, 1<<24 - 513, 1 << 24} {
		address := agentapi.TunnelAddress(number)
		require.True(t, inside.Contains(address), number)
		require.False(t, seen[address], number)
		seen[address] = true
	}
	require.Equal(t, "10.0.1.7", agentapi.Client{Number: 7}.TunnelAddress().String())
	require.Equal(t, agentapi.TunnelAddress(1), agentapi.TunnelAddress(1+1<<24-2*256), "they begin anew after 16 millions")
}

// The key of a tunnel follows from the secret, and is none of what other protocols make of it.
func TestTheKeyOfATunnelFollowsFromTheSecret(t *testing.T) {
	t.Parallel()
	secret := make([]byte, 32)
	first := agentapi.TunnelKey(secret)
	require.True(t, first.Equal(agentapi.TunnelKey(secret)))
	require.NotEqual(t, secret, first.Bytes())
	require.False(t, first.Equal(agentapi.TunnelKey([]byte("another"))))
}

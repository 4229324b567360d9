package reach_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/cmd/panel-agent/internal/reach"
)

func TestTheServersSettingsOpenNetworksBesideThePublicInternet(t *testing.T) {
	t.Parallel()
	opened, err := reach.Of(" 127.0.0.0/8, 10.0.0.7 ,")
	require.NoError(t, err)
	for address, permitted := range map[string]bool{
		"127.0.0.9": true, "10.0.0.7": true, "10.0.0.8": false, "192.168.1.1": false, "9.9.9.9": true,
		"::ffff:127.0.0.1": true, "::1": false,
	} {
		require.Equal(t, permitted, opened.Permits(netip.MustParseAddr(address)), address)
	}
	_, err = reach.Of("everything")
	require.ErrorContains(t, err, "PANEL_OUTBOUND_ALLOW")
}

func TestTheGuardRefusesWhatIsInsideAndWhatIsNoAddress(t *testing.T) {
	t.Parallel()
	closed, err := reach.Of("")
	require.NoError(t, err)
	require.NoError(t, closed.Guard("tcp", "9.9.9.9:443", nil))
	for _, address := range []string{"127.0.0.1:80", "[::1]:80", "localhost:80", ""} {
		require.ErrorIs(t, closed.Guard("tcp", address, nil), reach.ErrInside, address)
	}
}

package assistant

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/config"
	"panel/platform/outbound"
)

// network may call this machine.
func network(t *testing.T) *outbound.Network {
	t.Helper()
	cfg, err := config.Of(map[string]string{config.OutboundAllow.Name: "127.0.0.0/8"})
	require.NoError(t, err)
	n, err := outbound.NewNetwork(cfg)
	require.NoError(t, err)
	return n
}

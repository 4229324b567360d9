package freeport

import (
	"net"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAPortIsFreeAndIsNoneOfThoseThatTheSystemGivesAway(t *testing.T) {
	t.Parallel()
	for range 50 {
		port := For(t)
		require.GreaterOrEqual(t, port, first)
		require.Less(t, port, last)
		require.NoError(t, free(":"+strconv.Itoa(port)))
	}
}

func TestAPortThatSomebodyHasIsNotFree(t *testing.T) {
	t.Parallel()
	streams, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer streams.Close()
	require.Error(t, free(streams.Addr().String()))
	packets, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	defer packets.Close()
	require.Error(t, free(packets.LocalAddr().String()))
}

// A port that was found is not found again while its finder lives, though nobody listens on it yet.
func TestAPortIsGivenOnce(t *testing.T) {
	t.Parallel()
	port := For(t)
	require.Error(t, reserve(port))
}

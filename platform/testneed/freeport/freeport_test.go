package freeport

import (
	"context"
	"net"
	"os/exec"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAPortIsFreeAndIsNoneOfThoseThatTheSystemGivesAway(t *testing.T) {
	t.Parallel()
	for range 50 {
		port := For(t)
		require.GreaterOrEqual(t, port, first)
		require.Less(t, port, last)
		require.NoError(t, free(port))
	}
}

func TestAPortThatSomebodyHasIsNotFree(t *testing.T) {
	t.Parallel()
	streams, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer streams.Close()
	require.Error(t, free(streams.Addr().(*net.TCPAddr).Port))
	packets, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	defer packets.Close()
	require.Error(t, free(packets.LocalAddr().(*net.UDPAddr).Port))
}

// A port that was found is not found again while its finder lives, though nobody listens on it yet.
func TestAPortIsGivenOnce(t *testing.T) {
	t.Parallel()
	port := For(t)
	require.Error(t, reserve(port))
}

// A program that starts in the meantime has the sockets of this process for a moment, also the listener of a look.
func TestAPortIsFreeAlsoWhileProgramsStart(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var starters sync.WaitGroup
	defer starters.Wait()
	defer cancel()
	for range 4 {
		starters.Go(func() {
			for ctx.Err() == nil {
				_ = exec.CommandContext(ctx, "true").Run()
			}
		})
	}
	for range 400 {
		listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(For(t))))
		require.NoError(t, err)
		require.NoError(t, listener.Close())
	}
}

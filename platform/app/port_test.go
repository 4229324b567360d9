package app

import (
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

// Between two panels of one process no connection is refused: it waits for whoever answers next.
func TestAConnectionWaitsForTheNextTurnAtThePort(t *testing.T) {
	t.Parallel()
	on, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := newPort(on)
	first := p.open()
	require.NoError(t, first.Close())
	_, err = first.Accept()
	require.ErrorIs(t, err, net.ErrClosed)
	client, err := net.Dial("tcp", on.Addr().String())
	require.NoError(t, err)
	second := p.open()
	served, err := second.Accept()
	require.NoError(t, err)
	_, err = served.Write([]byte("here"))
	require.NoError(t, err)
	require.NoError(t, served.Close())
	text, err := io.ReadAll(client)
	require.NoError(t, err)
	require.Equal(t, "here", string(text))
	require.NoError(t, on.Close())
	_, err = second.Accept()
	require.ErrorIs(t, err, net.ErrClosed)
}

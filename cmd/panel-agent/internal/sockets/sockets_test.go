package sockets

import (
	"net"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSeesItsOwnListeners(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	p, err := net.ListenPacket("udp", "[::1]:0")
	require.NoError(t, err)
	defer p.Close()
	lister := New(func() []int { return nil })
	tcp, found := lister.Owner("tcp", "0.0.0.0", l.Addr().(*net.TCPAddr).Port)
	require.True(t, found)
	require.True(t, tcp.Own)
	require.Equal(t, "127.0.0.1", tcp.IP)
	udp, found := lister.Owner("udp", "::1", p.LocalAddr().(*net.UDPAddr).Port)
	require.True(t, found)
	require.True(t, udp.Own)
	name, err := os.ReadFile("/proc/self/comm")
	require.NoError(t, err)
	require.Equal(t, string(name), udp.Process+"\n")
	_, found = lister.Owner("tcp", "127.0.0.2", l.Addr().(*net.TCPAddr).Port)
	require.False(t, found)
}

package core

import (
	"bufio"
	"fmt"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
	xnet "github.com/xtls/xray-core/common/net"
)

// A probe of a listener behind a load balancer says who it is as one would, before anything else; datagrams have no
// header.
func TestAProbeAnnouncesItself(t *testing.T) {
	t.Parallel()
	for network, family := range map[string]string{"127.0.0.1:0": "TCP4", "[::1]:0": "TCP6"} {
		listener, err := net.Listen("tcp", network)
		require.NoError(t, err)
		t.Cleanup(func() { _ = listener.Close() })
		at := listener.Addr().(*net.TCPAddr)
		to := xnet.TCPDestination(xnet.IPAddress(at.IP), xnet.Port(at.Port))
		conn, err := new(announcer).Dial(t.Context(), nil, to, nil)
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		accepted, err := listener.Accept()
		require.NoError(t, err)
		t.Cleanup(func() { _ = accepted.Close() })
		line, err := bufio.NewReader(accepted).ReadString('\n')
		require.NoError(t, err)
		own := conn.LocalAddr().(*net.TCPAddr)
		require.Equal(t, fmt.Sprintf("PROXY %s %s %s %d %d\r\n", family, own.IP, at.IP, own.Port, at.Port), line)
	}
	packets, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = packets.Close() })
	at := packets.LocalAddr().(*net.UDPAddr)
	to := xnet.UDPDestination(xnet.IPAddress(at.IP), xnet.Port(at.Port))
	conn, err := new(announcer).Dial(t.Context(), nil, to, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_, err = conn.Write([]byte("hello"))
	require.NoError(t, err)
	read := make([]byte, 64)
	n, _, err := packets.ReadFrom(read)
	require.NoError(t, err)
	require.Equal(t, "hello", string(read[:n]))
}

package core

import (
	"context"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	xnet "github.com/xtls/xray-core/common/net"
	"github.com/xtls/xray-core/common/session"
	"github.com/xtls/xray-core/transport/internet"
)

func from(t *testing.T, tag string) context.Context {
	t.Helper()
	return session.ContextWithOutbounds(t.Context(), []*session.Outbound{{Tag: tag}})
}

func TestPrivateAddressesAreKnownInAllTheirForms(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"127.0.0.1", "10.1.2.3", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "::1", "::", "fe80::1%eth0",
		"fc00::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "::ffff:0:7f00:1", "::127.0.0.1", "2002:7f00:1::", "ff02::1",
		"255.255.255.255",
	} {
		require.True(t, private(netip.MustParseAddr(text)), text)
	}
	for _, text := range []string{"1.1.1.1", "8.8.8.8", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"} {
		require.False(t, private(netip.MustParseAddr(text)), text)
	}
}

// A name that leads to a private address, also one that changed since the core looked, is not dialled.
func TestOnlyOutboundsWithoutTheSuffixReachPrivateAddresses(t *testing.T) {
	t.Parallel()
	server, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	port := xnet.Port(server.Addr().(*net.TCPAddr).Port)
	dialer := &publicDialer{}
	for _, host := range []xnet.Address{xnet.ParseAddress("127.0.0.1"), xnet.DomainAddress("localhost")} {
		_, err = dialer.Dial(from(t, "f1.exit.public"), nil, xnet.TCPDestination(host, port), nil)
		require.ErrorIs(t, err, errPrivate)
	}
	conn, err := dialer.Dial(from(t, "f1.exit"), nil, xnet.TCPDestination(xnet.ParseAddress("127.0.0.1"), port), nil)
	require.NoError(t, err)
	require.NoError(t, conn.Close())
}

// After a first public packet every further datagram is looked at.
func TestDatagramsToPrivateAddressesAreDropped(t *testing.T) {
	t.Parallel()
	victim, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, victim.Close()) })
	conn, err := (&publicDialer{}).Dial(from(t, "f1.exit.public"), nil,
		xnet.UDPDestination(xnet.ParseAddress("192.0.2.1"), 53), nil)
	require.NoError(t, err)
	packets := conn.(*internet.PacketConnWrapper)
	n, err := packets.WriteTo([]byte("secret"), victim.LocalAddr())
	require.NoError(t, err)
	require.Equal(t, 6, n)
	open, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	_, err = open.WriteTo([]byte("allowed"), victim.LocalAddr())
	require.NoError(t, err)
	require.NoError(t, victim.SetReadDeadline(time.Now().Add(30*time.Second)))
	buffer := make([]byte, 16)
	n, _, err = victim.ReadFrom(buffer)
	require.NoError(t, err)
	require.Equal(t, "allowed", string(buffer[:n]), "the first to arrive must be the one that was allowed")
	require.NoError(t, open.Close())
}

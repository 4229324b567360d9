package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vishvananda/netlink"

	"panel/cmd/panel-agent/internal/agenttest"
)

// Addresses of the host in its own namespace. None of them is private: only the host knows that they are its own.
const (
	ownAddress   = "203.0.113.3"
	ownAddress6  = "2001:db8:7::3"
	laterAddress = "203.0.113.9"
	broughtHome  = "198.51.100.77" // of a network that a local route brings to this host
	ownName      = "own.panel.test"
	secretPort   = 7070

	translatedAddress = "64:ff9b::cb00:7103" // ownAddress behind a NAT64 that this host does not have
)

// A core that runs for real is asked for services of its own host in every form an address can take, over TCP and UDP.
// An outbound that may reach private addresses reaches them all.
func TestADefaultExitReachesNoServiceOfItsOwnHost(t *testing.T) {
	if !agenttest.Isolated(t) {
		return
	}
	machine(t)
	secretService(t)
	ways := []string{
		ownAddress, "::ffff:" + ownAddress, translatedAddress, ownAddress6, "0.0.0.0", "127.0.0.1", "::1", ownName,
		broughtHome,
		laterAddress,
	}
	open, closed := exits(t, "out", ways), exits(t, "out"+publicSuffix, ways)
	_, err := answer("tcp", open[laterAddress], once)
	require.Error(t, err, "the interface does not have this address yet")
	agenttest.Run(t, "ip", "addr", "add", laterAddress+"/24", "dev", "wire")
	for _, way := range ways {
		for _, network := range []string{"tcp", "udp"} {
			t.Run(network+" "+way, func(t *testing.T) {
				t.Parallel()
				if way != translatedAddress {
					said, err := answer(network, open[way], often)
					require.NoError(t, err)
					require.Equal(t, "secret", said)
				}
				said, err := answer(network, closed[way], once)
				require.Error(t, err)
				require.Empty(t, said)
			})
		}
	}
}

// machine has one wire with public addresses, and a name that leads to one of them.
func machine(t *testing.T) {
	t.Helper()
	hosts := filepath.Join(t.TempDir(), "hosts")
	require.NoError(t, os.WriteFile(hosts, []byte(ownAddress+" "+ownName+"\n"), 0o600))
	for _, line := range [][]string{
		{"mount", "--bind", hosts, "/etc/hosts"},
		{"ip", "link", "set", "lo", "up"},
		{"ip", "link", "add", "wire", "type", "bridge"},
		{"ip", "addr", "add", ownAddress + "/24", "dev", "wire"},
		{"ip", "-6", "addr", "add", ownAddress6 + "/64", "dev", "wire", "nodad"},
		{"ip", "link", "set", "wire", "up"},
		{"ip", "route", "add", "local", "198.51.100.0/24", "dev", "lo"},
		{"ip", "-6", "route", "add", "64:ff9b::/96", "dev", "wire"},
	} {
		agenttest.Run(t, line...)
	}
}

// secretService answers on every address of the host.
func secretService(t *testing.T) {
	t.Helper()
	listener, err := net.Listen("tcp", ":"+strconv.Itoa(secretPort))
	require.NoError(t, err)
	packets, err := net.ListenPacket("udp", ":"+strconv.Itoa(secretPort))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, errors.Join(listener.Close(), packets.Close())) })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, "secret")
			_ = conn.Close()
		}
	}()
	go func() {
		packet := make([]byte, 64)
		for {
			_, from, err := packets.ReadFrom(packet)
			if err != nil {
				return
			}
			_, _ = packets.WriteTo([]byte("secret"), from)
		}
	}()
}

// exits starts a core that leads one port of the loopback to the secret service by each of the ways.
func exits(t *testing.T, outbound string, ways []string) map[string]string {
	t.Helper()
	doors, inbounds := map[string]string{}, []any{}
	for _, way := range ways {
		port := agenttest.FreePort(t)
		doors[way] = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		inbounds = append(inbounds, map[string]any{
			"listen": "127.0.0.1", "port": port, "protocol": "dokodemo-door",
			"settings": map[string]any{"address": way, "port": secretPort, "network": "tcp,udp"},
		})
	}
	config, err := json.Marshal(map[string]any{"inbounds": inbounds, "outbounds": []any{map[string]any{
		"tag":      outbound,
		"protocol": "freedom",
	}}})
	require.NoError(t, err)
	require.NoError(t, newSupervisor(t, t.TempDir()).Swap(t.Context(), Spec{Revision: 1, Hash: outbound, Core: config}))
	return doors
}

// How often answer asks: a datagram that is dropped leaves nothing to wait for but time.
const (
	once  = 1
	often = 30
)

// answer is what the service behind the door answers.
func answer(network, door string, tries int) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, network, door)
	if err != nil {
		return "", fmt.Errorf("open the door: %w", err)
	}
	defer conn.Close()
	said := make([]byte, 64)
	for range tries {
		_ = conn.SetDeadline(time.Now().Add(time.Second))
		_, _ = io.WriteString(conn, "?")
		n, err := conn.Read(said)
		if err == nil {
			return string(said[:n]), nil
		}
		if network == "tcp" && !errors.Is(err, os.ErrDeadlineExceeded) {
			return "", fmt.Errorf("listen at the door: %w", err)
		}
	}
	return "", errors.New("nobody answers")
}

// Without an answer of the kernel about routes, the addresses of the interfaces decide.
func TestTheInterfacesDecideWhereTheKernelTellsNoRoute(t *testing.T) {
	t.Parallel()
	mute := &hostRoutes{open: func() (*netlink.Handle, error) { return nil, errors.ErrUnsupported }}
	own, err := mute.local(netip.MustParseAddr("127.0.0.1"))
	require.NoError(t, err)
	require.True(t, own)
	foreign, err := mute.local(netip.MustParseAddr("192.0.2.1"))
	require.NoError(t, err)
	require.False(t, foreign)
}

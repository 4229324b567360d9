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
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

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
)

// translated are the forms in which a translator on the wire takes ownAddress home: NAT64, 6to4, SIIT and
// IPv4-compatible.
var translated = []string{"64:ff9b::cb00:7103", "2002:cb00:7103::1", "::ffff:0:cb00:7103", "::cb00:7103"}

// A core that runs for real is asked for services of its own host in every form an address can take, over TCP and UDP.
// An outbound that may reach private addresses reaches them all.
func TestADefaultExitReachesNoServiceOfItsOwnHost(t *testing.T) {
	if !agenttest.Isolated(t) {
		return
	}
	machine(t)
	secretService(t)
	translator(t)
	ways := append([]string{
		ownAddress, "::ffff:" + ownAddress, ownAddress6, "0.0.0.0", "127.0.0.1", "::1", ownName, broughtHome,
		laterAddress,
	}, translated...)
	open, closed := exits(t, "out", ways), exits(t, "out"+publicSuffix, ways)
	_, err := answer("tcp", open[laterAddress], once)
	require.Error(t, err, "the interface does not have this address yet")
	agenttest.Run(t, "ip", "addr", "add", laterAddress+"/24", "dev", "wire")
	for _, way := range ways {
		for _, network := range []string{"tcp", "udp"} {
			t.Run(network+" "+way, func(t *testing.T) {
				t.Parallel()
				said, err := answer(network, open[way], often)
				require.NoError(t, err)
				require.Equal(t, "secret", said)
				said, err = answer(network, closed[way], once)
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
	} {
		agenttest.Run(t, line...)
	}
}

// translator is another machine on the wire, in a network of its own, that owns the translated forms and answers for
// the service to which it would lead.
func translator(t *testing.T) {
	t.Helper()
	agenttest.Run(t, "ip", "link", "add", "near", "type", "veth", "peer", "name", "far")
	agenttest.Run(t, "ip", "link", "set", "near", "master", "wire", "up")
	opened := make(chan error)
	var far service
	go func() {
		runtime.LockOSThread() // for good: the thread ends with its network
		var err error
		far, err = beyond()
		opened <- err
	}()
	require.NoError(t, <-opened)
	far.serve(t)
	for _, form := range translated {
		agenttest.Run(t, "ip", "-6", "route", "add", form+"/128", "dev", "wire")
	}
}

// beyond moves the calling thread into a network of its own, at the far end of the wire, and opens the service there.
func beyond() (service, error) {
	network, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		return service{}, err
	}
	defer network.Close()
	home := fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), network.Fd())
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return service{}, fmt.Errorf("make a network: %w", err)
	}
	lines := [][]string{
		{"nsenter", "--net=" + home, "ip", "link", "set", "far", "netns", strconv.Itoa(unix.Gettid())},
		{"ip", "link", "set", "lo", "up"},
		{"ip", "link", "set", "far", "up"},
		{"ip", "-6", "route", "add", "default", "dev", "far"},
	}
	for _, form := range translated {
		lines = append(lines, []string{"ip", "-6", "addr", "add", form + "/128", "dev", "far", "nodad"})
	}
	for _, line := range lines {
		if said, err := exec.Command(line[0], line[1:]...).CombinedOutput(); err != nil {
			return service{}, fmt.Errorf("%v: %w: %s", line, err, said)
		}
	}
	return openService()
}

// secretService answers on every address of the host.
func secretService(t *testing.T) {
	t.Helper()
	s, err := openService()
	require.NoError(t, err)
	s.serve(t)
}

// service is bound in the network of the thread that opened it.
type service struct {
	listener net.Listener
	packets  net.PacketConn
}

func openService() (s service, err error) {
	if s.listener, err = net.Listen("tcp", ":"+strconv.Itoa(secretPort)); err != nil {
		return s, err
	}
	s.packets, err = net.ListenPacket("udp", ":"+strconv.Itoa(secretPort))
	return s, err
}

func (s service) serve(t *testing.T) {
	t.Helper()
	t.Cleanup(func() { require.NoError(t, errors.Join(s.listener.Close(), s.packets.Close())) })
	go func() {
		for {
			conn, err := s.listener.Accept()
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
			_, from, err := s.packets.ReadFrom(packet)
			if err != nil {
				return
			}
			_, _ = s.packets.WriteTo([]byte("secret"), from)
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

package blocks

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/agenttest"
	"panel/cmd/panel-agent/internal/blocks/nft"
	"panel/cmd/panel-agent/internal/core"
	"panel/platform/agentapi"
)

func TestMain(m *testing.M) { os.Exit(agenttest.Main(m)) }

func blocking(until time.Time, networks ...string) json.RawMessage {
	var wanted agentapi.Blocks
	for n, network := range networks {
		wanted.Blocks = append(wanted.Blocks, agentapi.Block{ID: fmt.Sprint(n), Network: network, Until: until})
	}
	raw, _ := json.Marshal(wanted)
	return raw
}

var safe = guards{
	own: []netip.Addr{netip.MustParseAddr("198.51.100.1")}, panel: []netip.Addr{netip.MustParseAddr("203.0.113.200")},
	peers: []netip.Addr{netip.MustParseAddr("203.0.113.100")},
}

// keeping is a keeper whose writes are noted, or done.
func keeping(write func([]nft.Span, []nft.Ports, time.Time) error, doors ...core.Door) *keeper {
	return &keeper{
		doors: func(context.Context) []core.Door { return doors }, skew: func() time.Duration { return 0 },
		clock: clockwork.NewRealClock(), log: zap.NewNop(), write: write,
		guarding: func(context.Context) guards { return safe }, changed: func() {},
	}
}

func TestWhatWouldCutOffTheWrongOnesIsLeftOutAndSaid(t *testing.T) {
	t.Parallel()
	for network, reason := range map[string]string{
		"127.0.0.1": reasonLoopback, "::1": reasonLoopback, "0.0.0.0/0": reasonLoopback, "::/0": reasonLoopback,
		"::ffff:127.0.0.1": reasonLoopback, "10.1.2.3": reasonPrivate, "fd00::/8": reasonPrivate,
		"192.0.0.0/8": reasonPrivate, "198.51.100.0/24": reasonOwn, "203.0.113.200": reasonPanel,
		"203.0.113.96/28": reasonSSH, "no network": reasonForm, "198.51.100.300": reasonForm,
	} {
		spans, left := judged([]agentapi.Block{{Network: network, Until: time.Now().Add(time.Hour)}}, safe, time.Now())
		require.Empty(t, spans, network)
		require.Len(t, left, 1, network)
		require.Contains(t, left[0], reason)
	}
	spans, left := judged([]agentapi.Block{{Network: "203.0.113.9", Until: time.Now().Add(time.Hour)}}, safe, time.Now())
	require.Len(t, spans, 1)
	require.Empty(t, left)
}

func TestAListThatCannotBeIsRefusedAsAWhole(t *testing.T) {
	t.Parallel()
	k := keeping(func([]nft.Span, []nft.Ports, time.Time) error { t.Error("nothing is to be written"); return nil })
	many := make([]string, agentapi.MaxBlocks+1)
	for n := range many {
		many[n] = "203.0.113.9"
	}
	require.Error(t, k.apply(t.Context(), blocking(time.Now().Add(time.Hour), many...)))
	require.Error(t, k.apply(t.Context(), json.RawMessage(`[1]`)))
}

// serves accepts on a port until the test ends.
func serves(t *testing.T, port int) {
	t.Helper()
	l, err := net.Listen("tcp", fmt.Sprint(":", port))
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(conn, conn) }()
		}
	}()
}

// comes says whether somebody with an address gets an answer on a port.
func comes(from, to string, port int) bool {
	dialer := net.Dialer{Timeout: 300 * time.Millisecond, LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	conn, err := dialer.Dial("tcp", net.JoinHostPort(to, fmt.Sprint(port)))
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

// In the kernel: an address is kept from the listener alone, in both families, comes back by itself, outlives the
// agent, and goes with the list.
func TestTheKernelBlocksAndLifts(t *testing.T) { //nolint:paralleltest // it has a network of its own
	if !agenttest.Isolated(t) {
		return
	}
	agenttest.Run(t, "ip", "link", "set", "lo", "up")
	for _, address := range []string{
		"203.0.113.9/32", "203.0.113.10/32", "198.51.100.7/32", "2001:db8::9/128", "2001:db8::1/128",
	} {
		agenttest.Run(t, "ip", "addr", "add", address, "dev", "lo")
	}
	const listener, ssh = 20443, 2222
	serves(t, listener)
	serves(t, ssh)
	require.NoError(t, nft.Able())
	k := keeping(nft.Write, core.Door{Tag: "in", From: listener, To: listener})
	require.NoError(t, k.apply(t.Context(), blocking(time.Now().Add(3*time.Second), "203.0.113.9", "2001:db8::9")))
	require.False(t, comes("203.0.113.9", "198.51.100.7", listener))
	require.False(t, comes("2001:db8::9", "2001:db8::1", listener))
	require.True(t, comes("203.0.113.9", "198.51.100.7", ssh), "everything else of the host lives on")
	require.True(t, comes("203.0.113.10", "198.51.100.7", listener), "another one")
	require.Eventually(t, func() bool { return comes("203.0.113.9", "198.51.100.7", listener) }, 10*time.Second,
		100*time.Millisecond, "the kernel lifts it by itself")

	require.NoError(t, k.apply(t.Context(), blocking(time.Now().Add(time.Hour), "203.0.113.0/28")))
	next := keeping(nft.Write, core.Door{Tag: "in", From: listener, To: listener}) // the agent was killed
	require.False(t, comes("203.0.113.10", "198.51.100.7", listener))
	require.NoError(t, next.apply(t.Context(), blocking(time.Now().Add(time.Hour), "203.0.113.9")))
	require.False(t, comes("203.0.113.9", "198.51.100.7", listener))
	require.True(t, comes("203.0.113.10", "198.51.100.7", listener), "what is not on the list any more")
	require.NoError(t, next.apply(t.Context(), blocking(time.Now())))
	require.True(t, comes("203.0.113.9", "198.51.100.7", listener))
}

// The longest list is stored whole, and a hostile one of overlaps as well.
func TestTheLongestListIsStoredWhole(t *testing.T) { //nolint:paralleltest // it has a network of its own
	if !agenttest.Isolated(t) {
		return
	}
	networks := make([]string, agentapi.MaxBlocks)
	for n := range networks {
		networks[n] = fmt.Sprintf("8.%d.%d.%d", n/20000, n/100%200, 2*(n%100))
	}
	k := keeping(nft.Write, core.Door{Tag: "in", From: 443, To: 443})
	require.NoError(t, k.apply(t.Context(), blocking(time.Now().Add(time.Hour), networks...)))
	held, err := nft.Held()
	require.NoError(t, err)
	require.Equal(t, agentapi.MaxBlocks, held)
	var hostile agentapi.Blocks
	for n := range agentapi.MaxBlocks {
		hostile.Blocks = append(hostile.Blocks, agentapi.Block{
			Network: fmt.Sprintf("9.%d.%d.0/%d", n%250, n%7, 9+n%24), Until: time.Now().Add(time.Duration(n) * time.Second),
		})
	}
	raw, err := json.Marshal(hostile)
	require.NoError(t, err)
	require.NoError(t, k.apply(t.Context(), raw))
	held, err = nft.Held()
	require.NoError(t, err)
	require.Equal(t, len(k.spans), held)
}

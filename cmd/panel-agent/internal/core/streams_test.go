package core

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/cmd/panel-agent/internal/agenttest"
)

func doorsOf(s *Supervisor) []Door {
	var all []Door
	for _, count := range s.Counters(context.Background()) {
		all = append(all, count.Doors...)
	}
	return all
}

func sessionsBecome(t *testing.T, s *Supervisor, want map[string]int64) {
	t.Helper()
	require.Eventually(t, func() bool {
		return fmt.Sprint(Sessions(doorsOf(s))) == fmt.Sprint(want)
	}, 60*time.Second, 20*time.Millisecond, "%v", Sessions(doorsOf(s)))
}

// Each listener has the sessions of its own clients, also those that a replaced core still holds, each once.
func TestSessionsAreThoseOfEachListener(t *testing.T) {
	t.Parallel()
	s, echo := newSupervisor(t, t.TempDir()), agenttest.EchoServer(t)
	one, two := agenttest.FreePort(t), agenttest.FreePort(t)
	core := both(t, agenttest.Forward(t, "in-1", one, echo), agenttest.Forward(t, "in-2", two, echo))
	require.NoError(t, s.Swap(context.Background(), Spec{Revision: 1, Hash: "1", Core: core}))
	sessionsBecome(t, s, map[string]int64{"in-1": 0, "in-2": 0})
	first, err := agenttest.Dial(one)
	require.NoError(t, err)
	require.NoError(t, agenttest.Talk(first, "x"))
	sessionsBecome(t, s, map[string]int64{"in-1": 1, "in-2": 0})

	require.NoError(t, s.Swap(context.Background(), Spec{Revision: 2, Hash: "2", Core: core}))
	second, err := agenttest.Dial(one)
	require.NoError(t, err)
	require.NoError(t, agenttest.Talk(second, "x"))
	require.NoError(t, agenttest.Talk(first, "x"))
	sessionsBecome(t, s, map[string]int64{"in-1": 2, "in-2": 0})
	require.NoError(t, first.Close())
	require.NoError(t, second.Close())
	sessionsBecome(t, s, map[string]int64{"in-1": 0, "in-2": 0})
}

// both is the configuration with the inbounds and outbounds of two.
func both(t *testing.T, configs ...[]byte) []byte {
	t.Helper()
	merged := map[string][]any{}
	for _, config := range configs {
		var parts map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(config, &parts))
		for _, name := range []string{"inbounds", "outbounds"} {
			var list []any
			require.NoError(t, json.Unmarshal(parts[name], &list))
			merged[name] = append(merged[name], list...)
		}
	}
	raw, err := json.Marshal(merged)
	require.NoError(t, err)
	return raw
}

// The kernel knows no sessions of UDP: a listener without TCP is not said to have none.
func TestSessionsOfAListenerWithoutTCPAreNotKnown(t *testing.T) {
	t.Parallel()
	packets, err := net.ListenPacket("udp", "127.77.0.1:0")
	require.NoError(t, err)
	defer packets.Close()
	port := packets.LocalAddr().(*net.UDPAddr).Port
	require.Empty(t, Sessions([]Door{{Tag: "quiet", IP: "127.77.0.1", From: port, To: port}}))
}

func TestSessionsBelongToTheAddressOfTheListener(t *testing.T) {
	t.Parallel()
	at := func(tag, ip string) Door { return Door{Tag: tag, IP: ip, From: 443, To: 444} }
	behind := lookup([]Door{
		at("all", ""), at("any", "0.0.0.0"), at("same", "127.0.0.1"), at("mapped", "::ffff:127.0.0.1"),
		at("other", "127.0.0.2"),
		at("same", "::"), // a core and the one that replaces it count a session once
	})
	for address, tags := range map[string][]string{
		"127.0.0.1:443": {"all", "any", "same", "mapped"},
		"127.0.0.1:444": {"all", "any", "same", "mapped"},
		"127.0.0.2:443": {"all", "any", "other", "same"},
		"[::1]:443":     {"all", "any", "same"},
		"127.0.0.1:442": nil,
		"127.0.0.1:445": nil,
	} {
		require.Equal(t, tags, behind(netip.MustParseAddrPort(address)), address)
	}
}

func TestAddressesAreReadAsTheKernelWritesThem(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0100007F:01BB":                         "127.0.0.1:443",
		"00000000000000000000000000000000:0050": "[::]:80",
		"0000000000000000FFFF00000100007F:1F90": "127.0.0.1:8080",
	} {
		got, ok := parseAddress([]byte(text))
		require.True(t, ok, text)
		require.Equal(t, want, got.String())
	}
	for _, broken := range []string{
		"", ":", "0100007F", "0100007F:", "0100007F:1FFFF", "zz00007F:01BB",
		"0100007F00:01BB",
	} {
		_, ok := parseAddress([]byte(broken))
		require.False(t, ok, broken)
	}
	readSocket([]byte("  sl  local_address rem_address   st"), func(string, netip.AddrPort, []byte) {
		require.Fail(t, "the heading is no socket")
	})
}

// What a client fetches leaves by the outbound that its rule names, and is counted there when the connection has ended.
func TestADownloadIsCountedByTheOutboundThatCarriedIt(t *testing.T) {
	t.Parallel()
	const size = 300_000
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, "hello %0*d", size, 0)
	}))
	t.Cleanup(site.Close)
	s := newSupervisor(t, t.TempDir())
	port := agenttest.FreePort(t)
	core := agenttest.Forward(t, "in-1", port, site.Listener.Addr().String())
	require.NoError(t, s.Swap(context.Background(), Spec{Revision: 1, Hash: "1", Core: tagged(t, core, "out-1")}))
	answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).
		Get(fmt.Sprintf("http://127.0.0.1:%d/", port))
	require.NoError(t, err)
	fetched, err := io.Copy(io.Discard, answer.Body)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Greater(t, fetched, int64(size))
	for _, name := range []string{"outbound>>>out-1>>>traffic>>>downlink", "inbound>>>in-1>>>traffic>>>downlink"} {
		require.Eventually(t, func() bool { return counted(s, name) >= fetched }, 20*time.Second,
			50*time.Millisecond, name)
	}
	require.Positive(t, counted(s, "outbound>>>out-1>>>traffic>>>uplink"))
}

// tagged names the only outbound of a configuration.
func tagged(t *testing.T, config []byte, tag string) []byte {
	t.Helper()
	var parts map[string]any
	require.NoError(t, json.Unmarshal(config, &parts))
	parts["outbounds"].([]any)[0].(map[string]any)["tag"] = tag
	raw, err := json.Marshal(parts)
	require.NoError(t, err)
	return raw
}

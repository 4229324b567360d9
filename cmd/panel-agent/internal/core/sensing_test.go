package core

import (
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/cmd/panel-agent/internal/agenttest"
	"panel/cmd/panel-agent/internal/core/sensor"
	"panel/platform/agentapi"
)

// kinds are the protocols with and without a connection of their own for each stream.
var kinds = [][2]string{
	{"vless", "raw"},
	{"vless", "xhttp"},
	{"vless", "grpc"},
	{"vmess", "ws"},
	{"trojan", "raw"},
	{"shadowsocks", "raw"},
	{"hysteria", "hysteria"},
	{protocolWireGuard, "raw"},
}

// heardOf gives the events of the serving core.
func heardOf(t *testing.T, s *Supervisor) []sensor.Event {
	t.Helper()
	cores := s.Cores()
	require.Len(t, cores, 1)
	heard, err := s.Streams(t.Context(), cores[0], sensor.Order{Most: 1000})
	require.NoError(t, err)
	return heard.Events
}

func findEvent(events []sensor.Event, what sensor.What) (sensor.Event, bool) {
	for _, e := range events {
		if e.What == what {
			return e, true
		}
	}
	return sensor.Event{}, false
}

// Each protocol shows the core who begins a stream, to where, and that it is a torrent, and passes all of it on as it
// came. Ended by an order, a stream is over on both sides, and the client may come again at once.
func TestStreamsAreToldAndEndedByEveryProtocol(t *testing.T) {
	t.Parallel()
	const handshake = "\x13BitTorrent protocol\x00\x00\x00\x00\x00\x10\x00\x05 and what follows"
	for _, kind := range kinds {
		t.Run(kind[0]+" "+kind[1], func(t *testing.T) {
			t.Parallel()
			s, ctx, root := newSupervisor(t, t.TempDir()), t.Context(), ""
			if kind[0] == "hysteria" || kind[0] == "trojan" {
				authority := agenttest.NewAuthority(t)
				root = authority.Root
				require.NoError(t, s.Certificates(ctx, holding(authority.Issue(t, tlsHost, 1, time.Now()))))
			}
			e := entryOf(t, kind[0], kind[1], agenttest.FreePort(t), root)
			anna, boris := someone("anna"), someone("boris")
			require.NoError(t, s.Clients(ctx, listing(anna, boris)))
			require.NoError(t, s.Swap(ctx, Spec{Revision: 1, Hash: "1", Core: e.server}))
			echo := agenttest.EchoServer(t)
			door := doorTo(t, e.dial(anna), echo)
			of, err := net.Dial("tcp", fmt.Sprint("127.0.0.1:", door))
			require.NoError(t, err)
			t.Cleanup(func() { _ = of.Close() })
			require.NoError(t, agenttest.Talk(of, handshake), "the bytes come through as they were")
			other := streamThrough(t, e.dial(boris))

			began, found := findEvent(heardOf(t, s), sensor.Began)
			require.True(t, found)
			require.Equal(t, agentapi.ClientEmail(listedFlow, "anna"), began.Email)
			require.Equal(t, "in-1", began.Tag)
			require.False(t, began.To.UDP)
			require.NotZero(t, began.To.Port)
			require.True(t, began.Source.IsValid())
			showed, found := findEvent(heardOf(t, s), sensor.Showed)
			require.True(t, found)
			require.Equal(t, sensor.BitTorrent, showed.Sign)
			require.Equal(t, began.Stream, showed.Stream)

			streams, _, err := s.Drop(ctx, "anna", "another flow")
			require.NoError(t, err)
			require.Zero(t, streams)
			streams, sources, err := s.Drop(ctx, "anna", listedFlow)
			require.NoError(t, err)
			require.Equal(t, 1, streams)
			require.Equal(t, 1, sources)
			require.NoError(t, ends(of))
			require.NoError(t, agenttest.Talk(other, "of another"))
			require.Eventually(t, func() bool {
				ended, found := findEvent(heardOf(t, s), sensor.Ended)
				return found && ended.Stream == began.Stream
			}, 10*time.Second, 20*time.Millisecond)
			require.Eventually(t, func() bool { return talks(door) == nil }, 20*time.Second, 50*time.Millisecond)
		})
	}
}

// Streams that a replaced core still carries are told and ended like those of the new one.
func TestADrainingCoreTellsAndEnds(t *testing.T) {
	t.Parallel()
	s, ctx := newSupervisor(t, t.TempDir()), t.Context()
	e := entryOf(t, "vless", "raw", agenttest.FreePort(t), "")
	anna := someone("anna")
	require.NoError(t, s.Clients(ctx, listing(anna)))
	require.NoError(t, s.Swap(ctx, Spec{Revision: 1, Hash: "1", Core: e.server}))
	of := streamThrough(t, e.dial(anna))
	require.NoError(t, s.Restart(ctx))
	require.Len(t, s.Cores(), 2)
	open := 0
	for _, id := range s.Cores() {
		heard, err := s.Streams(ctx, id, sensor.Order{Fresh: true})
		require.NoError(t, err)
		open += len(heard.Open)
	}
	require.Equal(t, 1, open)
	streams, _, err := s.Drop(ctx, "anna", "")
	require.NoError(t, err)
	require.Equal(t, 1, streams)
	require.NoError(t, ends(of))
}

func TestEntrancesSayWhatShowsWhereSessionsComeFrom(t *testing.T) {
	t.Parallel()
	found := entrancesIn([]byte(`{"inbounds":[
		{"tag":"plain","protocol":"vless","listen":"0.0.0.0","clients_of":{"flow_id":"f"}},
		{"tag":"front","protocol":"trojan","listen":"127.0.0.1","clients_of":{"flow_id":"f"},
			"streamSettings":{"sockopt":{"acceptProxyProtocol":true}}},
		{"tag":"link","protocol":"vless"}]}`))
	require.Equal(t, []Entrance{
		{Tag: "plain", Protocol: "vless", IP: "0.0.0.0"},
		{Tag: "front", Protocol: "trojan", IP: "127.0.0.1", Announce: true},
	}, found)
	require.Empty(t, entrancesIn([]byte(`no configuration`)))
}

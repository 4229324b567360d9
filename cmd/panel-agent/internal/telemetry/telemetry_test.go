package telemetry

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/cmd/panel-agent/internal/core"
	"panel/platform/agentapi"
)

const uplink, downlink = "user>>>c>>>traffic>>>uplink", "user>>>c>>>traffic>>>downlink"

func TestTrafficIsCountedOnceOverReplacementAndRestart(t *testing.T) {
	t.Parallel()
	traffic, bases, _ := Difference(Bases{}, map[string]core.Count{"old": {Values: map[string]int64{
		uplink:   10,
		downlink: 100,
	}}})
	require.Equal(t, []agentapi.Traffic{{Kind: "client", Name: "c", Up: 10, Down: 100}}, traffic)

	raw, err := bases.Encode()
	require.NoError(t, err)
	bases, err = ParseBases(raw)
	require.NoError(t, err)
	traffic, bases, done := Difference(bases, map[string]core.Count{
		"old": {Values: map[string]int64{uplink: 12, downlink: 100}, Ended: true},
		"new": {Values: map[string]int64{uplink: 5}},
	})
	require.Equal(t, []agentapi.Traffic{{Kind: "client", Name: "c", Up: 7}}, traffic)
	require.Equal(t, []string{"old"}, done)
	traffic, bases, _ = Difference(bases, map[string]core.Count{"new": {Values: map[string]int64{uplink: 5}}})
	require.Empty(t, traffic)
	require.NotContains(t, bases, "old")
}

// Rule of domain.md 4.19: counters may go back; never a negative or huge difference.
func TestAnOlderReadingGivesNoTraffic(t *testing.T) {
	t.Parallel()
	_, bases, _ := Difference(Bases{}, map[string]core.Count{"a": {Values: map[string]int64{uplink: 10}}})
	traffic, bases, _ := Difference(bases, map[string]core.Count{"a": {Values: map[string]int64{uplink: 4}}})
	require.Empty(t, traffic)
	traffic, _, _ = Difference(bases, map[string]core.Count{"a": {Values: map[string]int64{uplink: 11}}})
	require.EqualValues(t, 1, traffic[0].Up)
}

// What was carried before a restart of the agent, and what a core of an older agent tells, is of no known time.
func TestASampleSaysHowLongItCountedOnlyWhereItIsCertain(t *testing.T) {
	t.Parallel()
	var sample agentapi.Sample
	require.True(t, measure(&sample, map[string]core.Count{}))
	require.Zero(t, *sample.Sessions, "without a listener there are no sessions")
	sample = agentapi.Sample{}
	closed := core.Count{Doors: []core.Door{{Tag: "udp", From: 1, To: 1}}}
	require.True(t, measure(&sample, map[string]core.Count{"a": closed}))
	require.Nil(t, sample.Sessions, "nobody counts sessions of a listener without TCP")
	sample = agentapi.Sample{}
	require.False(t, measure(&sample, map[string]core.Count{"a": closed, "b": {Older: true}}))
	require.Nil(t, sample.Sessions)
	require.Nil(t, sample.Listeners)
}

func TestTrafficOfOutboundsHasItsOwnKind(t *testing.T) {
	t.Parallel()
	traffic, _, _ := Difference(Bases{}, map[string]core.Count{"a": {Values: map[string]int64{
		"outbound>>>o>>>traffic>>>uplink": 5, "inbound>>>o>>>traffic>>>uplink": 6, "odd": 7, "a>>>b>>>online>>>x": 8,
	}}})
	require.Equal(t, []agentapi.Traffic{{Kind: "listener", Name: "o", Up: 6}, {Kind: "outbound", Name: "o", Up: 5}},
		traffic)
}

func TestHostRatesComeFromTwoReadings(t *testing.T) {
	t.Parallel()
	proc, clock := t.TempDir(), clockwork.NewFakeClock()
	write(t, proc, "stat", "cpu 100 0 100 800 0 0 0 0 0 0\n")
	write(t, proc, "net/dev",
		"h\nh\n    lo: 9 9 0 0 0 0 0 0 9 9 0 0 0 0 0 0\n  eth0: 1000 10 0 0 0 0 0 0 2000 20 0 0 0 0 0 0\n")
	write(t, proc, "meminfo", "MemTotal: 1000 kB\nMemAvailable: 400 kB\n")
	write(t, proc, "net/snmp", "Tcp: A CurrEstab\nTcp: 1 7\n")
	write(t, proc, "uptime", "55.5 1\n")
	host := newHost(clock, proc, proc)
	clock.Advance(10 * time.Second)
	write(t, proc, "stat", "cpu 150 0 100 850 0 0 0 0 0 0\n")
	write(t, proc, "net/dev", "h\nh\n  eth0: 11000 110 0 0 0 0 0 0 2000 20 0 0 0 0 0 0\n")
	sample := host.Sample()
	require.InDelta(t, 50, sample.CPUPercent, 0.01)
	require.InDelta(t, 8000, sample.NetRxBps, 0.01)
	require.InDelta(t, 10, sample.RxPps, 0.01)
	require.Zero(t, sample.NetTxBps)
	require.EqualValues(t, 600<<10, sample.MemUsed)
	require.EqualValues(t, 7, sample.TCPEstablished)
	require.EqualValues(t, 55, sample.UptimeSeconds)
	require.Positive(t, sample.DiskTotal)
}

func write(t *testing.T, proc, file, content string) {
	t.Helper()
	path := filepath.Join(proc, file)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}

// What a client has used of its shares is counted from the first one on, over flows and cores, and lies beside the
// sample that tells it; an agent that has lost the count goes on from what the panel knows.
func TestSharesAreCountedWithTheSamples(t *testing.T) {
	t.Parallel()
	carried := func(bytes int64) []agentapi.Traffic {
		return []agentapi.Traffic{
			{Kind: agentapi.TrafficClient, Name: agentapi.ClientEmail("f", "anna"), Up: bytes, Down: 10},
			{Kind: agentapi.TrafficClient, Name: agentapi.ClientEmail("g", "anna"), Down: bytes},
			{Kind: agentapi.TrafficClient, Name: agentapi.ClientEmail("f", "boris"), Up: 1},
			{Kind: agentapi.TrafficListener, Name: agentapi.ClientEmail("f", "anna"), Up: 99},
			{Kind: agentapi.TrafficClient, Name: "probe", Up: 99},
		}
	}
	require.Nil(t, usedOf(Bases{}, nil, carried(5)), "nobody has a quota")
	shares := map[string]agentapi.Share{"anna": {ClientID: "anna", Limit: 100}, "vera": {ClientID: "vera", Limit: 7}}
	used := usedOf(Bases{}, shares, carried(5))
	require.Equal(t, map[string]int64{"anna": 20, "vera": 0}, used)
	require.Equal(t, map[string]int64{"anna": 80, "vera": 7}, left(shares, used))
	require.Equal(t, []agentapi.Traffic{{Kind: agentapi.TrafficShare, Name: "anna", Up: 20}},
		told(carried(5), used, map[string]bool{"nobody": true}))
	require.Equal(t, []agentapi.Traffic{{Kind: agentapi.TrafficShare, Name: "vera"}},
		told(nil, used, map[string]bool{"vera": true}), "the panel asks for it")

	bases := Bases{"core": {}}
	bases.keep(used)
	raw, err := bases.Encode()
	require.NoError(t, err)
	bases, err = ParseBases(raw)
	require.NoError(t, err)
	require.EqualValues(t, 40, usedOf(bases, shares, carried(5))["anna"])
	shares["anna"] = agentapi.Share{ClientID: "anna", Counted: 1000, Limit: 1100}
	require.EqualValues(t, 1020, usedOf(bases, shares, carried(5))["anna"])
}

package detect

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"panel/platform/agentapi"
)

var began = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func usual() Limits { return LimitsOf(&agentapi.AbuseWatch{}) }

// to is a stream of anna to an address.
func to(addr string, port uint16) *Stream {
	return &Stream{
		At: began, Client: "anna", Flow: "f", Tag: "in", Source: netip.MustParseAddr("203.0.113.9"),
		IP: netip.MustParseAddr(addr), Port: port,
	}
}

func address(n int) string { return fmt.Sprintf("198.51.%d.%d", n/250, n%250+1) }

// all are the signals of a detector by kind.
func all(d *Detector) map[agentapi.AbuseKind]Found {
	found := map[agentapi.AbuseKind]Found{}
	for _, f := range d.Due(began.Add(time.Hour), true) {
		found[f.Kind] = f
	}
	return found
}

func TestTorrentsAreSeenByWhatTheyShowAndLessCertainlyByTheirPorts(t *testing.T) {
	t.Parallel()
	for sign, least := range map[Sign]float64{BitTorrent: 0.95, HTTPTracker: 0.9, UDPTracker: 0.9, DHT: 0.8} {
		d := New(usual())
		s := to("198.51.100.1", 51413)
		s.Sign, s.Again = sign, true
		d.See(s)
		found := all(d)
		require.Len(t, found, 1)
		require.GreaterOrEqual(t, found[agentapi.AbuseTorrent].Confidence, least)
		require.NotEmpty(t, found[agentapi.AbuseTorrent].Evidence)
		require.Equal(t, "c:anna", found[agentapi.AbuseTorrent].UserRef)
		require.Equal(t, "198.51.100.1", found[agentapi.AbuseTorrent].Dest.IP)
	}
	d := New(usual())
	d.See(to("198.51.100.1", 6881))
	require.LessOrEqual(t, all(d)[agentapi.AbuseTorrent].Confidence, 0.5, "a port alone proves little")
	d.See(to("198.51.100.1", 443))
	require.Empty(t, all(d))
}

// Only what the core's own look at the bytes has named is said to come from the core.
func TestWhatNamedAProtocolIsSaid(t *testing.T) {
	t.Parallel()
	d := New(usual())
	s := to("198.51.100.1", 51413)
	s.Sign = BitTorrent
	d.See(s)
	require.Equal(t, agentapi.DetectedByRouting, all(d)[agentapi.AbuseTorrent].DetectedBy)
	d.See(to("198.51.100.1", 6969))
	require.Equal(t, agentapi.DetectedByRule, all(d)[agentapi.AbuseTorrent].DetectedBy)
}

func TestAScanIsManyAddressesOnOnePortOrManyPortsOfOne(t *testing.T) {
	t.Parallel()
	limits := usual()
	d := New(limits)
	for n := range limits.ScanHosts - 1 {
		d.See(to(address(n), 5555))
		d.See(to(address(n), 5555)) // again says nothing new
	}
	require.Empty(t, all(d))
	d.See(to(address(limits.ScanHosts), 5555))
	scan := all(d)[agentapi.AbusePortScan]
	require.EqualValues(t, limits.ScanHosts, scan.Count)
	require.Equal(t, agentapi.DetectedByFlows, scan.DetectedBy)
	require.Equal(t, "60 addresses on port 5555 in a minute", scan.Evidence)

	d = New(limits)
	for port := range limits.ScanPorts {
		d.See(to("198.51.100.1", uint16(1000+port)))
	}
	require.Contains(t, all(d), agentapi.AbusePortScan)
}

// A program that asks no name server reaches very many addresses of the web in a minute.
func TestTheWebIsNoScan(t *testing.T) {
	t.Parallel()
	d := New(usual())
	for n := range usualFactor*usual().ScanHosts - 1 {
		d.See(to(address(n), 443))
	}
	require.NotContains(t, all(d), agentapi.AbusePortScan)
	d = New(usual())
	for n := range 2 * usual().ScanHosts {
		s := to(address(n), 8443)
		s.Host, s.IP = fmt.Sprint("host", n, ".example"), netip.Addr{}
		d.See(s)
	}
	require.Empty(t, all(d), "names are no scan")
}

func TestMailsLoginsFloodsAndRatesCountAgainstTheirLimits(t *testing.T) {
	t.Parallel()
	l := usual()
	for kind, one := range map[agentapi.AbuseKind]struct {
		count int
		make  func(n int) *Stream
	}{
		agentapi.AbuseSMTPSpam:   {l.Mails, func(n int) *Stream { return to(address(n%5), 25) }},
		agentapi.AbuseBruteForce: {l.Logins, func(int) *Stream { return to("198.51.100.1", 22) }},
		agentapi.AbuseFlood:      {l.FloodRate, func(int) *Stream { return to("198.51.100.1", 8080) }},
		agentapi.AbuseHighRate:   {l.HighRate, func(n int) *Stream { return to(address(n%40), 8000+uint16(n%20)) }},
	} {
		d := New(l)
		for n := range one.count - 1 {
			d.See(one.make(n))
		}
		require.NotContains(t, all(d), kind)
		d.See(one.make(0))
		found := all(d)
		require.Contains(t, found, kind)
		require.EqualValues(t, one.count, found[kind].Count, kind)
		require.LessOrEqual(t, len(found[kind].Evidence), agentapi.MaxEvidence)
	}
}

func TestBlockedHostsAreKnownWithAllThatIsBelowThem(t *testing.T) {
	t.Parallel()
	d := New(LimitsOf(&agentapi.AbuseWatch{Hosts: []string{"Evil.Example."}}))
	for host, hit := range map[string]bool{
		"evil.example": true, "login.EVIL.example.": true, "notevil.example": false, "example": false, "": false,
	} {
		s := to("198.51.100.1", 443)
		s.Host = host
		d.See(s)
		require.Equal(t, hit, len(all(d)) > 0, host)
	}
}

func TestLimitsHoldForAMinuteAndOneClient(t *testing.T) {
	t.Parallel()
	d := New(usual())
	for n := range 2 * usual().ScanHosts {
		s := to(address(n), 5555)
		s.At = began.Add(time.Duration(n) * 2 * time.Second) // 30 in a minute
		d.See(s)
	}
	for n := range 2 * usual().Mails {
		s := to("198.51.100.1", 25)
		s.Client = fmt.Sprint("client", n)
		d.See(s)
	}
	require.Empty(t, all(d))
}

func TestOnlyTheKindsThatAreAskedForAreTold(t *testing.T) {
	t.Parallel()
	d := New(LimitsOf(&agentapi.AbuseWatch{Kinds: []agentapi.AbuseKind{agentapi.AbuseSMTPSpam}}))
	d.See(to("198.51.100.1", 6881))
	require.Empty(t, all(d))
}

// Something that goes on is told at once, then once a minute with how often it was seen.
func TestWhatGoesOnIsToldOnceAMinute(t *testing.T) {
	t.Parallel()
	d, told, count := New(usual()), 0, int64(0)
	for second := range 180 {
		s := to("198.51.100.1", 6881)
		s.At = began.Add(time.Duration(second) * time.Second)
		d.See(s)
		for _, f := range d.Due(s.At, false) {
			told, count = told+1, count+f.Count
		}
	}
	require.Equal(t, 3, told)
	for _, f := range d.Waiting() {
		count += f.Count
	}
	require.EqualValues(t, 180, count, "none is told twice or lost")
}

func TestWhatWaitsOutlivesTheAgent(t *testing.T) {
	t.Parallel()
	d := New(usual())
	d.See(to("198.51.100.1", 6881))
	next := New(usual())
	next.Restore(d.Waiting())
	next.See(to("198.51.100.2", 6881))
	require.EqualValues(t, 2, all(next)[agentapi.AbuseTorrent].Count)
}

func TestAClockThatIsSetHoldsNothingBack(t *testing.T) {
	t.Parallel()
	d := New(usual())
	d.See(to("198.51.100.1", 6881))
	require.Len(t, d.Due(began, false), 1)
	s := to("198.51.100.1", 6881)
	d.See(s)
	require.Empty(t, d.Due(began, false), "its turn is in a minute")
	require.Len(t, d.Due(began.Add(-48*time.Hour), false), 1, "the clock was set back")
}

// However streams come, a count is never more than there were, and a confidence is one.
func TestSignalsNeverSayMoreThanWasSeen(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limits := LimitsOf(&agentapi.AbuseWatch{Limits: agentapi.AbuseLimits{
			ScanHosts: 2, ScanPorts: 2, Mails: 2, Logins: 2, FloodRate: 3, HighRate: 4, HighSource: 2,
		}})
		d, at, streams, counts := New(limits), began, rapid.IntRange(1, 60).Draw(t, "streams"), map[agentapi.AbuseKind]int64{}
		for range streams {
			at = at.Add(time.Duration(rapid.IntRange(0, 20).Draw(t, "seconds")) * time.Second)
			s := to(address(rapid.IntRange(0, 3).Draw(t, "address")),
				rapid.SampledFrom([]uint16{22, 25, 80, 443, 6881}).Draw(t, "port"))
			s.At = at
			d.See(s)
			for _, f := range d.Due(at, rapid.Bool().Draw(t, "all")) {
				counts[f.Kind] += f.Count
				if f.Confidence <= 0 || f.Confidence > 1 || f.LastAt.Before(f.FirstAt) {
					t.Fatalf("a signal that cannot be: %+v", f)
				}
			}
		}
		for kind, count := range counts {
			if most := int64(2 * streams); count > most {
				t.Fatalf("%s was counted %d times in %d streams", kind, count, streams)
			}
		}
	})
}

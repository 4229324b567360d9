package nft

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var began = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func block(network string, minutes int) Block {
	return Block{netip.MustParsePrefix(network), began.Add(time.Duration(minutes) * time.Minute)}
}

// In small networks every address can be asked: it is blocked as long as the longest network that holds it, and spans
// neither overlap nor lie out of order.
func TestSpansSayOfEachAddressHowLongItIsBlocked(t *testing.T) {
	t.Parallel()
	addrs := []netip.Addr{}
	for low := range 16 {
		addrs = append(addrs, netip.AddrFrom4([4]byte{255, 255, 255, byte(240 + low)}),
			netip.AddrFrom4([4]byte{0, 0, 0, byte(low)}), netip.MustParseAddr("2001:db8::").Next())
	}
	rapid.Check(t, func(t *rapid.T) {
		blocks := []Block{}
		for range rapid.IntRange(0, 12).Draw(t, "blocks") {
			at := rapid.SampledFrom(addrs).Draw(t, "at")
			network, _ := at.Prefix(at.BitLen() - rapid.IntRange(0, 4).Draw(t, "bits"))
			blocks = append(blocks, Block{network, began.Add(time.Duration(rapid.IntRange(1, 4).Draw(t, "for")) * time.Hour)})
		}
		spans := Spans(blocks)
		for i := 1; i < len(spans); i++ {
			if a, b := spans[i-1], spans[i]; a.To.BitLen() == b.From.BitLen() && a.To.Compare(b.From) >= 0 {
				t.Fatalf("%v and %v overlap", a, b)
			}
		}
		for _, at := range addrs {
			var want, got time.Time
			for _, b := range blocks {
				if b.Network.Contains(at) && b.Until.After(want) {
					want = b.Until
				}
			}
			for _, s := range spans {
				if s.From.BitLen() == at.BitLen() && s.From.Compare(at) <= 0 && at.Compare(s.To) <= 0 {
					got = s.Until
				}
			}
			if !want.Equal(got) {
				t.Fatalf("%v is blocked until %v and not %v by %v", at, got, want, spans)
			}
		}
	})
}

func TestASingleAddressInALongerBlockedNetworkIsNoSpanOfItsOwn(t *testing.T) {
	t.Parallel()
	require.Len(t, Spans([]Block{block("198.51.100.0/24", 60), block("198.51.100.7/32", 10)}), 1)
	require.Len(t, Spans([]Block{block("198.51.100.0/24", 10), block("198.51.100.7/32", 60)}), 3)
	require.Len(t, Spans([]Block{block("198.51.100.0/25", 10), block("198.51.100.128/25", 10)}), 1)
	require.Empty(t, Spans(nil))
}

func TestPortsAreMerged(t *testing.T) {
	t.Parallel()
	require.Equal(t, []Ports{{443, 444}, {20000, 20010}},
		merged([]Ports{{20005, 20010}, {443, 443}, {20000, 20007}, {444, 444}}))
	require.Equal(t, []Ports{{65000, 65535}}, merged([]Ports{{65000, 65535}, {65535, 65535}}))
}

// A block that ends in this moment is none, and the end of all addresses is no element of its own.
func TestElementsAreBeginningsAndEnds(t *testing.T) {
	t.Parallel()
	four, six := elementsOf(Spans([]Block{
		block("198.51.100.7/32", 10), block("255.255.255.255/32", 10), block("2001:db8::/64", 10), block("192.0.2.1/32", 0),
	}), began)
	require.Len(t, four, 3)
	require.Equal(t, 10*time.Minute, four[0].Timeout)
	require.True(t, four[1].IntervalEnd)
	require.Len(t, six, 2)
}

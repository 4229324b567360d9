package limits

import (
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"panel/platform/access"
)

// Whatever the moments of the requests are, no window of a minute lets more through than burst and rate allow, and
// waiting as told always works.
func TestLimiterNeverLetsMoreThrough(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limit := access.Limit{PerMinute: rapid.IntRange(1, 120).Draw(t, "rate"), Burst: rapid.IntRange(1, 20).Draw(t,
			"burst")}
		l, err := New()
		require.NoError(t, err)
		now := time.Unix(1_800_000_000, 0)
		var passed []time.Time
		for _, step := range rapid.SliceOfN(rapid.IntRange(0, 5_000), 1, 200).Draw(t, "steps") {
			now = now.Add(time.Duration(step) * time.Millisecond)
			told := l.Wait(Key{}, limit, now)
			require.Equal(t, told, l.Wait(Key{}, limit, now), "asking counts nothing")
			wait := l.Take(Key{}, limit, now)
			require.Equal(t, told, wait)
			if wait > 0 {
				now = now.Add(wait)
				again := l.Take(Key{}, limit, now)
				require.Zero(t, again, "waiting as told works")
			}
			passed = append(passed, now)
			within := 0
			for _, at := range passed {
				if now.Sub(at) < time.Minute {
					within++
				}
			}
			require.LessOrEqual(t, within, limit.PerMinute+limit.Burst)
		}
	})
}

// IPv6 customers own a /64: rotating inside it wins nothing, nor does another spelling or garbage in place of an
// address.
func TestLimiterCountsNetworks(t *testing.T) {
	t.Parallel()
	require.Equal(t, Network("2001:db8:1:2::1"), Network("2001:db8:1:2:ffff::9"))
	require.NotEqual(t, Network("2001:db8:1:2::1"), Network("2001:db8:1:3::1"))
	require.Equal(t, Network("192.0.2.1"), Network("::ffff:192.0.2.1"))
	require.NotEqual(t, Network("192.0.2.1"), Network("192.0.2.2"))
	require.Equal(t, Network("fe80::1%eth0"), Network("fe80::1%eth1"))
	require.Equal(t, Network("unknown"), Network("_hidden"))
}

// The memory of a million strangers is that of the last hundred thousand.
func TestLimiterForgetsTheOldest(t *testing.T) {
	l, err := New()
	require.NoError(t, err)
	const strangers, most = 1_000_000, 64 << 20
	before := heap()
	began := time.Unix(1_800_000_000, 0)
	regular := Key{From: Network("192.0.2.1")}
	for i := range strangers {
		stranger := Key{From: netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})}
		l.Take(stranger, access.PublicLimit, began)
		if i%50_000 == 0 {
			l.Take(regular, access.PublicLimit, began)
		}
	}
	require.Equal(t, rememberedAddresses, l.buckets.Len())
	require.Less(t, heap()-before, int64(most))
	wait := l.Take(regular, access.PublicLimit, began)
	require.Positive(t, wait, "who keeps asking is not forgotten among them")
}

func heap() int64 {
	runtime.GC()
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	return int64(now.HeapAlloc) //nolint:gosec // far below the limit of the type
}

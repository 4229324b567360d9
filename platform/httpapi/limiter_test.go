package httpapi

import (
	"fmt"
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
		limit := access.Limit{PerMinute: rapid.IntRange(1, 120).Draw(t, "rate"), Burst: rapid.IntRange(1, 20).Draw(t, "burst")}
		l, err := newLimiter()
		require.NoError(t, err)
		now := time.Unix(1_800_000_000, 0)
		var passed []time.Time
		for _, step := range rapid.SliceOfN(rapid.IntRange(0, 5_000), 1, 200).Draw(t, "steps") {
			now = now.Add(time.Duration(step) * time.Millisecond)
			wait := l.take("k", limit, now)
			if wait > 0 {
				now = now.Add(wait)
				require.Zero(t, l.take("k", limit, now), "waiting as told works")
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

// IPv6 customers own a /64: rotating inside it wins nothing. Memory stays bounded however many addresses come.
func TestLimiterCountsNetworksAndForgetsTheOldest(t *testing.T) {
	t.Parallel()
	require.Equal(t, access.Network("2001:db8:1:2::1"), access.Network("2001:db8:1:2:ffff::9"))
	require.NotEqual(t, access.Network("2001:db8:1:2::1"), access.Network("2001:db8:1:3::1"))
	require.Equal(t, access.Network("192.0.2.1"), access.Network("::ffff:192.0.2.1"))
	l, err := newLimiter()
	require.NoError(t, err)
	for i := range rememberedAddresses + 1000 {
		l.take(fmt.Sprint(i), access.PublicLimit, time.Unix(1_800_000_000, 0))
	}
	require.Equal(t, rememberedAddresses, l.full.Len())
}

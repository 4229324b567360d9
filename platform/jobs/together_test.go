package jobs

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Changes within the same moment are followed by one job, which begins after all of them, and not long after.
func TestChangesThatComeTogetherAreFollowedOnce(t *testing.T) {
	t.Parallel()
	const within = 2 * time.Second
	begin := time.Date(2026, 5, 1, 12, 0, 0, 0, time.FixedZone("", 7*3600))
	jobs := map[string]time.Time{}
	for ms := range 10_000 {
		now := begin.Add(time.Duration(ms) * time.Millisecond)
		o := Together(now, within)
		require.Greater(t, o.At.Sub(now), within, "what commits a moment later is seen too")
		require.LessOrEqual(t, o.At.Sub(now), 2*within)
		if at, known := jobs[o.Unique]; known {
			require.Equal(t, at, o.At)
		}
		jobs[o.Unique] = o.At
	}
	require.Len(t, jobs, 5)
	require.Equal(t, Together(begin, within), Together(begin.UTC(), within), "whatever the zone")
}

package traffic

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Months begin on the reset day at midnight UTC, and on the last day of a month that is shorter.
func TestMonthsBeginOnTheResetDay(t *testing.T) {
	t.Parallel()
	at := func(text string) time.Time {
		moment, err := time.Parse(time.RFC3339, text)
		require.NoError(t, err)
		return moment
	}
	for _, c := range []struct {
		day              int
		now, began, ends string
	}{
		{1, "2026-11-26T01:00:00Z", "2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z"},
		{26, "2026-11-26T00:00:00Z", "2026-11-26T00:00:00Z", "2026-12-26T00:00:00Z"},
		{27, "2026-11-26T23:59:59Z", "2026-10-27T00:00:00Z", "2026-11-27T00:00:00Z"},
		{31, "2026-03-01T00:00:00Z", "2026-02-28T00:00:00Z", "2026-03-31T00:00:00Z"},
		{31, "2028-03-01T00:00:00Z", "2028-02-29T00:00:00Z", "2028-03-31T00:00:00Z"},
		{30, "2026-01-01T02:00:00+03:00", "2025-12-30T00:00:00Z", "2026-01-30T00:00:00Z"},
		{15, "2026-01-14T00:00:00Z", "2025-12-15T00:00:00Z", "2026-01-15T00:00:00Z"},
	} {
		require.Equal(t, at(c.began), Began(c.day, at(c.now)), c)
		require.Equal(t, at(c.ends), Ends(c.day, at(c.now)), c)
	}
}

// Every moment is in one month: it has begun, it has not ended, and the next one begins where it ends.
func TestEveryMomentIsInOneMonth(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		day := rapid.IntRange(1, lastDay).Draw(t, "day")
		now := time.Unix(rapid.Int64Range(1.7e9, 2.5e9).Draw(t, "now"), 0).UTC()
		began, ends := Began(day, now), Ends(day, now)
		require.False(t, began.After(now))
		require.True(t, ends.After(now))
		require.Equal(t, ends, Began(day, ends))
		require.Equal(t, began, Began(day, ends.Add(-time.Second)))
	})
}

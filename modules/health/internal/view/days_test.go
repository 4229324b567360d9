package view

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/health/internal/verdict"
)

var monday = time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)

func at(day, hour, minute int) time.Time {
	return monday.AddDate(0, 0, day).Add(time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute)
}

// daysFrom are the days from the first to noon of the third.
func daysFrom(first time.Time, changes []changeRow, state string, since time.Time) []Day {
	whole := periodOf(first, at(2, 12, 0))
	held := make([]heldFor, len(whole.dates))
	held[0].down = time.Hour // of another subject
	whole.sum(held, changes, state, since)
	return daysOf(whole.dates, held)
}

func TestADayIsNamedByTheWorstThatLastedAMinute(t *testing.T) {
	t.Parallel()
	days := daysFrom(monday, []changeRow{
		{At: at(0, 6, 0), Was: verdict.Up, State: verdict.Down},
		{At: at(0, 12, 0), Was: verdict.Down, State: verdict.Up},
		{At: at(1, 3, 0), Was: verdict.Up, State: verdict.Degraded},
		{At: at(1, 4, 0), Was: verdict.Degraded, State: verdict.Down},
		{At: at(1, 4, 0).Add(59 * time.Second), Was: verdict.Down, State: verdict.Up},
	}, verdict.Up, at(1, 4, 1))
	require.Len(t, days, 3)
	for i, want := range []Day{
		{Day: "2026-11-23", State: verdict.Down, DownS: 6 * 3600},
		{Day: "2026-11-24", State: verdict.Degraded, DownS: 59, DegradedS: 3600},
		{Day: "2026-11-25", State: verdict.Up},
	} {
		want.UpPct = days[i].UpPct
		require.Equal(t, want, days[i])
	}
	require.InDelta(t, 75, *days[0].UpPct, 0.001)
	require.Less(t, *days[1].UpPct, 100.0, "a minute that was not whole still counts as time")
	require.InDelta(t, 100, *days[2].UpPct, 0.001)
}

// What is not known is never shown as well, and does not count against anybody.
func TestNothingIsKnownBeforeTheFirstWord(t *testing.T) {
	t.Parallel()
	days := daysFrom(monday, nil, verdict.Up, at(1, 18, 0))
	require.Equal(t, verdict.Unknown, days[0].State)
	require.Nil(t, days[0].UpPct)
	require.Equal(t, verdict.Up, days[1].State)
	require.InDelta(t, 100, *days[1].UpPct, 0.001, "of the six hours that are known")
	always := daysFrom(monday, nil, verdict.Down, at(-9, 0, 0))
	require.Equal(t, verdict.Down, always[0].State, "the state of now holds since it began")
	require.Zero(t, *always[2].UpPct)
	require.Equal(t, 12*3600, always[2].DownS, "today has not ended")
}

// Days begin at midnight in UTC, the first one where the period begins.
func TestTheFirstDayIsCutWhereThePeriodBegins(t *testing.T) {
	t.Parallel()
	mended := at(0, 21, 0)
	days := daysFrom(at(0, 18, 0), []changeRow{{At: mended, Was: verdict.Down, State: verdict.Up}}, verdict.Up, mended)
	require.Len(t, days, 3)
	require.Equal(t, 3*3600, days[0].DownS)
	require.InDelta(t, 50, *days[0].UpPct, 0.001)
}

// Changes at the same moment, before the period and after it leave no hole and no time twice.
func TestSpansLieSideBySide(t *testing.T) {
	t.Parallel()
	all := spans([]changeRow{
		{At: at(-1, 0, 0), Was: verdict.Up, State: verdict.Down},
		{At: monday, Was: verdict.Down, State: verdict.Degraded},
		{At: at(0, 1, 0), Was: verdict.Degraded, State: verdict.Up},
		{At: at(0, 1, 0), Was: verdict.Up, State: verdict.Down},
		{At: at(9, 0, 0), Was: verdict.Down, State: verdict.Up},
	}, verdict.Up, at(9, 0, 0), monday, at(1, 0, 0))
	require.Equal(t, []span{
		{monday, at(0, 1, 0), verdict.Degraded}, {at(0, 1, 0), at(1, 0, 0), verdict.Down},
	}, all)
}

package figures

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/database"
)

// Each minute is noted once, whichever panel does it and however often.
func TestTheFleetOfEachMinuteIsNotedOnceAndReadBack(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.clock.Advance(time.Until(time.Now().Truncate(time.Minute).Add(time.Minute)))
	for s.now().Minute() > 56 { // the three minutes lie in one hour
		s.clock.Advance(time.Minute)
	}
	began := s.now().Truncate(time.Minute)
	s.many(4)
	s.add(node{name: "lost", seen: time.Hour})
	for range 3 {
		s.measure()
		require.NoError(t, s.Note(t.Context()))
		require.NoError(t, s.Note(t.Context()))
		s.clock.Advance(time.Minute)
	}
	step, points, err := s.History(t.Context(), "net_rx_bps", began, s.now())
	require.NoError(t, err)
	require.Equal(t, time.Minute, step)
	require.Len(t, points, 3)
	require.True(t, began.Equal(points[0].At))
	require.InDelta(t, 5*1234567890.5, points[0].Value, 1)
	_, points, err = s.History(t.Context(), "offline", began, s.now())
	require.NoError(t, err)
	require.InDelta(t, 1, points[0].Value, 0)
	step, points, err = s.History(t.Context(), "sessions", began.Add(-30*24*time.Hour), s.now())
	require.NoError(t, err)
	require.Equal(t, time.Hour, step)
	require.Len(t, points, 1)
}

func TestAHistoryThatDoesNotExistIsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	_, _, err := s.History(t.Context(), "load1", s.now().Add(-time.Hour), s.now())
	require.ErrorContains(t, err, "no history")
	_, _, err = s.History(t.Context(), "sessions", s.now(), s.now())
	require.ErrorContains(t, err, "before")
}

// A line has 48 places; a place without data stays empty rather than being drawn as nothing.
func TestTheLastDayOfANodeHasGapsWhereNothingWasMeasured(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	id, other := s.add(node{name: "drawn"}), s.add(node{name: "empty"})
	last := s.now().Truncate(sparkStep)
	for at, value := range map[time.Time]float64{last: 10, last.Add(-sparkStep): 20, last.Add(-sparkStep +
		10*time.Minute): 40} {
		s.exec(`insert into node_metrics_10m (node_id, at, n, cpu_pct, load1, mem_used, disk_used, net_rx_bps, net_tx_bps, rx_pps,
			tcp_established, conntrack_count, syncookies_ps, listen_drops_ps) values (?, ?, 40, 0, 0, 0, 0, 0, ?, 0, 0, 0, 0, 0)`, id, at, value)
	}
	got, err := s.Sparks(t.Context(), strings.Join([]string{other, id, database.NewID(), "no-id"}, ","), "net_tx_bps")
	require.NoError(t, err)
	require.Equal(t, 1800, got.StepSeconds)
	require.Equal(t, last.Add(-47*sparkStep), got.From)
	require.Len(t, got.Items, 2)
	require.Equal(t, other, got.Items[0].ID)
	line := got.Items[1].Points
	require.Len(t, line, 48)
	require.Nil(t, line[0])
	require.InDelta(t, 30, *line[46], 0.01)
	require.InDelta(t, 10, *line[47], 0.01)
	require.EqualValues(t, 1, s.count.Fewest(func() { _, err = s.Sparks(t.Context(), id+","+other, "cpu_pct") }))
	require.NoError(t, err)
	_, err = s.Sparks(t.Context(), strings.Repeat(id+",", mostSparks)+id, "net_tx_bps")
	require.ErrorContains(t, err, "too many")
}

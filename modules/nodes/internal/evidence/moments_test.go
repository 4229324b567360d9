package evidence

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func after(d time.Duration) *time.Time {
	at := start.Add(d)
	return &at
}

func TestANodeIsDueWhenItsAgentIsSilentForTwoAndForTenHeartbeats(t *testing.T) {
	t.Parallel()
	m := newMoments(heartbeat)
	m.derived("n", &start, nil, start)
	require.Empty(t, m.take(start.Add(2*heartbeat-1)))
	require.Equal(t, []string{"n"}, m.take(start.Add(2*heartbeat)))
	m.derived("n", &start, nil, start.Add(2*heartbeat))
	require.Empty(t, m.take(start.Add(10*heartbeat-1)))
	require.Equal(t, []string{"n"}, m.take(start.Add(10*heartbeat)))
	m.derived("n", &start, nil, start.Add(10*heartbeat))
	require.Empty(t, m.take(start.Add(1000*heartbeat)), "a lost agent stays lost until it is heard")
	m.seenAt("n", start.Add(1000*heartbeat))
	require.Equal(t, []string{"n"}, m.take(start.Add(1000*heartbeat)))
}

func TestSignsOfLifeMoveTheMomentOnAndMakeNothingDue(t *testing.T) {
	t.Parallel()
	m := newMoments(heartbeat)
	const nodes = 100
	for i := range nodes {
		m.derived(fmt.Sprint(i), &start, nil, start)
	}
	for beat := range 1000 {
		now := start.Add(time.Duration(beat) * heartbeat)
		for i := range nodes {
			m.seenAt(fmt.Sprint(i), now)
		}
		require.Empty(t, m.take(now))
	}
	require.LessOrEqual(t, len(m.queue), nodes, "a node stands in the queue once")
}

func TestWhatEndsByTheClockComesUpAtItsMoment(t *testing.T) {
	t.Parallel()
	m := newMoments(heartbeat)
	m.derived("maintenance", nil, after(time.Hour), start)
	m.derived("configuration", &start, after(heartbeat), start)
	require.Equal(t, []string{"configuration"}, m.take(start.Add(heartbeat)))
	m.derived("configuration", &start, nil, start.Add(heartbeat))
	require.Equal(t, []string{"configuration"}, m.take(start.Add(2*heartbeat)))
	require.Equal(t, []string{"maintenance"}, m.take(start.Add(time.Hour)))
	require.Empty(t, m.take(start.Add(2*time.Hour)))
}

// A later moment that becomes an earlier one is not missed, and none comes up twice.
func TestAMomentMayMoveToAnEarlierOne(t *testing.T) {
	t.Parallel()
	m := newMoments(heartbeat)
	m.derived("n", nil, after(time.Hour), start)
	m.derived("n", nil, after(time.Minute), start)
	require.Equal(t, []string{"n"}, m.take(start.Add(time.Minute)))
	m.derived("n", nil, after(time.Hour), start.Add(time.Minute))
	require.Equal(t, []string{"n"}, m.take(start.Add(time.Hour)))
	require.Empty(t, m.take(start.Add(2*time.Hour)))
}

// A sign of life that came while the database was read is newer than what was read.
func TestASignOfLifeOnItsWayIsNotForgotten(t *testing.T) {
	t.Parallel()
	m := newMoments(heartbeat)
	m.derived("n", &start, nil, start)
	m.seenAt("n", start.Add(heartbeat))
	m.derived("n", &start, nil, start.Add(heartbeat))
	require.Empty(t, m.take(start.Add(3*heartbeat-1)))
	require.Equal(t, []string{"n"}, m.take(start.Add(3*heartbeat)))
}

func TestNodesThatAreGoneCostNoMemory(t *testing.T) {
	t.Parallel()
	m := newMoments(heartbeat)
	m.derived("gone", &start, nil, start)
	m.derived("here", &start, nil, start)
	m.retain([]string{"gone"}, false, map[string]bool{})
	require.Len(t, m.nodes, 1)
	m.derived("also gone", &start, nil, start)
	m.retain(nil, true, map[string]bool{"here": true})
	require.Len(t, m.nodes, 1)
	require.Equal(t, []string{"here"}, m.take(start.Add(time.Hour)))
	require.Empty(t, m.queue)
}

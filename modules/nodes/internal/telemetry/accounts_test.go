package telemetry

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/nodes/internal/nodetest"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/paneltest"
)

// What clients carried is given once to who keeps the mark: summed over nodes and samples, without listeners.
func TestWhatClientsCarriedIsGivenOnce(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 2)
	tele, now := running(t, db), time.Now().UTC().Truncate(time.Second)
	carried := func(up, down int64) []agentapi.Sample {
		samples := paneltest.Samples(2, now)
		for i := range samples {
			samples[i].Traffic = []agentapi.Traffic{
				{Kind: agentapi.TrafficClient, Name: "anna", Up: up, Down: down},
				{Kind: agentapi.TrafficListener, Name: "in", Up: 7},
			}
		}
		return samples
	}
	var mark int64
	// since asks until something comes: a transaction of another test may be older than what was stored.
	since := func() []nodesapi.ClientTraffic {
		t.Helper()
		var got []nodesapi.ClientTraffic
		require.Eventually(t, func() bool {
			some, next, err := tele.Since(t.Context(), mark)
			require.NoError(t, err)
			mark, got = next, some.Traffic
			return len(got) > 0
		}, patience, 20*time.Millisecond)
		return got
	}
	deliver(t, tele, ids[0], "s", 1, carried(1, 10))
	got := since()
	require.Equal(t, "anna", got[0].Email)
	require.EqualValues(t, 2, got[0].Up)
	require.EqualValues(t, 20, got[0].Down)
	require.True(t, now.Equal(got[0].LastAt), got[0].LastAt)
	deliver(t, tele, ids[0], "s", 1, carried(1, 10)) // sent again
	deliver(t, tele, ids[1], "s", 1, carried(100, 0))
	require.EqualValues(t, 200, since()[0].Up)
	none, next, err := tele.Since(t.Context(), mark+1_000_000)
	require.NoError(t, err)
	require.Empty(t, none.Traffic, "a database restored elsewhere counts from lower down")
	require.LessOrEqual(t, next, mark+1_000_000)
}

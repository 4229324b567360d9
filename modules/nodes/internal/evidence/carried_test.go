package evidence

import (
	"encoding/json"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/modules/nodes/internal/nodetest"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
)

func readingOf(t *testing.T, s agentapi.Sample) (r nodesapi.Reading) {
	t.Helper()
	text := carriedBy(&s)
	require.NotNil(t, text)
	require.NoError(t, json.Unmarshal([]byte(*text), &r))
	return r
}

// A sample that does not say of how long it is, or of a time over which a rate means nothing, gives none.
func TestRatesAreTakenOverAKnownTime(t *testing.T) {
	t.Parallel()
	sample := agentapi.Sample{Traffic: []agentapi.Traffic{{Kind: agentapi.TrafficOutbound, Name: "o", Up: 100}}}
	for _, seconds := range []float64{0, -15, 0.001, 1e9, math.Inf(1), math.NaN()} {
		sample.IntervalSeconds = seconds
		if text := carriedBy(&sample); text != nil {
			require.Fail(t, "a rate over no known time", "%v: %s", seconds, *text)
		}
	}
	sample.IntervalSeconds = 8
	require.Equal(t, map[string]nodesapi.Carried{"o": {UpBps: 100}}, readingOf(t, sample).Outbounds)
}

// Nothing that an agent sends makes a figure that is no figure, nor a reading without bounds.
func TestAbsurdSamplesMakeBoundedReadings(t *testing.T) {
	t.Parallel()
	sample := agentapi.Sample{IntervalSeconds: 0.5, Traffic: []agentapi.Traffic{
		{Kind: agentapi.TrafficListener, Name: "in", Up: math.MaxInt64, Down: math.MinInt64}, {
			Kind: "", Name: "x",
			Up: 1,
		},
	}}
	for i := range 2 * mostCarried {
		sample.Listeners = append(sample.Listeners, agentapi.Sessions{Name: "l" + strconv.Itoa(i), Open: 1})
		sample.Traffic = append(sample.Traffic, agentapi.Traffic{
			Kind: agentapi.TrafficOutbound, Name: strconv.Itoa(i),
			Up: 1,
		})
	}
	r := readingOf(t, sample)
	require.Len(t, r.Listeners, mostCarried)
	require.Len(t, r.Outbounds, mostCarried)
	sample.Listeners = nil
	require.Equal(t, nodesapi.Carried{UpBps: fastestCarry}, readingOf(t, sample).Listeners["in"])
}

// Readings of many nodes are written at once with their signs of life; the newest sample decides, also when it tells
// less.
func TestReadingsAreWrittenWithTheSignsOfLife(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 3)
	w, _ := panel(t, db, clockwork.NewRealClock())
	now := time.Now().UTC()
	full := &agentapi.Sample{ObservedAt: now, IntervalSeconds: 15, Listeners: []agentapi.Sessions{{
		Name: "in",
		Open: 4,
	}}}
	for _, id := range ids {
		w.Heartbeat(id, beat())
		w.Measured(id, full)
	}
	w.write(t.Context())
	carried := func() (n int) {
		require.NoError(t,
			db.NewRaw("select count(*) from node_reports where carried->'in'->'in'->>'s' = '4'").Scan(t.Context(), &n))
		return n
	}
	require.Equal(t, 3, carried())
	w.Alive(ids[0])
	w.write(t.Context())
	require.Equal(t, 3, carried(), "a mere sign of life takes nothing away")
	w.Measured(ids[0], &agentapi.Sample{ObservedAt: now.Add(15 * time.Second)})
	w.write(t.Context())
	require.Equal(t, 2, carried())
}

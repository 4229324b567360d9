package telemetry

import (
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
	"panel/platform/paneltest"
)

// The pace comes back with time, and a backlog of any length passes at it.
func TestAQuotaIsGivenBackAsTimePasses(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClock()
	q := newQuotas(clock)
	batch := &agentapi.MetricsBatch{Samples: paneltest.Samples(agentapi.MaxBatchSamples, clock.Now())}
	taken := 0
	for minutes := 0; taken < 50_000; clock.Advance(time.Minute) {
		for q.charge("node", batch) == nil {
			taken += agentapi.MaxBatchSamples
		}
		minutes++
		require.LessOrEqual(t, taken, samplesAtOnce+minutes*samplesPerMinute+agentapi.MaxBatchSamples)
		require.Less(t, minutes, 90)
	}
	require.NoError(t, q.charge("another", batch))
	clock.Advance(time.Hour)
	require.NoError(t, q.charge("third", batch))
	require.Len(t, q.nodes, 1, "who has used nothing lately costs no memory")
}

// A few samples may name a great many counters: what counts is also how many bytes they are.
func TestLargeSamplesAreCountedByTheirBytes(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClock()
	q := newQuotas(clock)
	large := paneltest.Samples(1, clock.Now())
	large[0].Traffic = []agentapi.Traffic{{Kind: agentapi.TrafficClient, Name: strings.Repeat("x", 1<<20)}}
	batch, taken := &agentapi.MetricsBatch{Samples: large}, 0
	for q.charge("node", batch) == nil {
		taken++
	}
	require.Equal(t, bytesAtOnce>>20, taken)
	clock.Advance(time.Minute)
	require.NoError(t, q.charge("node", batch))
}

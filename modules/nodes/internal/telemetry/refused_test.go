package telemetry

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/nodes/internal/nodetest"
	"panel/platform/agentapi"
	"panel/platform/fault"
	"panel/platform/paneltest"
)

// What the panel refuses is not stored and not told on, and the same numbers can be delivered again.
func TestARefusedBatchLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	tele := running(t, db)
	told := 0
	tele.measured = func(string, *agentapi.Sample) { told++ }
	absurd := func(change func(s *agentapi.Sample)) []agentapi.Sample {
		return []agentapi.Sample{reading(time.Now(), change)}
	}
	for what, list := range map[string][]agentapi.Sample{
		"too many":           paneltest.Samples(agentapi.MaxBatchSamples+1, time.Now()),
		"a load":             absurd(func(s *agentapi.Sample) { s.Load1 = -1e19 }),
		"a rate in":          absurd(func(s *agentapi.Sample) { s.NetRxBps = 1e19 }),
		"a rate out":         absurd(func(s *agentapi.Sample) { s.NetTxBps = math.Inf(1) }),
		"packets":            absurd(func(s *agentapi.Sample) { s.RxPps = 1e300 }),
		"cookies":            absurd(func(s *agentapi.Sample) { s.SyncookiesPs = 1e300 }),
		"drops":              absurd(func(s *agentapi.Sample) { s.ListenDropsPs = 1e300 }),
		"a processor's load": absurd(func(s *agentapi.Sample) { s.CPUPercent = 1e300 }),
	} {
		err := tele.Take(t.Context(), ids[0], &agentapi.MetricsBatch{StreamID: "s", Seq: 1, Samples: list})
		require.Equal(t, "invalid_value", fault.Code(err), what)
	}
	for _, stream := range []string{"", "with space", strings.Repeat("x", 65), "ж"} {
		err := tele.Take(t.Context(), ids[0], &agentapi.MetricsBatch{StreamID: stream, Seq: 1})
		require.Equal(t, "invalid_value", fault.Code(err), stream)
	}
	require.Zero(t, told)
	deliver(t, tele, ids[0], "s", 1, paneltest.Samples(1, time.Now()))
	require.Equal(t, 1, told)
}

// Batches that could not be stored because the database was away use nothing of a node's quota: the agent sends them
// again and again, and is taken at once when the database is back.
func TestWhatIsNotStoredIsNotCharged(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	tele := started(t, db) // nobody writes
	batch := &agentapi.MetricsBatch{StreamID: "s", Seq: 1, Samples: paneltest.Samples(agentapi.MaxBatchSamples,
		time.Now())}
	for range 2 * samplesAtOnce / agentapi.MaxBatchSamples {
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		require.Equal(t, fault.KindUnavailable, fault.KindOf(tele.Take(gone, ids[0], batch)))
	}
	require.NoError(t, tele.quotas.charge(ids[0], batch))
}

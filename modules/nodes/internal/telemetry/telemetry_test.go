package telemetry

import (
	"context"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/modules/nodes/internal/nodetest"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/jobs"
	"panel/platform/paneltest"
)

// running is a telemetry whose writers run until the test ends.
func running(t testing.TB, db *database.DB) *Telemetry {
	t.Helper()
	tele := started(t, db)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error)
	go func() { ended <- tele.batches.Run(ctx) }()
	t.Cleanup(func() { stop(); require.NoError(t, <-ended) })
	return tele
}

func deliver(t testing.TB, tele *Telemetry, nodeID, stream string, seq int64, s []agentapi.Sample) {
	t.Helper()
	require.NoError(t, tele.Take(t.Context(), nodeID, &agentapi.MetricsBatch{StreamID: stream, Seq: seq, Samples: s}))
}

// Samples are stored for 6 hours, means of a minute for 48 hours, of ten minutes for 30 days; each sample is counted
// once, however often it is condensed.
func TestSamplesAreCondensedOnceAndReadBackAtTheRightResolution(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	tele, now := running(t, db), time.Now()
	for day := range 3 {
		at := now.Add(-time.Duration(day) * 24 * time.Hour)
		if day > 0 {
			at = at.Add(20 * time.Minute) // all of them on that day, also when it has just begun
		}
		deliver(t, tele, ids[0], "s", int64(day+1), paneltest.Samples(40, at))
		require.NoError(t, tele.rollUp(t.Context()))
		require.NoError(t, tele.rollUp(t.Context()))
	}
	deliver(t, tele, ids[0], "s", 4, paneltest.Samples(10, now.Add(-time.Hour)))
	require.Eventually(t, func() bool {
		require.NoError(t, tele.rollUp(t.Context()))
		var minutes, tens int
		require.NoError(t, db.NewRaw("select sum(n) from node_metrics_1m").Scan(t.Context(), &minutes))
		require.NoError(t, db.NewRaw("select sum(n) from node_metrics_10m").Scan(t.Context(), &tens))
		return minutes == 130 && tens == 130
	}, patience, 20*time.Millisecond)
	for span, step := range map[time.Duration]time.Duration{
		time.Hour: 15 * time.Second, 40 * time.Hour: 4 * time.Minute, 20 * 24 * time.Hour: 40 * time.Minute,
	} {
		series, err := tele.History(t.Context(), ids[0], "cpu_pct", now.Add(-span), now.Add(time.Second))
		require.NoError(t, err)
		require.Equal(t, step, series.Step, span)
		require.NotEmpty(t, series.Points)
		require.LessOrEqual(t, len(series.Points), mostPoints)
		require.InDelta(t, 50, series.Points[0].Value, 0.001)
	}
}

// Readings whose mean no number can hold would stop the condensing for the whole fleet.
func TestReadingsThatNoServerCanHaveAreRefused(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	tele, absurd := running(t, db), paneltest.Samples(2, time.Now())
	absurd[0].Load1, absurd[1].Load1 = 1e308, 1e308
	require.Error(t, tele.Take(t.Context(), ids[0], &agentapi.MetricsBatch{StreamID: "s", Seq: 1, Samples: absurd}))
	absurd[0].Load1, absurd[1].Load1 = maxReading, -maxReading
	deliver(t, tele, ids[0], "s", 1, absurd)
	require.NoError(t, tele.rollUp(t.Context()))
}

// The newest sample of a batch is told on when it is stored, and never before.
func TestTheNewestSampleIsHandedOnOnceItIsStored(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	tele := running(t, db)
	var newest []time.Time
	tele.measured = func(nodeID string, s *agentapi.Sample) {
		require.Equal(t, ids[0], nodeID)
		var stored int
		require.NoError(t, db.NewRaw("select count(*) from node_samples").Scan(t.Context(), &stored))
		require.Equal(t, 3, stored)
		newest = append(newest, s.ObservedAt)
	}
	batch := paneltest.Samples(3, time.Now().Add(-time.Minute))
	deliver(t, tele, ids[0], "s", 1, batch)
	require.Equal(t, []time.Time{batch[2].ObservedAt}, newest)
}

// The numbers of a stream go when its agent has been away for longer than any sample of it is stored.
func TestStreamsThatHaveEndedAreForgotten(t *testing.T) {
	t.Parallel()
	db, ids := nodetest.Fleet(t, 1)
	tele := running(t, db)
	deliver(t, tele, ids[0], "old-folder", 1, paneltest.Samples(1, time.Now()))
	deliver(t, tele, ids[0], "folder", 1, paneltest.Samples(1, time.Now()))
	_, err := db.ExecContext(t.Context(),
		"update telemetry_streams set updated_at = now() - interval '61 days' where stream_id = 'old-folder'")
	require.NoError(t, err)
	tidy := jobs.TidyWorker(db, clockwork.NewRealClock(), []jobs.Tidy{Tidy()})
	require.NoError(t, tidy.Work(t.Context(), jobs.Job{}))
	var left []string
	require.NoError(t, db.NewRaw("select stream_id from telemetry_streams").Scan(t.Context(), &left))
	require.Equal(t, []string{"folder"}, left)
}

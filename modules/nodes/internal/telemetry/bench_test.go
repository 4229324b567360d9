package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"panel/modules/nodes/internal/nodetest"
	"panel/platform/agentapi"
	"panel/platform/ingest"
	"panel/platform/paneltest"
)

// BenchmarkTelemetry sets the product's way (decode, number, group commit) beside a bare COPY of the same rows.
func BenchmarkTelemetry(b *testing.B) {
	const callers, perBatch = 64, 50
	db, nodes := nodetest.Fleet(b, callers)
	text, err := json.Marshal(agentapi.MetricsBatch{StreamID: "s", Samples: paneltest.Samples(perBatch,
		time.Now().UTC())})
	require.NoError(b, err)
	tele := started(b, db)
	ctx, stop := context.WithCancel(b.Context())
	defer stop()
	for range ingest.Writers {
		go func() { _ = tele.batches.Run(ctx) }()
	}
	b.Run("product", func(b *testing.B) {
		var seq, rows atomic.Int64
		inParallel(b, callers, func(caller int) {
			batch, err := ReadBatch(text)
			require.NoError(b, err)
			batch.Seq = seq.Add(1)
			require.NoError(b, tele.Take(b.Context(), nodes[caller], batch))
			rows.Add(perBatch)
		})
		b.ReportMetric(float64(rows.Load())/b.Elapsed().Seconds(), "rows/s")
	})
	b.Run("copy", func(b *testing.B) {
		encoded := ingest.NewRows(kind.Columns, 1000*rowSize)
		encode(encoded, uuid.MustParse(nodes[0]), 1, paneltest.Samples(1000, time.Now()))
		binary := encoded.Bytes()
		var rows atomic.Int64
		inParallel(b, 2, func(int) {
			conn, err := db.Pool.Acquire(b.Context())
			require.NoError(b, err)
			defer conn.Release()
			_, err = conn.Conn().PgConn().CopyFrom(b.Context(), bytes.NewReader(binary), kind.Copy)
			require.NoError(b, err)
			rows.Add(1000)
		})
		b.ReportMetric(float64(rows.Load())/b.Elapsed().Seconds(), "rows/s")
	})
}

func inParallel(b *testing.B, callers int, work func(caller int)) {
	var all sync.WaitGroup
	var done atomic.Int64
	for caller := range callers {
		all.Go(func() {
			for done.Add(1) <= int64(b.N) {
				work(caller)
			}
		})
	}
	all.Wait()
}

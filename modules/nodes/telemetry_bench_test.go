package nodes

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/migrations"
	"panel/platform/agentapi"
	"panel/platform/database/dbtest"
)

// BenchmarkTelemetry sets the product's way (decode, number, group commit) beside a bare COPY of the same rows.
func BenchmarkTelemetry(b *testing.B) {
	const callers, perBatch = 64, 50
	db := dbtest.New(b, migrations.Set{Name: "nodes", FS: files})
	nodes := make([]string, callers)
	for i := range nodes {
		nodes[i] = uuid.NewString()
		_, err := db.ExecContext(b.Context(), "insert into nodes (id, name, name_key, created_at, updated_at) values (?, ?, ?, now(), now())", nodes[i], nodes[i], nodes[i])
		require.NoError(b, err)
	}
	text, err := json.Marshal(agentapi.MetricsBatch{StreamID: "s", Samples: samples(perBatch, time.Now().UTC())})
	require.NoError(b, err)
	tele := newTelemetry(db, newReports(db, nil, nil, clockwork.NewRealClock(), zap.NewNop()), clockwork.NewRealClock(), zap.NewNop())
	ctx, stop := context.WithCancel(b.Context())
	defer stop()
	for range writers {
		go func() { _ = tele.batches.run(ctx) }()
	}
	b.Run("product", func(b *testing.B) {
		var seq, rows atomic.Int64
		inParallel(b, callers, func(caller int) {
			batch, err := readBatch(text)
			require.NoError(b, err)
			batch.Seq = seq.Add(1)
			require.NoError(b, tele.take(b.Context(), nodes[caller], batch))
			rows.Add(perBatch)
		})
		b.ReportMetric(float64(rows.Load())/b.Elapsed().Seconds(), "rows/s")
	})
	b.Run("copy", func(b *testing.B) {
		d, err := newDelivery(nodes[0], &agentapi.MetricsBatch{StreamID: "s", Seq: 1, Samples: samples(1000, time.Now())})
		require.NoError(b, err)
		binary := encodeSamples([]*delivery{d}, 1)
		var rows atomic.Int64
		inParallel(b, 2, func(int) {
			conn, err := db.Pool.Acquire(b.Context())
			require.NoError(b, err)
			defer conn.Release()
			_, err = conn.Conn().PgConn().CopyFrom(b.Context(), bytes.NewReader(binary), copySamples)
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

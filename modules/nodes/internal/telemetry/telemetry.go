// Package telemetry keeps the samples of nodes: it takes numbered batches, condenses them into minutes and ten minutes,
// and gives the history of a metric.
package telemetry

import (
	"context"
	"math"

	"github.com/google/uuid"
	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/ingest"
)

// Telemetry stores numbered batches of samples. A batch is acknowledged after it is durable, never before.
type Telemetry struct {
	db       *database.DB
	clock    clockwork.Clock
	log      *zap.Logger
	measured func(nodeID string, newest *agentapi.Sample)
	quotas   *quotas
	batches  *ingest.Store[[]agentapi.Sample]
}

// New makes the telemetry of a fleet. Measured is called with the newest sample of each batch that is stored.
func New(
	db *database.DB, clock clockwork.Clock, log *zap.Logger, measured func(nodeID string, newest *agentapi.Sample),
) *Telemetry {
	return &Telemetry{
		db: db, clock: clock, log: log, measured: measured, quotas: newQuotas(clock), batches: ingest.NewStore(kind, db,
			clock, log),
	}
}

// Loops are what runs while the panel does.
func (t *Telemetry) Loops() []func(context.Context) error {
	var loops []func(context.Context) error
	for range ingest.Writers {
		loops = append(loops, t.batches.Run)
	}
	return loops
}

// Take stores a batch and returns when it is durable. Faults: invalid_value (422), throttled (429), unavailable (503).
func (t *Telemetry) Take(ctx context.Context, nodeID string, batch *agentapi.MetricsBatch) error {
	if err := t.check(batch); err != nil {
		return err
	}
	if err := t.quotas.charge(nodeID, batch); err != nil {
		return err
	}
	err := t.batches.Take(ctx, &ingest.Batch[[]agentapi.Sample]{
		NodeID: nodeID, StreamID: batch.StreamID, Seq: batch.Seq, Dropped: batch.Dropped, Content: batch.Samples,
	})
	if err != nil {
		t.quotas.giveBack(nodeID, batch)
		return err
	}
	if n := len(batch.Samples); n > 0 {
		t.measured(nodeID, &batch.Samples[n-1])
	}
	return nil
}

// check refuses what cannot be stored and moves samples from the future to now: a clock that runs ahead must not write
// history that is yet to come.
func (t *Telemetry) check(batch *agentapi.MetricsBatch) error {
	if len(batch.Samples) > agentapi.MaxBatchSamples {
		return fault.InvalidValue("samples", "must have at most 200 items")
	}
	now := t.clock.Now().UTC()
	for i := range batch.Samples {
		s := &batch.Samples[i]
		if s.ObservedAt.After(now) {
			s.ObservedAt = now
		}
		for _, f := range [...]float64{
			s.CPUPercent, s.Load1, s.NetRxBps, s.NetTxBps, s.RxPps, s.SyncookiesPs,
			s.ListenDropsPs,
		} {
			if math.Abs(f) > maxReading {
				return fault.InvalidValue("samples", "hold a number that no server can have")
			}
		}
	}
	return nil
}

// maxReading is a bound within which means can be taken of any number of readings: beyond it one node would stop the
// condensing of all.
const maxReading = 1e18

// kind says how batches of samples are stored.
var kind = ingest.Kind[[]agentapi.Sample]{
	Name: "samples", Streams: "telemetry_streams", Nodes: "nodes", StreamsPerDay: streamsPerDay,
	Copy: `copy node_samples (node_id, observed_at, xact, cpu_pct, load1, mem_used, mem_total, disk_used, disk_total,
		net_rx_bps, net_tx_bps, rx_pps, tcp_established, conntrack_count, conntrack_max, syncookies_ps, listen_drops_ps, uptime_s,
		traffic, sessions, listeners) from stdin binary`,
	Columns: 21,
	Size:    func(batch []agentapi.Sample) int { return rowSize * len(batch) },
	Encode:  encode,
	Prepare: "select telemetry_prepare()",
}

// rowSize is about how many bytes a sample takes, on the wire to the database and on its disk.
const rowSize = 260

func encode(rows *ingest.Rows, node uuid.UUID, xact int64, batch []agentapi.Sample) {
	for i := range batch {
		s := &batch[i]
		rows.Begin()
		rows.UUID(node)
		rows.Time(s.ObservedAt)
		rows.Int(xact)
		rows.Float(s.CPUPercent)
		rows.Float(s.Load1)
		for _, n := range [...]int64{s.MemUsed, s.MemTotal, s.DiskUsed, s.DiskTotal} {
			rows.Int(n)
		}
		rows.Float(s.NetRxBps)
		rows.Float(s.NetTxBps)
		rows.Float(s.RxPps)
		for _, n := range [...]int64{s.TCPEstablished, s.ConntrackCount, s.ConntrackMax} {
			rows.Int(n)
		}
		rows.Float(s.SyncookiesPs)
		rows.Float(s.ListenDropsPs)
		rows.Int(s.UptimeSeconds)
		encodeCore(rows, s)
	}
}

// encodeCore writes what the core carried; nothing where it has carried nothing.
func encodeCore(rows *ingest.Rows, s *agentapi.Sample) {
	if len(s.Traffic) == 0 {
		rows.Null()
	} else {
		rows.JSON(s.Traffic)
	}
	if s.Sessions == nil {
		rows.Null()
	} else {
		rows.Int(*s.Sessions)
	}
	if open := busy(s.Listeners); len(open) == 0 {
		rows.Null()
	} else {
		rows.JSON(open)
	}
}

// busy leaves out listeners without a session, of which there are many.
func busy(all []agentapi.Sessions) []agentapi.Sessions {
	var open []agentapi.Sessions
	for _, l := range all {
		if l.Open != 0 {
			open = append(open, l)
		}
	}
	return open
}

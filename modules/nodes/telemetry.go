package nodes

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/fault"
)

// telemetry stores numbered batches of samples. A batch is acknowledged after it is durable, never before; batches of many
// agents share one transaction; a repeated number is stored once.
type telemetry struct {
	db      *database.DB
	reports *reports
	clock   clockwork.Clock
	log     *zap.Logger
	quotas  *quotas
	batches *batcher[*delivery]
}

// delivery is one batch of one node, ready to be stored.
type delivery struct {
	nodeID  string
	node    uuid.UUID
	batch   *agentapi.MetricsBatch
	decided bool // stored now, or known from before
	refused error
}

func newDelivery(nodeID string, batch *agentapi.MetricsBatch) (*delivery, error) {
	node, err := uuid.Parse(nodeID)
	if err != nil {
		return nil, errAgentToken
	}
	return &delivery{nodeID: nodeID, node: node, batch: batch}, nil
}

// Writers is how many transactions store telemetry side by side, and how often each begins one while there is little to store.
const (
	writers   = 2
	writePace = 100 * time.Millisecond
)

func newTelemetry(db *database.DB, r *reports, clock clockwork.Clock, log *zap.Logger) *telemetry {
	t := &telemetry{db: db, reports: r, clock: clock, log: log, quotas: newQuotas(clock)}
	t.batches = newBatcher(200, t.write).paced(clock, writePace)
	return t
}

// take stores a batch and returns when it is durable. Faults: invalid_value (422), throttled (429), unavailable (503).
func (t *telemetry) take(ctx context.Context, nodeID string, batch *agentapi.MetricsBatch) error {
	if err := t.check(batch); err != nil {
		return err
	}
	if err := t.quotas.charge(nodeID, batch); err != nil {
		return err
	}
	d, err := newDelivery(nodeID, batch)
	if err != nil {
		return err
	}
	if err := t.batches.submit(ctx, d); err != nil {
		return err
	}
	if n := len(batch.Samples); n > 0 {
		t.reports.measured(nodeID, &batch.Samples[n-1])
	}
	return nil
}

// check refuses what cannot be stored and moves samples from the future to now: a clock that runs ahead must not write
// history that is yet to come.
func (t *telemetry) check(batch *agentapi.MetricsBatch) error {
	const longestStream = 64
	switch {
	case batch.StreamID == "" || len(batch.StreamID) > longestStream || !isPlain(batch.StreamID):
		return fault.InvalidValue("stream_id", "must have 1 to 64 letters, digits or dashes")
	case batch.Seq < 1:
		return fault.InvalidValue("seq", "must be 1 or more")
	case len(batch.Samples) > agentapi.MaxBatchSamples:
		return fault.InvalidValue("samples", "must have at most 200 items")
	}
	now := t.clock.Now().UTC()
	for i := range batch.Samples {
		s := &batch.Samples[i]
		if s.ObservedAt.After(now) {
			s.ObservedAt = now
		}
		for _, f := range [...]float64{s.CPUPercent, s.Load1, s.NetRxBps, s.NetTxBps, s.RxPps, s.SyncookiesPs, s.ListenDropsPs} {
			if math.Abs(f) > mostReading {
				return fault.InvalidValue("samples", "hold a number that no server can have")
			}
		}
	}
	return nil
}

// mostReading is a bound within which means can be taken of any number of readings: beyond it one node would stop the condensing of all.
const mostReading = 1e18

func isPlain(text string) bool {
	for _, r := range text {
		if r <= ' ' || r > '~' {
			return false
		}
	}
	return true
}

// write stores deliveries in one transaction. A second batch of the same node waits for the next round, because a row can
// be changed once per statement and a statement does not see the streams that it begins itself.
func (t *telemetry) write(ctx context.Context, all []*delivery) []error {
	for left := all; len(left) > 0; {
		round, later := firstOfEachNode(left)
		if err := apart(round, func(part []*delivery) error { return t.store(ctx, part) }, t.refuse); err != nil {
			return answers(all, database.Fault(fmt.Errorf("storing samples: %w", err), nil))
		}
		left = later
	}
	if slices.ContainsFunc(all, func(d *delivery) bool { return d.refused != nil }) {
		return answers(all, nil)
	}
	return []error{nil}
}

func (t *telemetry) refuse(d *delivery, err error) {
	t.log.Warn("a batch of samples cannot be stored and is refused", zap.String("node", d.nodeID), zap.Int64("seq", d.batch.Seq), zap.Error(err))
	d.refused = errUnstorable
}

// answers are err for those that are neither stored nor refused.
func answers(all []*delivery, err error) []error {
	each := make([]error, len(all))
	for i, d := range all {
		if each[i] = d.refused; !d.decided && d.refused == nil {
			each[i] = err
		}
	}
	return each
}

func firstOfEachNode(all []*delivery) (round, later []*delivery) {
	seen := make(map[string]bool, len(all))
	for _, d := range all {
		if seen[d.nodeID] {
			later = append(later, d)
		} else {
			seen[d.nodeID] = true
			round = append(round, d)
		}
	}
	return round, later
}

func (t *telemetry) store(ctx context.Context, round []*delivery) error {
	err := t.storeOnce(ctx, round)
	if database.State(err) == noPartition {
		if _, preparing := t.db.Pool.Exec(ctx, "select telemetry_prepare()"); preparing == nil {
			err = t.storeOnce(ctx, round)
		}
	}
	if err != nil {
		return err
	}
	for _, d := range round {
		d.decided = true
	}
	return nil
}

// noPartition is the SQLSTATE of a row that no partition takes.
const noPartition = "23514"

func (t *telemetry) storeOnce(ctx context.Context, round []*delivery) error {
	return pgx.BeginFunc(ctx, t.db.Pool, func(tx pgx.Tx) error {
		fresh, xact, err := t.advance(ctx, tx, round)
		if err != nil {
			return err
		}
		if err := t.refuseStreams(ctx, tx, round, fresh); err != nil || len(fresh) == 0 {
			return err
		}
		text := encodeSamples(fresh, xact)
		_, err = tx.Conn().PgConn().CopyFrom(ctx, bytes.NewReader(text), copySamples)
		return err
	})
}

// advance moves each stream on to its batch's number and gives the batches that are new. The rows stay locked until the
// commit, so that the same batch sent twice at once, even to two panels, is stored once. Sorted against deadlocks.
func (t *telemetry) advance(ctx context.Context, tx pgx.Tx, round []*delivery) (fresh []*delivery, xact int64, err error) {
	nodes, streams := make([]string, len(round)), make([]string, len(round))
	seqs, dropped := make([]int64, len(round)), make([]int64, len(round))
	at := make(map[string]*delivery, len(round))
	for i, d := range round {
		nodes[i], streams[i], seqs[i], dropped[i] = d.nodeID, d.batch.StreamID, d.batch.Seq, d.batch.Dropped
		at[d.nodeID+d.batch.StreamID] = d
	}
	rows, err := tx.Query(ctx, `insert into telemetry_streams as t (node_id, stream_id, last_seq, dropped)
		select u.node_id, u.stream_id, u.seq, u.dropped from unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[]) u(node_id, stream_id, seq, dropped)
			join nodes n on n.id = u.node_id
		where exists (select 1 from telemetry_streams k where k.node_id = u.node_id and k.stream_id = u.stream_id) or
			(select count(*) from telemetry_streams k where k.node_id = u.node_id and k.updated_at > now() - interval '1 day') < $5
		order by 1, 2
		on conflict (node_id, stream_id) do update set last_seq = excluded.last_seq, dropped = greatest(t.dropped, excluded.dropped), updated_at = now()
			where t.last_seq < excluded.last_seq
		returning node_id::text, stream_id, pg_current_xact_id()::text::bigint`, nodes, streams, seqs, dropped, streamsPerDay)
	if err != nil {
		return nil, 0, err
	}
	var node, stream string
	_, err = pgx.ForEachRow(rows, []any{&node, &stream, &xact}, func() error {
		fresh = append(fresh, at[node+stream])
		return nil
	})
	return fresh, xact, err
}

// refuseStreams answers the batches that were not numbered because their node has begun too many streams; what else was not
// numbered is known from before, or of a node that is gone.
func (t *telemetry) refuseStreams(ctx context.Context, tx pgx.Tx, round, fresh []*delivery) error {
	if len(fresh) == len(round) {
		return nil
	}
	rows, err := tx.Query(ctx, `select u.at from unnest($1::uuid[], $2::text[]) with ordinality u(node_id, stream_id, at)
		join nodes n on n.id = u.node_id
		where not exists (select 1 from telemetry_streams k where k.node_id = u.node_id and k.stream_id = u.stream_id)`,
		column(round, func(d *delivery) string { return d.nodeID }), column(round, func(d *delivery) string { return d.batch.StreamID }))
	if err != nil {
		return err
	}
	var at int
	_, err = pgx.ForEachRow(rows, []any{&at}, func() error {
		round[at-1].refused = fault.Throttled(streamPause)
		return nil
	})
	return err
}

// streamPause is how long an agent waits that has begun too many streams.
const streamPause = time.Hour

func column[T any](round []*delivery, of func(*delivery) T) []T {
	values := make([]T, len(round))
	for i, d := range round {
		values[i] = of(d)
	}
	return values
}

const copySamples = `copy node_samples (node_id, observed_at, xact, cpu_pct, load1, mem_used, mem_total, disk_used, disk_total,
	net_rx_bps, net_tx_bps, rx_pps, tcp_established, conntrack_count, conntrack_max, syncookies_ps, listen_drops_ps, uptime_s, traffic)
	from stdin binary`

// encodeSamples writes PostgreSQL's binary COPY form by hand: it is what this panel does most, and a reflecting encoder
// would cost more than the database.
func encodeSamples(fresh []*delivery, xact int64) []byte {
	const columns, about = 19, 260
	count := 0
	for _, d := range fresh {
		count += len(d.batch.Samples)
	}
	out := make([]byte, 0, 32+count*about)
	out = append(out, "PGCOPY\n\xff\r\n\x00"...)
	out = append(out, 0, 0, 0, 0, 0, 0, 0, 0)
	for _, d := range fresh {
		for i := range d.batch.Samples {
			s := &d.batch.Samples[i]
			out = binary.BigEndian.AppendUint16(out, columns)
			out = binary.BigEndian.AppendUint32(out, 16)
			out = append(out, d.node[:]...)
			out = appendInt(out, microseconds(s.ObservedAt))
			out = appendInt(out, xact)
			out = appendSample(out, s)
		}
	}
	return binary.BigEndian.AppendUint16(out, 0xffff)
}

func appendSample(out []byte, s *agentapi.Sample) []byte {
	out = appendFloat(appendFloat(out, s.CPUPercent), s.Load1)
	for _, n := range [...]int64{s.MemUsed, s.MemTotal, s.DiskUsed, s.DiskTotal} {
		out = appendInt(out, n)
	}
	out = appendFloat(appendFloat(appendFloat(out, s.NetRxBps), s.NetTxBps), s.RxPps)
	for _, n := range [...]int64{s.TCPEstablished, s.ConntrackCount, s.ConntrackMax} {
		out = appendInt(out, n)
	}
	out = appendFloat(appendFloat(out, s.SyncookiesPs), s.ListenDropsPs)
	return appendTraffic(appendInt(out, s.UptimeSeconds), s.Traffic)
}

func appendInt(out []byte, n int64) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(out, 8), uint64(n)) //nolint:gosec // the same bits
}

func appendFloat(out []byte, f float64) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(out, 8), math.Float64bits(f))
}

// appendTraffic writes null or jsonb: its version byte and the text.
func appendTraffic(out []byte, traffic []agentapi.Traffic) []byte {
	text, err := json.Marshal(traffic)
	if len(traffic) == 0 || err != nil || bytes.Contains(text, []byte(`\u0000`)) {
		return binary.BigEndian.AppendUint32(out, 0xffffffff)
	}
	out = binary.BigEndian.AppendUint32(out, uint32(len(text)+1)) //nolint:gosec // bodies are at most 1 MiB
	return append(append(out, 1), text...)
}

var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func microseconds(at time.Time) int64 { return at.Sub(epoch).Microseconds() }

package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"panel/cmd/panel-bench/internal/load"
	"panel/cmd/panel-bench/internal/measure"
	"panel/cmd/panel-bench/internal/seed"
	"panel/platform/agentapi"
)

const (
	telemetryAgents = 128  // connections
	telemetryNodes  = 4096 // that take turns on them: the panel bounds what one node may deliver
	samplesPerPost  = 50
	copyBatch       = 1000
	copyWriters     = 2
)

// telemetry (P1) compares samples that agents deliver, acknowledged when durable, with COPY of the same rows.
func telemetry(ctx context.Context, b *bench) ([]measure.Result, error) {
	var members []seed.Member
	s, err := b.installBare(ctx, "telemetry", func(ctx context.Context, dsn string) (err error) {
		members, err = seed.Fleet(ctx, dsn, telemetryNodes)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := execute(ctx, s.dsn,
		"create table bench_samples (like node_samples including defaults including indexes)"); err != nil {
		return nil, err
	}
	body, err := json.Marshal(agentapi.MetricsBatch{StreamID: "bench", Seq: anyNumber, Samples: sampleReadings()})
	if err != nil {
		return nil, fmt.Errorf("encode samples: %w", err)
	}
	deliveries := newDeliveries(s, members, agentapi.PathMetrics, body)
	var slowest measure.Series
	product := func() (float64, error) {
		outcome, err := load.Run(
			ctx,
			load.Plan{Address: s.address(), Connections: telemetryAgents, Request: deliveries.next, For: b.each},
		)
		slowest = append(slowest, p99(outcome))
		return outcome.PerSecond() * samplesPerPost, err
	}
	limit := func() (float64, error) { return copyRate(ctx, s.dsn, copyStatement, copyBytes(), b.each) }
	if _, err := product(); err != nil {
		return nil, err
	}
	slowest = nil
	limits, products, err := b.pairs(limit, product)
	if err != nil {
		return nil, err
	}
	result := measure.AtLeast("P1", "telemetry, 50 samples per POST, against COPY", "rows/s", limits, products, 0.60)
	result = result.Note("p99 of a POST: median %.0f ms over the readings", slowest.Median())
	stored, err := deliveries.stored(ctx, s.dsn)
	if err != nil {
		return nil, err
	}
	return []measure.Result{
		result,
		stored,
		measure.Below("P1", "p99 of a POST with 128 at once", "ms", slowest, 150),
	}, nil
}

// deliveries are the numbered batches of every agent; only the number differs from POST to POST.
type deliveries struct {
	heads  [][]byte // up to the length of the body, by node
	before []byte   // body up to the number
	after  []byte
	seq    []int64
	turn   []int // by connection, of the nodes that deliver on it
}

// anyNumber is the number in a body before each POST gets its own.
const anyNumber = 777

// newDeliveries are batches for a path, all with the same body but for its number.
func newDeliveries(s *stand, members []seed.Member, path string, body []byte) *deliveries {
	d := &deliveries{seq: make([]int64, len(members)), turn: make([]int, telemetryAgents)}
	before, after, _ := bytes.Cut(body, []byte(strconv.Itoa(anyNumber)))
	d.before, d.after = before, after
	for _, m := range members {
		d.heads = append(
			d.heads,
			[]byte(
				fmt.Sprintf(
					"%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: ",
					http.MethodPost,
					path,
					s.address(),
					m.Token,
				),
			),
		)
	}
	return d
}

func (d *deliveries) next(connection int, buffer []byte) []byte {
	node := (connection + d.turn[connection]*telemetryAgents) % len(d.heads)
	d.turn[connection]++
	d.seq[node]++
	number := strconv.FormatInt(d.seq[node], 10)
	buffer = append(buffer, d.heads[node]...)
	buffer = strconv.AppendInt(buffer, int64(len(d.before)+len(number)+len(d.after)), 10)
	buffer = append(buffer, "\r\n\r\n"...)
	buffer = append(buffer, d.before...)
	buffer = append(buffer, number...)
	return append(buffer, d.after...)
}

// stored counts what lies in the database: every batch but those that were under way when a reading ended, once each.
func (d *deliveries) stored(ctx context.Context, dsn string) (measure.Result, error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return measure.Result{}, fmt.Errorf("connect to the database of the run: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	var rows, numbers int64
	if err := conn.QueryRow(ctx,
		"select (select count(*) from node_samples), (select coalesce(sum(last_seq), 0) from telemetry_streams)").
		Scan(&rows, &numbers); err != nil {
		return measure.Result{}, fmt.Errorf("count the stored samples: %w", err)
	}
	sent := int64(0)
	for _, n := range d.seq {
		sent += n
	}
	doubled := float64(max(0, rows-sent*samplesPerPost))
	return measure.Below("P1", "samples stored more than once", "rows", measure.Series{doubled}, 0).
			Note("sent %d batches, stored %d samples", sent, rows),
		nil
}

// sampleReadings are 15 seconds apart and hold figures of the usual length.
func sampleReadings() []agentapi.Sample {
	began := time.Now().UTC().Add(-time.Hour).Truncate(time.Second)
	samples := make([]agentapi.Sample, samplesPerPost)
	for i := range samples {
		f := float64(i)
		samples[i] = agentapi.Sample{
			ObservedAt: began.Add(
				time.Duration(i) * 15 * time.Second,
			), CPUPercent: 12.25 + f, Load1: 0.75 + f/10, MemUsed: 1_500_000_000 + int64(i), MemTotal: 4 << 30,
			DiskUsed: 9_000_000_000 + int64(
				i,
			), DiskTotal: 40 << 30, NetRxBps: 81_234_567.5 + f, NetTxBps: 91_234_567.25 + f, RxPps: 7654.5 + f,
			TCPEstablished: 1200 + int64(
				i,
			), ConntrackCount: 3100 + int64(i), ConntrackMax: 262144, UptimeSeconds: 86_400 + int64(i),
		}
	}
	return samples
}

// copyRate is the limit: binary COPY of ready-made bytes into a table of the same shape, committed per thousand rows.
func copyRate(ctx context.Context, dsn, statement string, rows []byte, length time.Duration) (float64, error) {
	var stored atomic.Int64
	var writers sync.WaitGroup
	failures := make(chan error, copyWriters)
	began := time.Now()
	for range copyWriters {
		writers.Go(func() { failures <- copyUntil(ctx, dsn, statement, began.Add(length), rows, &stored) })
	}
	writers.Wait()
	took := time.Since(began)
	for range copyWriters {
		if err := <-failures; err != nil {
			return 0, err
		}
	}
	return float64(stored.Load()) / took.Seconds(), nil
}

func copyUntil(
	ctx context.Context, dsn, statement string, end time.Time, rows []byte, stored *atomic.Int64,
) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return fmt.Errorf("connect to the database of the run: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	for time.Now().Before(end) {
		tag, err := conn.PgConn().CopyFrom(ctx, bytes.NewReader(rows), statement)
		if err != nil {
			return fmt.Errorf("copy rows: %w", err)
		}
		stored.Add(tag.RowsAffected())
	}
	return nil
}

const copyStatement = `copy bench_samples (node_id, observed_at, xact, cpu_pct, load1, mem_used, mem_total, disk_used, disk_total,
	net_rx_bps, net_tx_bps, rx_pps, tcp_established, conntrack_count, conntrack_max, syncookies_ps, listen_drops_ps, uptime_s, traffic) from stdin binary`

// copyBytes are a thousand rows of twenty nodes, as the panel writes them.
func copyBytes() []byte {
	out := append([]byte("PGCOPY\n\xff\r\n\x00"), 0, 0, 0, 0, 0, 0, 0, 0)
	epoch := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	for range copyBatch / samplesPerPost {
		node := uuid.New()
		for _, s := range sampleReadings() {
			out = binary.BigEndian.AppendUint16(out, 19)
			out = append(binary.BigEndian.AppendUint32(out, 16), node[:]...)
			out = integers(out, s.ObservedAt.Sub(epoch).Microseconds(), 4711)
			out = floats(out, s.CPUPercent, s.Load1)
			out = integers(out, s.MemUsed, s.MemTotal, s.DiskUsed, s.DiskTotal)
			out = floats(out, s.NetRxBps, s.NetTxBps, s.RxPps)
			out = integers(out, s.TCPEstablished, s.ConntrackCount, s.ConntrackMax)
			out = floats(out, s.SyncookiesPs, s.ListenDropsPs)
			out = integers(out, s.UptimeSeconds)
			out = binary.BigEndian.AppendUint32(out, 0xffffffff)
		}
	}
	return binary.BigEndian.AppendUint16(out, 0xffff)
}

func integers(out []byte, values ...int64) []byte {
	for _, v := range values {
		out = binary.BigEndian.AppendUint64(
			binary.BigEndian.AppendUint32(out, 8),
			uint64(v),
		) //nolint:gosec // the same bits
	}
	return out
}

func floats(out []byte, values ...float64) []byte {
	for _, v := range values {
		out = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(out, 8), math.Float64bits(v))
	}
	return out
}

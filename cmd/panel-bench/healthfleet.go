package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"panel/cmd/panel-bench/internal/beside"
	"panel/cmd/panel-bench/internal/load"
	"panel/cmd/panel-bench/internal/measure"
	"panel/cmd/panel-bench/internal/seed"
	"panel/e2e/rig"
	"panel/platform/agentapi"
	"panel/platform/database"
)

const (
	checkedNodes  = 5000
	checksPerNode = 4
	checkedFor    = 60 * time.Second
	resultFloor   = 0.50
	pastSubjects  = 40 // with 90 days of history
)

// placeForAgents has each node looked at by the next one, four times; nothing is placed anew while it is measured.
const placeForAgents = `
create function stay() returns trigger language plpgsql as 'begin return null; end';
create trigger stay before delete on health_checks for each row execute function stay();
create trigger stay before delete on health_watches for each row execute function stay();
insert into health_checks (id, kind, subject_id, type, target, node_id, watch, failure_threshold, success_threshold,
		interval_s)
	select gen_random_uuid(), 'node', n.id, 'tcp', '198.51.100.1:' || port, n.id, '{}', 3, 2, 30
	from nodes n, generate_series(1, %d) port;
insert into health_watches (check_id, vantage)
	select c.id, n.vantage from health_checks c
	join (select id, coalesce(lead(id) over (order by id), first_value(id) over (order by id)) as vantage from nodes) n on n.id = c.node_id;
analyze health_checks; analyze health_watches`

// past gives some nodes 90 days of history.
const past = `
insert into health_points_1h (kind, subject_id, type, at, results, failed, latency_ms)
	select 'node', n.id, type, at, 360, 0, 12.5
	from (select id from nodes order by id limit %d) n, unnest(array['tcp', 'udp', 'tls', 'http']) type,
		generate_series(date_trunc('hour', now()) - interval '90 days', now(), interval '1 hour') at;
insert into health_changes (kind, subject_id, at, was, state, reason, hint)
	select 'node', n.id, at, 'up', 'down', 'unreachable', ''
	from (select id from nodes order by id limit %[1]d) n, generate_series(now() - interval '90 days', now(), interval '6 hours') at;
analyze health_points_1h; analyze health_changes`

// pastPartitions makes room for it, as the weeks that went by would have.
const pastPartitions = `select health_partition('health_points_1h', week, week + interval '7 days')
	from generate_series(date_trunc('week', now() at time zone 'UTC') at time zone 'UTC' - interval '98 days',
		date_trunc('week', now() at time zone 'UTC') at time zone 'UTC' - interval '14 days', interval '7 days') week`

// agentChecks lets 5,000 agents send what they found, as fast as they can and at the pace of their checks, and opens
// pages of 90 days.
func agentChecks(ctx context.Context, b *bench) ([]measure.Result, error) {
	times, err := beside.Benchmarks(ctx, "./cmd/panel-agent/internal/watches", "^BenchmarkWatches$", 1)
	if err != nil {
		return nil, err
	}
	const percent = 1e7 // nanoseconds of each second
	results := []measure.Result{measure.Below("checks", "processor of an agent for 200 watches every 30 s", "% of a core",
		measure.Series{times["Watches"][200] / percent}, 2)}
	var members []seed.Member
	s, err := b.installBareWith(ctx, "checks", rig.PanelSettings{}, func(ctx context.Context, dsn string) (err error) {
		if members, err = seed.Fleet(ctx, dsn, checkedNodes); err != nil {
			return err
		}
		return errors.Join(execute(ctx, dsn, steady), execute(ctx, dsn, fmt.Sprintf(placeForAgents, checksPerNode)),
			execute(ctx, dsn, pastPartitions), execute(ctx, dsn, fmt.Sprintf(past, pastSubjects)))
	})
	if err != nil {
		return results, err
	}
	share, err := s.pacedResults(ctx, members)
	if err != nil {
		return results, err
	}
	results = append(results, measure.Below("checks", "processor for the results of 5,000 nodes, four checks each at 30 s",
		"% of a core", measure.Series{share}, 25))
	page, err := s.historyPage(ctx, b)
	if err != nil {
		return results, err
	}
	results = append(results, page)
	stored, err := s.storedResults(ctx, b, members)
	return append(results, stored), err
}

// pacedResults sends each agent's four results every 30 s, and gives the processor time of the panel in percent.
func (s *stand) pacedResults(ctx context.Context, members []seed.Member) (float64, error) {
	watches, err := s.watchesByVantage(ctx)
	if err != nil {
		return 0, err
	}
	sending, enough := context.WithCancel(ctx)
	var failure error
	var sender sync.WaitGroup
	sender.Go(func() { failure = s.sendPaced(sending, members, watches) })
	defer func() { enough(); sender.Wait() }()
	if err := pause(ctx, settleHealth); err != nil {
		return 0, err
	}
	before, err := processorSeconds(s.Panel.PID())
	if err != nil {
		return 0, err
	}
	if err := pause(ctx, checkedFor); err != nil {
		return 0, err
	}
	after, err := processorSeconds(s.Panel.PID())
	if err != nil {
		return 0, err
	}
	enough()
	sender.Wait()
	stored, err := s.number(ctx, "select count(*) from health_results where stored_at > now() - interval '60 seconds'")
	wanted := int64(checkedNodes * checksPerNode * checkedFor.Seconds() / checkInterval)
	if err == nil && stored < wanted*9/10 {
		err = fmt.Errorf("send results at their pace: %d of %d were stored", stored, wanted)
	}
	return 100 * (after - before) / checkedFor.Seconds(), errors.Join(err, failure)
}

func (s *stand) watchesByVantage(ctx context.Context) (map[string][]string, error) {
	conn, err := pgx.Connect(ctx, s.dsn)
	if err != nil {
		return nil, fmt.Errorf("connect to the database of the run: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	rows, err := conn.Query(ctx, "select vantage::text, array_agg(check_id::text) from health_watches group by vantage")
	if err != nil {
		return nil, fmt.Errorf("read who looks at what: %w", err)
	}
	out := map[string][]string{}
	var vantage string
	var checks []string
	_, err = pgx.ForEachRow(rows, []any{&vantage, &checks}, func() error {
		out[vantage] = append([]string(nil), checks...)
		return nil
	})
	return out, err
}

// sendPaced has every agent send one batch in each interval, evenly over it.
func (s *stand) sendPaced(ctx context.Context, members []seed.Member, watches map[string][]string) error {
	const senders = 16
	turns := make(chan int, senders)
	failures := make([]error, senders)
	var all sync.WaitGroup
	for i := range senders {
		all.Go(func() {
			for turn := range turns {
				from, seq := members[turn%len(members)], int64(1+turn/len(members))
				if err := s.sendResults(ctx, from, watches, seq); err != nil {
					failures[i] = err
				}
			}
		})
	}
	const every = checkInterval * time.Second / checkedNodes
	began := time.Now()
	for turn := 0; ctx.Err() == nil; turn++ {
		if pause(ctx, time.Until(began.Add(time.Duration(turn)*every))) == nil {
			turns <- turn
		}
	}
	close(turns)
	all.Wait()
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil
	}
	return errors.Join(failures...)
}

func (s *stand) sendResults(ctx context.Context, from seed.Member, watches map[string][]string, seq int64) error {
	batch := agentapi.Batch{Kind: agentapi.BatchHealth, StreamID: "paced", Seq: seq}
	for _, id := range watches[from.NodeID] {
		item, err := json.Marshal(agentapi.CheckResult{
			WatchID: id, At: time.Now().UTC(), OK: true, LatencyMillis: 12.345,
		})
		if err != nil {
			return fmt.Errorf("encode a result: %w", err)
		}
		batch.Items = append(batch.Items, item)
	}
	return s.Panel.API.As(from.Token).Post(ctx, healthBatches(), batch, nil)
}

func healthBatches() string {
	return strings.ReplaceAll(agentapi.PathBatches, "{kind}", string(agentapi.BatchHealth))
}

// storedResults compares results that agents deliver in full batches, acknowledged when durable, with COPY of the same
// rows.
func (s *stand) storedResults(ctx context.Context, b *bench, members []seed.Member) (measure.Result, error) {
	body, err := json.Marshal(resultBatch())
	if err != nil {
		return measure.Result{}, fmt.Errorf("encode results: %w", err)
	}
	deliveries := newDeliveries(s, members, healthBatches(), body)
	var slowest measure.Series
	product := func() (float64, error) {
		outcome, err := load.Run(
			ctx,
			load.Plan{Address: s.address(), Connections: telemetryAgents, Request: deliveries.next, For: b.each},
		)
		slowest = append(slowest, p99(outcome))
		return outcome.PerSecond() * agentapi.MaxBatchItems, err
	}
	if _, err := product(); err != nil {
		return measure.Result{}, err
	}
	slowest = nil
	rows, err := s.copiedResults(ctx)
	if err != nil {
		return measure.Result{}, err
	}
	const into = `copy bench_results (check_id, vantage, at, xact, ok, reason, error, latency_ms, cert_expires_at)
		from stdin binary`
	limits, products, err := b.pairs(
		func() (float64, error) { return copyRate(ctx, s.dsn, into, rows, b.each) }, product)
	result := measure.AtLeast("checks", "results of checks, 200 per POST, against COPY", "rows/s", limits, products,
		resultFloor)
	return result.Note("p99 of a POST: median %.0f ms over the readings", slowest.Median()), err
}

// resultBatch is a full one of results that nobody asked for: they are stored like others.
func resultBatch() agentapi.Batch {
	batch := agentapi.Batch{Kind: agentapi.BatchHealth, StreamID: "bench", Seq: anyNumber}
	for range agentapi.MaxBatchItems {
		item, _ := json.Marshal(agentapi.CheckResult{ // plain values always encode
			WatchID: database.NewID(), At: time.Now().UTC(), OK: true, LatencyMillis: 12.345,
		})
		batch.Items = append(batch.Items, item)
	}
	return batch
}

// copiedResults makes a table of the same shape, and gives a thousand stored rows as COPY takes them.
func (s *stand) copiedResults(ctx context.Context) ([]byte, error) {
	conn, err := pgx.Connect(ctx, s.dsn)
	if err != nil {
		return nil, fmt.Errorf("connect to the database of the run: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx,
		"create table bench_results (like health_results including defaults including indexes)"); err != nil {
		return nil, fmt.Errorf("make a table for the limit: %w", err)
	}
	var rows bytes.Buffer
	_, err = conn.PgConn().CopyTo(ctx, &rows, fmt.Sprintf(`copy (select check_id, vantage, at, xact, ok, reason, error, latency_ms,
		cert_expires_at from health_results limit %d) to stdout binary`, copyBatch))
	if err != nil {
		return nil, fmt.Errorf("read the rows of the limit: %w", err)
	}
	return rows.Bytes(), nil
}

// historyPage opens the history of nodes over 90 days.
func (s *stand) historyPage(ctx context.Context, b *bench) (measure.Result, error) {
	conn, err := pgx.Connect(ctx, s.dsn)
	if err != nil {
		return measure.Result{}, fmt.Errorf("connect to the database of the run: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	rows, err := conn.Query(ctx, "select id::text from nodes order by id limit $1", pastSubjects)
	if err != nil {
		return measure.Result{}, fmt.Errorf("read the nodes with a past: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return measure.Result{}, fmt.Errorf("read the nodes with a past: %w", err)
	}
	from, turn := time.Now().UTC().AddDate(0, 0, -90).Format(time.RFC3339), 0
	outcome, err := load.Run(ctx, load.Plan{
		Address: s.address(), Connections: listConnections, For: 4 * b.each,
		Request: func(connection int, buffer []byte) []byte {
			turn++
			return s.get("/api/v1/health/nodes/"+ids[turn%len(ids)]+"/history?from="+from)(connection, buffer)
		},
	})
	return measure.Below("checks", "90 days of a node's history, p99", "ms", measure.Series{p99(outcome)}, 200), err
}

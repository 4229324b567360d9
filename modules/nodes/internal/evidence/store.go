package evidence

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"panel/platform/agentapi"
)

// store takes two statements for any number of nodes: whole reports where something changed, signs of life for the
// rest.
func (w *Writer) store(ctx context.Context, batch map[string]*evidence) error {
	var changed, alive columns
	for id, e := range batch {
		if e.full != nil {
			changed.add(id, e)
		}
		alive.add(id, e)
	}
	if len(changed.ids) > 0 {
		if _, err := w.db.Pool.Exec(ctx, writeReports, changed.ids, changed.seen, changed.states, changed.revisions,
			changed.hashes,
			changed.cloned, changed.reports, changed.hosts); err != nil {
			return fmt.Errorf("writing reports: %w", err)
		}
	}
	if len(alive.ids) > 0 {
		if err := w.storeSigns(ctx, batch, &alive); err != nil {
			return fmt.Errorf("writing signs of life: %w", err)
		}
	}
	return nil
}

func (w *Writer) storeSigns(ctx context.Context, batch map[string]*evidence, alive *columns) error {
	rows, err := w.db.Pool.Query(ctx, writeSigns, alive.ids, alive.seen, alive.metrics, alive.at, alive.sessions,
		alive.cpu,
		alive.rx, alive.tx, alive.mem, alive.carried, alive.digests)
	if err != nil {
		return err
	}
	others, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err == nil && len(others) > 0 {
		w.elsewhere(others, batch)
	}
	return err
}

// A node that is deleted meanwhile is left out by the join.
const (
	writeReports = `insert into node_reports as r (node_id, seen_at, core_state, config_revision, config_hash, cloned, report, surroundings)
		select u.id, u.seen, u.state, u.revision, u.hash, u.cloned, u.report, u.around
		from unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::bigint[], $5::text[], $6::boolean[], $7::jsonb[], $8::jsonb[])
			u(id, seen, state, revision, hash, cloned, report, around) join nodes n on n.id = u.id
		order by u.id
		on conflict (node_id) do update set seen_at = greatest(r.seen_at, excluded.seen_at), core_state = excluded.core_state,
			config_revision = excluded.config_revision, config_hash = excluded.config_hash, cloned = excluded.cloned,
			report = excluded.report, surroundings = excluded.surroundings`
	writeSigns = `with u as (
			select * from unnest($1::uuid[], $2::timestamptz[], $3::jsonb[], $4::timestamptz[], $5::bigint[], $6::float8[],
				$7::float8[], $8::float8[], $9::float8[], $10::jsonb[], $11::text[])
				u(id, seen, metrics, at, sessions, cpu, rx, tx, mem, carried, digest)
		), reported as (
			update node_reports r set seen_at = greatest(r.seen_at, u.seen), metrics = coalesce(u.metrics, r.metrics),
				carried = case when u.at is null then r.carried else u.carried end
			from u where r.node_id = u.id
			returning r.node_id, u.digest <> '' and r.report->>'digest' is distinct from u.digest as other
		), measured as (
			update node_readings m set seen_at = greatest(m.seen_at, u.seen), observed_at = coalesce(u.at, m.observed_at),
				sessions = case when u.at is null then m.sessions else u.sessions end,
				cpu_pct = coalesce(u.cpu, m.cpu_pct), net_rx_bps = coalesce(u.rx, m.net_rx_bps),
				net_tx_bps = coalesce(u.tx, m.net_tx_bps), mem_pct = coalesce(u.mem, m.mem_pct)
			from u where m.node_id = u.id
		)
		select node_id::text from reported where other`
)

// columns are the arrays of the two statements.
type columns struct {
	ids, states, hashes []string
	digests             []string
	seen                []time.Time
	revisions           []int64
	cloned              []bool
	reports, hosts      []string
	metrics, carried    []*string
	at                  []*time.Time
	sessions            []*int64
	cpu, rx, tx, mem    []*float64
}

func (c *columns) add(id string, e *evidence) {
	c.ids, c.seen, c.digests = append(c.ids, id), append(c.seen, e.seen), append(c.digests, e.digest)
	c.measured(e.metrics)
	if e.full == nil {
		return
	}
	core := e.full.core
	c.states, c.hashes = append(c.states, cmp.Or(string(core.State), "unknown")), append(c.hashes, core.ConfigHash)
	c.revisions, c.cloned = append(c.revisions, core.ConfigRevision), append(c.cloned, e.full.cloned)
	c.reports, c.hosts = append(c.reports, e.full.report), append(c.hosts, e.full.host)
}

// measured adds the newest sample, or nothing in its places.
func (c *columns) measured(s *agentapi.Sample) {
	if s == nil {
		c.metrics, c.at, c.sessions = append(c.metrics, nil), append(c.at, nil), append(c.sessions, nil)
		c.cpu, c.rx, c.tx, c.mem = append(c.cpu, nil), append(c.rx, nil), append(c.tx, nil), append(c.mem, nil)
		c.carried = append(c.carried, nil)
		return
	}
	short := *s
	short.Traffic, short.Listeners = nil, nil
	text, _ := json.Marshal(short) // finite numbers always encode; others were refused
	shown, memory := string(text), Percent(s.MemUsed, s.MemTotal)
	c.metrics, c.at, c.sessions = append(c.metrics, &shown), append(c.at, &s.ObservedAt), append(c.sessions, s.Sessions)
	c.cpu, c.rx = append(c.cpu, &s.CPUPercent), append(c.rx, &s.NetRxBps)
	c.tx, c.mem, c.carried = append(c.tx, &s.NetTxBps), append(c.mem, &memory), append(c.carried, carriedBy(s))
}

// Percent is the part of the whole, from 0 to 100; nothing of nothing.
func Percent(part, whole int64) float64 {
	if whole <= 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}

package telemetry

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"panel/platform/entitlement"
	"panel/platform/jobs"
)

const rollUpLimit = 2 * time.Minute

type (
	condenseArgs struct{}
	renewArgs    struct{}
)

// Kind names the job that turns samples into minutes and ten minutes.
func (condenseArgs) Kind() string { return "nodes.condense_telemetry" }

// Kind names the job that prepares partitions and drops old ones.
func (renewArgs) Kind() string { return "nodes.renew_telemetry" }

// Jobs do what Schedules says. One that fails is not tried again, for the schedule comes soon enough: what was not
// condensed is still there, and partitions are made far ahead.
func (t *Telemetry) Jobs() []jobs.Worker {
	return []jobs.Worker{
		{
			Kind: condenseArgs{}.Kind(), Timeout: rollUpLimit, Attempts: 1,
			Work: func(ctx context.Context, _ jobs.Job) error { return t.rollUp(ctx) },
		},
		{
			Kind: renewArgs{}.Kind(), Timeout: rollUpLimit, Attempts: 1,
			Work: func(ctx context.Context, _ jobs.Job) error { return t.Renew(ctx) },
		},
	}
}

// Schedules condense samples every minute, which is the finest history that is kept of them, and renew the partitions
// of the tables. They look and tidy, so no license stops them.
func Schedules() []jobs.Schedule {
	return []jobs.Schedule{
		{
			Name: condenseArgs{}.Kind(), Cron: "* * * * *", ReadOnly: entitlement.GoesOn, Blocked: entitlement.GoesOn,
			Args: func() jobs.Args { return condenseArgs{} },
		},
		{
			Name: renewArgs{}.Kind(), Cron: "*/10 * * * *", ReadOnly: entitlement.GoesOn, Blocked: entitlement.GoesOn,
			Args: func() jobs.Args { return renewArgs{} },
		},
	}
}

// Renew makes the partitions of the near future and drops those that are past the retention of their resolution.
func (t *Telemetry) Renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, rollUpLimit)
	defer cancel()
	for _, statement := range []string{"select telemetry_prepare()", "select telemetry_expire()"} {
		if err := t.yielding(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// keepStreams is how long an agent may be away and still be known by the numbers of its batches: longer than the
// history is kept.
const keepStreams = 60 * 24 * time.Hour

// Tidy lets the numbers of streams go that have ended.
func Tidy() jobs.Tidy {
	return jobs.Tidy{Table: kind.Streams, Column: "updated_at", Age: keepStreams}
}

// yielding gives way to readers and writers: it rather fails and comes again than let a queue form behind its lock.
func (t *Telemetry) yielding(ctx context.Context, statement string) error {
	return pgx.BeginFunc(ctx, t.db.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "set local lock_timeout = '2s'"); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, statement)
		return err
	})
}

// rollUp takes the samples of all transactions that have ended since the last time.
func (t *Telemetry) rollUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, rollUpLimit)
	defer cancel()
	err := pgx.BeginFunc(ctx, t.db.Pool, func(tx pgx.Tx) error {
		from, to, err := t.window(ctx, tx)
		if err != nil || from == to {
			return err
		}
		for _, statement := range condensers() {
			if _, err := tx.Exec(ctx, statement, from, to); err != nil {
				return err
			}
		}
		_, err = tx.Exec(ctx, "update telemetry_progress set xact = $1", to)
		return err
	})
	if err != nil {
		return fmt.Errorf("condensing telemetry: %w", err)
	}
	return nil
}

// window gives the transactions to take: from where the last one stopped to the oldest that may still be open.
// A database restored elsewhere counts its transactions from a lower number. Then the window is empty, its end before
// its beginning, and the next one begins at this end.
func (t *Telemetry) window(ctx context.Context, tx pgx.Tx) (from, to int64, err error) {
	if err = tx.QueryRow(ctx, "select xact from telemetry_progress for update").Scan(&from); err != nil {
		return 0, 0, err
	}
	// A snapshot of its own, after the lock: one from before the wait is older than what another panel has taken
	// meanwhile.
	err = tx.QueryRow(ctx, "select pg_snapshot_xmin(pg_current_snapshot())::text::bigint").Scan(&to)
	return from, to, err
}

// condensers are the statements for minutes and for ten minutes.
var condensers = sync.OnceValue(func() []string {
	return []string{
		condensing("node_metrics_1m", "1 minute",
			"date_trunc('day', now() at time zone 'UTC' - interval '2 days') at time zone 'UTC'"),
		condensing("node_metrics_10m", "10 minutes",
			"date_trunc('week', now() at time zone 'UTC' - interval '30 days') at time zone 'UTC'"),
	}
})

// metricColumns are the metrics that have a history.
var metricColumns = []string{
	"cpu_pct", "load1", "mem_used", "disk_used", "net_rx_bps", "net_tx_bps", "rx_pps", "tcp_established",
	"conntrack_count",
	"syncookies_ps", "listen_drops_ps", "sessions",
}

// condensing is the statement that adds samples to the means that are there already, weighted by their counts.
func condensing(table, step, oldest string) string {
	columns, means, merged := "", "", ""
	for _, m := range metricColumns {
		columns += ", " + m
		means += ", avg(" + m + ")"
		merged += ", " + m + " = coalesce((r." + m + " * r.n + excluded." + m + " * excluded.n) / (r.n + excluded.n)," +
			" r." + m + ", excluded." + m + ")"
	}
	return "insert into " + table + " as r (node_id, at, n" + columns + ")" +
		" select node_id, date_bin('" + step + "', observed_at, timestamptz '2000-01-03 00:00:00+00') as at, count(*)" +
		means +
		" from node_samples where xact >= $1 and xact < $2 and observed_at >= " + oldest +
		" and observed_at < now() + interval '1 day'" +
		" group by 1, 2 order by 1, 2" +
		" on conflict (node_id, at) do update set n = r.n + excluded.n" + merged
}

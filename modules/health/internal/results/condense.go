package results

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5"

	"panel/platform/entitlement"
	"panel/platform/ingest"
	"panel/platform/jobs"
)

func readerOf(rows *ingest.Rows) io.Reader { return bytes.NewReader(rows.Bytes()) }

const limit = 2 * time.Minute

type (
	condenseArgs struct{}
	renewArgs    struct{}
)

// Kind names the job that condenses results.
func (condenseArgs) Kind() string { return "health.condense" }

// Kind names the job that makes partitions and drops old ones.
func (renewArgs) Kind() string { return "health.renew" }

// Jobs do what Schedules says. One that fails is not tried again, for the schedule comes soon enough.
func (r *Results) Jobs() []jobs.Worker {
	return []jobs.Worker{
		{
			Kind: condenseArgs{}.Kind(), Timeout: limit, Attempts: 1,
			Work: func(ctx context.Context, _ jobs.Job) error { return r.condense(ctx) },
		},
		{
			Kind: renewArgs{}.Kind(), Timeout: limit, Attempts: 1,
			Work: func(ctx context.Context, _ jobs.Job) error { return r.Renew(ctx) },
		},
	}
}

// Schedules condense results each minute and renew the partitions. They look and tidy, so no license stops them.
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

// Renew makes the partitions of the near future and drops those that are past the time that they are kept. It gives way
// to readers and writers.
func (r *Results) Renew(ctx context.Context) error {
	for _, statement := range []string{"select health_prepare()", "select health_expire()"} {
		err := pgx.BeginFunc(ctx, r.db.Pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "set local lock_timeout = '2s'"); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, statement)
			return err
		})
		if err != nil {
			return fmt.Errorf("renew the partitions of results: %w", err)
		}
	}
	return nil
}

// condense takes the results of all transactions that have ended since the last time, each once.
func (r *Results) condense(ctx context.Context) error {
	err := pgx.BeginFunc(ctx, r.db.Pool, func(tx pgx.Tx) error {
		var from, to int64
		if err := tx.QueryRow(ctx, "select xact from health_condensed for update").Scan(&from); err != nil {
			return err
		}
		// A snapshot of its own, after the lock: one from before the wait is older than what another panel has taken.
		err := tx.QueryRow(ctx, "select pg_snapshot_xmin(pg_current_snapshot())::text::bigint").Scan(&to)
		if err != nil || from == to {
			return err
		}
		for table, step := range map[string]string{
			"health_points_10m": "10 minutes", "health_points_1h": "1 hour",
		} {
			if _, err := tx.Exec(ctx, condensing(table, step), from, to); err != nil {
				return err
			}
		}
		_, err = tx.Exec(ctx, "update health_condensed set xact = $1", to)
		return err
	})
	if err != nil {
		return fmt.Errorf("condense the results of checks: %w", err)
	}
	return nil
}

func condensing(table, step string) string {
	return `insert into ` + table + ` as p (kind, subject_id, type, at, results, failed, latency_ms)
		select c.kind, c.subject_id, c.type, date_bin('` + step + `', r.at, timestamptz '2000-01-03 00:00:00+00') as step,
			count(*), count(*) filter (where not r.ok), avg(r.latency_ms)
		from health_results r join health_watches w on w.check_id = r.check_id and w.vantage = r.vantage
			join health_checks c on c.id = r.check_id
		where r.xact >= $1 and r.xact < $2 and r.at <= now()
			and r.at >= date_trunc('week', now() at time zone 'UTC') at time zone 'UTC' - interval '7 days'
		group by 1, 2, 3, 4 order by 1, 2, 3, 4
		on conflict (kind, subject_id, type, at) do update set results = p.results + excluded.results,
			failed = p.failed + excluded.failed,
			latency_ms = coalesce((p.latency_ms * (p.results - p.failed) + excluded.latency_ms * (excluded.results - excluded.failed))
				/ nullif(p.results - p.failed + excluded.results - excluded.failed, 0), p.latency_ms, excluded.latency_ms)`
}

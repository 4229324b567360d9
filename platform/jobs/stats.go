package jobs

import (
	"context"
	"fmt"

	"panel/platform/metrics"
)

// The backlog by kind. Kinds without a job are shown too, as zero.
const (
	number  = "select count(*)::float8 from jobs.river_job j where j.kind = k.kind and "
	waiting = number + "state in ('available', 'retryable', 'scheduled')"
	running = number + "state = 'running'"
	gaveUp  = number + "state in ('discarded', 'cancelled') and errors <> '{}'"
	oldest  = `select coalesce(extract(epoch from now() - min(scheduled_at)), 0)::float8 from jobs.river_job j
		where j.kind = k.kind and j.queue = '` + queue + `' and state = 'available' and scheduled_at <= now()`
)

// Metrics shows the backlog of all panels on this database, and what this panel ran.
func (r *Runner) Metrics() []metrics.Collector {
	return []metrics.Collector{
		metrics.Asked("panel_jobs_waiting", "Jobs that wait for a run or another attempt, by kind, on all panels.",
			"kind", r.asks(waiting)),
		metrics.Asked("panel_jobs_running", "Jobs that run, by kind, on all panels.", "kind", r.asks(running)),
		metrics.Asked("panel_jobs_given_up", "Jobs that were given up in the last days, by kind.", "kind",
			r.asks(gaveUp)),
		metrics.Asked("panel_jobs_oldest_seconds", "How long the oldest job that could run has waited, by kind.",
			"kind", r.asks(oldest)),
		metrics.Counters("panel_job_runs_total", "Runs of jobs that this panel began, by kind.",
			"kind", r.kinds.counted(r.kinds.runs)),
		metrics.Counters("panel_job_failures_total", "Runs of jobs that failed on this panel, by kind.",
			"kind", r.kinds.counted(r.kinds.failed)),
	}
}

// asks gives one number for each kind of this build and for each that only has jobs left.
func (r *Runner) asks(query string) func(context.Context) (map[string]float64, error) {
	return func(ctx context.Context) (map[string]float64, error) {
		var names []string
		for _, w := range r.kinds.all() {
			names = append(names, w.Kind)
		}
		rows, err := r.db.Pool.Query(ctx, `select k.kind, (`+query+`) from (select unnest($1::text[]) as kind union
			select kind from jobs.river_job where state in ('available', 'retryable', 'scheduled', 'running')) k`, names)
		if err != nil {
			return nil, fmt.Errorf("count jobs: %w", err)
		}
		defer rows.Close()
		found := map[string]float64{}
		for rows.Next() {
			var kind string
			var value float64
			if err := rows.Scan(&kind, &value); err != nil {
				return nil, fmt.Errorf("count jobs: %w", err)
			}
			found[kind] = value
		}
		return found, rows.Err()
	}
}

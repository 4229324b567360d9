package nodes

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"panel/platform/database"
	"panel/platform/fault"
)

// rung is one step of the ladder: how fine it is, how long it is kept and where.
type rung struct {
	step, kept time.Duration
	table, at  string
	weight     string
}

var ladder = []rung{
	{15 * time.Second, 6 * time.Hour, "node_samples", "observed_at", "1"},
	{time.Minute, 48 * time.Hour, "node_metrics_1m", "at", "n"},
	{10 * time.Minute, 30 * 24 * time.Hour, "node_metrics_10m", "at", "n"},
}

const mostPoints = 720

// history gives the means of one metric from the finest rung that still has the whole range, in at most 720 points.
func (t *telemetry) history(ctx context.Context, nodeID, metric string, from, to time.Time) (*Series, error) {
	now := t.clock.Now().UTC()
	if !from.Before(to) {
		return nil, fault.Malformed("bad_parameter", "from must be before to").Field("query.from", "bad_parameter", "must be before to")
	}
	if !slices.Contains(metricColumns, metric) {
		return nil, fault.Malformed("bad_parameter", "there is no history of this metric")
	}
	r := rungFor(from, now)
	step := r.step
	for to.Sub(from)/step > mostPoints {
		step += r.step
	}
	points, err := t.points(ctx, r, step, nodeID, metric, from, to)
	return &Series{Metric: metric, StepSeconds: int(step / time.Second), Points: points}, err
}

func rungFor(from, now time.Time) rung {
	for _, r := range ladder {
		if now.Sub(from) <= r.kept {
			return r
		}
	}
	return ladder[len(ladder)-1]
}

func (t *telemetry) points(ctx context.Context, r rung, step time.Duration, nodeID, metric string, from, to time.Time) ([]Point, error) {
	rows, err := t.db.Pool.Query(ctx, fmt.Sprintf(`select date_bin($2::interval, %[1]s, timestamptz '2000-01-03 00:00:00+00') as at,
		sum(%[2]s * %[3]s) / sum(%[3]s) as value from %[4]s where node_id = $1 and %[1]s >= $3 and %[1]s < $4 group by 1 order by 1`,
		r.at, metric, r.weight, r.table), nodeID, step, from, to)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("reading the history of %s: %w", metric, err), nil)
	}
	points, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Point])
	if err != nil {
		return nil, database.Fault(fmt.Errorf("reading the history of %s: %w", metric, err), nil)
	}
	return list(points), nil
}

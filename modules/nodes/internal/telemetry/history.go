package telemetry

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"panel/modules/nodes/nodesapi"
	"panel/platform/database"
	"panel/platform/fault"
)

// resolution is how finely samples are stored, for how long and where.
type resolution struct {
	step, retention time.Duration
	table, at       string
	weight          string
}

var resolutions = []resolution{
	{15 * time.Second, 6 * time.Hour, "node_samples", "observed_at", "1"},
	{time.Minute, 48 * time.Hour, "node_metrics_1m", "at", "n"},
	{10 * time.Minute, 30 * 24 * time.Hour, "node_metrics_10m", "at", "n"},
}

// Series is the history of one metric.
type Series struct {
	Step   time.Duration
	Points []Point
}

// Point is the mean of a step.
type Point struct {
	At    time.Time
	Value float64
}

const mostPoints = 720

// History gives the means of one metric at the finest resolution that still has the whole range, in at most 720 points,
// oldest first. Fault: bad_parameter (400).
func (t *Telemetry) History(ctx context.Context, nodeID, metric string, from, to time.Time) (Series, error) {
	now := t.clock.Now().UTC()
	if !from.Before(to) {
		return Series{}, fault.Malformed("bad_parameter", "from must be before to").
			Field("query.from", "bad_parameter", "must be before to")
	}
	if !slices.Contains(metricColumns, metric) {
		return Series{}, fault.Malformed("bad_parameter", "there is no history of this metric")
	}
	r := resolutionFor(from, now)
	step := r.step
	for to.Sub(from)/step > mostPoints {
		step += r.step
	}
	points, err := t.points(ctx, r, step, nodeID, metric, from, to)
	// A range that begins within a step has parts of a step at both ends.
	return Series{Step: step, Points: points[max(0, len(points)-mostPoints):]}, err
}

func resolutionFor(from, now time.Time) resolution {
	for _, r := range resolutions {
		if now.Sub(from) <= r.retention {
			return r
		}
	}
	return resolutions[len(resolutions)-1]
}

// Sessions gives the open sessions of nodes by their ids, at the finest resolution that still has the whole range.
func (t *Telemetry) Sessions(ctx context.Context, ids []string, from, to time.Time) (nodesapi.Course, error) {
	r := resolutionFor(from, t.clock.Now().UTC())
	course := nodesapi.Course{Step: r.step, Points: map[string][]nodesapi.Point{}}
	for to.Sub(from)/course.Step > mostPoints {
		course.Step += r.step
	}
	rows, err := t.db.Pool.Query(ctx, fmt.Sprintf(`select node_id::text,
			date_bin($2::interval, %[1]s, timestamptz '2000-01-03 00:00:00+00') as at,
			(sum(sessions * %[2]s) / sum(%[2]s))::float8 as value
		from %[3]s where node_id = any($1) and %[1]s >= $3 and %[1]s < $4 and sessions is not null
		group by 1, 2 order by 1, 2`, r.at, r.weight, r.table), ids, course.Step, from, to)
	if err != nil {
		return course, database.Fault(fmt.Errorf("read the sessions of nodes: %w", err), nil)
	}
	var id string
	var p nodesapi.Point
	_, err = pgx.ForEachRow(rows, []any{&id, &p.At, &p.Value}, func() error {
		course.Points[id] = append(course.Points[id], nodesapi.Point{At: p.At.UTC(), Value: p.Value})
		return nil
	})
	return course, database.Fault(err, nil)
}

func (t *Telemetry) points(
	ctx context.Context, r resolution, step time.Duration, nodeID, metric string, from, to time.Time,
) ([]Point, error) {
	rows, err := t.db.Pool.Query(ctx, fmt.Sprintf(`select date_bin($2::interval, %[1]s, timestamptz '2000-01-03 00:00:00+00') as at,
		sum(%[2]s * %[3]s) / sum(%[3]s) as value from %[4]s where node_id = $1 and %[1]s >= $3 and %[1]s < $4 and %[2]s is not null group by 1 order by 1`,
		r.at, metric, r.weight, r.table), nodeID, step, from, to)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("reading the history of %s: %w", metric, err), nil)
	}
	points, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Point])
	if err != nil {
		return nil, database.Fault(fmt.Errorf("reading the history of %s: %w", metric, err), nil)
	}
	return points, nil
}

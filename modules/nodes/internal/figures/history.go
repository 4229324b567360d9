package figures

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/fault"
	"panel/platform/jobs"
)

// Point is a value of the fleet in one step.
type Point struct {
	At    time.Time `json:"at"`
	Value float64   `json:"value"`
}

const (
	kept       = 30 * 24 * time.Hour
	mostPoints = 720
)

// historyOf are the metrics of the fleet that have a history.
var historyOf = map[string]string{
	"net_rx_bps": "net_rx_bps", "net_tx_bps": "net_tx_bps", "sessions": "sessions", "cpu_pct": "cpu_pct",
	"online": "(states->>'online')::float8", "offline": "(states->>'offline')::float8",
	"degraded": "(states->>'degraded')::float8",
}

// History gives means of a metric of the fleet, oldest first, in at most 720 steps of whole minutes.
// Fault: bad_parameter (400).
func (f *Fleet) History(ctx context.Context, metric string, from, to time.Time) (time.Duration, []Point, error) {
	value, known := historyOf[metric]
	switch {
	case !known:
		return 0, nil, fault.Malformed("bad_parameter", "there is no history of this metric")
	case !from.Before(to):
		return 0, nil, fault.Malformed("bad_parameter", "from must be before to").
			Field("query.from", "bad_parameter", "must be before to")
	}
	step := time.Minute
	for to.Sub(from)/step > mostPoints {
		step += time.Minute
	}
	rows, err := f.db.Pool.Query(ctx, fmt.Sprintf(`select date_bin($1, at, timestamptz '2000-01-03 00:00:00+00') as at,
			avg(%[1]s) as value
		from fleet_minutes where at >= $2 and at < $3 and %[1]s is not null group by 1 order by 1`, value), step, from, to)
	if err != nil {
		return 0, nil, database.Fault(fmt.Errorf("read the history of the fleet: %w", err), nil)
	}
	points, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Point])
	// A range that begins within a step has parts of a step at both ends.
	return step, points[max(0, len(points)-mostPoints):], database.Fault(err, nil)
}

// Note writes down the fleet of this minute, once for all panels.
func (f *Fleet) Note(ctx context.Context) error {
	now := f.now()
	var got struct {
		Places []place `bun:",type:jsonb"`
	}
	err := f.db.NewRaw(fmt.Sprintf(`with f as (
			select %s as state, m.observed_at > %s as measured, m.sessions, m.net_rx_bps, m.net_tx_bps, m.cpu_pct
			from nodes n left join node_reports r on r.node_id = n.id left join node_readings m on m.node_id = n.id
		)
		select jsonb_agg(p) as places from (
			select state, count(*) as n, count(*) filter (where measured) as measured,
				sum(sessions) filter (where measured) as sessions, coalesce(sum(net_rx_bps) filter (where measured), 0) as rx,
				coalesce(sum(net_tx_bps) filter (where measured), 0) as tx,
				coalesce(sum(cpu_pct) filter (where measured), 0) as cpu
			from f group by 1) p`, f.stateAt(now), moment(now.Add(-StaleAfter)))).Scan(ctx, &got)
	if err != nil {
		return database.Fault(fmt.Errorf("note the fleet of a minute: %w", err), nil)
	}
	var all sums
	states := map[string]int{}
	for i := range got.Places {
		all.add(got.Places[i].sums())
		states[got.Places[i].State] = got.Places[i].N
	}
	return f.noted(ctx, now, states, all.figures())
}

func (f *Fleet) noted(ctx context.Context, now time.Time, states map[string]int, of Figures) error {
	text, err := json.Marshal(states)
	if err != nil {
		return fmt.Errorf("note the fleet of a minute: %w", err)
	}
	_, err = f.db.NewRaw(`insert into fleet_minutes (at, states, measured, sessions, net_rx_bps, net_tx_bps, cpu_pct)
		values (?, ?::jsonb, ?, ?, ?, ?, ?) on conflict (at) do nothing`, now.Truncate(time.Minute), string(text), of.Nodes,
		of.Sessions, of.NetRxBps, of.NetTxBps, of.CPUPercent).Exec(ctx)
	return database.Fault(err, nil)
}

// Tidy says how long the history is kept.
func Tidy() jobs.Tidy { return jobs.Tidy{Table: "fleet_minutes", Column: "at", Age: kept} }

type noteArgs struct{}

// Kind names the worker.
func (noteArgs) Kind() string { return "nodes.note_fleet" }

// Worker notes the fleet. One that comes late is of no use, so it is not tried again.
func (f *Fleet) Worker() jobs.Worker {
	return jobs.Worker{
		Kind: noteArgs{}.Kind(), Timeout: time.Minute, Attempts: 1,
		Work: func(ctx context.Context, _ jobs.Job) error { return f.Note(ctx) },
	}
}

// Schedule notes the fleet every minute. It only looks, so no license stops it.
func Schedule() jobs.Schedule {
	return jobs.Schedule{
		Name: "nodes.note_fleet", Cron: "* * * * *", ReadOnly: entitlement.GoesOn, Blocked: entitlement.GoesOn,
		Args: func() jobs.Args { return noteArgs{} },
	}
}

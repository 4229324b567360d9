package figures

import (
	"context"
	"fmt"
	"time"

	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/jobs"
)

// Moment is the fleet as it was.
type Moment struct {
	At       time.Time      `json:"at"`
	Earliest *time.Time     `json:"earliest" doc:"The first moment that is known; null while nothing is"`
	Total    int            `json:"total"`
	States   map[string]int `json:"states"`
	Figures  *Figures       `json:"figures" doc:"Of the minute before; null when the panel noted none, because it did not run"`
	Cells    []Cell         `json:"cells" doc:"As cells of the fleet, of nodes that are still there, with their state, which may be unknown, and their mean load then"`
	Failing  []Failed       `json:"failing" doc:"Nodes that were offline or degraded, the newest failures first; at most 100"`
	Failures int            `json:"failures" doc:"How many they were in all"`
	Earlier  *time.Time     `json:"earlier" doc:"The newest change of a node's state more than a minute before; null without one"`
	Later    *time.Time     `json:"later" doc:"The first change of a node's state after; null without one"`
}

// Failed is a node that did not do well at a moment.
type Failed struct {
	ID    string     `json:"id" format:"uuid"`
	Name  string     `json:"name"`
	State string     `json:"state" enum:"offline,degraded"`
	Since *time.Time `json:"since" doc:"null: before anything is known"`
	Until *time.Time `json:"until" doc:"null: it lasts until now"`
}

const (
	noted       = 5 * time.Minute // how far the newest minute may be away
	apart       = time.Minute     // changes that are nearer are the same for somebody who goes from one to the other
	loadStep    = 10 * time.Minute
	mostFailing = 100
)

// At shows the fleet as it was. Fault: bad_parameter (400).
func (f *Fleet) At(ctx context.Context, at time.Time) (*Moment, error) {
	now := f.now()
	if at.After(now) || at.Before(now.Add(-kept)) {
		return nil, fault.Malformed("bad_parameter", "the moment is not within the last 30 days").
			Field("query.at", "bad_parameter", "must be within the last 30 days")
	}
	out := &Moment{At: at, States: map[string]int{}, Cells: []Cell{}, Failing: []Failed{}}
	if err := f.nodesAt(ctx, out); err != nil {
		return nil, err
	}
	return out, f.minuteAt(ctx, out)
}

// statesAt gives each node that was there with its state: what it turned to last before, else what it was before it
// turned first, else what it is now.
const statesAt = `select n.id, n.name, n.name_key, n.region, coalesce(b.state, a.was, n.announced_state) as state,
		b.at as since, a.at as until
	from nodes n
	left join lateral (select s.at, s.state from node_states s where s.node_id = n.id and s.at <= ?0
		order by s.at desc limit 1) b on true
	left join lateral (select s.at, s.was from node_states s where s.node_id = n.id and s.at > ?0
		order by s.at limit 1) a on true
	where n.created_at <= ?0`

// nodesAt reads in one statement how each node did.
func (f *Fleet) nodesAt(ctx context.Context, out *Moment) error {
	var got struct {
		States  map[string]int `bun:",type:jsonb"`
		Cells   []Cell         `bun:",type:jsonb"`
		Failing []Failed       `bun:",type:jsonb"`
	}
	err := f.db.NewRaw(fmt.Sprintf(`with f as materialized (%[1]s), shown as (
			select * from f order by array_position(array['offline', 'degraded'], state) nulls last, region, name_key limit %[2]d
		), failing as (
			select id, name, state, since, until, name_key from f where state in ('offline', 'degraded')
			order by since desc nulls last, name_key limit %[3]d
		)
		select (select jsonb_object_agg(state, n) from (select state, count(*) as n from f group by 1) s) as states,
			(select jsonb_agg(jsonb_build_array(s.id, s.name, s.state, s.region, round(m.cpu_pct::numeric, 1))
				order by array_position(array['offline', 'degraded'], s.state) nulls last, s.region, s.name_key)
				from shown s left join node_metrics_10m m on m.node_id = s.id and m.at = ?1) as cells,
			(select jsonb_agg(jsonb_build_object('id', id, 'name', name, 'state', state, 'since', since, 'until', until)
				order by since desc nulls last, name_key) from failing) as failing`, statesAt, mostCells, mostFailing),
		out.At, out.At.Truncate(loadStep)).Scan(ctx, &got)
	if err != nil {
		return database.Fault(fmt.Errorf("look up how nodes did: %w", err), nil)
	}
	out.Cells, out.Failing = some(got.Cells), some(got.Failing)
	for state, n := range got.States {
		out.count(state, n)
	}
	out.Failures = out.States["offline"] + out.States["degraded"]
	return nil
}

func (m *Moment) count(state string, n int) {
	m.States[state] += n
	m.Total += n
}

// minuteAt adds what was noted of the fleet. That counts nodes which are gone since, too.
func (f *Fleet) minuteAt(ctx context.Context, out *Moment) error {
	var rows []struct {
		Earliest   *time.Time
		Earlier    *time.Time
		Later      *time.Time
		States     map[string]int `bun:",type:jsonb"`
		Measured   *int
		Sessions   *int64
		NetRxBps   float64
		NetTxBps   float64
		CPUPercent *float64 `bun:"cpu_pct"`
	}
	err := f.db.NewRaw(`select (select min(at) from fleet_minutes) as earliest,
			(select max(at) from node_states where at < ?2 and was <> 'unknown') as earlier,
			(select min(at) from node_states where at > ?0 and was <> 'unknown') as later,
			m.states, m.measured, m.sessions,
			coalesce(m.net_rx_bps, 0) as net_rx_bps, coalesce(m.net_tx_bps, 0) as net_tx_bps, m.cpu_pct
		from (select) one left join lateral (select * from fleet_minutes where at <= ?0 and at > ?1
			order by at desc limit 1) m on true`, out.At, out.At.Add(-noted), out.At.Add(-apart)).Scan(ctx, &rows)
	if err != nil {
		return database.Fault(fmt.Errorf("read what was noted of the fleet: %w", err), nil)
	}
	row := rows[0]
	out.Earliest, out.Earlier, out.Later = row.Earliest, row.Earlier, row.Later
	if row.Measured == nil {
		return nil
	}
	out.Figures = &Figures{
		Nodes: *row.Measured, Sessions: row.Sessions, NetRxBps: row.NetRxBps, NetTxBps: row.NetTxBps,
		CPUPercent: row.CPUPercent,
	}
	out.States, out.Total = map[string]int{}, 0
	for state, n := range row.States {
		out.count(state, n)
	}
	return nil
}

// TidyStates says how long the states of nodes are kept. What a node was before the first change that is kept stands
// in that change.
func TidyStates() jobs.Tidy { return jobs.Tidy{Table: "node_states", Column: "at", Age: kept} }

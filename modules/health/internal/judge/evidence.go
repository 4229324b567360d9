package judge

import (
	"slices"
	"time"

	"panel/modules/health/healthapi"
	"panel/modules/health/internal/incidents"
	"panel/modules/health/internal/place"
	"panel/modules/health/internal/rules"
	"panel/modules/health/internal/verdict"
)

// evidence is what was seen of one subject, by check.
type evidence struct {
	checks []checked
	soon   time.Time // when the first of it is old; zero: never
}

type checked struct {
	kind, entry string
	weak        bool
	sights      []verdict.Sight
	vantages    []string // of the sights
	verdict.Cell
}

// seen is the evidence as incidents keep it: what counted.
func (e evidence) seen() []incidents.Seen {
	out := []incidents.Seen{}
	for _, c := range e.checks {
		for i, s := range c.sights {
			if !s.Fresh {
				continue
			}
			at := s.At
			out = append(out, incidents.Seen{
				Check: c.kind, Entry: c.entry, Vantage: c.vantages[i], State: s.State, Reason: s.Reason, At: &at,
				LatencyMs: s.Latency,
			})
		}
	}
	return out
}

// evidence gathers the sights of a subject by check.
func (r *round) evidence(rows []sightRow, quorum int) (e evidence) {
	last := ""
	for i := range rows {
		row := &rows[i]
		if row.ID != last {
			e.checks = append(e.checks, checked{kind: row.Type, entry: row.Entry, weak: row.Weak})
			last = row.ID
		}
		c := &e.checks[len(e.checks)-1]
		c.sights, c.vantages = append(c.sights, r.sight(row)), append(c.vantages, row.Vantage)
		if at := c.sights[len(c.sights)-1]; at.Fresh {
			const onTheWay = 46 * time.Second
			old := at.At.Add(3*time.Duration(row.IntervalS)*time.Second + onTheWay)
			if e.soon.IsZero() || old.Before(e.soon) {
				e.soon = old
			}
		}
	}
	for i := range e.checks {
		e.checks[i].Cell = verdict.Together(e.checks[i].sights, quorum)
		if rules.Warns(e.checks[i].kind) || e.checks[i].Reason == verdict.ExitElsewhere {
			e.checks[i].Cell = e.checks[i].Cell.Warning()
		}
	}
	return e
}

// sight is what one vantage says. The panel's own word does not count while it hears almost nobody.
func (r *round) sight(row *sightRow) verdict.Sight {
	s := verdict.Sight{
		State: row.State, Reason: row.Reason, Panel: row.Vantage == place.Panel, At: moment(row.At),
		Latency: row.LatencyMs,
	}
	s.Fresh = verdict.Fresh(s.At, r.now, time.Duration(row.IntervalS)*time.Second) &&
		(!s.Panel || !r.CutOff)
	return s
}

func (e evidence) newest() *time.Time {
	var at time.Time
	for _, c := range e.checks {
		if c.At.After(at) {
			at = c.At
		}
	}
	if at.IsZero() {
		return nil
	}
	return &at
}

func (e evidence) expiry() *time.Time {
	if e.soon.IsZero() {
		return nil
	}
	return &e.soon
}

// verdictOf judges a subject.
func verdictOf(row *stateRow, e evidence, beneath beneath, served states, cutOff bool) verdict.Verdict {
	if row.Kind == healthapi.Node {
		return ofNode(row, e, cutOff)
	}
	down := beneath.down
	f := verdict.Flow{Resting: row.Layers.Resting, Blocked: beneath.blocked[row.SubjectID]}
	for _, id := range row.Layers.Nodes {
		if down[id] {
			f.NodesDown++
		}
	}
	for _, entry := range row.Layers.Entries {
		if entry.Panel != "" {
			v := served.of(entry)
			f.Entries = append(f.Entries, verdict.Entry{Served: &v})
			continue
		}
		one := verdict.Entry{NodeDown: down[entry.NodeID]}
		for _, c := range e.checks {
			if c.entry == entry.Block && (!c.weak || c.State == verdict.Down || c.State == verdict.Degraded) {
				one.Cells = append(one.Cells, c.Cell)
			}
		}
		f.Entries = append(f.Entries, one)
	}
	return verdict.OfFlow(f)
}

func ofNode(row *stateRow, e evidence, cutOff bool) verdict.Verdict {
	n := verdict.Node{
		Resting: row.Layers.Resting, Heartbeat: row.Layers.Heartbeat, Core: row.Layers.Core,
		HasConfig: row.Layers.HasConfig, CutOff: cutOff,
	}
	if n.Heartbeat == "" && n.Resting == "" {
		return verdict.Verdict{State: verdict.Unknown, Reason: verdict.NoEvidence} // the next sweep reads its report
	}
	for _, c := range e.checks {
		if c.kind == rules.TCP {
			n.Reach = c.Cell
		} else {
			n.Own = append(n.Own, verdict.Own{Check: c.kind, Cell: c.Cell})
		}
	}
	return verdict.OfNode(n)
}

// cellsOf are what lists show: one for each type of check, the worst of its checks.
func cellsOf(row *stateRow, e evidence) []Cell {
	cells := []Cell{}
	if row.Kind == healthapi.Node && row.Layers.Resting == "" {
		cells = append(cells, heartbeatCell(row.Layers.Heartbeat), coreCell(row.Layers))
	}
	for _, kind := range rules.Layers {
		var cell *Cell
		for _, c := range e.checks {
			if c.kind == kind {
				cell = merged(cell, kind, c.Cell)
			}
		}
		if cell != nil {
			cells = append(cells, *cell)
		}
	}
	return cells
}

func merged(cell *Cell, kind string, c verdict.Cell) *Cell {
	one := Cell{
		Check: kind, State: c.State, Reason: c.Reason, Up: c.Up, Down: c.Down, Unknown: c.Unknown, LatencyMs: c.Latency,
	}
	if at := c.At; !at.IsZero() {
		one.CheckedAt = &at
	}
	if cell == nil {
		return &one
	}
	worse := *cell
	if verdict.Rank(one.State) > verdict.Rank(cell.State) {
		worse.State, worse.Reason = one.State, one.Reason
	}
	worse.Up, worse.Down, worse.Unknown = cell.Up+one.Up, cell.Down+one.Down, cell.Unknown+one.Unknown
	if one.CheckedAt != nil && (cell.CheckedAt == nil || one.CheckedAt.After(*cell.CheckedAt)) {
		worse.CheckedAt = one.CheckedAt
	}
	if worse.LatencyMs == nil {
		worse.LatencyMs = one.LatencyMs
	}
	return &worse
}

func heartbeatCell(heartbeat string) Cell {
	switch heartbeat {
	case verdict.Heard:
		return Cell{Check: rules.Heartbeat, State: verdict.Up, Up: 1}
	case verdict.Silent:
		return Cell{Check: rules.Heartbeat, State: verdict.Degraded, Reason: verdict.AgentSilent, Down: 1}
	case verdict.Lost:
		return Cell{Check: rules.Heartbeat, State: verdict.Down, Reason: verdict.AgentLost, Down: 1}
	}
	return Cell{Check: rules.Heartbeat, State: verdict.Unknown, Reason: verdict.NoEvidence, Unknown: 1}
}

func coreCell(l place.Layers) Cell {
	switch {
	case l.Heartbeat != verdict.Heard:
		return Cell{Check: rules.Core, State: verdict.Unknown, Reason: verdict.EvidenceOld, Unknown: 1}
	case l.Core == "failed":
		return Cell{Check: rules.Core, State: verdict.Down, Reason: verdict.CoreFailed, Down: 1}
	case l.HasConfig && l.Core == "stopped":
		return Cell{Check: rules.Core, State: verdict.Down, Reason: verdict.CoreStopped, Down: 1}
	case slices.Contains([]string{"running", "stopped"}, l.Core):
		return Cell{Check: rules.Core, State: verdict.Up, Up: 1}
	}
	return Cell{Check: rules.Core, State: verdict.Unknown, Reason: verdict.NoEvidence, Unknown: 1}
}

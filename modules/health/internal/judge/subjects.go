package judge

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/health/healthapi"
	"panel/modules/health/internal/incidents"
	"panel/modules/health/internal/place"
	"panel/modules/health/internal/rules"
	"panel/modules/health/internal/verdict"
	"panel/platform/database"
	"panel/platform/events"
)

// stateRow is the verdict about a subject as it is stored.
type stateRow struct {
	Kind        string       `json:"kind"`
	SubjectID   string       `json:"subject_id"`
	Name        string       `json:"-"`
	State       string       `json:"state"`
	Rank        int          `json:"rank"`
	Reason      string       `json:"reason"`
	Hint        string       `json:"hint"`
	Since       time.Time    `json:"since"`
	CheckedAt   *time.Time   `json:"checked_at"`
	Maintenance bool         `json:"maintenance"`
	Flapping    bool         `json:"flapping"`
	PolicyID    string       `json:"-"`
	Layers      place.Layers `json:"-" bun:",type:jsonb"`
	Cells       []Cell       `json:"cells" bun:"-"`
	DueAt       *time.Time   `json:"due_at"`
}

// Cell is what all vantages say about one type of check, as it is stored for lists.
type Cell struct {
	Check     string     `json:"check"`
	State     string     `json:"state"`
	Reason    string     `json:"reason"`
	Up        int        `json:"up"`
	Down      int        `json:"down"`
	Unknown   int        `json:"unknown"`
	LatencyMs *float64   `json:"latency_ms"`
	CheckedAt *time.Time `json:"checked_at"`
}

// sightRow is a watch as verdicts need it.
type sightRow struct {
	Kind, SubjectID, ID string
	Type, Entry         string
	Weak                bool
	IntervalS           int `bun:"interval_s"`
	Vantage             string
	State, Reason       string
	At                  *time.Time
	LatencyMs           *float64
}

const judgedAtOnce = 500

// judgeDue judges what is due, nodes before the flows that run on them.
func (r *round) judgeDue(ctx context.Context) error {
	for _, kind := range []string{healthapi.Node, healthapi.Flow} {
		for {
			var rows []stateRow
			err := r.db.In(ctx).NewRaw(`select kind, subject_id, name, state, rank, reason, hint, since, checked_at,
					maintenance, flapping, policy_id, layers, due_at
				from health_states where due_at <= ? and kind = ? order by kind, subject_id limit ? for update`,
				r.now, kind, judgedAtOnce).Scan(ctx, &rows)
			if err != nil {
				return database.Fault(fmt.Errorf("read who is due: %w", err), nil)
			}
			if len(rows) > 0 {
				if err := r.judge(ctx, rows); err != nil {
					return err
				}
			}
			if len(rows) < judgedAtOnce {
				break
			}
		}
	}
	return nil
}

func (r *round) judge(ctx context.Context, rows []stateRow) error {
	sights, err := r.sights(ctx, rows)
	if err != nil {
		return err
	}
	beneath, err := r.whatIsBeneath(ctx, rows)
	if err != nil {
		return err
	}
	served, err := r.served(ctx, rows)
	if err != nil {
		return err
	}
	var changed []change
	var moved []string // nodes that matter to their flows in another way now
	judged := make([]incidents.Subject, len(rows))
	for i := range rows {
		row := &rows[i]
		policy, err := r.policy(ctx, row.PolicyID)
		if err != nil {
			return err
		}
		e := r.evidence(sights[row.SubjectID], policy.Quorum)
		was := *row
		row.Cells, row.CheckedAt, row.DueAt = cellsOf(row, e), e.newest(), e.expiry()
		if row.servedAnywhere() {
			row.dueBy(r.now.Add(servedEvery))
		}
		if len(policy.Windows) > 0 {
			row.dueBy(r.now.Add(time.Minute))
		}
		if err := r.turn(ctx, row, verdictOf(row, e, beneath, served, r.CutOff), &policy); err != nil {
			return err
		}
		row.Maintenance = row.Layers.Rests || policy.Resting(r.now) || beneath.excuse(row)
		judged[i] = subjectOf(row, e, &policy)
		if row.State != was.State {
			changed = append(changed, change{row, was.State})
		}
		if row.Kind == healthapi.Node && (row.State != was.State || row.Maintenance != was.Maintenance) {
			moved = append(moved, row.SubjectID)
		}
	}
	if err := r.putStates(ctx, rows); err != nil {
		return err
	}
	if err := r.tell(ctx, changed); err != nil {
		return err
	}
	if err := r.flowsOf(ctx, moved); err != nil {
		return err
	}
	if err := r.incidents.Follow(ctx, judged); err != nil {
		return fmt.Errorf("follow verdicts with incidents: %w", err)
	}
	return nil
}

// subjectOf is a subject as incidents see it.
func subjectOf(row *stateRow, e evidence, policy *rules.Named) incidents.Subject {
	return incidents.Subject{
		Kind: row.Kind, ID: row.SubjectID, Name: row.Name, State: row.State, Reason: row.Reason, Hint: row.Hint,
		Maintenance: row.Maintenance, Layers: row.Layers, Window: time.Duration(policy.Flap.WindowS) * time.Second,
		Seen: func() []incidents.Seen { return e.seen() },
	}
}

// dueBy makes sure that the subject is judged again by then.
func (s *stateRow) dueBy(at time.Time) {
	if s.DueAt == nil || at.Before(*s.DueAt) {
		s.DueAt = &at
	}
}

// turn takes over a verdict. While evidence may simply not have come yet, a subject does not get worse for the lack of
// it; while it comes and goes it does not get better.
func (r *round) turn(ctx context.Context, row *stateRow, v verdict.Verdict, policy *rules.Named) error {
	if r.settles() && verdict.Rank(v.State) > verdict.Rank(row.State) && lacking(v.Reason) {
		row.dueBy(*r.SettledAt)
		return nil
	}
	if row.Flapping || v.State != row.State {
		flapping, err := r.flaps(ctx, row, policy)
		if err != nil {
			return err
		}
		if row.Flapping = flapping; flapping {
			row.dueBy(r.now.Add(sweepEvery))
			if verdict.Rank(v.State) <= verdict.Rank(row.State) {
				return nil
			}
		}
	}
	if v.State != row.State {
		row.Since = r.now
	}
	row.State, row.Reason, row.Hint, row.Rank = v.State, v.Reason, v.Hint, verdict.Rank(v.State)
	return nil
}

// lacking says that a verdict follows from what did not come.
func lacking(reason string) bool {
	return slices.Contains([]string{
		verdict.NoEvidence, verdict.EvidenceOld, verdict.FewVantages, verdict.AgentSilent, verdict.AgentLost,
		verdict.AgentUnheard, verdict.PanelCutOff, verdict.NodeDown, verdict.PanelUnread,
	}, reason)
}

func (r *round) flaps(ctx context.Context, row *stateRow, policy *rules.Named) (bool, error) {
	var n int
	err := r.db.In(ctx).NewRaw("select count(*) from health_changes where kind = ? and subject_id = ? and at > ?",
		row.Kind, row.SubjectID, r.now.Add(-time.Duration(policy.Flap.WindowS)*time.Second)).Scan(ctx, &n)
	return n >= policy.Flap.MaxChanges, database.Fault(err, nil)
}

func (r *round) sights(ctx context.Context, rows []stateRow) (map[string][]sightRow, error) {
	ids := make([]string, len(rows))
	for i := range rows {
		ids[i] = rows[i].SubjectID
	}
	var found []sightRow
	err := r.db.In(ctx).NewRaw(`select c.kind, c.subject_id, c.id, c.type, c.entry, c.weak, c.interval_s, w.vantage, w.state,
			w.reason, w.at, w.latency_ms
		from health_checks c join health_watches w on w.check_id = c.id
		where c.kind = ? and c.subject_id = any(?::uuid[]) order by c.id, w.vantage`, rows[0].Kind, pgdialect.Array(ids)).
		Scan(ctx, &found)
	out := map[string][]sightRow{}
	for _, one := range found {
		out[one.SubjectID] = append(out[one.SubjectID], one)
	}
	return out, database.Fault(err, nil)
}

// beneath are the nodes that flows run on, and the flows of which a transit pool blocks traffic.
type beneath struct{ down, rest, blocked map[string]bool }

func (r *round) whatIsBeneath(ctx context.Context, rows []stateRow) (b beneath, err error) {
	ids := []string{}
	for i := range rows {
		ids = append(ids, rows[i].Layers.Nodes...)
	}
	b = beneath{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	if len(ids) == 0 {
		return b, nil
	}
	blocked, err := r.blockedFlows(ctx)
	if err != nil {
		return b, err
	}
	for _, id := range blocked {
		b.blocked[id] = true
	}
	var nodes []struct {
		SubjectID, State string
		Maintenance      bool
	}
	err = r.db.In(ctx).NewRaw(`select subject_id, state, maintenance from health_states
		where kind = ? and (state = ? or maintenance) and subject_id = any(?::uuid[])`,
		healthapi.Node, verdict.Down, pgdialect.Array(ids)).Scan(ctx, &nodes)
	for _, n := range nodes {
		b.down[n.SubjectID], b.rest[n.SubjectID] = n.State == verdict.Down, n.Maintenance
	}
	return b, database.Fault(err, nil)
}

// excuse says that a flow suffers from nothing but the maintenance of nodes: all of its nodes rest, or all that are
// down.
func (b beneath) excuse(row *stateRow) bool {
	awake, awakeDown := 0, 0
	for _, id := range row.Layers.Nodes {
		if !b.rest[id] {
			awake++
			if b.down[id] {
				awakeDown++
			}
		}
	}
	return len(row.Layers.Nodes) > 0 && (awake == 0 || row.Reason == verdict.NodeDown && awakeDown == 0)
}

func (r *round) putStates(ctx context.Context, rows []stateRow) error {
	text, err := json.Marshal(rows)
	if err != nil {
		return fmt.Errorf("encode verdicts: %w", err)
	}
	_, err = r.db.In(ctx).NewRaw(`update health_states s set state = n.state, rank = n.rank, reason = n.reason,
			hint = n.hint, since = n.since, checked_at = n.checked_at, maintenance = n.maintenance, flapping = n.flapping,
			cells = n.cells, due_at = n.due_at
		from jsonb_to_recordset(?::jsonb) n(kind text, subject_id uuid, state text, rank integer, reason text, hint text,
			since timestamptz, checked_at timestamptz, maintenance boolean, flapping boolean, cells jsonb,
			due_at timestamptz)
		where s.kind = n.kind and s.subject_id = n.subject_id`, string(text)).Exec(ctx)
	if err != nil {
		return database.Fault(fmt.Errorf("store verdicts: %w", err), nil)
	}
	return nil
}

// change is a subject whose state has changed.
type change struct {
	*stateRow
	was string
}

// tell writes the changes down and emits them.
func (r *round) tell(ctx context.Context, changes []change) error {
	for _, c := range changes {
		_, err := r.db.In(ctx).NewRaw(`insert into health_changes (kind, subject_id, at, was, state, reason, hint)
			values (?, ?, ?, ?, ?, ?, ?)`, c.Kind, c.SubjectID, r.now, c.was, c.State, c.Reason, c.Hint).Exec(ctx)
		if err != nil {
			return database.Fault(fmt.Errorf("store a change of health: %w", err), nil)
		}
		err = r.bus.Emit(ctx, events.Event{
			Kind: healthapi.EventStateChanged, SubjectID: c.SubjectID, At: r.now, Data: healthapi.StateNews{
				Kind: c.Kind, Name: c.Name, Was: c.was, State: c.State, Reason: c.Reason, Hint: c.Hint,
			},
		})
		if err != nil {
			return fmt.Errorf("emit a change of health: %w", err)
		}
	}
	return nil
}

// flowsOf has the flows judged anew that run on nodes.
func (r *round) flowsOf(ctx context.Context, nodes []string) error {
	if len(nodes) == 0 {
		return nil
	}
	_, err := r.db.In(ctx).NewRaw(`update health_states set due_at = ? where kind = ? and layers -> 'nodes' \?| ?::text[]`,
		r.now, healthapi.Flow, pgdialect.Array(nodes)).Exec(ctx)
	return database.Fault(err, nil)
}

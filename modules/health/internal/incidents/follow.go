package incidents

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/health/healthapi"
	"panel/modules/health/internal/verdict"
	"panel/platform/database"
)

// Round is what one round of the judge means for incidents. All of it happens in the transaction of the round.
type Round struct {
	*Incidents
	now time.Time

	incidents  map[string]*incidentRow // that were read, each locked
	unresolved bool                    // all of them were read
	seen       *fleet

	changed map[string]bool // incidents
	news    map[string]string
	members []*subjectRow // that joined or changed
	leavers []*subjectRow
	entries []entryRow
}

// Begin begins a round.
func (i *Incidents) Begin(now time.Time) *Round {
	return &Round{Incidents: i, now: now, incidents: map[string]*incidentRow{}}
}

// clear forgets what was stored.
func (r *Round) clear() {
	r.changed, r.news, r.members, r.leavers, r.entries = map[string]bool{}, map[string]string{}, nil, nil, nil
}

// Follow takes verdicts of one kind of subjects, nodes before the flows that run on them.
func (r *Round) Follow(ctx context.Context, subjects []Subject) error {
	r.clear()
	suffering, err := r.suffering(ctx, subjects)
	if err != nil {
		return err
	}
	var fresh []*Subject
	for at := range subjects {
		s := &subjects[at]
		m, effect := suffering[s.ID], s.effect()
		switch {
		case m == nil && effect == bad:
			fresh = append(fresh, s)
		case m == nil || effect == unsure:
		case effect == bad:
			if err := r.still(ctx, m, s); err != nil {
				return err
			}
		case effect == well:
			r.leaves(m, s, saidLeft)
		default:
			r.leaves(m, s, saidRests)
		}
	}
	if err := r.begin(ctx, fresh); err != nil {
		return err
	}
	return r.flush(ctx)
}

// suffering gives those of the subjects that suffer from an incident, and reads and locks these.
func (r *Round) suffering(ctx context.Context, subjects []Subject) (map[string]*subjectRow, error) {
	ids := make([]string, len(subjects))
	for i := range subjects {
		ids[i] = subjects[i].ID
	}
	var rows []*subjectRow
	err := r.db.In(ctx).NewSelect().Model(&rows).Where("m.left_at is null and m.kind = ?", subjects[0].Kind).
		Where("m.subject_id = any(?::uuid[])", pgdialect.Array(ids)).Scan(ctx)
	if err != nil || len(rows) == 0 {
		return nil, database.Fault(err, nil)
	}
	out, incidents := map[string]*subjectRow{}, []string{}
	for _, m := range rows {
		out[m.SubjectID] = m
		incidents = append(incidents, m.IncidentID)
	}
	return out, r.readAll(ctx, incidents)
}

// read reads and locks incidents, in one order for all. One that was read in this round before is as it was left then.
func (r *Round) read(ctx context.Context, where string, args ...any) (found []*incidentRow, err error) {
	var rows []*incidentRow
	err = r.db.In(ctx).NewSelect().Model(&rows).ColumnExpr("i.*").Where(where, args...).OrderExpr("i.id").For("update of i").
		Scan(ctx)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read incidents: %w", err), nil)
	}
	for _, row := range rows {
		if r.incidents[row.ID] == nil {
			r.incidents[row.ID] = row
		}
		found = append(found, r.incidents[row.ID])
	}
	return found, nil
}

// readAll reads and locks the incidents with these ids.
func (r *Round) readAll(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := r.read(ctx, "i.id = any(?::uuid[])", pgdialect.Array(ids))
	return err
}

func (r *Round) say(inc *incidentRow, entry entryRow) {
	entry.IncidentID, entry.At = inc.ID, r.now
	r.entries = append(r.entries, entry)
	r.changed[inc.ID] = true
	if r.news[inc.ID] == "" {
		r.news[inc.ID] = healthapi.EventIncidentChanged
	}
}

// still takes what has changed about one who suffers already.
func (r *Round) still(ctx context.Context, m *subjectRow, s *Subject) error {
	inc := r.incidents[m.IncidentID]
	if m.State == s.State && m.Reason == s.Reason && m.Hint == s.Hint {
		return nil
	}
	if s.class() == classNode && m.Hint != s.Hint {
		if moved, err := r.moves(ctx, m, s); moved || err != nil {
			return err
		}
	}
	what := saidChanged
	switch now, before := verdict.Rank(s.State), verdict.Rank(m.State); {
	case now > before:
		what = saidWorse
	case now < before:
		what = saidBetter
	}
	m.Name, m.State, m.Reason, m.Hint = s.Name, s.State, s.Reason, s.Hint
	r.members = append(r.members, m)
	r.say(inc, s.entry(what))
	if what == saidWorse {
		if inc.State == Resolved {
			r.reopen(inc, s)
		}
		inc.Severity = worse(inc.Severity, s.severity())
	}
	if inc.SubjectID == s.ID {
		return r.told(ctx, inc, s)
	}
	return nil
}

// moves lets a flow whose node turns out to be down follow the node.
func (r *Round) moves(ctx context.Context, m *subjectRow, s *Subject) (bool, error) {
	of, err := r.incidentsOfNodes(ctx, []*Subject{s})
	if err != nil {
		return false, err
	}
	inc := r.beneath(s, of)
	if inc == nil || inc.ID == m.IncidentID {
		return false, nil
	}
	r.leaves(m, s, saidMoved)
	return true, r.join(ctx, inc, s, nil)
}

func (r *Round) leaves(m *subjectRow, s *Subject, what string) {
	m.LeftAt = &r.now
	r.leavers = append(r.leavers, m)
	r.say(r.incidents[m.IncidentID], s.entry(what))
}

// begin finds the incidents of those who suffer since now, or opens them.
func (r *Round) begin(ctx context.Context, fresh []*Subject) (err error) {
	if len(fresh) == 0 {
		return nil
	}
	if r.seen == nil {
		if r.seen, err = r.fleet(ctx); err != nil {
			return err
		}
	}
	if !r.unresolved {
		r.unresolved = true
		if _, err := r.read(ctx, "i.state <> ?", Resolved); err != nil {
			return err
		}
	}
	former, err := r.former(ctx, fresh)
	if err != nil {
		return err
	}
	ofNodes, err := r.incidentsOfNodes(ctx, fresh)
	if err != nil {
		return err
	}
	for _, s := range fresh {
		inc := r.beneath(s, ofNodes)
		if inc == nil {
			inc = r.incidents[former[s.ID]]
		}
		causes := r.seen.causes(s)
		if inc == nil {
			inc = r.related(s, causes)
		}
		if inc == nil {
			if inc, err = r.open(ctx, s, causes); err != nil {
				return err
			}
		}
		if err := r.join(ctx, inc, s, causes); err != nil {
			return err
		}
	}
	return nil
}

// former gives the incidents that subjects suffered from before: one that goes on, or that ended within the window of
// the subject's policy.
func (r *Round) former(ctx context.Context, fresh []*Subject) (map[string]string, error) {
	ids, windows := make([]string, len(fresh)), map[string]time.Duration{}
	for i, s := range fresh {
		ids[i], windows[s.ID] = s.ID, s.Window
	}
	var rows []struct {
		SubjectID, IncidentID string
		ResolvedAt            *time.Time
	}
	err := r.db.In(ctx).NewRaw(`select distinct on (m.subject_id) m.subject_id, m.incident_id, i.resolved_at
		from health_incident_subjects m join health_incidents i on i.id = m.incident_id
		where m.kind = ? and m.subject_id = any(?::uuid[]) and (i.resolved_at is null or i.resolved_at > ?)
			and not exists (select from health_incident_entries e where e.incident_id = m.incident_id
				and e.subject_id = m.subject_id and e.what = ?)
		order by m.subject_id, m.joined_at desc`, fresh[0].Kind, pgdialect.Array(ids), r.now.Add(-longestWindow), saidMoved).
		Scan(ctx, &rows)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read who suffered before: %w", err), nil)
	}
	out, incidents := map[string]string{}, []string{}
	for _, row := range rows {
		if row.ResolvedAt == nil || r.now.Sub(*row.ResolvedAt) <= windows[row.SubjectID] {
			out[row.SubjectID] = row.IncidentID
			incidents = append(incidents, row.IncidentID)
		}
	}
	return out, r.readAll(ctx, incidents)
}

const longestWindow = 24 * time.Hour // of the flap limit of a policy

// incidentsOfNodes gives the incidents that the nodes of flows suffer from.
func (r *Round) incidentsOfNodes(ctx context.Context, fresh []*Subject) (map[string]string, error) {
	nodes := []string{}
	for _, s := range fresh {
		if s.Kind == healthapi.Flow {
			nodes = append(nodes, s.Layers.Nodes...)
		}
	}
	out := map[string]string{}
	if len(nodes) == 0 {
		return out, nil
	}
	var rows []struct{ SubjectID, IncidentID string }
	err := r.db.In(ctx).NewRaw(`select m.subject_id, m.incident_id from health_incident_subjects m
			join health_incidents i on i.id = m.incident_id
		where m.left_at is null and m.kind = ? and i.state <> ? and m.subject_id = any(?::uuid[])`,
		healthapi.Node, Resolved, pgdialect.Array(nodes)).Scan(ctx, &rows)
	incidents := []string{}
	for _, row := range rows {
		out[row.SubjectID] = row.IncidentID
		incidents = append(incidents, row.IncidentID)
	}
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read what nodes suffer from: %w", err), nil)
	}
	return out, r.readAll(ctx, incidents)
}

// beneath gives the incident of a node that a flow runs on, where that is why the flow suffers.
func (r *Round) beneath(s *Subject, ofNodes map[string]string) *incidentRow {
	if s.Kind != healthapi.Flow {
		return nil
	}
	for _, node := range s.Layers.Nodes {
		inc := r.incidents[ofNodes[node]]
		if inc != nil && (s.class() == classNode || s.class() == inc.Class) {
			return inc
		}
	}
	return nil
}

// related gives the unresolved incident that has the likeliest cause in common with a subject, the oldest of several.
func (r *Round) related(s *Subject, causes []string) (found *incidentRow) {
	best := len(causeKinds)
	for _, inc := range r.incidents {
		rank := r.rank(inc, s, causes)
		if rank < best || found != nil && rank == best && inc.before(found) {
			best, found = rank, inc
		}
	}
	return found
}

func (i *incidentRow) before(other *incidentRow) bool {
	if !i.OpenedAt.Equal(other.OpenedAt) {
		return i.OpenedAt.Before(other.OpenedAt)
	}
	return i.ID < other.ID
}

// rank is how likely an incident and a subject have one cause, 0 the likeliest; len(causeKinds) when they have none.
func (r *Round) rank(inc *incidentRow, s *Subject, causes []string) int {
	none := len(causeKinds)
	both := common(inc.Causes, causes)
	kind, _ := likeliest(both)
	if kind == "" || inc.State == Resolved {
		return none
	}
	class := s.class()
	takesOver := kind == causeNode && s.Kind == healthapi.Node && inc.Kind == healthapi.Flow &&
		inc.Class == classNetwork
	if class != inc.Class && class != classNode && !takesOver {
		return none
	}
	lately := r.now.Sub(inc.JoinedAt) <= together
	if !lately && (!takesOver || !inc.onlyNode(s.ID)) {
		return none
	}
	return slices.Index(causeKinds, kind)
}

// onlyNode says that all who suffer run on this node and on no other.
func (i *incidentRow) onlyNode(id string) bool {
	return !slices.ContainsFunc(i.Causes, func(cause string) bool {
		return strings.HasPrefix(cause, causeNode+":") && cause != causeOf(causeNode, id)
	})
}

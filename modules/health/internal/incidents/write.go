package incidents

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/health/healthapi"
	"panel/modules/health/internal/texts"
	"panel/modules/health/internal/verdict"
	"panel/platform/database"
	"panel/platform/events"
)

// open stores a new incident.
func (r *Round) open(ctx context.Context, s *Subject, causes []string) (*incidentRow, error) {
	began, err := r.began(ctx, s)
	if err != nil {
		return nil, err
	}
	class := s.class()
	if class == classNode {
		class = classNetwork
	}
	inc := &incidentRow{
		ID: database.NewID(), Kind: s.Kind, SubjectID: s.ID, Name: s.Name, Class: class, Hint: s.hint(),
		Severity: s.severity(), State: Open, Causes: append([]string{}, causes...), BeganAt: began, OpenedAt: r.now,
		JoinedAt: r.now,
	}
	if _, err := r.db.In(ctx).NewInsert().Model(inc).Exec(ctx); err != nil {
		return nil, database.Fault(fmt.Errorf("open an incident: %w", err), nil)
	}
	r.incidents[inc.ID] = inc
	r.news[inc.ID] = healthapi.EventIncidentOpened
	return inc, r.told(ctx, inc, s)
}

// began is when the first of the failures came that made the verdict.
func (r *Round) began(ctx context.Context, s *Subject) (time.Time, error) {
	const longest = 15 * time.Minute
	var at *time.Time
	err := r.db.In(ctx).NewRaw(`select min(f.at) from health_results f join health_checks c on c.id = f.check_id
		where c.kind = ?0 and c.subject_id = ?1 and not f.ok and f.at > ?2 and f.at <= ?3
			and f.at > coalesce((select max(o.at) from health_results o where o.check_id = f.check_id
				and o.vantage = f.vantage and o.ok and o.at > ?2), ?2)`, s.Kind, s.ID, r.now.Add(-longest), r.now).
		Scan(ctx, &at)
	if err != nil || at == nil {
		return r.now, database.Fault(err, nil)
	}
	return at.UTC(), nil
}

// join adds one who suffers.
func (r *Round) join(ctx context.Context, inc *incidentRow, s *Subject, causes []string) error {
	m := &subjectRow{
		IncidentID: inc.ID, Kind: s.Kind, SubjectID: s.ID, Name: s.Name, State: s.State, Reason: s.Reason, Hint: s.Hint,
		JoinedAt: r.now, Evidence: s.Seen(),
	}
	r.members = append(r.members, m)
	if both := common(inc.Causes, causes); len(both) > 0 {
		inc.Causes = both
	}
	what := saidJoined
	if r.news[inc.ID] == healthapi.EventIncidentOpened && inc.SubjectID == s.ID {
		what = saidOpened
	}
	r.say(inc, s.entry(what))
	inc.JoinedAt, inc.Severity = r.now, worse(inc.Severity, s.severity())
	switch inc.State {
	case Resolved:
		r.reopen(inc, s)
	case Mitigated:
		inc.relapse()
		r.say(inc, s.entry(saidRelapsed))
	}
	if inc.Kind == healthapi.Flow && s.Kind == healthapi.Node { // the node beneath the flows
		inc.Kind, inc.SubjectID, inc.Name, inc.Class = s.Kind, s.ID, s.Name, s.class()
		return r.told(ctx, inc, s)
	}
	return nil
}

func (i *incidentRow) relapse() {
	i.State, i.MitigatedAt = Open, nil
	if i.AcknowledgedAt != nil {
		i.State = Acknowledged
	}
}

// reopen lets an incident go on that had ended. Whoever knew of it has to hear of it again.
func (r *Round) reopen(inc *incidentRow, s *Subject) {
	inc.AcknowledgedAt, inc.AcknowledgedBy, inc.ResolvedAt, inc.ResolvedBy = nil, "", nil, ""
	inc.relapse()
	inc.Reopened++
	r.say(inc, s.entry(saidReopened))
	r.news[inc.ID] = healthapi.EventIncidentOpened
}

// told takes over the name and the likely cause of the subject that an incident is told of by.
func (r *Round) told(ctx context.Context, inc *incidentRow, s *Subject) (err error) {
	inc.Name, inc.Hint = s.Name, s.hint()
	r.changed[inc.ID] = true
	if s.Hint != verdict.HintRoute {
		return nil
	}
	if r.seen == nil {
		if r.seen, err = r.fleet(ctx); err != nil {
			return err
		}
	}
	if r.seen.regional(s.Seen()) {
		inc.Hint = verdict.HintRegion
	}
	return nil
}

// flush stores what has changed, and emits it.
func (r *Round) flush(ctx context.Context) error {
	if len(r.changed) == 0 {
		return nil
	}
	if err := r.putMembers(ctx, r.leavers); err != nil {
		return err
	}
	if err := r.putMembers(ctx, r.members); err != nil {
		return err
	}
	if err := r.mitigate(ctx); err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(r.changed)) {
		if _, err := r.db.In(ctx).NewUpdate().Model(r.incidents[id]).WherePK().Exec(ctx); err != nil {
			return database.Fault(fmt.Errorf("store an incident: %w", err), nil)
		}
	}
	if _, err := r.db.In(ctx).NewInsert().Model(&r.entries).Exec(ctx); err != nil {
		return database.Fault(fmt.Errorf("store what happened in incidents: %w", err), nil)
	}
	for _, id := range slices.Sorted(maps.Keys(r.news)) {
		if err := r.emit(ctx, r.news[id], r.incidents[id]); err != nil {
			return err
		}
	}
	return nil
}

func (r *Round) putMembers(ctx context.Context, rows []*subjectRow) error {
	if len(rows) == 0 {
		return nil
	}
	_, err := r.db.In(ctx).NewInsert().Model(&rows).On("conflict (incident_id, kind, subject_id) do update").
		Set("name = excluded.name, state = excluded.state, reason = excluded.reason, hint = excluded.hint").
		Set("joined_at = excluded.joined_at, left_at = excluded.left_at, evidence = excluded.evidence").Exec(ctx)
	if err != nil {
		return database.Fault(fmt.Errorf("store who suffers: %w", err), nil)
	}
	return nil
}

// mitigate marks the incidents that nobody suffers from any more.
func (r *Round) mitigate(ctx context.Context) error {
	ids := []string{}
	for _, m := range r.leavers {
		ids = append(ids, m.IncidentID)
	}
	if len(ids) == 0 {
		return nil
	}
	var over []string
	err := r.db.In(ctx).NewRaw(`select i.id from health_incidents i where i.id = any(?::uuid[]) and not exists (
		select from health_incident_subjects m where m.incident_id = i.id and m.left_at is null) order by i.id`,
		pgdialect.Array(ids)).Scan(ctx, &over)
	for _, id := range over {
		if inc := r.incidents[id]; inc.State == Open || inc.State == Acknowledged {
			inc.State, inc.MitigatedAt = Mitigated, &r.now
			r.say(inc, entryRow{What: saidMitigated})
		}
	}
	return database.Fault(err, nil)
}

// emit tells of an incident.
func (i *Incidents) emit(ctx context.Context, kind string, inc *incidentRow) error {
	err := i.bus.Emit(ctx, events.Event{
		Kind: kind, SubjectID: inc.ID, At: i.clock.Now().UTC(), Severity: inc.level(kind), Data: inc.news(),
	})
	if err != nil {
		return fmt.Errorf("emit what happened to an incident: %w", err)
	}
	return nil
}

// level is how much an event matters: its end is no alarm.
func (i *incidentRow) level(kind string) events.Severity {
	if kind != healthapi.EventIncidentOpened {
		return ""
	}
	return events.Severity(i.Severity)
}

func (i *incidentRow) news() healthapi.IncidentNews {
	return healthapi.IncidentNews{
		IncidentID: i.ID, Kind: i.Kind, SubjectID: i.SubjectID, Name: i.Name, Hint: i.Hint, Cause: texts.Causes[i.Hint],
		Severity: i.Severity, State: i.State, Reopened: i.Reopened,
	}
}

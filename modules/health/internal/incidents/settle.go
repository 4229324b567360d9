package incidents

import (
	"context"

	"panel/modules/health/healthapi"
	"panel/platform/database"
)

// Settle ends what has to end: incidents that nobody has suffered from for a while, and, when asked for, the suffering
// of subjects that are there no more.
func (r *Round) Settle(ctx context.Context, gone bool) error {
	r.clear()
	if gone {
		if err := r.removed(ctx); err != nil {
			return err
		}
	}
	over, err := r.read(ctx, `i.state = ? and i.mitigated_at <= ? and not exists (select from health_incident_subjects m
		where m.incident_id = i.id and (m.left_at is null or m.left_at > ?))`, Mitigated, r.now.Add(-Calm), r.now.Add(-Calm))
	if err != nil {
		return err
	}
	for _, inc := range over {
		inc.State, inc.ResolvedAt = Resolved, &r.now
		r.say(inc, entryRow{What: saidResolved})
		r.news[inc.ID] = healthapi.EventIncidentResolved
	}
	return r.flush(ctx)
}

// removed lets those leave that are there no more.
func (r *Round) removed(ctx context.Context) error {
	var rows []*subjectRow
	err := r.db.In(ctx).NewSelect().Model(&rows).Where(`m.left_at is null and not exists (select from health_states s
		where s.kind = m.kind and s.subject_id = m.subject_id)`).Scan(ctx)
	if err != nil || len(rows) == 0 {
		return database.Fault(err, nil)
	}
	ids := []string{}
	for _, m := range rows {
		ids = append(ids, m.IncidentID)
	}
	if err := r.readAll(ctx, ids); err != nil {
		return err
	}
	for _, m := range rows {
		m.LeftAt = &r.now
		r.leavers = append(r.leavers, m)
		r.say(r.incidents[m.IncidentID], m.entry(saidGone))
	}
	return nil
}

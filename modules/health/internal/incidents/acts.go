package incidents

import (
	"context"
	"fmt"
	"time"

	"panel/modules/health/healthapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/jobs"
)

// Object is the type of incidents in the journal.
const Object = "health_incident"

// What people do with incidents, as the journal calls it.
const (
	ActionAcknowledged = "health.incident_acknowledged"
	ActionResolved     = healthapi.EventIncidentResolved
)

var errOver = fault.Conflict("incident_resolved", "the incident is resolved")

// Acknowledge says that somebody has taken it on. Again it changes nothing. Faults: not_found (404),
// incident_resolved (409).
func (i *Incidents) Acknowledge(ctx context.Context, id, note string) error {
	return i.act(ctx, id, func(ctx context.Context, inc *incidentRow, now time.Time) (string, string, error) {
		if inc.State == Resolved {
			return "", "", errOver
		}
		if inc.AcknowledgedAt != nil {
			return "", "", nil
		}
		inc.AcknowledgedAt, inc.AcknowledgedBy = &now, access.From(ctx).Name()
		if inc.State == Open {
			inc.State = Acknowledged
		}
		return ActionAcknowledged, saidAcknowledged, nil
	}, note)
}

// Resolve ends it by hand. It stays closed also for those who still suffer, until they get worse, or well and bad
// again. Again it changes nothing. Fault: not_found (404).
func (i *Incidents) Resolve(ctx context.Context, id, note string) error {
	return i.act(ctx, id, func(ctx context.Context, inc *incidentRow, now time.Time) (string, string, error) {
		if inc.State == Resolved {
			return "", "", nil
		}
		inc.State, inc.ResolvedAt, inc.ResolvedBy = Resolved, &now, access.From(ctx).Name()
		return ActionResolved, saidResolved, nil
	}, note)
}

// Mitigate says in the context's transaction that the effect of an incident is gone although its cause is not, because
// something was done about a node. One that is mitigated or over stays as it is, and so does one that flows or other
// nodes still suffer from. Fault: not_found (404).
func (i *Incidents) Mitigate(ctx context.Context, id, nodeID, note string) error {
	return i.act(ctx, id, func(ctx context.Context, inc *incidentRow, now time.Time) (string, string, error) {
		if inc.State == Resolved || inc.State == Mitigated {
			return "", "", nil
		}
		var others bool
		err := i.db.In(ctx).NewRaw(`select exists (select from health_incident_subjects
			where incident_id = ? and left_at is null and subject_id <> ?)`, id, nodeID).Scan(ctx, &others)
		if err != nil || others {
			return "", "", database.Fault(err, nil)
		}
		inc.State, inc.MitigatedAt = Mitigated, &now
		return "", saidMitigated, nil
	}, note)
}

// Relapse takes back what Mitigate said: what was done is undone, and somebody suffers again. Fault: not_found (404).
func (i *Incidents) Relapse(ctx context.Context, id, note string) error {
	return i.act(ctx, id, func(ctx context.Context, inc *incidentRow, _ time.Time) (string, string, error) {
		if inc.State != Mitigated {
			return "", "", nil
		}
		var suffers bool
		err := i.db.In(ctx).NewRaw(`select exists (select from health_incident_subjects
			where incident_id = ? and left_at is null)`, id).Scan(ctx, &suffers)
		if err != nil || !suffers {
			return "", "", database.Fault(err, nil)
		}
		inc.relapse()
		return "", saidRelapsed, nil
	}, note)
}

// act changes one incident: the change, its entry, its line in the journal where a person does it, and its event commit
// together. The change says what it is called in the journal and in the entries; nothing: nothing has changed.
func (i *Incidents) act(
	ctx context.Context, id string,
	change func(ctx context.Context, inc *incidentRow, now time.Time) (action, what string, err error), note string,
) error {
	if !database.IsID(id) {
		return fault.Missing(fault.NoSuchThing)
	}
	return i.db.InTx(ctx, func(ctx context.Context) error {
		var inc incidentRow
		err := i.db.In(ctx).NewSelect().Model(&inc).ColumnExpr("i.*").Where("i.id = ?", id).For("update of i").Scan(ctx)
		if err != nil {
			return database.Fault(err, nil)
		}
		now, before := i.clock.Now().UTC(), inc.State
		action, what, err := change(ctx, &inc, now)
		if err != nil || what == "" {
			return err
		}
		entry := entryRow{IncidentID: id, At: now, What: what, Note: note}
		if action != "" {
			entry.Actor = access.From(ctx).Name()
			if err := i.record(ctx, action, &inc, before); err != nil {
				return err
			}
		}
		if _, err := i.db.In(ctx).NewUpdate().Model(&inc).WherePK().Exec(ctx); err != nil {
			return database.Fault(fmt.Errorf("store an incident: %w", err), nil)
		}
		if _, err := i.db.In(ctx).NewInsert().Model(&entry).Exec(ctx); err != nil {
			return database.Fault(fmt.Errorf("store what happened in an incident: %w", err), nil)
		}
		kind := healthapi.EventIncidentChanged
		if inc.State == Resolved {
			kind = healthapi.EventIncidentResolved
		}
		return i.emit(ctx, kind, &inc)
	})
}

func (i *Incidents) record(ctx context.Context, action string, inc *incidentRow, before string) error {
	err := i.journal.Record(ctx, i.db.In(ctx), audit.Entry{
		Action: action, Object: audit.Object{Type: Object, ID: inc.ID, Name: inc.Name},
		Changes: map[string]audit.Change{"state": {From: before, To: inc.State}},
	})
	if err != nil {
		return fmt.Errorf("record what was done with an incident: %w", err)
	}
	return nil
}

// Of gives the id of the unresolved incident that a subject suffers from, empty without one. It takes part in the
// context's transaction.
func (i *Incidents) Of(ctx context.Context, kind, subjectID string) (id string, err error) {
	var ids []string
	err = i.db.In(ctx).NewRaw(`select m.incident_id from health_incident_subjects m join health_incidents i on i.id = m.incident_id
		where m.kind = ? and m.subject_id = ? and m.left_at is null and i.state <> ?`, kind, subjectID, Resolved).
		Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return "", database.Fault(err, nil)
	}
	return ids[0], nil
}

// Tidy lets incidents go that have been over for a year.
func Tidy() jobs.Tidy {
	const year = 365 * 24 * time.Hour
	return jobs.Tidy{Table: "health_incidents", Column: "resolved_at", Age: year}
}

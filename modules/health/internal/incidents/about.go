package incidents

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"panel/modules/health/healthapi"
	"panel/platform/database"
)

// About gives what an incident is about to other modules, or healthapi.ErrUnknown.
func (i *Incidents) About(ctx context.Context, id string) (healthapi.Incident, error) {
	if !database.IsID(id) {
		return healthapi.Incident{}, healthapi.ErrUnknown
	}
	var row incidentRow
	err := i.db.In(ctx).NewSelect().Model(&row).ColumnExpr("i.*").Where("i.id = ?", id).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return healthapi.Incident{}, healthapi.ErrUnknown
	}
	out := healthapi.Incident{
		ID: row.ID, State: row.State, Severity: row.Severity, OpenedAt: row.OpenedAt.UTC(), Reopened: row.Reopened,
	}
	if err == nil && row.ResolvedAt != nil {
		at := row.ResolvedAt.UTC()
		out.ResolvedAt = &at
	}
	var members []subjectRow
	if err == nil {
		err = i.db.In(ctx).NewSelect().Model(&members).Column("kind", "subject_id").Where("m.incident_id = ?", id).
			OrderExpr("m.subject_id").Scan(ctx)
	}
	if err != nil {
		return healthapi.Incident{}, database.Fault(fmt.Errorf("read an incident: %w", err), nil)
	}
	for _, m := range members {
		if m.Kind == healthapi.Node {
			out.Nodes = append(out.Nodes, m.SubjectID)
			continue
		}
		out.Flows = append(out.Flows, m.SubjectID)
	}
	return out, nil
}

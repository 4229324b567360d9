package view

import (
	"context"
	"fmt"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/health/healthapi"
	"panel/modules/health/internal/incidents"
	"panel/modules/health/internal/judge"
	"panel/platform/database"
)

// Reports implements healthapi.Reports.
type Reports struct {
	views     *Views
	incidents *incidents.Incidents
	past      past
}

// NewReports makes reports for other modules.
func NewReports(v *Views, i *incidents.Incidents) *Reports { return &Reports{views: v, incidents: i} }

// Verdicts gives the verdicts of now.
func (r *Reports) Verdicts(ctx context.Context, kind string, ids ...string) (map[string]healthapi.Verdict, error) {
	out := map[string]healthapi.Verdict{}
	if ids = database.OnlyIDs(ids); len(ids) == 0 {
		return out, nil
	}
	var rows []subjectRow
	err := r.views.db.In(ctx).NewSelect().Model(&rows).Column("subject_id", "state", "since", "maintenance").
		Where("kind = ? and subject_id = any(?::uuid[])", kind, pgdialect.Array(ids)).
		Where("exists (select from health_progress where alive_at > ?)", r.views.clock.Now().UTC().Add(-judge.Still)).
		Scan(ctx)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read how nodes and flows are: %w", err), nil)
	}
	for i := range rows {
		row := &rows[i]
		out[row.SubjectID] = healthapi.Verdict{
			State: row.State, Maintenance: row.Maintenance, Since: row.Since.UTC(),
		}
	}
	return out, nil
}

// Incident gives one.
func (r *Reports) Incident(ctx context.Context, id string) (healthapi.Incident, error) {
	return r.incidents.About(ctx, id)
}

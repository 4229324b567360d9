package flows

import (
	"context"

	"panel/platform/metrics"
)

// metrics of the applies that are under way, on whichever panel.
func (r *runner) metrics() []metrics.Collector {
	return []metrics.Collector{
		metrics.AskedOne("panel_applies_unfinished", "Applies that are under way.", r.figure("count(*)::float8")),
		metrics.AskedOne("panel_apply_oldest_seconds", "Age of the oldest apply that is under way; 0 without one.",
			r.figure("coalesce(extract(epoch from now() - min(started_at)), 0)::float8")),
	}
}

func (r *runner) figure(expression string) func(context.Context) (float64, error) {
	return func(ctx context.Context) (value float64, err error) {
		err = r.db.NewSelect().Model((*applyRow)(nil)).ColumnExpr(expression).Where("finished_at is null").Scan(ctx, &value)
		return value, err
	}
}

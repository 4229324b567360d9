package specimen

import (
	"context"

	"panel/platform/doctor"
	"panel/platform/doctor/checks"
	"panel/platform/metrics"
)

// count is the number of items on all panels of this database.
func (i *items) count() metrics.Collector {
	return metrics.AskedOne("panel_specimen_items", "Items of specimen.", func(ctx context.Context) (float64, error) {
		n, err := i.store.db.NewSelect().Model((*itemRow)(nil)).Count(ctx)
		return float64(n), err
	})
}

// check is what Doctor asks about items, also while the panel is down.
func check() doctor.Check {
	return doctor.Check{ID: "components.specimen", Group: "components", Title: "items of specimen", Run: overdue}
}

// overdue finds items that nobody has looked at for twice as long as planned.
func overdue(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	var all, late int
	err := db.NewRaw("select count(*), count(*) filter (where coalesce(seen_at, created_at) < ?) from specimen_items",
		env.Now().Add(-2*lookEvery)).Scan(ctx, &all, &late)
	switch {
	case err != nil:
		return doctor.Finding{
			Status: doctor.Skipped,
			Found:  doctor.Say("the schema of the panel is not in this database"),
		}
	case late > 0:
		return doctor.Finding{
			Status: doctor.Warning, Found: doctor.Say("%d of %d items are overdue", late, all),
			Do: doctor.Command("panelctl logs worker"), Data: map[string]any{"items": all, "overdue": late},
		}
	}
	return doctor.Finding{
		Status: doctor.OK, Found: doctor.Say("%d items, none is overdue", all), Data: map[string]any{"items": all},
	}
}

package pools

import (
	"context"

	"panel/platform/agentapi"
	"panel/platform/doctor"
	"panel/platform/doctor/checks"
	"panel/platform/metrics"
)

// count is the number of pools whose fallback carries traffic, on all panels of this database.
func (p *pools) count() metrics.Collector {
	return metrics.AskedOne("panel_pools_on_fallback", "Transit pools whose fallback carries traffic on some node.",
		func(ctx context.Context) (float64, error) {
			var n int
			err := p.store.db.NewRaw("select count(distinct pool_id) from transit_pool_choices where serves = ?",
				agentapi.PoolServesFallback).Scan(ctx, &n)
			return float64(n), err
		})
}

// check is what Doctor asks about pools, also while the panel is down.
func check() doctor.Check {
	return doctor.Check{ID: "components.pools", Group: "components", Title: "transit pools", Run: failing}
}

// failing finds pools that have lost their members.
func failing(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	var all, lost, short int
	err := db.NewRaw(`select count(*), count(*) filter (where exists (select from transit_pool_choices c
			where c.pool_id = p.id and c.serves = 'fallback')), count(*) filter (where below) from transit_pools p`).
		Scan(ctx, &all, &lost, &short)
	data := map[string]any{"pools": all, "on_fallback": lost, "below_minimum": short}
	switch {
	case err != nil:
		return doctor.Finding{
			Status: doctor.Skipped, Found: doctor.Say("the schema of the panel is not in this database"),
		}
	case lost > 0:
		return doctor.Finding{
			Status: doctor.Failed, Found: doctor.Say("the fallback carries the traffic of %d of %d pools", lost, all),
			Do: doctor.Command("panelctl pools list --below-minimum"), Data: data,
		}
	case short > 0:
		return doctor.Finding{
			Status: doctor.Warning, Found: doctor.Say("%d of %d pools have too few usable members", short, all),
			Do: doctor.Command("panelctl pools list --below-minimum"), Data: data,
		}
	}
	return doctor.Finding{Status: doctor.OK, Found: doctor.Say("%d pools, none is short of members", all), Data: data}
}

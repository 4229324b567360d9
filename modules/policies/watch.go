package policies

import (
	"context"

	"panel/platform/doctor"
	"panel/platform/doctor/checks"
	"panel/platform/metrics"
)

// count is the number of flows that run an older snapshot of the catalogue, on all panels of this database.
func (p *policies) count() metrics.Collector {
	return metrics.AskedOne("panel_flows_on_old_catalogue",
		"Flows that run an older snapshot of the policy catalogue, which says something else than the newest version.",
		func(ctx context.Context) (float64, error) {
			found, err := p.outdated(ctx)
			return float64(len(found.Items)), err
		})
}

// check is what Doctor asks about policies, also while the panel is down.
func check() doctor.Check {
	return doctor.Check{ID: "components.policies", Group: "components", Title: "flow policies", Run: notEnabled}
}

// notEnabled finds flows that run with a custom plan which none of their policies enables any more: they cannot be
// compiled again as they are.
func notEnabled(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	var policies, lost int
	err := db.NewRaw(`select (select count(*) from policies), (select count(distinct f.id) from flows f
			join flow_versions v on v.id = f.installed_version_id
			cross join jsonb_array_elements(v.graph -> 'nodes') b
			where f.enabled and not f.deleting and coalesce(b ->> 'plan_version_id', '') <> '' and not exists (
				select from policy_flows o join policy_plans e on e.policy_id = o.policy_id
				where o.flow_id = f.id and e.version_id::text = b ->> 'plan_version_id'))`).Scan(ctx, &policies, &lost)
	data := map[string]any{"policies": policies, "not_enabled": lost}
	switch {
	case err != nil:
		return doctor.Finding{
			Status: doctor.Skipped, Found: doctor.Say("the schema of the panel is not in this database"),
		}
	case lost > 0:
		return doctor.Finding{
			Status: doctor.Warning, Found: doctor.Say("%d flows run with a custom plan that no policy of theirs enables", lost),
			Do: doctor.Command("panelctl policies plans"), Data: data,
		}
	}
	return doctor.Finding{Status: doctor.OK, Found: doctor.Say("%d policies, and every custom plan in use is enabled", policies), Data: data}
}

package statuspage

import (
	"context"
	"time"

	"panel/platform/doctor"
	"panel/platform/doctor/checks"
	"panel/platform/metrics"
)

func (s *service) collectors() []metrics.Collector {
	count := func(query string) func(ctx context.Context) (float64, error) {
		return func(ctx context.Context) (float64, error) {
			var n float64
			err := s.store.db.NewRaw(query).Scan(ctx, &n)
			return n, err
		}
	}
	return []metrics.Collector{
		metrics.AskedOne("panel_statuspage_data_age_seconds",
			"Age of the oldest news that a place of a status page shows.",
			count(`select coalesce(max(extract(epoch from now() - data_at)), 0)::float8 from statuspage_targets
				where enabled and live_deploy_id is not null`)),
		metrics.AskedOne("panel_statuspage_targets_failed",
			"Places of status pages whose last deploy failed, or that get no news any more.",
			count("select count(*)::float8 from statuspage_targets where enabled and (failed or stale)")),
		metrics.AskedOne("panel_statuspage_open_notices", "Incidents that readers of status pages are told of.",
			count("select count(*)::float8 from statuspage_notices where published and resolved_at is null")),
	}
}

// check is what Doctor asks about status pages, also while the panel is down.
func check() doctor.Check {
	return doctor.Check{ID: "components.statuspage", Group: "components", Title: "status pages", Run: old}
}

// old finds places that show older news than a page promises, and places that could not be deployed to.
func old(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	var all, late, failed, drafts int
	var age float64
	now := env.Now().UTC()
	err := db.NewRaw(`select count(*) filter (where live_deploy_id is not null),
			count(*) filter (where live_deploy_id is not null and (data_at is null or data_at < ?0)),
			count(*) filter (where failed),
			coalesce(max(extract(epoch from ?1::timestamptz - data_at)) filter (where live_deploy_id is not null), 0)::float8,
			(select count(*) from statuspage_notices where not published and resolved_at is null and started_at < ?2)
		from statuspage_targets where enabled`, now.Add(-staleAfter), now, now.Add(-time.Hour)).
		Scan(ctx, &all, &late, &failed, &age, &drafts)
	data := map[string]any{"live": all, "late": late, "failed": failed, "age_s": int(age), "drafts": drafts}
	warning := func(found doctor.Text) doctor.Finding {
		do := doctor.Command("panelctl statuspage list")
		return doctor.Finding{Status: doctor.Warning, Found: found, Do: do, Data: data}
	}
	switch {
	case err != nil:
		return doctor.Finding{
			Status: doctor.Skipped, Found: doctor.Say("the schema of the panel is not in this database"),
		}
	case late > 0:
		return warning(doctor.Say("%d of %d places of status pages show news that are older than five minutes", late, all))
	case failed > 0:
		return warning(doctor.Say("the last deploy to %d places of status pages failed", failed))
	case drafts > 0:
		return warning(doctor.Say("%d notices that were drafted wait for somebody to publish them", drafts))
	case all == 0:
		return doctor.Finding{Status: doctor.OK, Found: doctor.Say("no status page is live"), Data: data}
	}
	return doctor.Finding{Status: doctor.OK, Found: doctor.Say("%d places of status pages show news of now", all), Data: data}
}

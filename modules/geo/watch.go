package geo

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
		metrics.AskedOne("panel_geo_assets_failed", "Geo files whose last update or roll-out came to nothing.",
			count("select count(*)::float8 from geo_assets where state in ('rejected', 'failed')")),
		metrics.AskedOne("panel_geo_asset_age_seconds",
			"Seconds since the geo file with a schedule was fetched whose last good fetch is the oldest.",
			count(`select coalesce(max(extract(epoch from now() - v.fetched_at)), 0)::float8 from geo_assets a
				join geo_versions v on v.asset_id = a.id and v.sha256 = a.version where a.scheduled and not a.pinned`)),
		metrics.AskedOne("panel_geo_nodes_behind",
			"Nodes that were told of another version of a geo file than the newest, counted for each file.",
			count(`select count(*)::float8 from geo_nodes n join geo_assets a on a.id = n.asset_id
				where a.on_nodes and n.wanted <> a.version`)),
	}
}

// tooOld is when a file that is fetched by a schedule is called old.
const tooOld = 14 * 24 * time.Hour

// check is what Doctor asks about geo files, also while the panel is down.
func check() doctor.Check {
	return doctor.Check{ID: "components.geo", Group: "components", Title: "geo files", Run: failing}
}

// failing finds files that were refused, could not be rolled out or are old, and nodes that are behind.
func failing(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	var all, refused, stuck, old, behind int
	err := db.NewRaw(`select count(*), count(*) filter (where state = 'rejected' or state = 'failed' and reject_reason <> 'node_failed'),
			count(*) filter (where state = 'failed' and reject_reason = 'node_failed'),
			count(*) filter (where scheduled and not pinned and exists (select from geo_versions v
				where v.asset_id = a.id and v.sha256 = a.version and v.fetched_at < ?)),
			(select count(distinct n.node_id) from geo_nodes n join geo_assets b on b.id = n.asset_id
				where b.state = 'current' and n.wanted <> b.version)
		from geo_assets a`, env.Now().Add(-tooOld).UTC()).Scan(ctx, &all, &refused, &stuck, &old, &behind)
	data := map[string]any{"assets": all, "rejected": refused, "not_rolled_out": stuck, "old": old, "nodes_behind": behind}
	warning := func(found doctor.Text) doctor.Finding {
		return doctor.Finding{Status: doctor.Warning, Found: found, Do: doctor.Command("panelctl geo list"), Data: data}
	}
	switch {
	case err != nil:
		return doctor.Finding{
			Status: doctor.Skipped, Found: doctor.Say("the schema of the panel is not in this database"),
		}
	case stuck > 0:
		return warning(doctor.Say("%d of %d geo files could not be rolled out to nodes", stuck, all))
	case refused > 0:
		return warning(doctor.Say("the last update of %d of %d geo files came to nothing", refused, all))
	case old > 0:
		return warning(doctor.Say("%d of %d geo files were not fetched for two weeks", old, all))
	case behind > 0:
		return warning(doctor.Say("%d nodes hold another version of a geo file than they should", behind))
	}
	return doctor.Finding{Status: doctor.OK, Found: doctor.Say("%d geo files, nodes hold them", all), Data: data}
}

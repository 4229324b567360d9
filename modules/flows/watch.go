package flows

import (
	"context"
	"strings"

	"panel/platform/doctor"
	"panel/platform/doctor/checks"
	"panel/platform/metrics"
)

// metrics of the applies that are under way, on whichever panel.
func (r *runner) metrics() []metrics.Collector {
	return []metrics.Collector{
		metrics.AskedOne("panel_applies_unfinished", "Applies that are under way.", r.figure("count(*)::float8")),
		metrics.Counter("panel_flow_compilations_total", "Drawings that this panel has compiled.", func() float64 {
			return float64(r.compilations.Load())
		}),
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

// doctorChecks are what Doctor asks about flows.
func doctorChecks() []doctor.Check {
	return []doctor.Check{{ID: "components.applies", Group: "components", Title: "applies of flows", Run: abandoned}}
}

// abandoned finds applies that no panel goes on with, also where a wrong clock wrote their lease far ahead, and what
// applies have left to do that does not hold for long.
func abandoned(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	var open, left int
	var pending []string
	err := db.NewRaw(`select count(*), count(*) filter (where lease_until < now() - interval '1 minute'
			or lease_token <> '' and lease_until > now() + interval '1 minute')
		from flow_applies where finished_at is null`).
		Scan(ctx, &open, &left)
	if err == nil {
		err = db.NewRaw("select distinct stage from flow_followups where started_at < now() - interval '15 minutes' order by 1").Scan(ctx, &pending)
	}
	switch {
	case err != nil:
		return doctor.Finding{Status: doctor.Skipped, Found: doctor.Say("the schema of the panel is not in this database")}
	case left > 0:
		return doctor.Finding{
			Status: doctor.Warning, Found: doctor.Say("%d applies are unfinished and no panel works on them", left),
			Do: doctor.Say("systemctl restart panel; it goes on from their last stage"), Data: map[string]any{"abandoned": left},
		}
	case len(pending) > 0:
		return doctor.Finding{
			Status: doctor.Warning, Found: doctor.Say("parts of applies do not hold yet: %s", strings.Join(pending, ", ")),
			Do: doctor.Say("open the last apply of the flows that show drift; it says why"), Data: map[string]any{"pending": pending},
		}
	}
	return doctor.Finding{Status: doctor.OK, Found: doctor.Say("%d applies are running, none is abandoned", open), Data: map[string]any{"open": open}}
}

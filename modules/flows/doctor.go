package flows

import (
	"context"

	"panel/platform/doctor"
	"panel/platform/doctor/checks"
)

// doctorChecks are what Doctor asks about flows.
func doctorChecks() []doctor.Check {
	return []doctor.Check{{ID: "components.applies", Group: "components", Title: "applies of flows", Run: abandoned}}
}

// abandoned finds applies that no panel works on: their lease is long over, or so far ahead that a wrong clock wrote it.
func abandoned(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	var open, left int
	err := db.NewRaw(`select count(*), count(*) filter (where lease_until < now() - interval '1 minute' or lease_until > now() + interval '1 minute')
		from flow_applies where finished_at is null`).Scan(ctx, &open, &left)
	switch {
	case err != nil:
		return doctor.Finding{Status: doctor.Skipped, Found: doctor.Say("the schema of the panel is not in this database")}
	case left > 0:
		return doctor.Finding{
			Status: doctor.Warning, Found: doctor.Say("%d applies are unfinished and no panel works on them", left),
			Do: doctor.Say("systemctl restart panel; it goes on from their last stage"), Data: map[string]any{"abandoned": left},
		}
	}
	return doctor.Finding{Status: doctor.OK, Found: doctor.Say("%d applies are running, none is abandoned", open), Data: map[string]any{"open": open}}
}

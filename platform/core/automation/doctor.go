package automation

import (
	"context"

	"panel/platform/doctor"
	"panel/platform/doctor/checks"
)

func check() doctor.Check {
	return doctor.Check{ID: "components.automation", Group: "components", Title: "automatic acts", Run: standing}
}

// standing warns while everything automatic is stopped, for that is easily forgotten.
func standing(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	var state struct {
		Stopped bool
		Hours   int
		By      string
		Reason  string
	}
	err := db.NewRaw(`select stopped, coalesce(extract(epoch from now() - changed_at) / 3600, 0)::int as hours,
		actor_name as by, reason from automation_switch`).Scan(ctx, &state)
	data := map[string]any{"stopped": state.Stopped}
	switch {
	case err != nil:
		return doctor.Finding{Status: doctor.Skipped, Found: doctor.Say("the schema of the panel is not in this database")}
	case state.Stopped:
		data["hours"] = state.Hours
		return doctor.Finding{
			Status: doctor.Warning, Data: data,
			Found: doctor.Say("everything automatic is stopped since %d h, by %s: %s", state.Hours, state.By, state.Reason),
			Do:    doctor.Command("panelctl automation resume"),
		}
	}
	return doctor.Finding{Status: doctor.OK, Found: doctor.Say("the panel acts by itself where it may"), Data: data}
}

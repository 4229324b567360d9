package automation

import (
	"context"

	"panel/platform/automation"
	"panel/platform/doctor"
	"panel/platform/doctor/checks"
)

func check() doctor.Check {
	return doctor.Check{ID: "components.automation", Group: "components", Title: "automatic acts", Run: warnWhileStopped}
}

// warnWhileStopped warns while everything automatic is stopped, for that is easily forgotten.
func warnWhileStopped(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	state, err := automation.Read(ctx, db)
	data := map[string]any{"stopped": state.Stopped}
	switch {
	case err != nil:
		return doctor.Finding{Status: doctor.Skipped, Found: doctor.Say("the schema of the panel is not in this database")}
	case state.Stopped:
		hours := int(env.Now().Sub(*state.At).Hours())
		data["hours"] = hours
		return doctor.Finding{
			Status: doctor.Warning, Data: data,
			Found: doctor.Say("everything automatic is stopped since %d h, by %s: %s", hours, state.By, state.Reason),
			Do:    doctor.Command("panelctl automation resume"),
		}
	}
	return doctor.Finding{Status: doctor.OK, Found: doctor.Say("the panel acts by itself where it may"), Data: data}
}

// Package checkup is what Doctor asks about flows, also while the panel is down, and what safe recovery does about it.
package checkup

import (
	"context"
	"fmt"
	"strings"

	"panel/platform/doctor"
	"panel/platform/doctor/checks"
	"panel/platform/doctor/recovery"
)

// Checks are what Doctor asks about flows.
func Checks() []doctor.Check {
	return []doctor.Check{
		{ID: "components.applies", Group: "components", Title: "applies of flows", Run: abandoned},
		{ID: "components.canaries", Group: "components", Title: "canaries of flows", Run: held},
	}
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
		err = db.NewRaw(`select distinct stage from flow_followups
			where started_at < now() - interval '15 minutes' order by 1`).
			Scan(ctx, &pending)
	}
	switch {
	case err != nil:
		return doctor.Finding{
			Status: doctor.Skipped,
			Found:  doctor.Say("the schema of the panel is not in this database"),
		}
	case left > 0:
		return doctor.Finding{
			Status: doctor.Warning, Found: doctor.Say("%d applies are unfinished and no panel works on them", left),
			Do:   doctor.Say("systemctl restart panel; it goes on from their last stage"),
			Data: map[string]any{"abandoned": left},
		}
	case len(pending) > 0:
		return doctor.Finding{
			Status: doctor.Warning,
			Found:  doctor.Say("parts of applies do not hold yet: %s", strings.Join(pending, ", ")),
			Do: doctor.Say(
				"open the last apply of the flows that show drift; it says why",
			),
			Data: map[string]any{"pending": pending},
		}
	}
	return doctor.Finding{
		Status: doctor.OK,
		Found:  doctor.Say("%d applies are running, none is abandoned", open),
		Data:   map[string]any{"open": open},
	}
}

// held finds canaries whose time is over and whose rest does not follow: until somebody decides, some nodes serve the
// new version of a flow and the others the installed one.
func held(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	var open []struct {
		Name string
		Held bool
	}
	err := db.NewRaw(`select f.name, a.canary -> 'held' <> 'null' as held
		from flow_applies a join flows f on f.id = a.flow_id
		where a.finished_at is null and a.stage = 'canary' order by f.name`).Scan(ctx, &open)
	if err != nil {
		return doctor.Finding{
			Status: doctor.Skipped, Found: doctor.Say("the schema of the panel is not in this database"),
		}
	}
	names := []string{}
	for _, one := range open {
		if one.Held {
			names = append(names, one.Name)
		}
	}
	data := map[string]any{"watched": len(open), "held": names}
	if len(names) == 0 {
		return doctor.Finding{
			Status: doctor.OK, Found: doctor.Say("%d canaries are watched, none is held", len(open)), Data: data,
		}
	}
	return doctor.Finding{
		Status: doctor.Warning, Data: data,
		Found: doctor.Say("the time of canaries is over and the rest of their nodes does not follow: %s",
			strings.Join(names, ", ")),
		Do: doctor.Command("panelctl flows show %q", names[0]),
	}
}

// Repairs are what safe recovery can do about them.
func Repairs() []recovery.Repair {
	return []recovery.Repair{{Checks: []string{"components.applies"}, Make: releaseRuns}}
}

// releaseRuns ends the leases that a killed panel holds, so that a living one goes on with the work at once.
func releaseRuns(env doctor.Env) *recovery.Action {
	return &recovery.Action{
		ID: "release_runs", Title: doctor.Say("Release crashed runs"),
		What: doctor.Say("ends the leases of applies whose panel gives no sign of life; " +
			"a running panel continues them from their last stage"),
		Do: func(ctx context.Context) error { return release(ctx, env) },
	}
}

// release leaves every lease alone that a living panel may hold: it lasts seconds. One that ends much later was written
// while the clock was wrong.
func release(ctx context.Context, env doctor.Env) error {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return recovery.ErrNoDatabase
	}
	defer done()
	_, err := db.ExecContext(ctx, `update flow_applies set lease_token = '', lease_until = now() where finished_at is null
		and (lease_until < now() or lease_token <> '' and lease_until > now() + interval '1 minute')`)
	if err != nil {
		return fmt.Errorf("release crashed runs: %w", err)
	}
	return nil
}

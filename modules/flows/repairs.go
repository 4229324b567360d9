package flows

import (
	"context"
	"fmt"

	"panel/platform/doctor"
	"panel/platform/doctor/checks"
	"panel/platform/doctor/recovery"
)

func repairs() []recovery.Repair {
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

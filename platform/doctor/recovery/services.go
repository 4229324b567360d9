package recovery

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"panel/platform/doctor"
	"panel/platform/doctor/checks"
)

// runWithin is how long a service may take to stop and to start.
const runWithin = 90 * time.Second

// run executes one of the fixed commands of this package.
func run(ctx context.Context, name string, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, runWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return fmt.Errorf("%s %s has not ended yet and was left to itself: %w", name, strings.Join(args, " "), ctx.Err())
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}

// installed tells whether systemd runs this machine and knows the service.
func installed(service string) bool {
	if _, err := os.Stat("/run/systemd/system"); err != nil {
		return false
	}
	return exec.Command("systemctl", "cat", service).Run() == nil
}

func restartService(doctor.Env) *Action {
	if !installed("panel.service") {
		return nil
	}
	return &Action{
		ID: "restart_service", Title: doctor.Say("Restart the panel"), What: doctor.Say("systemctl restart panel.service; traffic on nodes goes on"),
		Do: func(ctx context.Context) error {
			return run(ctx, "systemctl", "--no-ask-password", "restart", "panel.service")
		},
	}
}

// reloadNginx never reloads a configuration that does not pass its test.
func reloadNginx(doctor.Env) *Action {
	program, err := exec.LookPath("nginx")
	if err != nil || exec.Command(program, "-t", "-q").Run() != nil {
		return nil
	}
	return &Action{
		ID: "reload_nginx", Title: doctor.Say("Reload nginx"), What: doctor.Say("nginx -t, and only if it passes nginx -s reload"),
		Do: func(ctx context.Context) error {
			if err := run(ctx, program, "-t", "-q"); err != nil {
				return err
			}
			return run(ctx, program, "-s", "reload")
		},
	}
}

// releaseRuns ends the leases that a killed panel holds, so that a living one goes on with the work at once.
func releaseRuns(env doctor.Env) *Action {
	return &Action{
		ID: "release_runs", Title: doctor.Say("Release crashed runs"),
		What: doctor.Say("ends the leases of applies whose panel gives no sign of life; a running panel continues them from their last stage"),
		Do:   func(ctx context.Context) error { return release(ctx, env) },
	}
}

var errNoDatabase = errors.New("the database cannot be reached")

// release leaves every lease alone that a living panel may hold: it lasts seconds. One that ends much later was written
// while the clock was wrong.
func release(ctx context.Context, env doctor.Env) error {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return errNoDatabase
	}
	defer done()
	_, err := db.ExecContext(ctx, "update flow_applies set runner = '', lease_until = now() where finished_at is null and (lease_until < now() or lease_until > now() + interval '1 minute')")
	if err != nil {
		return fmt.Errorf("release crashed runs: %w", err)
	}
	return nil
}

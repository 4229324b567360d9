package recovery

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"panel/platform/doctor"
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
		return fmt.Errorf("%s %s has not ended yet and was left to itself: %w", name, strings.Join(args, " "),
			ctx.Err())
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
		ID: "restart_service", Title: doctor.Say("Restart the panel"),
		What: doctor.Say("systemctl restart panel.service; traffic on nodes goes on"),
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
		ID: "reload_nginx", Title: doctor.Say("Reload nginx"),
		What: doctor.Say("nginx -t, and only if it passes nginx -s reload"),
		Do: func(ctx context.Context) error {
			if err := run(ctx, program, "-t", "-q"); err != nil {
				return err
			}
			return run(ctx, program, "-s", "reload")
		},
	}
}

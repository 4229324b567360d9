package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"panel/platform/doctor"
	"panel/platform/doctor/checks"
)

func (env *Env) tuiCommand() *cobra.Command {
	var linear bool
	cmd := &cobra.Command{
		Use:     "tui",
		Short:   "Open the terminal interface; the same as no command",
		Long:    "Panel state, Doctor, logs, license, password reset and version on one screen of at least 80x24. It works while the panel is down. --linear asks numbered questions line by line, for screen readers and simple terminals.",
		Example: "panelctl tui\npanelctl tui --linear",
		Args:    env.noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return env.open(cmd, linear) },
	}
	cmd.Flags().BoolVar(&linear, "linear", false, "ask numbered questions line by line, without moving the cursor")
	return cmd
}

// open shows the terminal interface; where nobody sits at a terminal it prints help and is a usage failure.
func (env *Env) open(cmd *cobra.Command, linear bool) error {
	atTerminal := env.Terminal.In && env.Terminal.Out
	if env.Interface == nil || !atTerminal {
		if err := cmd.Root().Help(); err != nil {
			return fmt.Errorf("print help: %w", err)
		}
		if atTerminal {
			return nil
		}
		return &Failure{Exit: ExitUsage}
	}
	address, err := env.apiURL()
	if err != nil {
		return err
	}
	return env.Interface(cmd.Context(), env.decided(address), linear)
}

// decided is the same environment with the common flags folded into the environment, so that commands started from
// within follow them.
func (env *Env) decided(address string) Env {
	decided, token, outside := *env, env.apiToken(address), env.Getenv
	decided.Getenv = func(name string) string {
		switch name {
		case "PANEL_API_URL":
			return address
		case "PANEL_API_TOKEN":
			return token
		}
		return outside(name)
	}
	return decided
}

// What follows is what the terminal interface needs to do the same as the commands.

// DoctorEnv is what the checks of Doctor look at: the environment, completed by the file of settings.
func (env Env) DoctorEnv() doctor.Env { return env.doctorEnv() }

// Diagnosis lists the checks of Doctor, of the platform and of all modules, each beside those of its group.
func (env Env) Diagnosis() []doctor.Check {
	all := slices.Concat(checks.All(), env.Checks)
	place := map[string]int{}
	for _, check := range all {
		if _, known := place[check.Group]; !known {
			place[check.Group] = len(place)
		}
	}
	slices.SortStableFunc(all, func(a, b doctor.Check) int { return cmp.Compare(place[a.Group], place[b.Group]) })
	return all
}

// Unicode tells whether this terminal can show more than ASCII.
func (env Env) Unicode() bool { return env.symbol("u", "a") == "u" }

// Coloured tells whether a screen may have colours: not with NO_COLOR and not on a dumb terminal.
func (env Env) Coloured() bool { return env.coloured() }

// Answer gives whatever the panel answered, be it a refusal; only silence is an error.
func (c *Client) Answer(ctx context.Context, method, path string, body any) (status int, answer []byte, err error) {
	return c.exchange(ctx, method, path, body)
}

// Package tui is the terminal interface of panelctl: what an operator needs on the server itself, above all while the
// panel is down. Its pages call what the commands call.
package tui

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"panel/platform/cli"
)

// Run shows the interface until the operator leaves it or ctx ends; the terminal is then as it was. A terminal that
// cannot move its cursor gets the linear mode, as does whoever asks for it.
func Run(ctx context.Context, env cli.Env, linear bool) error {
	w := newSession(env)
	if linear || env.Getenv("TERM") == "dumb" || env.Getenv("TERM") == "" {
		return newLines(w).run(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := newShell(ctx, w)
	_, err := tea.NewProgram(s, tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithInput(env.In),
		tea.WithOutput(env.Out)).
		Run()
	switch {
	case errors.Is(err, tea.ErrProgramPanic):
		return fmt.Errorf("show the interface: %w", err)
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return cli.Failed(cli.Say("the terminal interface cannot be shown")).Because(cli.Plain(err.Error())).
			Advise(cli.Plain("panelctl tui --linear"), cli.Plain("panelctl help"))
	}
	return s.exit()
}

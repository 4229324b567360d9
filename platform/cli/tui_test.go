package cli

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// Rule: started with no arguments panelctl opens the terminal interface, the same as panelctl tui; the common flags
// hold there too.
// Specification, Command-line interface: started with no arguments it opens the terminal interface, the "same as
// panelctl tui".
func TestTerminalInterface(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{}, {"tui"}, {"tui", "--linear"}} {
		var address, token string
		var opened, inLines bool
		env := Env{Terminal: Terminal{In: true, Out: true}, Interface: func(_ context.Context, env Env,
			linear bool,
		) error {
			opened, inLines, address, token = true, linear, env.Getenv("PANEL_API_URL"), env.Getenv("PANEL_API_TOKEN")
			return nil
		}}
		exit, out, _ := run(t, env, append(args, "--api", "https://panel.example.org/", "--token", "secret")...)
		require.Equal(t, ExitDone, exit)
		require.Empty(t, out)
		require.True(t, opened)
		require.Equal(t, len(args) == 2, inLines)
		require.Equal(t, "https://panel.example.org", address)
		require.Equal(t, "secret", token)
	}
}

// Rule: without a terminal the interface prints help and ends with 2.
func TestTerminalInterfaceWithoutTerminal(t *testing.T) {
	t.Parallel()
	never := func(context.Context, Env, bool) error { panic("opened without a terminal") }
	for _, args := range [][]string{{}, {"tui"}, {"tui", "--linear"}} {
		exit, out, _ := run(t, Env{Interface: never}, args...)
		require.Equal(t, ExitUsage, exit)
		require.Contains(t, out, "panelctl <command>")
	}
}

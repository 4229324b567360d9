package tui

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/cli"
	"panel/platform/doctor"
)

// settings are the environment of one test.
type settings map[string]string

// commandLine is the environment as panelctl tui hands it to the interface.
func commandLine(t *testing.T, vars settings, checks ...doctor.Check) cli.Env {
	t.Helper()
	var handed cli.Env
	env := cli.Env{
		Version: "1.4.2", Checks: checks, Terminal: cli.Terminal{In: true, Out: true, Err: true, Width: 80},
		Out: &bytes.Buffer{}, Err: &bytes.Buffer{}, Getenv: func(name string) string { return vars[name] },
		Interface: func(_ context.Context, env cli.Env, _ bool) error { handed = env; return nil },
	}
	require.Equal(t, cli.ExitDone, cli.Run(t.Context(), env, []string{"tui"}))
	return handed
}

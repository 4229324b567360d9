package setup_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/app"
	"panel/platform/cli"
	"panel/platform/paneltest"
)

// run executes one command line with the given environment.
func run(t *testing.T, environ map[string]string, args ...string) (code int, out, said string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	env := cli.Env{
		Version: "test", Out: &stdout, Err: &stderr,
		Getenv: func(name string) string { return environ[name] },
	}
	code = cli.Run(t.Context(), app.CommandLine(env, nil), args)
	return code, stdout.String(), stderr.String()
}

// There is no default password: the first administrator is made at a one-time link, which is spent afterwards.
func TestTheSetupLinkCarriesTheTokenBehindTheHashUntilAnAdministratorExists(t *testing.T) {
	t.Parallel()
	p := paneltest.Start(t, paneltest.Env(map[string]string{"PANEL_SETUP_TOKEN": "open+sesame"}))
	environ := map[string]string{
		"PANEL_SETUP_TOKEN": "open+sesame", "PANEL_PUBLIC_URL": "https://panel.example.org/",
		"PANEL_API_URL": p.URL,
	}
	code, out, said := run(t, environ, "setup", "link", "--plain")
	require.Equal(t, 0, code, said)
	require.Equal(t, "link\thttps://panel.example.org/setup#token=open%2Bsesame\n", out)

	p.Anonymous().Post("/api/v1/setup/admin", map[string]string{
		"username": "anna", "password": "correct horse",
		"setup_token": "open+sesame",
	}).Is(201)
	code, out, said = run(t, environ, "setup", "link")
	require.Equal(t, 1, code)
	require.Empty(t, out)
	require.NotContains(t, said, "sesame")
}

package checks

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/cli/envfile"
	"panel/platform/doctor"
)

func world(values map[string]string) doctor.Env {
	return doctor.Env{Getenv: func(name string) string { return values[name] }, Now: time.Now}
}

func TestEveryCheckHasAStableForm(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, check := range All() {
		require.Regexp(t, `^[a-z]+\.[a-z_]+$`, check.ID)
		require.True(t, strings.HasPrefix(check.ID, check.Group+"."))
		require.False(t, seen[check.ID])
		seen[check.ID] = true
	}
}

// Rule: doctor works with the database down and shows that as a problem; every finding that is not good says what to
// do.
func TestInAnEmptyWorld(t *testing.T) {
	t.Parallel()
	env := world(map[string]string{
		"PANEL_DATA_DIR": t.TempDir(), "PANEL_DB_URL": "postgres://nobody:canary-secret@127.0.0.1:1/none",
		"PANEL_PORT":       "1",
		"PANEL_PUBLIC_URL": "https://panel.invalid", "PANEL_LICENSE_URLS": "http://127.0.0.1:1",
	})
	report := doctor.Run(t.Context(), env, All())
	found := map[string]doctor.Finding{}
	for _, r := range report.Results {
		found[r.Check.ID] = r.Finding
		if r.Finding.Status == doctor.Failed || r.Finding.Status == doctor.Warning {
			require.NotEmpty(t, r.Finding.Do.Format, r.Check.ID)
		}
		for _, arg := range r.Finding.Found.Args {
			text, _ := arg.(string)
			require.NotContains(t, text, "canary-secret")
		}
	}
	require.Equal(t, doctor.Failed, found["database.connect"].Status)
	require.Equal(t, doctor.Failed, found["services.port"].Status)
	require.Equal(t, doctor.Failed, found["dns.public"].Status)
	require.Equal(t, doctor.Warning, found["network.license"].Status)
	require.Equal(t, doctor.Skipped, found["database.migrations"].Status)
}

// Nothing of a diagnosis is told in English to somebody who reads Russian.
func TestFindingsAreInRussian(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, values := range []map[string]string{
		{"PANEL_DATA_DIR": dir},
		{
			"PANEL_DATA_DIR": filepath.Join(dir, "absent"), "PANEL_DB_URL": "postgres://nobody:x@127.0.0.1:1/none",
			"PANEL_PORT": "canary", "PANEL_LOG_FORMAT": "canary", "PANEL_PUBLIC_URL": "https://panel.invalid",
		},
	} {
		env := world(values)
		env.File, env.FileErr = "/etc/panel/panel.env", fmt.Errorf("read: %w", envfile.BadLine(3))
		for _, check := range doctor.Run(t.Context(), env, All()).Document().Checks {
			words := check.In(doctor.Russian)
			require.NotRegexp(t, `(?:\b[a-z]{2,} ){2}[a-z]{2,}`, words.Finding, check.ID)
			require.Regexp(t, `[А-Яа-яё]|^PostgreSQL`, words.Finding, check.ID)
		}
	}
}

func TestPortHeldBySomebodyElse(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	finding := answersOnPort(t.Context(), world(map[string]string{"PANEL_PORT": port}))
	require.Equal(t, doctor.Failed, finding.Status)
	require.Contains(t, finding.Found.Format, "another program")
}

func TestSecretsThatOthersCanRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	key, file := filepath.Join(dir, "secret.key"), filepath.Join(dir, ".env")
	for _, path := range []string{key, file} {
		require.NoError(t, os.WriteFile(path, []byte("x"), 0o600))
		require.NoError(t, os.Chmod(path, 0o644))
	}
	env := world(map[string]string{"PANEL_DATA_DIR": dir})
	env.File = file
	require.Equal(t, doctor.Failed, secretKey(t.Context(), env).Status)
	require.Equal(t, doctor.Warning, settingsFile(t.Context(), env).Status)
}

func TestBadValueIsNamedAndNotEchoed(t *testing.T) {
	t.Parallel()
	finding := settingNames(t.Context(), world(map[string]string{"PANEL_PORT": "canary"}))
	require.Equal(t, doctor.Failed, finding.Status)
	require.Contains(t, finding.Found.Args[0], "PANEL_PORT")
	require.NotContains(t, finding.Found.Args[0], "canary")
}

func TestSpaceAndExpiry(t *testing.T) {
	t.Parallel()
	const giga = uint64(1e9)
	require.Equal(t, doctor.OK, space("/d", 20*giga, 40*giga).Status)
	require.Equal(t, doctor.Warning, space("/d", 2*giga, 40*giga).Status)
	require.Equal(t, doctor.Failed, space("/d", giga, 40*giga).Status)
	now := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	require.Equal(t, doctor.OK, expiry(now.AddDate(0, 0, 40), now).Status)
	require.Equal(t, doctor.Warning, expiry(now.AddDate(0, 0, 20), now).Status)
	require.Equal(t, doctor.Failed, expiry(now.AddDate(0, 0, -1), now).Status)
}

package hosting

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/doctor"
)

// doctorOf is what Doctor sees on the server of a panel.
func (b *bench) doctorOf() doctor.Env {
	return doctor.Env{Now: time.Now, Getenv: func(name string) string {
		return map[string]string{"PANEL_DB_URL": b.DB.Pool.Config().ConnString()}[name]
	}}
}

// Doctor asks no provider: it tells what the last look found, and what was not read for long.
func TestDoctorNamesAccountsThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	ask := func() doctor.Finding { return diagnose(t.Context(), b.doctorOf()) }
	require.Equal(t, doctor.Skipped, ask().Status)
	account := b.add()
	require.Equal(t, doctor.OK, ask().Status)
	_, err := b.DB.ExecContext(t.Context(), "update hosting_accounts set last_sync_at = now() - interval '4 hours'")
	require.NoError(t, err)
	late := ask()
	require.Equal(t, doctor.Warning, late.Status)
	require.Equal(t, "panelctl hosting sync main", late.Do.String())

	b.cloud.Token = "another"
	b.Admin().Post(accountsPath+"/"+account.ID+"/test", nil)
	b.cloud.Calls()
	found := ask()
	require.Equal(t, doctor.Warning, found.Status)
	require.Equal(t, "main", found.Subject)
	require.Empty(t, b.cloud.Calls())
}

func TestMetricsCountAccountsAndMachines(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	b.cloud.Put(machine(1, "192.0.2.1"), machine(2, "192.0.2.2"))
	account := b.add()
	require.Equal(t, "succeeded", b.sync(account.ID))
	b.cloud.Token = "another"
	b.Admin().Post(accountsPath+"/"+account.ID+"/test", nil)
	said := b.Scrape()
	for _, line := range []string{
		"panel_hosting_accounts 1", "panel_hosting_accounts_failing 1",
		"panel_hosting_servers 2",
	} {
		require.Regexp(t, "(?m)^"+line+"$", said)
	}
}

// Rule 8 of the routes: "the panel UI has no screen for them". The folder of the module in the interface holds words of
// the journal, notices and errors alone, and no code of any screen names the routes.
func TestRule8TheInterfaceHasNoScreen(t *testing.T) {
	t.Parallel()
	const screens = "../../ui/src"
	entries, err := os.ReadDir(filepath.Join(screens, "modules", "hosting"))
	require.NoError(t, err)
	for _, entry := range entries {
		require.Regexp(t, `^words\.(en|ru)\.json$`, entry.Name())
	}
	seen := 0
	err = filepath.WalkDir(screens, func(path string, entry fs.DirEntry, err error) error {
		code := strings.HasSuffix(path, ".ts") || strings.HasSuffix(path, ".tsx")
		if err != nil || entry.IsDir() || !code || strings.HasSuffix(path, "schema.gen.ts") {
			return err
		}
		seen++
		text, err := os.ReadFile(path)
		require.NotContains(t, string(text), "cloud-providers", path)
		return err
	})
	require.NoError(t, err)
	require.Greater(t, seen, 300)
}

// Package worlds starts the real panel in worlds that are not as they should be: wrong address, taken port, foreign
// database, closed folders, another panel at the same moment.
package worlds

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/platform/database/dbtest"
	"panel/platform/testneed/freeport"
)

const endsWithin = 60 * time.Second

// ends starts the panel, which must give up, and gives its exit code and its words.
func ends(t *testing.T, panel *rig.Panel) (int, string) {
	t.Helper()
	require.NoError(t, panel.Launch())
	ctx, cancel := context.WithTimeout(t.Context(), endsWithin)
	defer cancel()
	code, err := panel.Exit(ctx)
	require.NoError(t, err, panel.LastWords())
	return code, panel.Words()
}

// One block of at most three lines: Error, Cause, Try. No log lines, no stack, no secret.
func requireOneClearSentence(t *testing.T, words string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(words), "\n")
	require.LessOrEqual(t, len(lines), 3, words)
	require.True(t, strings.HasPrefix(lines[0], "Error: "), words)
	require.NotContains(t, words, "goroutine ")
	require.NotContains(t, words, "SQLSTATE")
	require.NotContains(t, words, secretWord)
}

const secretWord = "canary-of-the-password"

// Rule: a wrong DSN stops the start with one clear sentence and exit code 3.
// Specification, Configuration: a "wrong database DSN prevents the panel from starting".
func TestWrongDatabaseAddressEndsWithOneSentenceAndCode3(t *testing.T) {
	t.Parallel()
	free, err := freeport.Find()
	require.NoError(t, err)
	reachable := dbtest.Empty(t)
	unknown := strings.Replace(reachable, "/test_", "/no_such_", 1)
	require.NotEqual(t, reachable, unknown)
	for name, dsn := range map[string]string{
		"nobody listens":   "postgres://panel:" + secretWord + "@127.0.0.1:" + port(free) + "/panel",
		"unknown host":     "postgres://panel:" + secretWord + "@no-such-host.invalid/panel",
		"unknown database": unknown,
		"not an address":   "mysql://panel:" + secretWord + "@127.0.0.1/panel",
		"half an address":  "postgres://panel:" + secretWord + "@127.0.0.1:port/panel",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, words := ends(t, rigtest.Panel(t, rig.PanelSettings{DSN: dsn}))
			requireOneClearSentence(t, words)
			require.Equal(t, 3, code, words)
		})
	}
}

// Rule: a taken port stops the start with exit code 1.
// Specification, Command-line interface: "a second process cannot take the same port".
func TestTakenPortEndsWithCode1AndNamesThePort(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	number := taken.Addr().(*net.TCPAddr).Port
	code, words := ends(t, rigtest.Panel(t, rig.PanelSettings{Port: number}))
	requireOneClearSentence(t, words)
	require.Equal(t, 1, code, words)
	require.Contains(t, words, port(number))
}

// Rule: a private cluster of another version is refused with a clear sentence, and nothing of it is touched.
func TestPrivateClusterOfAnotherVersionIsRefusedUntouched(t *testing.T) {
	t.Parallel()
	panel := rigtest.Panel(t, rig.PanelSettings{})
	version := filepath.Join(panel.DataDir, "postgres", "data", "PG_VERSION")
	require.NoError(t, os.MkdirAll(filepath.Dir(version), 0o700))
	require.NoError(t, os.WriteFile(version, []byte("9\n"), 0o600))
	code, words := ends(t, panel)
	requireOneClearSentence(t, words)
	require.Equal(t, 3, code, words)
	require.Contains(t, words, "PostgreSQL 9")
	kept, err := os.ReadDir(filepath.Dir(version))
	require.NoError(t, err)
	require.Len(t, kept, 1)
}

// Rule: two panels starting at once on one empty database apply each migration once.
func TestPanelsStartingAtOnceApplyEachMigrationOnce(t *testing.T) {
	t.Parallel()
	dsn := dbtest.Empty(t)
	var panels []*rig.Panel
	for range 3 {
		panels = append(
			panels,
			rigtest.Panel(
				t,
				rig.PanelSettings{DSN: dsn, Env: []string{"PANEL_SECRET_KEY=one key for all the panels of a database"}},
			),
		)
	}
	for _, panel := range panels {
		require.NoError(t, panel.Launch())
	}
	for _, panel := range panels {
		require.NoError(t, panel.Healthy(t.Context()))
	}
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	defer conn.Close(context.Background())
	var all, distinct int
	require.NoError(
		t,
		conn.QueryRow(t.Context(), "select count(*), count(distinct name) from bun_migrations").Scan(&all, &distinct),
	)
	require.Positive(t, all)
	require.Equal(t, distinct, all)
	for _, panel := range panels {
		require.NoError(t, panel.Stop())
		code, err := panel.Exit(t.Context())
		require.NoError(t, err)
		require.Zero(t, code, panel.LastWords())
	}
}

package operator

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/platform/database/dbtest"
)

// Rule: Ctrl-C ends following cleanly: exit code 130, no error, nothing of the last line lost.
func TestCtrlCEndsFollowing(t *testing.T) {
	t.Parallel()
	folder := world(t)
	logs := filepath.Join(folder, "data", "logs")
	require.NoError(t, os.MkdirAll(logs, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(logs, "panel.log"), []byte(`{"level":"info","msg":"past"}`+"\n"),
		0o644))
	cmd := exec.Command(rigtest.Executable(t, rig.PanelProgram), "logs", "-f", "--plain")
	var problems bytes.Buffer
	cmd.Dir, cmd.Stderr, cmd.Env = folder, &problems, append(
		rig.Environment(),
		"PANEL_DATA_DIR="+filepath.Join(folder, "data"),
		"PATH=/nonexistent",
	)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	require.True(t, lines.Scan())
	require.Contains(t, lines.Text(), "past")
	file, err := os.OpenFile(filepath.Join(logs, "panel.log"), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.WriteString("now\n")
	require.NoError(t, err)
	require.NoError(t, file.Close())
	require.True(t, lines.Scan())
	require.Equal(t, "now", lines.Text())
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	_ = cmd.Wait() // the exit code is looked at
	require.Equal(t, 130, cmd.ProcessState.ExitCode(), problems.String())
	require.True(t, strings.HasPrefix(problems.String(), "Source: files, "), problems.String())
	require.NotContains(t, problems.String(), "Error")
}

// Specification, Password reset rules 1: root, sudo or the owner of the installation directory; otherwise it refuses.
// Specification, Authentication 9: the offline password reset needs server privileges. Without them the password reset
// refuses before it opens anything; an empty schema is refused with a sentence.
func TestResetPasswordRefuses(t *testing.T) {
	t.Parallel()
	empty := []string{"PANEL_DB_URL=" + dbtest.Empty(t)}
	did := panelctl(t, call{args: []string{"admin", "reset-password", "--yes"}, env: empty})
	require.Equal(t, 1, did.exit, did.err)
	require.Contains(t, did.err, "holds no panel")
	require.Contains(t, did.err, "panelctl serve")
	if refusing := asNobody(); refusing != nil {
		did = panelctl(t, call{args: []string{"admin", "reset-password", "--yes"}, env: empty, prefix: refusing})
		require.Equal(t, 4, did.exit, did.err)
		require.Contains(t, did.err, "needs root or the owner of")
	}
}

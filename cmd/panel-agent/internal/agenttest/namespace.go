package agenttest

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// builtMark hands the built executable on to a test process in namespaces of its own.
const builtMark = "PANEL_AGENT_TEST_EXECUTABLE"

// Isolated runs the test again in a process with a network and mounts of its own, and says whether this is that
// process. The caller returns when it is not: all was done there.
func Isolated(t *testing.T) bool {
	t.Helper()
	if os.Getenv(builtMark) != "" {
		return true
	}
	enter := []string{"-n", "-m", "--"}
	if os.Getuid() != 0 {
		enter = append([]string{"-U", "-r"}, enter...)
	}
	cmd := exec.CommandContext(t.Context(), "unshare", append(enter, os.Args[0], "-test.run=^"+t.Name()+"$",
		"-test.v")...)
	cmd.Env = append(os.Environ(), builtMark+"="+Executable)
	said, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", said)
	require.Contains(t, string(said), "--- PASS: "+t.Name())
	return false
}

// Run runs a command that prepares the machine of the test.
func Run(t *testing.T, line ...string) {
	t.Helper()
	said, err := exec.CommandContext(t.Context(), line[0], line[1:]...).CombinedOutput()
	require.NoError(t, err, "%v: %s", line, said)
}

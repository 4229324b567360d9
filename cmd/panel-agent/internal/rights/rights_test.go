package rights

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// inside marks the process that has all rights of a namespace.
const inside = "PANEL_AGENT_TEST_RIGHTS"

// ambient gives a right to what this thread starts.
func ambient(t *testing.T, right uintptr) {
	t.Helper()
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	require.NoError(t, unix.Capget(&header, &data[0]))
	data[0].Inheritable |= 1 << right
	require.NoError(t, unix.Capset(&header, &data[0]))
	require.NoError(t, unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_RAISE, right, 0, 0))
}

func has(t *testing.T, right uintptr) bool {
	t.Helper()
	set, err := unix.PrctlRetInt(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_IS_SET, right, 0, 0)
	require.NoError(t, err)
	return set == 1
}

// What is started may open low ports and not change the network; who starts it has its rights again.
func TestWhatIsStartedHasNoRightOnTheNetwork(t *testing.T) {
	t.Parallel()
	if os.Getenv(inside) == "" {
		cmd := exec.CommandContext(t.Context(), "unshare", "-U", "-r", "-n", "--", os.Args[0],
			"-test.run=^"+t.Name()+"$", "-test.v")
		cmd.Env = append(os.Environ(), inside+"=1")
		said, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", said)
		require.Contains(t, string(said), "--- PASS")
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	ambient(t, unix.CAP_NET_BIND_SERVICE)
	ambient(t, unix.CAP_NET_ADMIN)
	failed := errors.New("it did not start")
	err := WithoutNetAdmin(func() error {
		require.False(t, has(t, unix.CAP_NET_ADMIN))
		require.True(t, has(t, unix.CAP_NET_BIND_SERVICE))
		cmd := exec.CommandContext(t.Context(), "cat", "/proc/self/status")
		said, err := cmd.Output()
		require.NoError(t, err)
		require.Contains(t, strings.ReplaceAll(string(said), "\t", ""), "CapAmb:0000000000000400", "low ports alone")
		return failed
	})
	require.ErrorIs(t, err, failed)
	require.True(t, has(t, unix.CAP_NET_ADMIN))
}

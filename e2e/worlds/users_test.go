package worlds

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
)

func port(number int) string { return strconv.Itoa(number) }

const ordinaryUser = 65534 // nobody

// Rule: the private database works as root and as an ordinary user, below a home directory that others cannot enter.
func TestPrivateDatabaseBelowAClosedHome(t *testing.T) {
	t.Parallel()
	users := map[string]int{"this user": os.Getuid()}
	if os.Getuid() == 0 {
		users = map[string]int{"root": 0, "an ordinary user": ordinaryUser}
	}
	for name, uid := range users {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			liveInClosedHome(t, uid)
		})
	}
}

func liveInClosedHome(t *testing.T, uid int) {
	home := filepath.Join(rigtest.Folder(t), "home")
	require.NoError(t, os.Mkdir(home, 0o700))
	settings := rig.PanelSettings{
		Folder:     home,
		Executable: copied(t, rigtest.Executable(t, rig.PanelProgram), home),
		Env:        []string{"HOME=" + home},
	}
	if uid != os.Getuid() {
		number := strconv.Itoa(uid)
		settings.Prefix = []string{"setpriv", "--reuid", number, "--regid", number, "--clear-groups", "--"}
		require.NoError(t, os.Chown(home, uid, uid))
	}
	panel := rigtest.Panel(t, settings)
	for range 2 { // the second start finds what the first one left
		require.NoError(t, panel.Up(t.Context()))
		requireOwner(t, panel.PID(), uid)
		require.NoError(t, panel.Stop())
		code, err := panel.Exit(t.Context())
		require.NoError(t, err)
		require.Zero(t, code, panel.LastWords())
	}
	info, err := os.Stat(filepath.Join(panel.DataDir, "secret.key"))
	require.NoError(t, err)
	require.Zero(t, info.Mode().Perm()&0o077, "the master key is for its owner alone")
}

func copied(t *testing.T, executable, folder string) string {
	t.Helper()
	from, err := os.Open(executable)
	require.NoError(t, err)
	defer from.Close()
	name := filepath.Join(folder, filepath.Base(executable))
	to, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o755)
	require.NoError(t, err)
	_, err = io.Copy(to, from)
	require.NoError(t, err)
	require.NoError(t, to.Close())
	return name
}

func requireOwner(t *testing.T, pid, uid int) {
	t.Helper()
	var process syscall.Stat_t
	require.NoError(t, syscall.Stat("/proc/"+strconv.Itoa(pid), &process))
	require.EqualValues(t, uid, process.Uid)
}

// Rule: a kill -9 of the panel leaves a database that the next start adopts or starts again, at any moment of the
// start.
func TestStartAfterAKillAtAnyMomentOfTheStart(t *testing.T) {
	t.Parallel()
	panel := rigtest.Panel(t, rig.PanelSettings{})
	for _, mark := range []string{
		"postgres/data.new", "postgres/data/PG_VERSION", "postgres/data/postmaster.pid",
		"secret.key",
	} {
		require.NoError(t, panel.Launch())
		require.NoError(t, rig.Eventually(t.Context(), endsWithin, func(context.Context) error {
			_, err := os.Stat(filepath.Join(panel.DataDir, mark))
			return err
		}), "waiting for %s: %s", mark, panel.LastWords())
		panel.Kill()
	}
	require.NoError(t, panel.Up(t.Context()))
}

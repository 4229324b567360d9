package pgtools

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"panel/platform/database/dbtest"
	"panel/platform/testneed"
)

// niceness of a process; the system call counts from the other end.
func niceness(t *testing.T, pid int) int {
	t.Helper()
	raw, err := unix.Getpriority(unix.PRIO_PROCESS, pid)
	require.NoError(t, err)
	return 20 - raw
}

func script(t *testing.T, lines string) Program {
	t.Helper()
	folder := t.TempDir()
	testneed.Script(t, filepath.Join(folder, "tool"), "#!/bin/sh\n"+lines)
	return Program{Folder: folder, Name: "tool", Behind: true}
}

// The program yields, and so does the thread that takes what it writes; nothing else of the process does.
func TestWorkThatNobodyWaitsForYields(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	usual := niceness(t, os.Getpid())
	p := script(t, "exec ps -o ni= -p $$\n")
	taking := 0
	p.Out = writer(func(text []byte) (int, error) {
		taking = niceness(t, 0)
		return out.Write(text)
	})
	require.NoError(t, p.Run(t.Context()))
	require.Equal(t, strconv.Itoa(behind), strings.TrimSpace(out.String()))
	require.Equal(t, behind, taking)
	require.Equal(t, usual, niceness(t, os.Getpid()))
}

type writer func([]byte) (int, error)

func (w writer) Write(text []byte) (int, error) { return w(text) }

func TestAProgramThatYieldsFailsAsAnyOther(t *testing.T) {
	t.Parallel()
	failing := script(t, "echo some; echo it is broken >&2; exit 3\n")
	failing.Out = &bytes.Buffer{}
	require.ErrorContains(t, failing.Run(t.Context()), "it is broken")

	endless := script(t, "while echo more; do :; done\n")
	endless.Out = writer(func([]byte) (int, error) { return 0, errors.New("full") })
	require.Error(t, endless.Run(t.Context()), "a writer that takes no more ends the program")
}

// Sessions of the server on this machine yield; a number that belongs to another process is left alone.
func TestSessionsYieldWhereTheyAreOnThisMachine(t *testing.T) {
	t.Parallel()
	other := exec.Command("sleep", "60")
	require.NoError(t, other.Start())
	t.Cleanup(func() { _ = other.Process.Kill(); _ = other.Wait() })
	BackendBehind(uint32(other.Process.Pid)) //nolint:gosec // a process number
	usual := niceness(t, os.Getpid())
	require.Equal(t, usual, niceness(t, other.Process.Pid))

	db := dbtest.New(t)
	config := db.Pool.Config().ConnConfig.Copy()
	config.RuntimeParams["application_name"] = "panel-backup-of-a-test"
	session, err := pgx.ConnectConfig(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close(t.Context()) })
	looking, err := db.Pool.Begin(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = looking.Rollback(t.Context()) })
	before := niceness(t, int(looking.Conn().PgConn().PID()))
	require.NoError(t, SessionsBehind(t.Context(), looking, "panel-backup-of-a-test"))
	require.Equal(t, behind, niceness(t, int(session.PgConn().PID())))
	require.Equal(t, before, niceness(t, int(looking.Conn().PgConn().PID())))
}

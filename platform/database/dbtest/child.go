package dbtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

const childDSN, childName = "PANEL_TEST_CHILD_DSN", "PANEL_TEST_CHILD_NAME"

// MainOrChild is a TestMain whose binary Spawn runs again as a panel of its own: what a test kills or freezes is a
// real process.
func MainOrChild(m *testing.M, child func(ctx context.Context, dsn, name string) error) {
	if !IsChild(child) {
		os.Exit(m.Run())
	}
}

// IsChild tells whether Spawn has started this process; then child has run, and without an error.
func IsChild(child func(ctx context.Context, dsn, name string) error) bool {
	dsn := os.Getenv(childDSN)
	if dsn == "" {
		return false
	}
	if err := child(context.Background(), dsn, os.Getenv(childName)); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return true
}

// Spawn starts a child on a database, with further variables as NAME=value; it is killed with the test.
func Spawn(t *testing.T, dsn, name string, variables ...string) *os.Process {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), childDSN+"="+dsn, childName+"="+name), variables...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd.Process
}

// Package fleet runs the real panel, two real agents and a real client in network namespaces of their own, and shows
// what users notice of faults: nothing.
package fleet

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"

	"panel/e2e/rig"
)

// insideMark tells the test process that it runs in its own network namespace.
const insideMark = "E2E_INSIDE_NAMESPACE"

// pageMark tells it to show a page to everybody who asks, on pagePort of the namespace that it was started in.
const (
	pageMark = "E2E_SHOW_PAGE"
	pagePort = "7070"
)

// TestMain builds with the network at hand and then runs the tests in fresh namespaces of network and mounts, which end
// with them.
func TestMain(m *testing.M) {
	if os.Getenv(pageMark) != "" {
		fail(
			http.ListenAndServe(":"+pagePort, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})),
		) //nolint:gosec // a test's page
	}
	if os.Getenv(insideMark) != "" {
		os.Exit(m.Run())
	}
	for _, name := range []string{rig.PanelProgram, rig.AgentProgram, rig.AuthorityProgram} {
		if _, err := rig.Executable(context.Background(), name); err != nil {
			fail(err)
		}
	}
	enter := []string{"-n", "-m", "--"}
	if os.Getuid() != 0 {
		enter = []string{"-U", "--map-current-user", "--keep-caps", "-n", "-m", "--"}
	}
	if said, err := exec.Command("unshare", append(enter, "true")...).CombinedOutput(); err != nil {
		fail(
			fmt.Errorf(
				"these tests make network namespaces: run them as root, or allow user namespaces to this user (unshare said: %w: %s)",
				err,
				said,
			),
		)
	}
	os.Exit(inside(enter))
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func inside(enter []string) int {
	self, err := os.Executable()
	if err != nil {
		fail(err)
	}
	cmd := exec.Command("unshare", append(append(enter, self), os.Args[1:]...)...)
	cmd.Stdout, cmd.Stderr, cmd.Env = os.Stdout, os.Stderr, append(os.Environ(),
		insideMark+"="+strconv.Itoa(os.Getpid()))
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	_ = cmd.Run() // the exit code says it all
	return cmd.ProcessState.ExitCode()
}

// Package agenttest builds the agent executable once for a package's tests, so that they start the real processes.
package agenttest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Executable is the built agent; Main sets it before the tests run.
var Executable string

// Main builds the executable, runs the tests and removes it. The executable is built plain, also where the tests run
// under the race detector: Xray's own pointer tricks do not pass the checks that come with it.
func Main(m *testing.M) int {
	if Executable = os.Getenv(builtMark); Executable != "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "panel-agent-*")
	if err == nil {
		defer os.RemoveAll(dir)
		Executable = filepath.Join(dir, "panel-agent")
		err = build(Executable)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

func build(path string) error {
	cmd := exec.Command("go", "build", "-o", path, "panel/cmd/panel-agent")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build the agent for its tests: %w: %s", err, out)
	}
	return nil
}

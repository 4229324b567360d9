// Package package_test installs the real Debian packages and lives through the life of an installed panel: start, upgrade,
// update, a broken update and the way back, removal.
package package_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// stageVar tells a copy of this process that it is inside the stage.
const stageVar = "PANEL_PACKAGE_STAGE"

// The same executable is the tests and, under another name inside the stage, the systemctl that maintainer scripts and the
// panel call.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "systemctl" {
		os.Exit(systemctl(os.Args[1:]))
	}
	if root := os.Getenv(stageVar); root != "" {
		if err := openStage(root); err != nil {
			fmt.Fprintln(os.Stderr, "the stage does not open:", err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

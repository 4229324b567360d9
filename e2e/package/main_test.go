// Package package_test installs the real Debian packages on a machine with a systemd of its own and lives through the
// life of an installed panel: start, upgrade, update, a broken update and the way back, power cuts, removal.
package package_test

import (
	"fmt"
	"os"
	"testing"
)

// What a copy of this process is told: that it is inside the stage, and that it is to become the first process there,
// in this control group.
const (
	stageVar = "PANEL_PACKAGE_STAGE"
	groupVar = "PANEL_PACKAGE_GROUP"
)

func TestMain(m *testing.M) {
	stage, group := os.Getenv(stageVar), os.Getenv(groupVar)
	switch {
	case group != "":
		fmt.Fprintln(os.Stderr, "systemd does not start:", becomeFirst(group))
		os.Exit(1)
	case stage != "":
		if err := openStage(stage); err != nil {
			fmt.Fprintln(os.Stderr, "the stage does not open:", err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

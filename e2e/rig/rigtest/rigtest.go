// Package rigtest gives the executables and stands of rig to tests, cleans up after them and shows logs when they fail.
package rigtest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/platform/agentapi"
)

// Executable builds a program of the product once per test process.
func Executable(t testing.TB, name string) string {
	t.Helper()
	path, err := rig.Executable(context.WithoutCancel(t.Context()), name)
	require.NoError(t, err)
	return path
}

// Folder is a temporary folder. What still runs from it when the test ends, such as a core that outlived its agent, is
// ended.
func Folder(t testing.TB) string {
	t.Helper()
	folder := t.TempDir()
	for _, open := range []string{filepath.Dir(folder), folder} { // for the users that databases run as
		require.NoError(t, os.Chmod(open, 0o755))
	}
	t.Cleanup(func() { sweep(folder) })
	return folder
}

// sweep ends the processes whose command line names the folder of the test.
func sweep(folder string) {
	processes, _ := os.ReadDir("/proc")
	for _, entry := range processes {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		line, err := os.ReadFile("/proc/" + entry.Name() + "/cmdline")
		if err != nil || !strings.Contains(string(line), folder) {
			continue
		}
		if process, err := os.FindProcess(pid); err == nil {
			_ = process.Kill()
		}
	}
}

// Install brings up a panel as an operator installs it; it stops with the test.
func Install(t testing.TB, settings rig.PanelSettings) *rig.Stand {
	t.Helper()
	if settings.Folder == "" {
		settings.Folder = Folder(t)
	}
	stand, err := rig.Install(t.Context(), settings)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, stand.Close())
		ShowLog(t, stand.Panel.Process)
	})
	return stand
}

// Run starts enrolled agents, which stop with the test, and waits until the panel says that their nodes are online.
func Run(t testing.TB, stand *rig.Stand, agents ...*rig.Agent) {
	t.Helper()
	for _, agent := range agents {
		require.NoError(t, agent.Launch())
		t.Cleanup(func() {
			require.NoError(t, agent.Stop())
			ShowLog(t, agent.Process)
		})
	}
	for _, agent := range agents {
		require.NoError(t, stand.Online(t.Context(), agent))
	}
}

// Panel describes a panel that is not installed and not started.
func Panel(t testing.TB, settings rig.PanelSettings) *rig.Panel {
	t.Helper()
	if settings.Folder == "" {
		settings.Folder = Folder(t)
	}
	if settings.Executable == "" {
		settings.Executable = Executable(t, rig.PanelProgram)
	}
	panel, err := rig.NewPanel(settings)
	require.NoError(t, err)
	t.Cleanup(func() {
		if panel.Process != nil {
			require.NoError(t, errors.Join(panel.Stop()))
			ShowLog(t, panel.Process)
		}
	})
	return panel
}

// Enrolled makes an agent's identity the ordinary way, without a process: its calls are those of the test.
func Enrolled(t testing.TB, admin *rig.API, name string) (agent *rig.API, nodeID string) {
	t.Helper()
	var token struct {
		Token string `json:"token"`
	}
	require.NoError(
		t,
		admin.Post(t.Context(), "/api/v1/nodes/enrollment-tokens", map[string]any{"kind": "one_off"}, &token),
	)
	var reply agentapi.EnrollReply
	require.NoError(t, admin.As("").Post(t.Context(), agentapi.PathEnroll, agentapi.EnrollRequest{
		Token: token.Token, Name: name, Hostname: name, OS: "linux", Arch: "amd64", AgentVersion: "e2e",
		Protocol: agentapi.Protocol,
	}, &reply))
	return admin.As(reply.AgentToken), reply.NodeID
}

// ShowLog prints the last words of a process if the test failed.
func ShowLog(t testing.TB, p *rig.Process) {
	if t.Failed() && p != nil {
		t.Log(p.LastWords())
	}
}

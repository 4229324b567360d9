package operator

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
)

const hello = "package main\n\nfunc main() { println(\"hello\") }\n"

// static builds the smallest program of the same kind, to compare with.
func static(t *testing.T) string {
	t.Helper()
	folder := rigtest.Folder(t)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "hello.go"), []byte(hello), 0o600))
	build := exec.Command("go", "build", "-o", filepath.Join(folder, "hello"), filepath.Join(folder, "hello.go"))
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GO111MODULE=off")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return filepath.Join(folder, "hello")
}

// processor is the least processor time of many runs: unlike the time on the wall it does not depend on who else works here.
func processor(t *testing.T, env []string, line ...string) (least, wall time.Duration) {
	t.Helper()
	const runs = 25
	var all, walls []time.Duration
	for range runs {
		cmd := exec.Command(line[0], line[1:]...)
		cmd.Env = append(rig.Environment(), env...)
		began := time.Now()
		require.NoError(t, cmd.Run(), "%v", line)
		walls = append(walls, time.Since(began))
		all = append(all, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	}
	return slices.Min(all), slices.Min(walls)
}

// Rule: panelctl version takes at most 5 times a static hello, or 30 ms; panelctl status at most 60 ms over the request.
func TestTheCommandLineIsQuick(t *testing.T) {
	const request = 20 * time.Millisecond
	panel := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/health" {
			<-time.After(request) // the panel's own time, which is not the command line's
		}
		_, _ = w.Write([]byte(`{"status":"running","timestamp":"2026-11-20T11:02:11Z","version":"1.4.2","database":"connected","setup_done":true,"uptime":"1m","uptime_seconds":60}`))
	}))
	defer panel.Close()
	env := []string{"PANEL_API_URL=" + panel.URL, "PANEL_API_TOKEN=t"}
	panelctl := rigtest.Executable(t, rig.PanelProgram)
	base, baseWall := processor(t, nil, static(t))
	version, versionWall := processor(t, env, panelctl, "version")
	_, statusWall := processor(t, env, panelctl, "status")
	t.Logf("hello %v (%v of processor), version %v (%v), status %v over a request of %v", baseWall, base, versionWall, version, statusWall-request, request)
	require.Less(t, versionWall, max(5*baseWall, 30*time.Millisecond))
	require.Less(t, statusWall-request, 60*time.Millisecond)
}

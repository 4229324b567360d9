package recovery

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/doctor"
)

func world(values map[string]string) doctor.Env {
	return doctor.Env{Getenv: func(name string) string { return values[name] }, Now: time.Now}
}

func reported(status doctor.Status, ids ...string) doctor.Report {
	var report doctor.Report
	for _, id := range ids {
		report.Results = append(report.Results, doctor.Result{
			Check:   doctor.Check{ID: id},
			Finding: doctor.Finding{Status: status},
		})
	}
	return report
}

func one(t *testing.T, actions []Action, id string) Action {
	t.Helper()
	for _, action := range actions {
		if action.ID == id {
			require.NotEmpty(t, action.Title.String())
			require.NotEmpty(t, action.What.String())
			return action
		}
	}
	require.FailNow(t, "no such action", "%s in %v", id, actions)
	return Action{}
}

// Rule: only what is in the list is offered, and only for a bad finding.
func TestNothingIsOfferedForGoodFindings(t *testing.T) {
	t.Parallel()
	env := world(map[string]string{"PANEL_DATA_DIR": filepath.Join(t.TempDir(), "data")})
	for _, status := range []doctor.Status{doctor.OK, doctor.Skipped, doctor.Unknown} {
		require.Empty(t, Actions(env, reported(status, "disk.data", "configuration.file", "database.connect",
			"services.panel", "tls.public")))
	}
	require.Empty(t, Actions(env, reported(doctor.Failed, "dns.public", "network.license", "database.secrets")))
}

func TestTheModeOfTheFileOfSettings(t *testing.T) {
	t.Parallel()
	env := world(nil)
	env.File = filepath.Join(t.TempDir(), "panel.env")
	require.NoError(t, os.WriteFile(env.File, []byte("PANEL_PORT=8080\n"), 0o600))
	require.NoError(t, os.Chmod(env.File, 0o644))
	action := one(t, Actions(env, reported(doctor.Warning, "configuration.file")), "restore_mode")
	require.Equal(t, "configuration.file", action.CheckID)
	require.NoError(t, action.Do(t.Context()))
	about, err := os.Stat(env.File)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), about.Mode().Perm())
	require.Empty(t, Actions(env, reported(doctor.Warning, "configuration.file")), "a right mode needs nothing")
}

// A data folder that is there is left alone, and so is one whose disk is not mounted.
func TestTheDataFolderIsMadeAgain(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	env := world(map[string]string{"PANEL_DATA_DIR": data})
	require.NoError(t, one(t, Actions(env, reported(doctor.Failed, "disk.data")), "make_folders").Do(t.Context()))
	for _, name := range []string{"", "logs", "backups", "support"} {
		require.DirExists(t, filepath.Join(data, name))
	}
	require.Empty(t, Actions(env, reported(doctor.Failed, "disk.data")))
	require.Empty(t, Actions(world(map[string]string{"PANEL_DATA_DIR": "/nonexistent/disk/data"}),
		reported(doctor.Failed, "disk.data")))
}

// clusterWith makes the folder of a private database with a pid file.
func clusterWith(t *testing.T, pid int) (env doctor.Env, path string) {
	t.Helper()
	data := t.TempDir()
	path = filepath.Join(data, "postgres", "data", "postmaster.pid")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(strconv.Itoa(pid)+"\n/somewhere\n"), 0o600))
	return world(map[string]string{"PANEL_DATA_DIR": data}), path
}

func TestOnlyAStalePidFileIsRemoved(t *testing.T) {
	t.Parallel()
	gone := exec.Command("true")
	require.NoError(t, gone.Run())
	env, path := clusterWith(t, gone.Process.Pid)
	action := one(t, Actions(env, reported(doctor.Failed, "database.connect")), "remove_stale_pid")
	require.NoError(t, os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600))
	require.ErrorContains(t, action.Do(t.Context()), "in use again", "it looks again before it removes")
	require.FileExists(t, path)
	require.NoError(t, os.WriteFile(path, []byte(strconv.Itoa(gone.Process.Pid)+"\n"), 0o600))
	require.NoError(t, action.Do(t.Context()))
	require.NoFileExists(t, path)
	require.NoError(t, action.Do(t.Context()), "done twice is done")
	env, _ = clusterWith(t, os.Getpid())
	require.Empty(t, Actions(env, reported(doctor.Failed, "database.connect")), "a living database keeps its file")
}

// A module's repair answers its own finding, after the repairs of files and before those of services.
func TestARepairOfAModuleIsOfferedForItsFinding(t *testing.T) {
	t.Parallel()
	repair := Repair{Checks: []string{"components.notes"}, Make: func(doctor.Env) *Action {
		return &Action{ID: "sort_notes", Title: doctor.Say("Sort notes"), What: doctor.Say("sorts notes")}
	}}
	require.Equal(t, "components.notes", one(t, Actions(world(nil), reported(doctor.Failed, "components.notes"),
		repair), "sort_notes").CheckID)
	require.Empty(t, Actions(world(nil), reported(doctor.OK, "components.notes"), repair))
	require.Empty(t, Actions(world(nil), reported(doctor.Failed, "components.notes")))
}

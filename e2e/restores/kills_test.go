package restores

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/platform/database/dbtest"
	"panel/platform/testneed/places"
)

// points are how many moments of a run and of a restore are tried.
const points = 20

// Rule R14: kill -9 of the panel at many points of a restore: either the old database serves afterwards and the restore
// is told as interrupted, or the new one; never a half.
func TestAKilledRestoreLeavesOneDatabaseOrTheOther(t *testing.T) {
	t.Parallel()
	w := begin(t, rig.PanelSettings{})
	old, new := 0, 0
	for point := range points {
		id := w.restore()
		w.killedAfter(time.Duration(point) * 150 * time.Millisecond)
		read := w.record(id) // one that was killed before it began goes on now
		names := w.nodes()
		if len(names) == 2 {
			old++
			require.Equal(t, []string{"before", "since"}, names)
			require.Equal(t, []string{"failed", "interrupted"}, []string{read.State, read.Error}, point)
			continue
		}
		new++
		require.Equal(t, []string{"before"}, names)
		require.Equal(t, "succeeded", read.State)
		w.journalHolds(true, 1) // the entries about restores before came after the backup
		rigtest.Enrolled(t, w.stand.API, "since")
	}
	t.Logf("%d times the old database served, %d times the new one", old, new)
	require.NotZero(t, old)
}

// Every panel on the database stops for a restore and comes back by itself.
func TestAllPanelsOnADatabaseWaitForARestore(t *testing.T) {
	t.Parallel()
	w := begin(t, rig.PanelSettings{
		DSN: dbtest.Empty(t), Env: []string{
			"PANEL_SECRET_KEY=a master key of the tests, long enough", "PANEL_BACKUP_DIR=" + rigtest.Folder(t),
		},
	})
	beside, err := w.stand.Beside(rigtest.Folder(t))
	require.NoError(t, err)
	require.NoError(t, beside.Up(t.Context()))
	t.Cleanup(func() { require.NoError(t, beside.Stop()) })
	id := w.restore()
	seen := false
	w.eventually(func(ctx context.Context) error {
		err := beside.API.Get(ctx, "/health", nil)
		if seen = seen || rig.Refused(err, http.StatusServiceUnavailable); seen {
			return nil
		}
		return fmt.Errorf("the other panel goes on: %w", err)
	})
	w.over(id)
	require.NoError(t, beside.Healthy(t.Context()))
	w.signIn()
	require.Equal(t, []string{"before"}, w.nodes())
	w.journalHolds(false, 1)
	w.stand.API.Base = beside.URL
	w.journalHolds(false, 1)
}

// Kill -9 of the panel at many moments of a backup: the run has succeeded or ends as interrupted, what is offered
// afterwards is whole, and the next run succeeds.
func TestAKilledRunLeavesNoHalfBackup(t *testing.T) {
	t.Parallel()
	w := begin(t, rig.PanelSettings{})
	runs := []string{w.run}
	for point := range points {
		w.profile = w.add(fmt.Sprintf("killed %d", point), fields{"kind": "local"})
		runs = append(runs, w.begin())
		w.killedAfter(time.Duration(point) * 60 * time.Millisecond)
	}
	whole := map[string]bool{}
	for _, id := range runs {
		run := w.ended(id)
		if run.State == "succeeded" {
			whole[run.Artefact.Name] = true
			continue
		}
		require.Equal(t, []string{"failed", "interrupted"}, []string{run.State, run.Error})
	}
	t.Logf("%d of %d runs succeeded", len(whole), len(runs))
	require.Less(t, len(whole), len(runs))
	last := w.ended(w.begin())
	require.Equal(t, "succeeded", last.State, last.Error)
	offered := w.offered()
	for name := range whole {
		require.Contains(t, offered, name)
	}
	for _, name := range offered {
		w.readable(name)
	}
	w.journalHolds(true, 0)
}

// away is how long a server that was killed does not answer.
const away = 200 * time.Millisecond

// The database and the servers that a backup goes to are killed at many moments of a run and come back: the run ends, a
// place that failed is named, and what any place offers is whole.
func TestServersThatDieDuringARunLeaveNoHalfBackup(t *testing.T) {
	t.Parallel()
	bucket, host := places.NewS3(t), places.NewSSH(t)
	w := &world{T: t, stand: rigtest.Install(t, rig.PanelSettings{Env: []string{reachable}})}
	w.backUp(bucketOf(bucket), folderOf(host), fields{"kind": "local"})
	states := map[string]int{}
	for point := range points {
		id := w.begin()
		<-time.After(time.Duration(point/3) * 100 * time.Millisecond) // the moment
		switch point % 3 {
		case 0:
			bucket.Kill()
			<-time.After(away)
			bucket.Start()
		case 1:
			host.Kill()
			<-time.After(away)
			host.Start()
		case 2:
			w.killDatabase()
		}
		run := w.ended(id)
		states[run.State]++
		if run.State == "failed" {
			require.NotEmpty(t, run.Error)
		}
	}
	t.Log(states)
	require.Less(t, states["succeeded"], points)
	last := w.ended(w.begin())
	require.Equal(t, "succeeded", last.State, last.Error)
	for _, name := range w.offered() {
		w.readable(name)
	}
	for _, destination := range []fields{bucketOf(bucket), folderOf(host)} {
		for _, name := range w.offered("--place", w.described(destination)) {
			w.readable(name, "--place", w.described(destination))
		}
	}
}

// A backup of another master key is sealed anew. Whoever kills the command at any moment of that tries again: the panel
// that starts opens every secret with its own key alone.
func TestAKilledResealingIsDoneByTheNextTry(t *testing.T) {
	t.Parallel()
	w := &world{T: t, stand: rigtest.Install(t, rig.PanelSettings{
		DSN: dbtest.Empty(t), Env: []string{"PANEL_SECRET_KEY=a master key of the tests, long enough"},
	})}
	traffic := rigtest.Carry(t, w.stand)
	w.backUp(fields{"kind": "local"})
	require.NoError(t, w.stand.Panel.Stop())
	old := filepath.Join(rigtest.Folder(t), "old.key")
	require.NoError(t, os.WriteFile(old, []byte("a master key of the tests, long enough\n"), 0o600))
	moved := w.stand.Panel.With("PANEL_SECRET_KEY=another key for the new machine, as long",
		"PANEL_BACKUP_PASSPHRASE="+passphrase)
	restore := []string{"backup", "restore", "--yes", "--no-copy", "--old-key", old}
	killed := 0
	for point := range points {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(point+1)*120*time.Millisecond)
		if _, err := moved.Command(ctx, "", restore...); err == nil && ctx.Err() != nil {
			killed++
		}
		cancel()
	}
	t.Logf("killed %d times", killed)
	said, err := moved.Command(t.Context(), "", restore...)
	require.NoError(t, err)
	require.Zero(t, said.Exit, said.Err)
	*w.stand.Panel = *moved
	require.NoError(t, w.stand.Panel.Up(t.Context()))
	w.signIn()
	link, err := w.stand.API.Link(t.Context(), traffic.Flow)
	require.NoError(t, err)
	require.Equal(t, traffic.Link, link)
	require.NoError(t, w.stand.Online(t.Context(), traffic.Agent))
	w.journalHolds(true, 1)
	traffic.GoesOn(t)
}

// killedAfter ends the panel after a while by SIGKILL and starts it again.
func (w *world) killedAfter(while time.Duration) {
	w.Helper()
	select {
	case <-time.After(while): // the point of the kill
	case <-w.stand.Panel.Ended():
		require.Fail(w, "the panel ended by itself", w.stand.Panel.LastWords())
	}
	w.stand.Panel.Kill()
	require.NoError(w, w.stand.Panel.Up(w.Context()))
}

// killDatabase ends the private database by SIGKILL; the panel brings it back.
func (w *world) killDatabase() {
	w.Helper()
	text, err := os.ReadFile(filepath.Join(w.stand.Panel.DataDir, "postgres", "data", "postmaster.pid"))
	require.NoError(w, err)
	line, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(line)
	require.NoError(w, err)
	require.NoError(w, syscall.Kill(pid, syscall.SIGKILL))
	w.eventually(func(ctx context.Context) error { return w.stand.Panel.API.Get(ctx, "/health", nil) })
}

// described is a file that names a destination for commands.
func (w *world) described(destination fields) string {
	w.Helper()
	text, err := json.Marshal(destination)
	require.NoError(w, err)
	file := filepath.Join(w.TempDir(), "place.json")
	require.NoError(w, os.WriteFile(file, text, 0o600))
	return file
}

// offered are the names of the backups that a place has.
func (w *world) offered(place ...string) (names []string) {
	w.Helper()
	said, err := w.stand.Panel.Command(w.Context(), "", append([]string{"backup", "list", "--json"}, place...)...)
	require.NoError(w, err)
	require.Zero(w, said.Exit, said.Err)
	var listed struct {
		Backups []struct {
			Name string `json:"name"`
		} `json:"backups"`
	}
	require.NoError(w, json.Unmarshal([]byte(said.Out), &listed))
	for _, one := range listed.Backups {
		names = append(names, one.Name)
	}
	require.NotEmpty(w, names)
	return names
}

// readable demands that a backup can be read to its end: every part is proved, opened and unpacked.
func (w *world) readable(name string, place ...string) {
	w.Helper()
	output := filepath.Join(w.TempDir(), "database")
	said, err := w.stand.Panel.With("PANEL_BACKUP_PASSPHRASE="+passphrase).Command(w.Context(), "",
		append([]string{"backup", "decrypt", name, "--output", output}, place...)...)
	require.NoError(w, err)
	if said.Exit != 0 {
		require.Fail(w, said.Err, w.known())
	}
	about, err := os.Stat(output)
	require.NoError(w, err)
	require.NotZero(w, about.Size())
	require.NoError(w, os.Remove(output))
}

// known is what the panel knows of all runs, for whoever reads why a test failed.
func (w *world) known() string {
	var runs json.RawMessage
	if err := w.stand.API.Get(w.Context(), runsPath+"?limit=50", &runs); err != nil {
		return err.Error()
	}
	return string(runs)
}

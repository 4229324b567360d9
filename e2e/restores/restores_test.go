// Package restores replaces the database of real panels by a backup, over the web and by the command line, and kills
// them meanwhile: either the old database serves afterwards or the new one.
package restores

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/platform/database/dbtest"
)

const (
	restoresPath = "/api/v1/backups/restores"
	within       = 2 * time.Minute
	profileName  = "nightly"
)

type fields = map[string]any

// world is an installed panel with a node before a backup and one after it.
type world struct {
	*testing.T
	stand *rig.Stand
	run   string // the backup
}

type restoreRecord struct {
	ID      string   `json:"id"`
	State   string   `json:"state"`
	Step    string   `json:"step"`
	Error   string   `json:"error"`
	Outcome *outcome `json:"outcome"`
}

type outcome struct {
	Snapshot       string `json:"snapshot"`
	ContinuedAfter int64  `json:"continued_after"`
	EnrolledSince  []struct {
		Name string `json:"name"`
	} `json:"enrolled_since"`
}

func begin(t *testing.T, settings rig.PanelSettings) *world {
	t.Helper()
	w := &world{T: t, stand: rigtest.Install(t, settings)}
	rigtest.Enrolled(t, w.stand.API, "before")
	w.backUp()
	rigtest.Enrolled(t, w.stand.API, "since")
	return w
}

func (w *world) backUp() {
	w.Helper()
	w.eventually(func(ctx context.Context) error {
		var proof struct {
			Last int64 `json:"last_seq"`
		}
		err := w.stand.API.Get(ctx, "/api/v1/audit/verify", &proof)
		if err == nil && proof.Last == 0 {
			return errors.New("no entry of the journal is sealed yet")
		}
		return err
	})
	var profile, run struct {
		ID string `json:"id"`
	}
	require.NoError(w, w.stand.API.Post(w.Context(), "/api/v1/backups/profiles", fields{
		"name": profileName, "enabled": false, "schedule": fields{}, "scope": fields{"telemetry": "all"},
		"destinations": []fields{{"kind": "local"}}, "retention": fields{}, "verify": fields{}, "deadman_hours": 0,
		"encryption": fields{"mode": "passphrase", "passphrase": "words that only this test knows"},
	}, &profile))
	require.NoError(w, w.stand.API.Post(w.Context(), "/api/v1/backups/runs", fields{"profile_id": profile.ID}, &run))
	w.run = run.ID
	w.eventually(func(ctx context.Context) error {
		var read struct {
			State string `json:"state"`
			Error string `json:"error"`
		}
		if err := w.stand.API.Get(ctx, "/api/v1/backups/runs/"+run.ID, &read); err != nil {
			return err
		}
		if read.State != "succeeded" {
			return fmt.Errorf("the backup is %s: %s", read.State, read.Error)
		}
		return nil
	})
}

func (w *world) eventually(holds func(context.Context) error) {
	w.Helper()
	require.NoError(w, rig.Eventually(w.Context(), within, holds), w.stand.Panel.LastWords())
}

func (w *world) restore() (id string) {
	w.Helper()
	var read restoreRecord
	require.NoError(w, w.stand.API.Post(w.Context(), restoresPath, fields{
		"run_id": w.run, "mode": "full", "confirm": profileName,
	}, &read))
	return read.ID
}

func (w *world) signIn() {
	w.Helper()
	w.eventually(func(ctx context.Context) error {
		var session struct {
			Token string `json:"token"`
		}
		err := w.stand.Panel.API.Post(ctx, "/api/v1/auth/login", fields{
			"username": rig.Username, "password": rig.Password,
		}, &session)
		if err == nil {
			w.stand.API = w.stand.Panel.API.As(session.Token)
		}
		return err
	})
}

// nodes are the names of all servers, by which the database that serves is known.
func (w *world) nodes() (names []string) {
	w.Helper()
	var page struct {
		Items []struct {
			Name string `json:"name"`
		} `json:"items"`
	}
	w.eventually(func(ctx context.Context) error { return w.stand.API.Get(ctx, "/api/v1/nodes?sort=name", &page) })
	for _, node := range page.Items {
		names = append(names, node.Name)
	}
	return names
}

// journalHolds asks for the proof of the journal.
func (w *world) journalHolds(killed bool, continued int) {
	w.Helper()
	var report struct {
		Continued []struct {
			After int64 `json:"after"`
		} `json:"continued"`
		Findings []struct {
			Kind   string `json:"kind"`
			Detail string `json:"detail"`
		} `json:"findings"`
	}
	require.NoError(w, w.stand.API.Get(w.Context(), "/api/v1/audit/verify", &report))
	for _, one := range report.Findings {
		// A panel that was killed while it wrote an entry cannot say whether it was committed.
		require.True(w, killed && one.Kind == "forgotten", "%+v", report.Findings)
	}
	require.Len(w, report.Continued, continued)
}

// record waits until the restore has ended, and signs in again where it ended every session.
func (w *world) record(id string) (read restoreRecord) {
	w.Helper()
	w.eventually(func(ctx context.Context) error {
		read = restoreRecord{}
		err := w.stand.API.Get(ctx, restoresPath+"/"+id, &read)
		if rig.Refused(err, http.StatusUnauthorized) {
			w.signIn()
		}
		if err != nil {
			return err
		}
		if read.State != "succeeded" && read.State != "failed" {
			return fmt.Errorf("the restore is %s", read.State)
		}
		return nil
	})
	return read
}

// over waits until the panel answers as ever, and tells what it answered meanwhile.
func (w *world) over(id string) (steps []string, refused bool) {
	w.Helper()
	w.eventually(func(ctx context.Context) error {
		var shown restoreRecord
		err := w.stand.API.Get(ctx, restoresPath+"/"+id, &shown)
		switch {
		case rig.Refused(err, http.StatusUnauthorized), err == nil && shown.State == "failed":
			return nil
		case err == nil && (len(steps) == 0 || steps[len(steps)-1] != shown.Step):
			steps = append(steps, shown.Step)
		}
		other := w.stand.API.Get(ctx, "/api/v1/nodes", nil)
		refused = refused || rig.Refused(other, http.StatusServiceUnavailable)
		return fmt.Errorf("the restore goes on: %w", err)
	})
	return steps, refused
}

// A full restore over the web, with a real agent: everyone is signed out, sign-in works, the chain goes on after the
// restore, nodes enrolled since are listed and the agent comes back by itself.
func TestABackupIsRestoredOverTheWeb(t *testing.T) {
	t.Parallel()
	stand := rigtest.Install(t, rig.PanelSettings{})
	w := &world{T: t, stand: stand}
	agent, err := stand.Enroll(t.Context(), "real")
	require.NoError(t, err)
	rigtest.Run(t, stand, agent)
	w.backUp()
	rigtest.Enrolled(t, stand.API, "since")
	err = stand.API.Post(t.Context(), restoresPath, fields{"run_id": w.run, "mode": "full", "confirm": "another"}, nil)
	require.True(t, rig.Refused(err, http.StatusUnprocessableEntity), err)
	id := w.restore()
	steps, refused := w.over(id)
	t.Log(steps)
	require.True(t, refused, "every other answer is 503 meanwhile")
	require.NoError(t, stand.Panel.Healthy(t.Context()))
	w.signIn()
	require.Equal(t, []string{"real"}, w.nodes())
	read := w.record(id)
	require.Equal(t, "succeeded", read.State)
	require.NotNil(t, read.Outcome)
	require.NotZero(t, read.Outcome.ContinuedAfter)
	require.Equal(t, "since", read.Outcome.EnrolledSince[0].Name)
	require.FileExists(t, filepath.Join(stand.Panel.DataDir, "backups", read.Outcome.Snapshot+".manifest"))
	w.journalHolds(false, 1)
	require.NoError(t, stand.Online(t.Context(), agent))
	w.run = w.newest()
	w.restore() // what is known of backups outlives a restore
}

// newest is the run whose backup can be restored.
func (w *world) newest() string {
	w.Helper()
	var page struct {
		Items []struct {
			ID    string `json:"id"`
			State string `json:"state"`
		} `json:"items"`
	}
	require.NoError(w, w.stand.API.Get(w.Context(), "/api/v1/backups/runs", &page))
	require.Equal(w, "succeeded", page.Items[0].State)
	return page.Items[0].ID
}

// Rule R14: kill -9 of the panel at many points of a restore: either the old database serves afterwards and the restore
// is told as interrupted, or the new one; never a half.
func TestAKilledRestoreLeavesOneDatabaseOrTheOther(t *testing.T) {
	t.Parallel()
	w := begin(t, rig.PanelSettings{})
	old, new := 0, 0
	for point := range 12 {
		id := w.restore()
		select {
		case <-time.After(time.Duration(point) * 250 * time.Millisecond): // the point of the kill
		case <-w.stand.Panel.Ended():
			require.Fail(t, "the panel ended by itself", w.stand.Panel.LastWords())
		}
		w.stand.Panel.Kill()
		require.NoError(t, w.stand.Panel.Up(t.Context()))
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

// Package restores replaces the database of real panels by a backup, over the web and by the command line, and kills
// them meanwhile: either the old database serves afterwards or the new one.
package restores

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
)

const (
	restoresPath = "/api/v1/backups/restores"
	runsPath     = "/api/v1/backups/runs"
	within       = 2 * time.Minute
	profileName  = "nightly"
	passphrase   = "words that only this test knows"
)

type fields = map[string]any

// world is an installed panel with a node before a backup and one after it.
type world struct {
	*testing.T
	stand   *rig.Stand
	profile string
	run     string // the backup
}

type restoreRecord struct {
	ID      string   `json:"id"`
	State   string   `json:"state"`
	Verdict string   `json:"verdict"`
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
	w.backUp(fields{"kind": "local"})
	rigtest.Enrolled(t, w.stand.API, "since")
	return w
}

// backUp makes a profile with these destinations and its first backup.
func (w *world) backUp(destinations ...fields) {
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
	w.profile = w.add(profileName, destinations...)
	made := w.ended(w.begin())
	require.Equal(w, "succeeded", made.State, made.Error)
	w.run = made.ID
}

// add makes a profile.
func (w *world) add(name string, destinations ...fields) (id string) {
	w.Helper()
	var profile struct {
		ID string `json:"id"`
	}
	require.NoError(w, w.stand.API.Post(w.Context(), "/api/v1/backups/profiles", fields{
		"name": name, "enabled": false, "schedule": fields{},
		"scope":        fields{"telemetry": "all", "secret_store": true},
		"destinations": destinations, "retention": fields{}, "verify": fields{}, "deadman_hours": 0,
		"encryption": fields{"mode": "passphrase", "passphrase": passphrase},
	}, &profile))
	return profile.ID
}

type runRecord struct {
	ID       string `json:"id"`
	State    string `json:"state"`
	Error    string `json:"error"`
	Artefact *struct {
		Name string `json:"name"`
	} `json:"artefact"`
}

// begin starts a run of the profile.
func (w *world) begin() (id string) {
	w.Helper()
	var run runRecord
	require.NoError(w, w.stand.API.Post(w.Context(), runsPath, fields{"profile_id": w.profile}, &run))
	return run.ID
}

// ended waits for the end of a run.
func (w *world) ended(id string) (run runRecord) {
	w.Helper()
	w.eventually(func(ctx context.Context) error {
		run = runRecord{}
		if err := w.stand.API.Get(ctx, runsPath+"/"+id, &run); err != nil {
			return err
		}
		if slices.Contains([]string{"queued", "running", "uploading"}, run.State) {
			return fmt.Errorf("the backup is %s", run.State)
		}
		return nil
	})
	return run
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

// Package backups keeps copies of the panel in several places, and proves that they can be restored.
//
// A profile says what is copied, when, where to, how it is encrypted and how long it is kept. A run writes one artefact
// to all destinations of its profile; a restore test puts an artefact into a scratch database and compares it. Runs and
// tests are rows that one panel drives at a time; one that was interrupted has failed, and nothing of it is offered.
package backups

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"time"

	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/config"
	"panel/platform/doctor"
	"panel/platform/entitlement"
	"panel/platform/fault"
	"panel/platform/jobs"
	"panel/platform/module"
	"panel/platform/restored"
	"panel/platform/vault"
)

//go:embed migrations
var scripts embed.FS

//go:embed russian.txt
var russian string

// folderKey is where local destinations lie.
var folderKey = config.Key{
	Name: "PANEL_BACKUP_DIR", Summary: "folder of local backups; unset: backups in the data folder",
}

// keepRecords is how long runs and restore tests are remembered.
const keepRecords = 400 * 24 * time.Hour

// Module is the manifest.
func Module() module.Module {
	return module.Module{
		Name:    "backups",
		Summary: "Copies of the panel in several places, proved by restoring them",
		Russian: russian,
		Permissions: []access.Permission{
			{Key: View, Summary: "See backups"},
			{Key: Manage, Summary: "Make, change, download and test backups"},
		},
		Features: []entitlement.Feature{{Key: feature, Summary: "Backups"}},
		Faults: []fault.Declared{
			{Kind: fault.KindConflict, Code: "backup_run_active", Summary: "The profile has a run that goes on"},
			{Kind: fault.KindConflict, Code: "backup_run_ended", Summary: "The run has ended"},
			{Kind: fault.KindConflict, Code: "backup_missing", Summary: "The run has no backup that can be read"},
			{Kind: fault.KindConflict, Code: "backup_elsewhere", Summary: "Another panel on the database holds the backup"},
			{Kind: fault.KindInvalid, Code: "backup_server_unreachable", Summary: "The SSH server did not show its key"},
			{Kind: fault.KindConflict, Code: "restore_active", Summary: "A restore or a restore test goes on"},
			{Kind: fault.KindInvalid, Code: "restore_key_mismatch", Summary: "The backup has another master key"},
		},
		Journal: audit.Kinds{
			Actions: []string{
				actionAdded, actionChanged, actionRemoved, actionStarted, actionCancelled, kindSucceeded, kindPartial,
				kindFailed, kindRestoreStarted, kindRestoreDone, kindVerifyFailed,
				kindRestoreFailed,
			},
			Objects: []string{objectProfile, objectRun},
		},
		Events: eventKinds(),
		Config: []config.Key{folderKey, config.MessengerAPIRoot},
		Secrets: []vault.Column{
			{Table: "backup_profiles", ID: "id", Column: "passphrase"},
			{Table: "backup_destinations", ID: "id", Column: "secret"},
			{Table: "backup_restores", ID: "id", Column: "keys"},
		},
		Migrations: module.SQL(scripts),
		Tidy: []jobs.Tidy{
			{Table: "backup_restores", Column: "finished_at", Age: keepRecords},
			{
				Table: "backup_runs", Column: "finished_at", Age: keepRecords,
				Unless: "id in (select last_good_run from backup_profiles where last_good_run is not null)",
			},
		},
		Outlives: outlives,
		Commands: commands,
		Checks:   doctorChecks(),
		Private:  []any{newEngine, newStore, newService, newRunner, newTester, newHandlers},
		Attach:   attach,
	}
}

func doctorChecks() []doctor.Check { return []doctor.Check{ageCheck(), programCheck(), folderCheck()} }

func attach(h *handlers, r *runner, t *tester) module.Parts {
	return module.Parts{
		Routes:    h.routes(),
		Jobs:      []jobs.Worker{h.dueWorker()},
		Schedules: []jobs.Schedule{dueSchedule()},
		Loops:     []func(context.Context) error{r.Run, t.Run},
		Metrics:   collectors(h.store),
		Restored: func(ctx context.Context, kept json.RawMessage, done *restored.Restoration) error {
			if err := h.restored(ctx, kept, done); err != nil {
				return err
			}
			return errors.Join(r.Abandon(ctx, restored.Cause), t.Abandon(ctx, restored.Cause))
		},
	}
}

package backups

import "panel/platform/events"

// The words for what happens to backups, as events and in the journal.
const (
	objectProfile = "backup_profile"
	objectRun     = "backup"

	actionAdded     = "backup.profile_created"
	actionChanged   = "backup.profile_changed"
	actionRemoved   = "backup.profile_deleted"
	actionStarted   = "backup.started"
	actionCancelled = "backup.cancelled"

	kindSucceeded      = "backup.succeeded"
	kindPartial        = "backup.partial"
	kindFailed         = "backup.failed"
	kindOverdue        = "backup.overdue"
	kindRestoreStarted = "backup.restore_started"
	kindRestoreDone    = "backup.restore_done"
	kindVerifyFailed   = "backup.verify_failed"
	kindRestored       = "backup.restored"
	kindRestoreFailed  = "backup.restore_failed"
	kindProgress       = "backup.progress"
)

// runScreen shows a run with its destinations and restore tests.
const runScreen = "/backups/runs/{id}"

// News is the data of an event about a run, or about a profile that is overdue.
type News struct {
	ProfileID string `json:"profile_id"`
	Name      string `json:"name"` // of the profile
	Error     string `json:"error,omitempty"`
	// Failed are the kinds of the destinations that do not have the backup.
	Failed []string `json:"failed,omitempty"`
	Bytes  int64    `json:"bytes,omitempty"`
}

// TestNews is the data of an event about a restore test; its subject is the run.
type TestNews struct {
	RestoreID string `json:"restore_id"`
	Name      string `json:"name"` // of the profile
	Mode      string `json:"mode"`
	Error     string `json:"error,omitempty"`
}

// RestoreNews is the data of the event about a full restore; its subject is the restore.
type RestoreNews struct {
	RestoreID string `json:"restore_id"`
	Name      string `json:"name"` // of the profile
	Artefact  string `json:"artefact"`
	Snapshot  string `json:"snapshot"`
}

func eventKinds() []events.Kind {
	kinds := []events.Kind{
		{Name: kindSucceeded, Summary: "A backup was made", Notify: true, Screen: runScreen, Data: News{}},
		{
			Name: kindPartial, Summary: "A backup reached some of its destinations only", Severity: events.Warning,
			Notify: true, Effect: "Look why a destination failed; the backup can be restored from the others.",
			Screen: runScreen, Data: News{},
		},
		{
			Name: kindFailed, Summary: "A backup failed", Severity: events.Critical, Notify: true,
			Effect: "Earlier backups are still there.", Screen: runScreen, Data: News{},
		},
		{
			Name: kindOverdue, Summary: "There was no good backup for too long", Severity: events.Critical, Notify: true,
			Effect: "What was written since the last good one would be lost.", Screen: "/backups/profiles/{id}",
			Data: News{},
		},
		{Name: kindRestoreStarted, Summary: "A restore or a restore test began", Data: TestNews{}},
		{Name: kindRestoreDone, Summary: "A restore test found the backup good", Notify: true, Screen: runScreen, Data: TestNews{}},
		{
			Name: kindVerifyFailed, Summary: "A backup could not be restored in a test", Severity: events.Critical,
			Notify: true, Effect: "Create a new backup and test it.", Screen: runScreen, Data: TestNews{},
		},
		{
			Name: kindRestoreFailed, Summary: "The panel was not restored; nothing was changed",
			Severity: events.Critical, Notify: true, Screen: runScreen, Data: TestNews{},
		},
		{
			Name: kindRestored, Summary: "The panel was restored from a backup", Severity: events.Critical, Notify: true,
			Effect: "Everybody signs in again; look at what differs on the nodes.", Screen: "/backups", Data: RestoreNews{},
		},
		{Name: kindProgress, Summary: "A backup or a restore test goes on", Transient: true},
	}
	for i := range kinds {
		kinds[i].Needs, kinds[i].Live = View, true
	}
	return kinds
}

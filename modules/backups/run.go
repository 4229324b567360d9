package backups

import (
	"time"

	"github.com/uptrace/bun"

	"panel/modules/backups/internal/artefact"
	"panel/platform/audit"
)

// The states of runs and restore tests.
const (
	stateQueued    = "queued"
	stateRunning   = "running"
	stateUploading = "uploading"
	stateSucceeded = "succeeded"
	statePartial   = "partial"
	stateFailed    = "failed"
	stateCancelled = "cancelled"

	interrupted = "interrupted"

	byPerson   = "manual"
	bySchedule = "schedule"
)

// Run is one backup of a profile.
type Run struct {
	ID           string           `json:"id" format:"uuid"`
	ProfileID    string           `json:"profile_id" format:"uuid"`
	ProfileName  string           `json:"profile_name"`
	State        string           `json:"state" enum:"queued,running,uploading,succeeded,partial,failed,cancelled"`
	Trigger      string           `json:"trigger" enum:"manual,schedule"`
	StartedBy    string           `json:"started_by"`
	Step         string           `json:"step" doc:"What it does now, as a word"`
	Bytes        int64            `json:"bytes" doc:"How much of this step is done"`
	Error        string           `json:"error"`
	Artefact     *Artefact        `json:"artefact" doc:"What was written; null while there is nothing"`
	Destinations []RunDestination `json:"destinations"`
	LogTail      string           `json:"log_tail"`
	OperationID  *string          `json:"operation_id" doc:"Operation that shows its progress; null when a schedule started it"`
	CreatedAt    time.Time        `json:"created_at"`
	StartedAt    *time.Time       `json:"started_at"`
	FinishedAt   *time.Time       `json:"finished_at"`
}

// Artefact is what a run has written to each destination that took it.
type Artefact struct {
	Name           string `json:"name"`
	Bytes          int64  `json:"bytes"`
	SHA256         string `json:"sha256" doc:"Digest of the digests of its parts in their order"`
	SchemaVersion  string `json:"schema_version"`
	PanelVersion   string `json:"panel_version"`
	KeyFingerprint string `json:"key_fingerprint" doc:"Names the master key that its secrets are sealed with"`
}

// RunDestination is what became of a run at one destination.
type RunDestination struct {
	ID      string `json:"id" format:"uuid"`
	Kind    string `json:"kind"`
	State   string `json:"state" enum:"queued,succeeded,failed,removed"`
	Error   string `json:"error"`
	URLHint string `json:"url_hint" doc:"Where it is, without secrets"`
	Bytes   int64  `json:"bytes"`
	Panel   string `json:"panel,omitempty" doc:"Of a local one: the machine and folder of the panel that holds it"`
}

const stateRemoved = "removed"

type runRow struct {
	bun.BaseModel `bun:"table:backup_runs,alias:r"`

	ID           string           `bun:"id,pk,type:uuid"`
	ProfileID    string           `bun:"profile_id,type:uuid"`
	ProfileName  string           `bun:"profile_name"`
	State        string           `bun:"state"`
	Trigger      string           `bun:"trigger"`
	Step         string           `bun:"step"`
	Bytes        int64            `bun:"bytes"`
	Error        string           `bun:"error"`
	Artefact     *Artefact        `bun:"artefact,type:jsonb"`
	Destinations []RunDestination `bun:"destinations,type:jsonb"`
	LogTail      string           `bun:"log_tail"`
	CancelAsked  bool             `bun:"cancel_asked"`
	OperationID  *string          `bun:"operation_id,type:uuid"`
	StartedBy    string           `bun:"started_by"`
	AccountID    string           `bun:"account_id"`
	CreatedAt    time.Time        `bun:"created_at"`
	StartedAt    *time.Time       `bun:"started_at"`
	FinishedAt   *time.Time       `bun:"finished_at"`
	SortKey      string           `bun:"sort_key,scanonly"`
}

func (r *runRow) object() audit.Object {
	return audit.Object{Type: objectRun, ID: r.ID, Name: r.ProfileName}
}

func (r *runRow) shown() Run {
	shown := Run{
		ID: r.ID, ProfileID: r.ProfileID, ProfileName: r.ProfileName, State: r.State, Trigger: r.Trigger,
		StartedBy: r.StartedBy, Step: r.Step, Bytes: r.Bytes, Error: r.Error, Artefact: r.Artefact,
		Destinations: r.Destinations, LogTail: r.LogTail, OperationID: r.OperationID, CreatedAt: r.CreatedAt.UTC(),
		StartedAt: utc(r.StartedAt), FinishedAt: utc(r.FinishedAt),
	}
	if shown.Destinations == nil {
		shown.Destinations = []RunDestination{}
	}
	return shown
}

func shownArtefact(m *artefact.Manifest) *Artefact {
	if m == nil {
		return nil
	}
	return &Artefact{
		Name: m.Name, Bytes: m.Bytes(), SHA256: digestOf(m), SchemaVersion: m.SchemaSum, PanelVersion: m.PanelVersion,
		KeyFingerprint: m.KeyID,
	}
}

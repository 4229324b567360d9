package backups

import (
	"time"

	"github.com/uptrace/bun"

	"panel/platform/restored"
)

// Restore is one attempt to restore a backup. A test restores into a scratch database and touches nothing else; a full
// one puts the backup in the place of the panel's database.
type Restore struct {
	ID          string            `json:"id" format:"uuid"`
	RunID       string            `json:"run_id" format:"uuid"`
	Mode        string            `json:"mode" enum:"verify,full"`
	State       string            `json:"state" enum:"queued,running,succeeded,failed"`
	Trigger     string            `json:"trigger" enum:"manual,schedule"`
	StartedBy   string            `json:"started_by"`
	Step        string            `json:"step" doc:"What it does now, as a word"`
	Verdict     string            `json:"verdict" enum:",ok,failed,skipped" doc:"skipped: it could not be tried; error says why"`
	Error       string            `json:"error"`
	Report      *Report           `json:"report" doc:"What was compared; null while there is nothing"`
	Outcome     *restored.Outcome `json:"outcome" doc:"Of a full restore: what to look after; null before its end"`
	OperationID *string           `json:"operation_id"`
	CreatedAt   time.Time         `json:"created_at"`
	StartedAt   *time.Time        `json:"started_at"`
	FinishedAt  *time.Time        `json:"finished_at"`
}

// Report is what a restore test has compared.
type Report struct {
	Tables   int      `json:"tables" doc:"Tables whose rows and checksums are those of the backup"`
	Rows     int64    `json:"rows"`
	Secrets  int      `json:"secrets" doc:"Secrets that the master key opened"`
	Journal  int64    `json:"journal" doc:"Entries of the journal whose chain was proved"`
	Findings []string `json:"findings"`
}

type restoreRow struct {
	bun.BaseModel `bun:"table:backup_restores,alias:v"`

	ID          string            `bun:"id,pk,type:uuid"`
	RunID       string            `bun:"run_id,type:uuid"`
	Mode        string            `bun:"mode"`
	State       string            `bun:"state"`
	Trigger     string            `bun:"trigger"`
	Step        string            `bun:"step"`
	Keys        string            `bun:"keys"`
	Verdict     string            `bun:"verdict"`
	Error       string            `bun:"error"`
	Report      *Report           `bun:"report,type:jsonb"`
	Outcome     *restored.Outcome `bun:"-"`
	OperationID *string           `bun:"operation_id,type:uuid"`
	StartedBy   string            `bun:"started_by"`
	AccountID   string            `bun:"account_id"`
	CreatedAt   time.Time         `bun:"created_at"`
	StartedAt   *time.Time        `bun:"started_at"`
	FinishedAt  *time.Time        `bun:"finished_at"`
	SortKey     string            `bun:"sort_key,scanonly"`
}

func (r *restoreRow) shown() Restore {
	return Restore{
		ID: r.ID, RunID: r.RunID, Mode: r.Mode, State: r.State, Trigger: r.Trigger, StartedBy: r.StartedBy,
		Step: r.Step, Verdict: r.Verdict, Error: r.Error, Report: r.Report, Outcome: r.Outcome,
		OperationID: r.OperationID,
		CreatedAt:   r.CreatedAt.UTC(), StartedAt: utc(r.StartedAt), FinishedAt: utc(r.FinishedAt),
	}
}

// The modes of a restore.
const (
	modeVerify = "verify"
	modeFull   = "full"
)

// KeysInput opens what the panel itself cannot open. It is kept sealed until the test has ended, and shown to nobody.
type KeysInput struct {
	Identity   string `json:"identity,omitempty" maxLength:"256" doc:"The age identity that belongs to the recipient"`
	Passphrase string `json:"passphrase,omitempty" maxLength:"1024" doc:"An earlier passphrase of the profile"`
	MasterKey  string `json:"master_key,omitempty" maxLength:"4096" doc:"The master key that the panel had then"`
}

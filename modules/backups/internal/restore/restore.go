// Package restore puts the panel's database back from an artefact, or proves in a database of its own that it could.
package restore

import (
	"context"
	"errors"
	"time"

	"panel/modules/backups/internal/artefact"
	"panel/platform/vault"
)

// What Verify and Full answer beside the errors of package artefact.
var (
	// ErrKeyMismatch means that the artefact belongs to another master key and none that was given is it.
	ErrKeyMismatch = errors.New("the backup belongs to another master key: give the key that the panel had then")
	// ErrNewerSchema means that a newer panel made the artefact.
	ErrNewerSchema = errors.New("a newer version of the panel made this backup: install that version first")
)

// From is where an artefact is and what opens it.
type From struct {
	At       artefact.Destination
	Manifest *artefact.Manifest
	Keys     artefact.Keys
}

// Panel is what this build and this installation know.
type Panel struct {
	// DSN is the database; "" means that there is none beside which a scratch database could be made.
	DSN      string
	Master   string         // the master key that the panel runs with
	Programs string         // PANEL_PG_BIN
	Steps    []string       // every migration of this build, as recorded
	Sealed   []vault.Column // where sealed texts are
	Scratch  string         // a folder for a private PostgreSQL; "" means that of temporary files
}

// Verdict is what a verification found.
type Verdict string

// OK, something is wrong, or it could not be tried.
const (
	OK      Verdict = "ok"
	Broken  Verdict = "failed"
	Skipped Verdict = "skipped"
)

// Report is the result of Verify.
type Report struct {
	Verdict Verdict
	Reason  string // of Broken and Skipped
	// Private tells that the scratch database was a PostgreSQL of its own.
	Private  bool
	Tables   int   // that hold what the manifest says
	Rows     int64 // in them
	Secrets  int   // that open
	Journal  int64 // entries of the journal's chain that were proved
	Findings []string
}

// Hooks are the steps of the panel in a full restore. Any of them may be nil. An error of a step before Changed undoes
// everything: the database is what it was.
type Hooks struct {
	// Enter ends the panel's own work: maintenance mode. Leave comes at the end, also after a failure.
	Enter func(ctx context.Context) error
	Leave func(ctx context.Context, changed bool)
	// Snapshot keeps the present database first; it is not called for an empty one. Its error stops the restore.
	Snapshot func(ctx context.Context) error
	// SQL reads from the present database what must outlive the restore (a newer license) and answers statements that
	// are run in the restore's own transaction, after the tables were compared with the manifest. old is nil when there
	// is no panel in the present database. The statements meet the schema of the artefact, not that of this build.
	SQL func(ctx context.Context, old Querier) (string, error)
	// Changed is called after the restore was committed, and again at each start until it gave nil, by whoever the
	// caller makes remember it: migrate, rules that need the schema of this build.
	Changed func(ctx context.Context) error
}

// Options of a full restore. While panels are connected it answers pgtools.ErrShared where Alone is set.
type Options struct {
	Hooks    Hooks
	Progress func(artefact.Progress)
	// Alone refuses to begin while other panels are connected; the web's maintenance mode has its own way and says
	// false.
	Alone bool
	// Patience is how long sessions of panels may take to end; a few seconds when zero.
	Patience time.Duration
}

// Outcome is what Full did.
type Outcome struct {
	Changed  bool // the database is that of the artefact
	Tables   int
	Rows     int64
	Resealed int // secrets that are now sealed with the panel's own master key
}

// Querier reads the present database.
type Querier interface {
	QueryRow(ctx context.Context, dest []any, query string, args ...any) error
}

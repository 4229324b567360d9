// Package artefact writes a backup of the panel as a stream of parts to several destinations at once, and reads it
// back.
//
// An artefact is a number of files with one name in front: per entry (database, secret_store, config) the parts of one
// stream, "<name>.database.0001" and so on, and the manifest "<name>.manifest". The stream of an entry is what the
// entry gives, packed by zstd, then encrypted by age: without the panel, "cat *.database.* | age -d | zstd -d" gives
// the database's dump for pg_restore. The manifest is written last; files without one are no artefact and are never
// offered.
package artefact

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/jonboulle/clockwork"
)

// Destination is a place where artefacts are kept. It knows files and no artefacts.
type Destination interface {
	// Put keeps a file under a name that is not there yet. The file is there with its whole content, or not at all. A
	// Put that collects content before it sends it calls Moving(ctx) as it sends, so that it does not seem to stall.
	Put(ctx context.Context, file string, content io.Reader) error
	// Open gives the content of a file, ErrMissing if it is not there, ErrWriteOnly where files cannot be had back.
	Open(ctx context.Context, file string) (io.ReadCloser, error)
	// Files gives the files of the place, in no order, or ErrWriteOnly.
	Files(ctx context.Context) ([]File, error)
	// Remove takes a file away; one that is not there is no error. ErrWriteOnly where that cannot be done.
	Remove(ctx context.Context, file string) error
	// Check proves that a small file can be kept, read and taken away, as far as the place can do it.
	Check(ctx context.Context) error
	// Limits says what the place takes.
	Limits() Limits
	// Close ends connections.
	Close() error
}

// File is one file of a destination.
type File struct {
	Name  string
	Bytes int64
}

// Limits are what a destination takes.
type Limits struct {
	// PartBytes is the largest file; 0 means any.
	PartBytes int64
	// Encrypted means that nothing is kept there that is not encrypted.
	Encrypted bool
}

// What destinations and readers answer.
var (
	ErrMissing = errors.New("the file is not there")
	// ErrNone is the ErrMissing of a place that holds no backup at all.
	ErrNone      error = noBackup{}
	ErrWriteOnly       = errors.New("files of this destination cannot be had back by the panel: " +
		"download them by hand into a folder and name the folder")
	// ErrDamaged means that an artefact is not what was written: nothing of it may be used.
	ErrDamaged = errors.New("the backup is damaged or was changed")
	// ErrNeedsKey means that the artefact is encrypted and no key that was given opens it.
	ErrNeedsKey = errors.New("the backup is encrypted, and the key that was given does not open it")
	// ErrPlain means that an unencrypted artefact was to hold secrets or to go to a place that takes none.
	ErrPlain = errors.New("this needs an encrypted backup: choose a recipient or a passphrase")
	// ErrStalled means that a destination took nothing for so long that it was given up.
	ErrStalled = errors.New("the destination took nothing for too long and was given up")
)

// Telemetry says how much of the measurements a dump holds.
type Telemetry string

// None of the measurements, their means of minutes alone, or all. The tables are there in any case.
const (
	TelemetryNone    Telemetry = "none"
	TelemetryRollups Telemetry = "rollups"
	TelemetryAll     Telemetry = "all"
)

// Entry is one stream of an artefact.
type Entry string

// The entries that there are.
const (
	Database    Entry = "database"
	SecretStore Entry = "secret_store" // the master key; only in encrypted artefacts
	Config      Entry = "config"       // a tar of the settings' files
)

// Mode is the way of encryption.
type Mode string

// The modes of encryption.
const (
	ByRecipient  Mode = "age"
	ByPassphrase Mode = "passphrase"
	Plain        Mode = "none"
)

// Encryption says how a new artefact is encrypted.
type Encryption struct {
	Mode       Mode
	Recipient  string // ByRecipient: age1…
	Passphrase string // ByPassphrase
}

// Keys open an artefact and prove its manifest.
type Keys struct {
	Identity   string // the AGE-SECRET-KEY-1… that belongs to the recipient
	Passphrase string
	// Masters are master keys: the panel's own, then earlier ones. The manifest is sealed with the one that the panel
	// had when it wrote it.
	Masters []string
}

// Source is the panel that is backed up.
type Source struct {
	// DSN is the address of its database.
	DSN string
	// Programs is the folder of PANEL_PG_BIN, or empty.
	Programs string
	// Master is the panel's master key, Previous the earlier ones.
	Master   string
	Previous []string
	// Settings are the files of the config entry: panel.env and what belongs to it. Those that are missing are left
	// out.
	Settings []string
	// Version is the panel's.
	Version string
}

// Options say what a new artefact holds and how it is written.
type Options struct {
	// Word is part of the name: small letters, digits and hyphens, for example the profile's.
	Word        string
	SecretStore bool
	Config      bool
	Telemetry   Telemetry // "" means all
	Encryption  Encryption
	// PartBytes is the size of a part; 0 means 256 MiB. The smallest limit of the destinations counts where it is less.
	PartBytes int64
	// Stall is how long a destination may take nothing; 0 means a minute.
	Stall time.Duration
	// Clock gives the time; nil means the real one.
	Clock clockwork.Clock
	// Progress is called from time to time with how far it is, from one goroutine at a time; nil means nobody asks.
	Progress func(Progress)
}

// Progress is how far a backup or a restore is.
type Progress struct {
	// Step is "checking", "dumping", "uploading", "verifying", "saving", "restoring", "migrating" or "finishing".
	Step  string
	Entry Entry
	Bytes int64 // of this step so far
	Total int64 // 0 while nobody can know
}

type moving struct{}

// Moving tells whoever waits for a destination that bytes are on their way.
func Moving(ctx context.Context) {
	if touch, waits := ctx.Value(moving{}).(func()); waits {
		touch()
	}
}

// Target is a destination under the name by which results speak of it.
type Target struct {
	Name string
	Destination
}

// State is what became of a run.
type State string

// A run is partial when at least one destination has the artefact and another has not.
const (
	Succeeded State = "succeeded"
	Partial   State = "partial"
	Failed    State = "failed"
)

// Result is what became of a new artefact.
type Result struct {
	State    State
	Manifest *Manifest // nil when no artefact came about
	Targets  []TargetResult
}

// TargetResult is what became of it at one destination; Err is nil where the artefact is complete.
type TargetResult struct {
	Name  string
	Bytes int64
	Err   error
}

type noBackup struct{}

func (noBackup) Error() string { return "there is no backup in this place yet" }

func (noBackup) Unwrap() error { return ErrMissing }

package artefact

import (
	"context"
	"errors"
	"io"
)

var errUnbuilt = errors.New("not built")

// Create writes a new artefact to all targets. A target that fails or stalls does not hold the others: its TargetResult
// has the reason, and the state is Partial. The error is nil when at least one target has the artefact; else it says why
// none has: what ended the stream (ErrPlain, *pgtools.Missing, a failed dump), or that each target failed.
func Create(ctx context.Context, from Source, o Options, to []Target) (Result, error) {
	return Result{}, errUnbuilt
}

// Listed is an artefact of a destination.
type Listed struct {
	Manifest *Manifest
	// Authentic tells that the manifest's seal was proved with one of the given master keys; without the key it is only
	// known to be whole.
	Authentic bool
}

// List gives the artefacts of a destination, newest first. Files without a manifest are not among them. A manifest that
// is damaged comes as an error of its own beside the others (errors.Join of ErrDamaged with its name).
func List(ctx context.Context, at Destination, keys Keys) ([]Listed, error) { return nil, errUnbuilt }

// Find gives one artefact by its name; "" or "latest" means the newest. ErrMissing, ErrDamaged.
func Find(ctx context.Context, at Destination, name string, keys Keys) (Listed, error) {
	return Listed{}, errUnbuilt
}

// Prove reads every part and compares it with the manifest: ErrDamaged for a missing, swapped, reordered or changed one.
func Prove(ctx context.Context, at Destination, m *Manifest, progress func(Progress)) error {
	return errUnbuilt
}

// Open gives the plain content of an entry. Each part is given out only after its digest was proved to its end, and an
// error of the reader means that nothing read so far may be used. ErrNeedsKey, ErrDamaged.
func Open(ctx context.Context, at Destination, m *Manifest, entry Entry, keys Keys) (io.ReadCloser, error) {
	return nil, errUnbuilt
}

// Remove takes an artefact away, its manifest first, so that a half of it is never offered.
func Remove(ctx context.Context, at Destination, m *Manifest) error { return errUnbuilt }

// Prune removes what was left behind by interrupted runs: parts without a manifest that are older than a day.
// Names that do not look like an artefact's are left alone.
func Prune(ctx context.Context, at Destination) error { return errUnbuilt }

package selfupdate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"panel/platform/release"
)

var (
	errOlder    = errors.New("the release is not newer than the panel that runs")
	errChanged  = errors.New("the release server offers another version than the one that was asked for")
	errTooOld   = errors.New("the panel is too old for this release")
	errPlatform = errors.New("the release has no panel for this machine")
)

// fetch reads the release anew, whatever the panel said of it, and tries the executable before the panel is stopped.
func (e *Engine) fetch(ctx context.Context, s *state) error {
	found, err := e.Look(ctx, s.Manifest)
	if err != nil {
		return err
	}
	if err := suits(found.Manifest, s.From, s.To); err != nil {
		return err
	}
	programs, err := programsOf(found.Manifest, e.Paths.folder())
	if err != nil {
		return err
	}
	folder := filepath.Dir(e.Paths.fetched())
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("make the folder of the new executable: %w", err)
	}
	if err := e.Host.Room(ctx, folder, sizeOf(programs)); err != nil {
		return err
	}
	if err := found.Fetch(ctx, programs[0].artefact, e.Paths.fetched()); err != nil {
		return err
	}
	if s.Beside, err = fetchBeside(ctx, found, programs[1:], folder); err != nil {
		return err
	}
	return e.try(ctx, found.Manifest.Version)
}

// try proves that the executable runs here and is what the manifest calls it.
func (e *Engine) try(ctx context.Context, version string) error {
	if err := os.Chmod(e.Paths.fetched(), 0o700); err != nil {
		return fmt.Errorf("make the new executable runnable: %w", err)
	}
	said, err := e.Host.Try(ctx, e.Paths.fetched())
	if err != nil {
		return fmt.Errorf("the new executable does not run on this machine: %w", err)
	}
	if release.Compare(said, version) != 0 {
		return fmt.Errorf("%w: it calls itself %s", release.ErrDamaged, said)
	}
	return nil
}

// suits refuses what an old but rightly signed manifest could do: bring an older panel back.
func suits(m release.Manifest, current, wanted string) error {
	switch {
	case release.Compare(m.Version, current) <= 0:
		return fmt.Errorf("%w: %s after %s", errOlder, m.Version, current)
	case wanted != "" && release.Compare(m.Version, wanted) != 0:
		return fmt.Errorf("%w: %s", errChanged, m.Version)
	case m.MinPanel != "" && release.Valid(current) && release.Compare(current, m.MinPanel) < 0:
		return fmt.Errorf("%w: install %s first", errTooOld, m.MinPanel)
	}
	if _, err := m.Artefact(release.Panel, release.Platform()); err != nil {
		return errPlatform
	}
	return nil
}

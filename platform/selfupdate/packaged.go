package selfupdate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"panel/platform/database"
	"panel/platform/release"
)

// beforePackage makes the set of the panel that a package is about to replace, by the executable that it replaces. The
// panel goes on meanwhile, so what is written after it is lost on a way back that restores the database.
func (e *Engine) beforePackage(ctx context.Context, current string) error {
	if err := os.RemoveAll(e.Paths.packaged()); err != nil {
		return fmt.Errorf("make room for the set: %w", err)
	}
	about, err := os.Stat(e.Self)
	if err != nil {
		return fmt.Errorf("look at this executable: %w", err)
	}
	if err := e.Host.Room(ctx, e.Paths.Work, about.Size()); err != nil {
		return err
	}
	if err := e.keepSelf(); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(filepath.Dir(e.Paths.self())) }()
	err = e.take(ctx, e.Paths.packaged(), set{
		Version: current, TakenAt: e.Clock.Now().UTC(),
		Beside: []string{release.Agent, release.ManifestFile, release.SignatureFile},
	})
	if err != nil {
		return errors.Join(fmt.Errorf("keep the panel before the package: %w", err), os.RemoveAll(e.Paths.packaged()))
	}
	return nil
}

// afterPackage opens the way back from what a package installed, by the executable that it installed. Without a set
// there is nothing to do.
func (e *Engine) afterPackage(ctx context.Context, current string) error {
	s, err := readSet(e.Paths.packaged())
	if err != nil || release.Compare(s.Version, current) == 0 {
		return os.RemoveAll(e.Paths.packaged())
	}
	if err := e.keepSelf(); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(filepath.Dir(e.Paths.self())) }()
	running, healthy := e.Host.Health(ctx)
	if err := e.becomeKept(ctx, e.Paths.packaged(), current, healthy && release.Compare(running,
		current) == 0); err != nil {
		return err
	}
	return e.report(line{
		Run: database.NewID(), Kind: kindUpdate, From: s.Version, To: current, By: "root", State: Done,
		Kept: e.describeKept(),
	})
}

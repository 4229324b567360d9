package selfupdate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/platform/durable"
	"panel/platform/release"
)

// Engine is root's half: it carries one run through its stages. Every stage is written down before it begins and may be
// done again, so that a run goes on after a crash at any line.
type Engine struct {
	Paths  Paths
	Host   Host
	Owner  *identity // of what root writes into the panel's folder
	Clock  clockwork.Clock
	Self   string                     // the executable of this process
	Report func(state, detail string) // progress for the log and the terminal
	Look   func(ctx context.Context, from string) (*release.Release, error)
}

// Paths are the places that a run works on.
type Paths struct {
	Binary   string // the executable that the service runs
	Settings string // /etc/panel/panel.env
	Work     string // root's own folder
	Data     string // PANEL_DATA_DIR
}

// Host is this machine as a run needs it.
type Host interface {
	Stop(ctx context.Context) error
	Start(ctx context.Context) error                           // does not wait until the panel is ready
	Broken(ctx context.Context) bool                           // the service has given up or starts again and again
	Health(ctx context.Context) (version string, healthy bool) // of the panel that runs
	Try(ctx context.Context, binary string) (string, error)    // runs a new executable without touching anything
	Schema(ctx context.Context) (string, error)                // fingerprint of the applied migrations
	Dump(ctx context.Context, file string) error               // whole database into file
	Restore(ctx context.Context, file string) error            // whole database from file, all or nothing
	Room(ctx context.Context, folder string, need int64) error // enough disk for need bytes and a dump
	Migrating(ctx context.Context) bool                        // the panel that starts is at work on the database
}

const (
	// healthyWithin leaves time to return within a minute of the start of a panel that never becomes healthy.
	healthyWithin = 45 * time.Second
	oldWithin     = 60 * time.Second
	lookEvery     = 500 * time.Millisecond
	// migratingWithin bounds a start that brings the database up to date, just below the 15 minutes of panel.service.
	migratingWithin = 14 * time.Minute
	// afterMigrating is what such a start gets from one sign of work to the next, and after the last one.
	afterMigrating = 20 * time.Second
	// tries bounds how often a stage is begun anew after crashes.
	tries = 3
	// staleAfter is the age from which a request no longer says what its author wants.
	staleAfter = 15 * time.Minute
)

// stageKeeping follows Checking: the set becomes the one that a rollback uses.
const stageKeeping = "keeping"

// Unfinished tells whether a run waits to be carried on.
func (e *Engine) Unfinished() bool { return exists(e.Paths.state()) }

// Run carries on an unfinished run, else takes a request; without either there is nothing to do. current is the version
// of this executable. Only one process at a time may call it.
func (e *Engine) Run(ctx context.Context, current string) error {
	data, err := os.OpenRoot(e.Paths.Data)
	if err != nil {
		return fmt.Errorf("open the data folder: %w", err)
	}
	defer data.Close()
	begin := func(r request) error { return e.begin(r, current) }
	if e.Unfinished() {
		begin = func(request) error { return nil } // it is the run that goes on, or came too late
	}
	if err := takeRequest(data, begin); err != nil && !e.Unfinished() {
		return err
	}
	return e.carryOn(ctx)
}

// begin writes a run down before anything else happens. The executable of this process is kept beside, because the one
// in its place may be replaced by one that cannot even start.
func (e *Engine) begin(r request, current string) error {
	s := state{
		Run:      r.ID,
		Kind:     r.Kind,
		From:     current,
		To:       r.Version,
		By:       r.By,
		Manifest: r.from,
		Stage:    Fetching,
		Tries:    map[string]int{},
	}
	if e.Clock.Since(r.At) > staleAfter {
		return e.close(s, Failed,
			"it was asked for at "+r.At.UTC().Format(time.RFC3339)+" and nobody began it; ask again")
	}
	if r.Kind == kindRollback {
		back, err := e.wayBack(current)
		if err != nil {
			return e.close(s, Failed, err.Error())
		}
		s.To, s.Stage = back.Version, Returning
	}
	if err := errors.Join(e.sweep(), e.keepSelf()); err != nil {
		return err
	}
	return e.note(s)
}

// wayBack is the kept set, while it may be used: what was written since would be lost with an older one.
func (e *Engine) wayBack(current string) (set, error) {
	back, err := openSet(e.Paths.kept())
	switch {
	case err != nil || release.Compare(back.Next, current) != 0:
		return back, errors.New("there is no kept set of the release before")
	case e.Clock.Since(back.TakenAt) > keepFor:
		return back, errors.New("the set of the release before is too old")
	}
	return back, nil
}

// sweep removes what no run can use any more: drafts of one that was killed, the set of one that came to nothing, and a
// kept set that is too old.
func (e *Engine) sweep() error {
	err := errors.Join(durable.Sweep(e.Paths.folder()), os.RemoveAll(e.Paths.set()))
	if back, opened := readSet(e.Paths.kept()); opened == nil && e.Clock.Since(back.TakenAt) > keepFor {
		err = errors.Join(err, os.RemoveAll(e.Paths.kept()))
	}
	if err != nil {
		return fmt.Errorf("remove an old set: %w", err)
	}
	return nil
}

// keepSelf lets the panel's user run the copy: it dumps and restores with it.
func (e *Engine) keepSelf() error {
	for _, folder := range []string{e.Paths.Work, filepath.Dir(e.Paths.self())} {
		if err := makeFolder(folder, 0o711); err != nil {
			return err
		}
	}
	_, err := copyWhole(e.Self, e.Paths.self(), 0o755)
	return err
}

func (e *Engine) carryOn(ctx context.Context) error {
	for {
		s, err := e.read()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := e.once(ctx, s); err != nil {
			return err
		}
	}
}

// once does one stage. An error of the stage is part of the run; only what keeps the run itself from being written down
// ends the process, to be tried again.
func (e *Engine) once(ctx context.Context, s state) error {
	s.Tries[s.Stage]++
	if s.Tries[s.Stage] > tries {
		return e.failed(s, errors.New("it was interrupted again and again"))
	}
	if err := e.store(s); err != nil {
		return err
	}
	next, err := e.stage(ctx, &s)
	if ctx.Err() != nil {
		return fmt.Errorf("the run waits to be carried on: %w", ctx.Err())
	}
	switch {
	case err != nil:
		return e.failed(s, err)
	case next == Done, next == Returned:
		return e.close(s, next, s.Reason)
	}
	s.Stage = next
	return e.note(s)
}

// failed decides what a failing stage means: before the panel was stopped nothing has changed; afterwards the set comes
// back; when that fails too an operator is needed.
func (e *Engine) failed(s state, cause error) error {
	switch s.Stage {
	case Fetching:
		return e.close(s, Failed, cause.Error())
	case Returning:
		return e.close(s, Failed, join(s.Reason, "the way back failed: "+cause.Error()))
	case stageKeeping:
		return e.close(s, Done, "the set of the release before could not be kept: "+cause.Error())
	}
	s.Stage, s.Reason = Returning, cause.Error()
	return e.note(s)
}

func join(first, second string) string {
	if first == "" {
		return second
	}
	return first + "; " + second
}

func (e *Engine) stage(ctx context.Context, s *state) (next string, err error) {
	switch s.Stage {
	case Fetching:
		return Stopping, e.fetch(ctx, s)
	case Stopping:
		return Saving, e.Host.Stop(ctx)
	case Saving:
		return Replacing, e.save(
			ctx,
			set{Run: s.Run, Version: s.From, Next: s.To, TakenAt: e.Clock.Now().UTC(), Beside: s.Beside},
		)
	case Replacing:
		return Starting, e.replace(ctx, s.Beside)
	case Starting:
		return Checking, e.restart(ctx)
	case Checking:
		return stageKeeping, e.await(ctx, s.To, healthyWithin)
	case stageKeeping:
		return Done, e.keep(ctx, s.To)
	case Returning:
		return e.goBack(ctx, s)
	}
	return "", fmt.Errorf("the run is in the unknown stage %q", s.Stage)
}

// replace stops the panel again: after a power failure it was started with the machine.
func (e *Engine) replace(ctx context.Context, beside []string) error {
	if err := e.Host.Stop(ctx); err != nil {
		return err
	}
	if err := e.putBeside(filepath.Dir(e.Paths.fetched()), beside); err != nil {
		return err
	}
	_, err := copyWhole(e.Paths.fetched(), e.Paths.Binary, 0o755)
	return err
}

// restart begins from a stopped service, so that a stage that is done again meets no panel of the attempt before.
func (e *Engine) restart(ctx context.Context) error {
	if err := e.Host.Stop(ctx); err != nil {
		return err
	}
	return e.Host.Start(ctx)
}

var errUnhealthy = errors.New("the new panel did not become healthy")

// await gives a panel its time. Only one that is seen working on the database gets more.
func (e *Engine) await(ctx context.Context, version string, within time.Duration) error {
	began := e.Clock.Now()
	for until := began.Add(within); ; {
		running, healthy := e.Host.Health(ctx)
		if healthy && release.Compare(running, version) == 0 {
			return nil
		}
		if e.Host.Broken(ctx) {
			return fmt.Errorf("%w: its service failed", errUnhealthy)
		}
		if now := e.Clock.Now(); !now.Before(until) {
			if now.Sub(began) >= migratingWithin || !e.Host.Migrating(ctx) {
				return fmt.Errorf("%w within %d s", errUnhealthy, int(now.Sub(began).Seconds()))
			}
			e.Report(Checking, "the database is still brought up to date")
			until = now.Add(afterMigrating)
		}
		select {
		case <-e.Clock.After(lookEvery):
		case <-ctx.Done():
			return fmt.Errorf("wait for the panel: %w", ctx.Err())
		}
	}
}

// keep leaves the way back open. The set is gone when this was done before.
func (e *Engine) keep(ctx context.Context, next string) error {
	if exists(e.Paths.set()) {
		if err := e.becomeKept(ctx, e.Paths.set(), next, true); err != nil {
			return err
		}
	}
	return os.RemoveAll(filepath.Dir(e.Paths.fetched()))
}

// goBack brings the set back and waits for the panel of it. Without a finished set nothing was replaced yet, and only
// the service is started again.
func (e *Engine) goBack(ctx context.Context, s *state) (string, error) {
	folder, wanted, end := e.Paths.set(), s.From, Returned
	if s.Kind == kindRollback {
		folder, wanted, end = e.Paths.kept(), s.To, Done
	}
	err := e.Host.Stop(ctx)
	if err == nil {
		err = e.bring(ctx, folder, s)
	}
	if started := e.Host.Start(ctx); err == nil {
		err = started
	}
	if err != nil {
		return "", err
	}
	return end, e.await(ctx, wanted, oldWithin)
}

// bring takes only the set that this run made: one of an earlier run holds a database of that time.
func (e *Engine) bring(ctx context.Context, folder string, s *state) error {
	back, err := openSet(folder)
	if s.Kind == kindUpdate && (errors.Is(err, fs.ErrNotExist) || err == nil && back.Run != s.Run) {
		return nil
	}
	if err != nil {
		return err
	}
	return e.putBack(ctx, folder, back)
}

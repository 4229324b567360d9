package install

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/core"
	"panel/platform/agentapi"
)

// Core is the supervised core.
type Core interface {
	Check(ctx context.Context, raw []byte) error
	Swap(ctx context.Context, spec core.Spec) error
	Start(ctx context.Context, spec core.Spec) error
	Clear(ctx context.Context, revision int64, hash string)
	Relabel(revision int64)
	Adopt(ctx context.Context, wanted ...string) (core.Meta, bool)
}

// Source gives configurations: the panel.
type Source interface {
	Config(ctx context.Context, revision int64) (agentapi.NodeConfig, error)
}

// Options of an Installer.
type Options struct {
	Dir     string
	Core    Core
	Source  Source
	Clock   clockwork.Clock
	Log     *zap.Logger
	Release func(l4 string, port int) // frees a port that a probe holds
	Changed func()                    // what is installed or to be reported has changed
}

const (
	defaultHold = 10 * time.Minute
	stageLimit  = 60 * time.Second
	firstRetry  = 2 * time.Second
	lastRetry   = time.Minute
)

// Installer owns which configuration this node serves. Every act on the core goes through it, one at a time.
type Installer struct {
	Options
	store  store
	wakeup chan struct{}

	acts  sync.Mutex // held through fetch, test and switch
	state state

	mu       sync.Mutex
	desired  agentapi.Desired
	running  mark
	applyID  string
	refused  map[string]bool // hashes that the core did not take in this run
	failures int
}

// New reads what the node had installed. Call Boot next.
func New(o Options) (*Installer, error) {
	i := &Installer{Options: o, store: store{dir: o.Dir}, wakeup: make(chan struct{}, 1), refused: map[string]bool{}}
	var err error
	i.state, err = i.store.load()
	return i, err
}

// Boot takes over the cores that serve, or starts the last good configuration; the panel is not needed for it.
func (i *Installer) Boot(ctx context.Context) error {
	i.acts.Lock()
	defer i.acts.Unlock()
	meta, serving := i.Core.Adopt(ctx, i.wanted()...)
	i.settle(meta, serving)
	if err := i.store.save(i.state); err != nil {
		return err
	}
	switch {
	case serving:
		return i.goOn(ctx, meta)
	case i.state.Installed == nil:
		return nil
	}
	return i.startInstalled(ctx)
}

// goOn continues with an adopted core; one that serves neither the last good content nor a begun switch is replaced.
func (i *Installer) goOn(ctx context.Context, meta core.Meta) error {
	i.note(i.labelOf(meta))
	if i.state.Installed == nil || slices.Contains(i.wanted(), meta.Hash) {
		return nil
	}
	return i.serve(ctx, *i.state.Installed)
}

// wanted ranks the cores to go on with: the one of a switch that had begun, then the last good one.
func (i *Installer) wanted() []string {
	var hashes []string
	if i.state.Switching != nil {
		hashes = append(hashes, i.state.Switching.Hash)
	}
	if i.state.Installed != nil {
		hashes = append(hashes, i.state.Installed.Hash)
	}
	return hashes
}

// settle ends a switch that a crash has cut: it happened if the new core serves, else it never did.
func (i *Installer) settle(meta core.Meta, serving bool) {
	if i.state.Switching == nil {
		return
	}
	if serving && meta.Hash == i.state.Switching.Hash {
		i.state.Switching.Done = true
		return
	}
	i.state.Switching = nil
}

// labelOf gives the newest revision under which this content is known.
func (i *Installer) labelOf(meta core.Meta) mark {
	label := mark{Revision: meta.Revision, Hash: meta.Hash}
	if i.state.Switching != nil && i.state.Switching.Hash == meta.Hash {
		label = i.state.Switching.mark
	} else if i.state.Installed != nil && i.state.Installed.Hash == meta.Hash {
		label = *i.state.Installed
	}
	i.Core.Relabel(label.Revision)
	return label
}

func (i *Installer) startInstalled(ctx context.Context) error {
	config, err := i.store.get(*i.state.Installed)
	if err != nil {
		return err
	}
	i.note(*i.state.Installed)
	if !config.HasCore() {
		i.Core.Clear(ctx, config.Revision, config.Hash)
		return nil
	}
	if err := i.Core.Start(ctx, spec(config)); err != nil {
		i.Log.Error("the last good configuration does not start yet; it is tried again", zap.Error(err))
	}
	return nil
}

func spec(config agentapi.NodeConfig) core.Spec {
	return core.Spec{Revision: config.Revision, Hash: config.Hash, Core: config.Core}
}

func (i *Installer) note(m mark) {
	i.mu.Lock()
	i.running = m
	i.applyID = ""
	if i.state.Switching != nil {
		i.applyID = i.state.Switching.ApplyID
	}
	i.mu.Unlock()
	i.Changed()
}

// Running is the configuration that is served, and the apply that waits for its commit.
func (i *Installer) Running() (revision int64, hash, applyID string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.running.Revision, i.running.Hash, i.applyID
}

// Outcome is a report that the panel does not have yet.
func (i *Installer) Outcome() (agentapi.ConfigResult, bool) { return i.store.outcome() }

// Reported forgets a report that the panel has.
func (i *Installer) Reported(result agentapi.ConfigResult) error { return i.store.dropOutcome(result) }

// serve makes the core serve a configuration that is on disk. Equal content only changes its label.
func (i *Installer) serve(ctx context.Context, m mark) error {
	if _, hash, _ := i.Running(); hash == m.Hash {
		i.Core.Relabel(m.Revision)
		i.note(m)
		return nil
	}
	config, err := i.store.get(m)
	if err != nil {
		return err
	}
	for _, listener := range config.Listeners {
		i.Release(listener.L4, listener.Port)
	}
	if !config.HasCore() {
		i.Core.Clear(ctx, m.Revision, m.Hash)
	} else if err := i.Core.Swap(ctx, spec(config)); err != nil {
		return err
	}
	i.note(m)
	return nil
}

// take fetches a revision, compares its hash and lets the core test it. Content that was good on this node is not
// fetched again.
func (i *Installer) take(ctx context.Context, m mark) (agentapi.Stage, error) {
	if i.state.isGood(m.Hash) || i.state.isTested(m.Hash) {
		if _, err := i.store.get(m); err == nil {
			return "", nil
		}
	}
	config, err := i.Source.Config(ctx, m.Revision)
	if err != nil {
		return agentapi.StageFetch, err
	}
	if config.Hash != m.Hash {
		return agentapi.StageFetch, fmt.Errorf("fetch configuration %d: the panel has another content than was ordered",
			m.Revision)
	}
	if config.HasCore() {
		if err := i.Core.Check(ctx, config.Core); err != nil {
			return agentapi.StageTest, err
		}
	}
	return "", i.store.put(config)
}

// commit makes a mark the last good one.
func (i *Installer) commit(m mark) error {
	next := i.state
	if next.Installed != nil && next.Installed.Hash != m.Hash {
		next.Previous = next.Installed
	}
	next.Installed, next.Switching = &m, nil
	next.Tested = slices.DeleteFunc(slices.Clone(next.Tested), func(t mark) bool { return t.Hash == m.Hash })
	if err := i.keep(next); err != nil {
		return err
	}
	return i.store.sweep(i.state)
}

func (i *Installer) keep(next state) error {
	if err := i.store.save(next); err != nil {
		return err
	}
	i.state = next
	return nil
}

// adoptAsDesired keeps a word of the panel that is older than its own commit from taking the commit back.
func (i *Installer) adoptAsDesired(m mark) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.desired = agentapi.Desired{DesiredRevision: m.Revision, DesiredHash: m.Hash}
}

// CrashLoop goes back to the last good configuration when the serving one keeps crashing, and reports it.
func (i *Installer) CrashLoop(crashed core.Meta, words string) {
	ctx, cancel := context.WithTimeout(context.Background(), stageLimit)
	defer cancel()
	i.acts.Lock()
	defer i.acts.Unlock()
	bad, good := i.fallback(crashed.Hash)
	if good == nil {
		i.Log.Error("the core keeps crashing and there is no other good configuration", zap.String("hash",
			crashed.Hash))
		return
	}
	next := i.state
	next.Installed, next.Switching = good, nil
	if next.Previous != nil && next.Previous.Hash == good.Hash {
		next.Previous = nil
	}
	next.Bad = append(slices.Clone(next.Bad), bad.Hash)
	err := errors.Join(i.keep(next), i.serve(ctx, *good))
	if err != nil {
		i.Log.Error("the last good configuration could not be served", zap.Error(err))
	}
	i.report(bad, agentapi.StageRun,
		errors.New("the core kept crashing with this configuration; the last good one serves again"), words)
}

func (i *Installer) fallback(hash string) (bad mark, good *mark) {
	switch {
	case i.state.Switching != nil && i.state.Switching.Hash == hash && i.state.Installed != nil &&
		i.state.Installed.Hash != hash:
		return i.state.Switching.mark, i.state.Installed
	case i.state.Installed != nil && i.state.Installed.Hash == hash && i.state.Previous != nil:
		return *i.state.Installed, i.state.Previous
	}
	return mark{}, nil
}

func (i *Installer) report(m mark, stage agentapi.Stage, cause error, words string) {
	result := agentapi.ConfigResult{
		Revision: m.Revision, Hash: m.Hash, OK: cause == nil, Stage: stage,
		StderrTail: words,
	}
	if cause != nil {
		result.Error = cause.Error()
	}
	result.RunningRevision, result.RunningHash, _ = i.Running()
	if err := i.store.saveOutcome(result); err != nil {
		i.Log.Error("a report could not be written down", zap.Error(err))
	}
	i.Changed()
}

// words are the core's own about an error, where it said any.
func words(err error) string {
	var refused *core.Refused
	var failed *core.StartFailed
	switch {
	case errors.As(err, &refused):
		return refused.Words
	case errors.As(err, &failed):
		return failed.Words
	}
	return ""
}

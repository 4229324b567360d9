package core

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/core/listlog"
	"panel/cmd/panel-agent/internal/disk"
	"panel/platform/agentapi"
)

// Timing of replacement and repair.
const (
	overlap      = time.Second      // a replaced core keeps its listeners this long, for handshakes that are under way
	loopWindow   = 60 * time.Second // crashes counted together
	loopCrashes  = 4                // so many within the window are a loop
	firstRestart = 200 * time.Millisecond
	longestPause = 30 * time.Second
	hangLook     = 5 * time.Second
	hangMisses   = 4
	mostDraining = 3
	defaultDrain = 5 * time.Minute
	stopPatience = 3 * time.Second
)

// Options of a Supervisor.
type Options struct {
	Executable string        // this executable: started again as `core`
	Dir        string        // folder of the core processes
	Assets     string        // folder of the geo files
	Drain      time.Duration // how long open streams may outlive their core; 0 = 5 minutes
	Clock      clockwork.Clock
	Log        *zap.Logger
	Changed    func()                           // the report has changed
	Looping    func(crashed Meta, words string) // this configuration keeps crashing
}

// Supervisor keeps one core serving, replaces it, and starts it again when it dies.
type Supervisor struct {
	executable, dir, assets string
	drainFor                time.Duration
	clock                   clockwork.Clock
	log                     *zap.Logger
	changed                 func()
	looping                 func(Meta, string)

	swap     sync.Mutex // one replacement at a time
	listing  sync.Mutex // one change of the clients at a time
	logs     map[string]*listlog.Log
	told     bool // every core knows what lies in logs
	retiring sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	current  *instance
	draining map[string]*instance // replaced ones, from the moment of their replacement until they end
	starting map[string]bool      // folders of cores that are not ready yet
	repair   int                  // the newest repair; an older one gives up
	spec     Spec
	state    agentapi.CoreState
	words    string
	restarts int64
	crashes  []time.Time
	wake     context.CancelFunc // ends the pause before a restart
	quotas   *quotas
}

// New makes a supervisor that serves nothing yet.
func New(o Options) (*Supervisor, error) {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of the cores: %w", err)
	}
	s := &Supervisor{
		executable: o.Executable, dir: o.Dir, assets: o.Assets, drainFor: o.Drain, clock: o.Clock, log: o.Log,
		changed: o.Changed, looping: o.Looping, draining: map[string]*instance{}, starting: map[string]bool{},
		logs: map[string]*listlog.Log{}, state: agentapi.CoreStopped,
	}
	s.quotas = openQuotas(s.dir, s.log)
	if s.drainFor <= 0 {
		s.drainFor = defaultDrain
	}
	if s.changed == nil {
		s.changed = func() {}
	}
	return s, nil
}

// Adopt takes over the cores that an earlier agent left. Of several ready ones, that with the earliest hash in wanted
// goes on, else the newest; the others drain. It says what serves now; false when nothing does.
func (s *Supervisor) Adopt(ctx context.Context, wanted ...string) (Meta, bool) {
	s.swap.Lock()
	defer s.swap.Unlock()
	ready := s.findLiving(ctx)
	if len(ready) == 0 {
		return Meta{}, false
	}
	slices.SortFunc(ready, func(a, b *instance) int { return b.StartedAt.Compare(a.StartedAt) })
	best := slices.MinFunc(ready, func(a, b *instance) int { return rank(wanted, a.Hash) - rank(wanted, b.Hash) })
	for _, other := range ready {
		if other != best {
			s.retire(ctx, other)
		}
	}
	s.install(best, s.readSpec(best))
	return best.Meta, true
}

func rank(wanted []string, hash string) int {
	if at := slices.Index(wanted, hash); at >= 0 {
		return at
	}
	return len(wanted)
}

func (s *Supervisor) findLiving(ctx context.Context) []*instance {
	var ready []*instance
	for _, dir := range s.folders() {
		inst, at, ok := takeOver(ctx, dir)
		switch {
		case !ok:
		case at == phaseReady:
			ready = append(ready, inst)
		case at == phaseDraining:
			s.keepDraining(inst)
		case inst.awaitReady(ctx) == nil: // it may have begun to listen, so it is not ended but drained like any other
			ready = append(ready, inst)
		default:
			inst.kill()
		}
	}
	return ready
}

func (s *Supervisor) folders() []string {
	metas, _ := filepath.Glob(filepath.Join(s.dir, "*", fileMeta))
	dirs := make([]string, 0, len(metas))
	for _, meta := range metas {
		dirs = append(dirs, filepath.Dir(meta))
	}
	return dirs
}

func (s *Supervisor) readSpec(inst *instance) Spec {
	raw, err := os.ReadFile(filepath.Join(inst.dir, fileConfig))
	if err != nil {
		s.log.Warn("the configuration of an adopted core cannot be read", zap.Error(err))
	}
	return Spec{Revision: inst.Revision, Hash: inst.Hash, Core: raw}
}

// Swap serves spec: the new core listens first, then the old one drains. On any error the old one serves on untouched.
// Faults: *StartFailed when the core does not get ready.
func (s *Supervisor) Swap(ctx context.Context, spec Spec) error {
	s.swap.Lock()
	defer s.swap.Unlock()
	return s.swapTo(ctx, spec)
}

// swapTo is Swap with the lock held.
func (s *Supervisor) swapTo(ctx context.Context, spec Spec) error {
	s.retiring.Wait() // with three listeners on a port the kernel would not pick the newest
	s.interruptPause()
	next, err := s.launch(ctx, spec)
	if err != nil {
		s.resumeRepair()
		return err
	}
	if old := s.install(next, spec); old != nil {
		s.retireLater(old)
	}
	return nil
}

func (s *Supervisor) retireLater(old *instance) {
	s.retiring.Add(1)
	go func() {
		defer s.retiring.Done()
		s.clock.Sleep(overlap)
		s.retire(context.Background(), old)
	}()
}

// Relabel gives the serving configuration another revision, when the content is the same.
func (s *Supervisor) Relabel(revision int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spec.Revision = revision
}

// Clear drains the core: this node shall serve nothing. The revision that says so is what reports show.
func (s *Supervisor) Clear(ctx context.Context, revision int64, hash string) {
	s.swap.Lock()
	defer s.swap.Unlock()
	s.interruptPause()
	s.mu.Lock()
	old := s.current
	s.current, s.spec, s.state, s.words = nil, Spec{Revision: revision, Hash: hash}, agentapi.CoreStopped, ""
	s.mu.Unlock()
	if old != nil {
		s.retire(ctx, old)
	}
	s.changed()
}

// install makes inst the serving core and gives the one before it.
func (s *Supervisor) install(inst *instance, spec Spec) *instance {
	s.mu.Lock()
	old := s.current
	s.current, s.spec, s.state, s.words = inst, spec, agentapi.CoreRunning, ""
	delete(s.starting, inst.ID)
	if old != nil {
		s.draining[old.ID] = old
	}
	s.mu.Unlock()
	s.log.Info("core serves", zap.String("core", inst.ID), zap.Int64("revision", spec.Revision))
	go s.watch(inst)
	go s.followAgain(inst)
	go s.poolsAgain(inst)
	go s.countAgain()
	s.changed()
	return old
}

func (s *Supervisor) retire(ctx context.Context, old *instance) {
	seconds := int(s.drainFor / time.Second)
	if _, err := ask(ctx, old.dir, request{Op: "drain", DrainSeconds: max(1, seconds)}); err != nil {
		s.log.Warn("a replaced core does not drain and is ended", zap.String("core", old.ID), zap.Error(err))
		old.kill()
	}
	s.keepDraining(old)
}

func (s *Supervisor) forgetDraining(inst *instance) {
	s.mu.Lock()
	delete(s.draining, inst.ID)
	s.mu.Unlock()
	s.changed()
}

func (s *Supervisor) keepDraining(inst *instance) {
	s.mu.Lock()
	s.draining[inst.ID] = inst
	oldest := s.oldestDrainingLocked()
	s.mu.Unlock()
	if oldest != nil {
		_, _ = ask(context.Background(), oldest.dir, request{Op: "stop"})
	}
	go func() {
		<-inst.died
		s.forgetDraining(inst)
	}()
}

func (s *Supervisor) oldestDrainingLocked() *instance {
	if len(s.draining) <= mostDraining {
		return nil
	}
	var oldest *instance
	for _, inst := range s.draining {
		if oldest == nil || inst.StartedAt.Before(oldest.StartedAt) {
			oldest = inst
		}
	}
	return oldest
}

// Report is the state of the core for a heartbeat.
func (s *Supervisor) Report() agentapi.CoreReport {
	s.mu.Lock()
	defer s.mu.Unlock()
	report := agentapi.CoreReport{
		Kind: Kind, Version: Version(), State: s.state, Error: s.words, Restarts: s.restarts, Draining: len(s.draining),
		ConfigRevision: s.spec.Revision, ConfigHash: s.spec.Hash,
	}
	if s.current != nil && s.state == agentapi.CoreRunning {
		report.UptimeSeconds = int64(s.clock.Since(s.current.StartedAt) / time.Second)
	}
	return report
}

// Processes are the ids of all core processes, to tell own sockets from foreign ones.
func (s *Supervisor) Processes() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	var pids []int
	if s.current != nil && s.current.process != nil {
		pids = append(pids, s.current.process.Pid)
	}
	for _, inst := range s.draining {
		if inst.process != nil {
			pids = append(pids, inst.process.Pid)
		}
	}
	return pids
}

// Close ends the supervision. With leave the cores serve on and wait for the next agent; without, they are stopped.
func (s *Supervisor) Close(ctx context.Context, leave bool) error {
	s.interruptPause()
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.retiring.Wait()
	if leave {
		return nil
	}
	return StopLeft(ctx, s.dir)
}

// StopLeft stops every core below dir, also those of an agent that is gone.
func StopLeft(ctx context.Context, dir string) error {
	metas, _ := filepath.Glob(filepath.Join(dir, "*", fileMeta))
	var problems []error
	for _, meta := range metas {
		inst, _, ok := takeOver(ctx, filepath.Dir(meta))
		if !ok {
			continue
		}
		_, err := ask(ctx, inst.dir, request{Op: "stop"})
		select {
		case <-inst.died: // also where it ended by itself before it was asked
		case <-time.After(stopPatience):
			inst.kill()
			problems = append(problems, err)
		}
	}
	return errors.Join(problems...)
}

// Logs gives the newest lines of the serving core, oldest first.
func (s *Supervisor) Logs(lines int) []string {
	s.mu.Lock()
	inst := s.current
	s.mu.Unlock()
	if inst == nil {
		return nil
	}
	return lastLines(disk.Tail(filepath.Join(inst.dir, fileLog), logLimit), lines)
}

func lastLines(text string, lines int) []string {
	all := strings.Split(strings.TrimSpace(strings.ToValidUTF8(text, "")), "\n")
	if len(all) == 1 && all[0] == "" {
		return nil
	}
	return all[max(0, len(all)-lines):]
}

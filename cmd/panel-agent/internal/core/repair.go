package core

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"go.uber.org/zap"

	"panel/platform/agentapi"
)

// watch waits for the end of a serving core and repairs it, if it is still the one that shall serve.
func (s *Supervisor) watch(inst *instance) {
	ended, cancel := context.WithCancel(context.Background())
	defer cancel()
	go s.endHung(ended, inst)
	<-inst.died
	if pause, spec, loop, again := s.crashed(inst); again {
		if loop {
			s.looping(inst.Meta, inst.words())
		}
		s.startAgain(spec, pause)
	}
}

// crashed notes the crash and decides on the pause. It is no crash when another core serves by now.
func (s *Supervisor) crashed(inst *instance) (pause time.Duration, spec Spec, loop, again bool) {
	defer s.changed()
	words := inst.words()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.current != inst {
		return 0, Spec{}, false, false
	}
	s.current = nil
	s.state, s.words = agentapi.CoreRestarting, words
	s.restarts++
	pause = s.pauseLocked()
	loop = len(s.crashes) == loopCrashes && s.looping != nil
	s.log.Error("the core ended by itself", zap.String("core", inst.ID), zap.Duration("again_in", pause))
	return pause, s.spec, loop, true
}

func (s *Supervisor) pauseLocked() time.Duration {
	now := s.clock.Now()
	s.crashes = slices.DeleteFunc(s.crashes, func(at time.Time) bool { return now.Sub(at) > loopWindow })
	s.crashes = append(s.crashes, now)
	if len(s.crashes) >= loopCrashes {
		s.state = agentapi.CoreFailed
	}
	return min(longestPause, firstRestart<<(min(len(s.crashes), 10)-1))
}

// startAgain brings the same configuration back, as long as nothing else was installed meanwhile.
func (s *Supervisor) startAgain(spec Spec, pause time.Duration) {
	mine := s.nextRepair()
	for s.waitPause(pause) {
		s.swap.Lock()
		done, next := s.tryAgain(spec, mine)
		s.swap.Unlock()
		if done {
			return
		}
		pause = next
	}
}

func (s *Supervisor) nextRepair() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.repair++
	return s.repair
}

// resumeRepair goes on with bringing back what shall serve, after a replacement interrupted it and failed.
func (s *Supervisor) resumeRepair() {
	s.mu.Lock()
	broken, spec := s.current == nil && s.spec.Core != nil && !s.closed, s.spec
	s.mu.Unlock()
	if broken {
		go s.startAgain(spec, firstRestart)
	}
}

func (s *Supervisor) tryAgain(spec Spec, mine int) (done bool, pause time.Duration) {
	if !s.stillWanted(spec, mine) {
		return true, 0
	}
	next, err := s.launch(context.Background(), spec)
	if err == nil {
		s.install(next, spec)
		return true, 0
	}
	return false, s.failedAgain(spec, err)
}

func (s *Supervisor) failedAgain(spec Spec, err error) time.Duration {
	words := err.Error()
	var failed *StartFailed
	if errors.As(err, &failed) {
		words = failed.Words
	}
	s.mu.Lock()
	s.words = words
	s.restarts++
	pause := s.pauseLocked()
	loop := len(s.crashes) == loopCrashes && s.looping != nil
	s.mu.Unlock()
	s.log.Error("the core could not be started again", zap.Error(err), zap.Duration("again_in", pause))
	s.changed()
	if loop {
		go s.looping(Meta{Revision: spec.Revision, Hash: spec.Hash}, words)
	}
	return pause
}

func (s *Supervisor) stillWanted(spec Spec, mine int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.closed && s.repair == mine && s.current == nil && s.spec.Hash == spec.Hash && s.spec.Core != nil
}

func (s *Supervisor) waitPause(pause time.Duration) bool {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s.mu.Lock()
	s.wake = cancel
	closed := s.closed
	s.mu.Unlock()
	if closed {
		return false
	}
	select {
	case <-s.clock.After(pause):
		return true
	case <-ctx.Done():
		return false
	}
}

// interruptPause gives up a waiting restart: something else is about to be installed.
func (s *Supervisor) interruptPause() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wake != nil {
		s.wake()
		s.wake = nil
	}
}

// endHung kills a core that lives but does not answer; the watch then starts it again.
func (s *Supervisor) endHung(ctx context.Context, inst *instance) {
	misses := 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.clock.After(hangLook):
		}
		if _, err := ask(ctx, inst.dir, request{Op: "status"}); err == nil {
			misses = 0
			continue
		}
		if misses++; misses >= hangMisses && ctx.Err() == nil {
			s.log.Error("the core does not answer and is ended", zap.String("core", inst.ID))
			_ = inst.process.Kill()
			return
		}
	}
}

// Start serves a configuration at the start of the agent, when nothing was adopted. Unlike Swap it does not give up:
// a core that cannot start is tried again, and reported as looping.
func (s *Supervisor) Start(ctx context.Context, spec Spec) error {
	err := s.Swap(ctx, spec)
	if err == nil {
		return nil
	}
	s.mu.Lock()
	s.spec = spec
	s.mu.Unlock()
	go s.startAgain(spec, s.failedAgain(spec, err))
	return err
}

// Counters gives the counters of every core that has left any, by core id; those that ended are marked.
func (s *Supervisor) Counters(ctx context.Context) map[string]Count {
	living := s.living()
	found := map[string]Count{}
	for _, dir := range s.folders() {
		id := filepath.Base(dir)
		if s.isStarting(id) {
			continue
		}
		if inst, ok := living[id]; ok {
			found[id] = inst.count(ctx)
			continue
		}
		ended := !isAlive(dir) // asked first: what it counts until then is in the file
		found[id] = Count{Values: readCounters(dir), Ended: ended}
	}
	return found
}

// Count is what one core process has counted since it started.
type Count struct {
	Values map[string]int64
	Doors  []Door // while it runs
	Ended  bool
	Older  bool // started by an agent whose cores do not count outbounds
}

func (s *Supervisor) isStarting(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.starting[id]
}

func (s *Supervisor) living() map[string]*instance {
	s.mu.Lock()
	defer s.mu.Unlock()
	living := map[string]*instance{}
	if s.current != nil {
		living[s.current.ID] = s.current
	}
	for id, inst := range s.draining {
		living[id] = inst
	}
	return living
}

// Forget removes what ended cores left, once their counters are safe elsewhere.
func (s *Supervisor) Forget(ids []string) {
	living := s.living()
	for _, id := range ids {
		if _, alive := living[id]; alive || s.isStarting(id) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(s.dir, filepath.Base(id))); err != nil {
			s.log.Warn("the folder of an ended core cannot be removed", zap.Error(err))
		}
	}
}

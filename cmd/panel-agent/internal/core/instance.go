package core

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"panel/cmd/panel-agent/internal/disk"
	"panel/cmd/panel-agent/internal/rights"
	"panel/platform/agentapi"
)

const (
	startLimit = 25 * time.Second
	startPoll  = 10 * time.Millisecond

	takeOverLimit = 10 * time.Second
)

// Spec is a configuration to serve.
type Spec struct {
	Revision int64
	Hash     string
	Core     []byte
}

// instance is the agent's handle on one core process, its child or one that an earlier agent started.
type instance struct {
	Meta
	dir     string
	process *os.Process
	died    chan struct{} // closed when the process has ended
}

// ErrStart is the cause of every failure of a core process to get ready; the text carries its own words.
var ErrStart = errors.New("the core did not start")

// launch starts a core process in a session of its own and waits until it listens.
func (s *Supervisor) launch(ctx context.Context, spec Spec) (*instance, error) {
	inst := s.newInstance(spec)
	s.markStarting(inst.ID, true) // until install takes it over
	if err := errors.Join(inst.fill(spec), s.writeLimits(inst), s.spawn(inst)); err != nil {
		s.markStarting(inst.ID, false)
		return nil, err
	}
	if err := inst.awaitReady(ctx); err != nil {
		inst.kill()
		s.markStarting(inst.ID, false)
		words := inst.words()
		_ = os.RemoveAll(inst.dir)
		return nil, &StartFailed{Words: words, cause: err}
	}
	return inst, nil
}

// StartFailed is a core that took its configuration but could not serve it.
type StartFailed struct {
	Words string
	cause error
}

func (f *StartFailed) Error() string {
	if f.Words == "" {
		return fmt.Sprintf("the core did not start: %v", f.cause)
	}
	return "the core did not start: " + lastLine(f.Words)
}

// Unwrap gives the cause.
func (f *StartFailed) Unwrap() []error { return []error{ErrStart, f.cause} }

// Describe fills in the result of a command that ended with it.
func (f *StartFailed) Describe(r *agentapi.CommandResult) {
	r.Code, r.StderrTail = agentapi.CodeStartFailed, f.Words
}

func (s *Supervisor) newInstance(spec Spec) *instance {
	id := make([]byte, 8)
	_, _ = rand.Read(id)
	meta := Meta{ID: hex.EncodeToString(id), Revision: spec.Revision, Hash: spec.Hash, StartedAt: s.clock.Now().UTC()}
	return &instance{Meta: meta, dir: filepath.Join(s.dir, meta.ID), died: make(chan struct{})}
}

// markStarting protects the folder from being taken for that of an ended core.
func (s *Supervisor) markStarting(id string, starting bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if starting {
		s.starting[id] = true
	} else {
		delete(s.starting, id)
	}
}

func (i *instance) fill(spec Spec) error {
	if err := os.Mkdir(i.dir, 0o700); err != nil {
		return fmt.Errorf("make the folder of a core: %w", err)
	}
	err := errors.Join(
		os.WriteFile(filepath.Join(i.dir, fileConfig), spec.Core, 0o600),
		disk.WriteJSON(filepath.Join(i.dir, fileMeta), i.Meta),
	)
	if err != nil {
		return fmt.Errorf("fill the folder of a core: %w", err)
	}
	return nil
}

func (s *Supervisor) spawn(inst *instance) error {
	log, err := os.OpenFile(filepath.Join(inst.dir, fileLog), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("open the log of a core: %w", err)
	}
	defer log.Close()
	alive, err := holdAlive(inst.dir)
	if err != nil {
		return err
	}
	defer alive.Close()
	cmd := s.command(context.Background(), "core", "--dir", inst.dir)
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = log, log, []*os.File{alive}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := rights.WithoutNetAdmin(cmd.Start); err != nil {
		return fmt.Errorf("start a core process: %w", err)
	}
	inst.process = cmd.Process
	go func() {
		_ = cmd.Wait()
		close(inst.died)
	}()
	return nil
}

func (i *instance) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	poll := time.NewTicker(startPoll)
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for the core: %w", ctx.Err())
		case <-i.died:
			return errors.New("its process ended")
		case <-poll.C:
			if state, err := ask(ctx, i.dir, request{Op: "status"}); err == nil && state.Phase == phaseReady {
				return nil
			}
		}
	}
}

// holdAlive locks a file that the process inherits: the lock is held until the process ends, however it ends, and also
// before the process can be asked anything.
func holdAlive(dir string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(dir, fileAlive), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("mark a core as alive: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("mark a core as alive: %w", err), file.Close())
	}
	return file, nil
}

func isAlive(dir string) bool {
	file, err := os.Open(filepath.Join(dir, fileAlive))
	if err != nil {
		return false
	}
	defer file.Close()
	return errors.Is(syscall.Flock(int(file.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

// takeOver attaches to a process that an earlier agent started; false when there is none.
func takeOver(ctx context.Context, dir string) (*instance, phase, bool) {
	inst := &instance{dir: dir, died: make(chan struct{})}
	if found, err := disk.ReadJSON(filepath.Join(dir, fileMeta), &inst.Meta); err != nil || !found {
		return nil, "", false
	}
	state, err := firstAnswer(ctx, dir)
	if err != nil {
		return nil, "", false
	}
	conn, err := dialControl(ctx, dir)
	if err != nil {
		return nil, "", false
	}
	inst.process, _ = os.FindProcess(state.PID)
	go func() {
		awaitDeath(conn)
		close(inst.died)
	}()
	return inst, state.Phase, true
}

// firstAnswer waits for a process that lives but does not listen for questions yet.
func firstAnswer(ctx context.Context, dir string) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, takeOverLimit)
	defer cancel()
	poll := time.NewTicker(startPoll)
	defer poll.Stop()
	for {
		state, err := ask(ctx, dir, request{Op: "status"})
		if err == nil || !isAlive(dir) {
			return state, err
		}
		select {
		case <-ctx.Done():
			return reply{}, err
		case <-poll.C:
		}
	}
}

func (i *instance) kill() {
	if i.process != nil {
		_ = i.process.Kill()
	}
	<-i.died
}

func (i *instance) words() string {
	return tail(disk.Tail(filepath.Join(i.dir, fileLog), 2*4096))
}

// count is live while the process runs, else what it left behind.
func (i *instance) count(ctx context.Context) Count {
	select {
	case <-i.died:
	default:
		if answer, err := ask(ctx, i.dir, request{Op: "counters"}); err == nil {
			return Count{Values: answer.Counters, Doors: answer.Doors, Older: answer.Doors == nil}
		}
	}
	return Count{Values: readCounters(i.dir)}
}

func readCounters(dir string) map[string]int64 {
	left := map[string]int64{}
	if _, err := disk.ReadJSON(filepath.Join(dir, fileCounters), &left); err != nil {
		return nil
	}
	return left
}

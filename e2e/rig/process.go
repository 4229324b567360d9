package rig

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Spec says how to start a process.
type Spec struct {
	Name   string   // in messages
	Log    string   // file that takes both outputs
	Path   string   // executable
	Args   []string //
	Env    []string // beside Environment
	Prefix []string // command that runs it, as nsenter or setpriv
	Dir    string   // to run in; empty: the folder of the file system's root
}

// Process is a started program. It ends with the process that started it.
type Process struct {
	spec  Spec
	cmd   *exec.Cmd
	ended chan struct{}
}

// Start runs the program in a group of its own.
func Start(spec Spec) (*Process, error) {
	log, err := os.OpenFile(spec.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the log of %s: %w", spec.Name, err)
	}
	defer log.Close()
	line := append(slices.Clone(spec.Prefix), append([]string{spec.Path}, spec.Args...)...)
	cmd := exec.Command(line[0], line[1:]...) //nolint:noctx // ends by signal
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = spec.Dir, append(Environment(), spec.Env...), log, log
	if cmd.Dir == "" {
		cmd.Dir = "/"
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	p := &Process{spec: spec, cmd: cmd, ended: make(chan struct{})}
	if err := p.launch(); err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Name, err)
	}
	return p, nil
}

// launch starts and awaits the process on one goroutine of its own thread: the kernel ends a child with the thread that
// made it.
func (p *Process) launch() error {
	started := make(chan error, 1)
	go onOwnThread(func() {
		err := p.cmd.Start()
		started <- err
		if err == nil {
			_ = p.cmd.Wait() // the exit code is asked for later
			close(p.ended)
		}
	})
	return <-started
}

// Again starts the same program anew; the one before must have ended.
func (p *Process) Again() (*Process, error) { return Start(p.spec) }

// PID is the number of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Ended is closed when the process has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Running says whether the process has not ended yet.
func (p *Process) Running() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// Kill is kill -9; it returns when the process is gone.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill() // one that has ended needs no signal
	<-p.ended
}

// Stop asks the process to end and insists after a while.
func (p *Process) Stop() error {
	if p == nil || !p.Running() {
		return nil
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // one that ends at this moment needs no signal
	select {
	case <-p.ended:
		return nil
	case <-time.After(stopWithin):
		p.Kill()
		return fmt.Errorf(
			"stop %s: it did not end within %s and was killed; its last words: %s",
			p.spec.Name,
			stopWithin,
			p.LastWords(),
		)
	}
}

const stopWithin = 20 * time.Second

// Exit waits for the end and gives the exit code.
func (p *Process) Exit(ctx context.Context) (int, error) {
	select {
	case <-p.ended:
		return p.cmd.ProcessState.ExitCode(), nil
	case <-ctx.Done():
		return 0, fmt.Errorf("wait for the end of %s: %w", p.spec.Name, ctx.Err())
	}
}

// Words is everything that the process wrote.
func (p *Process) Words() string {
	text, err := os.ReadFile(p.spec.Log)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// LastWords are the last lines that the process wrote.
func (p *Process) LastWords() string {
	lines := strings.Split(strings.TrimSpace(p.Words()), "\n")
	return strings.Join(lines[max(0, len(lines)-12):], "\n")
}

// Environment passes on where programs and homes are, and none of the PANEL_ settings of whoever runs this,
// but for the folder of the PostgreSQL programs.
func Environment() []string {
	var kept []string
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if slices.Contains([]string{"PATH", "HOME", "TMPDIR", "PANEL_PG_BIN"}, name) {
			kept = append(kept, pair)
		}
	}
	return append(kept, "LANG=C.UTF-8")
}

// Eventually repeats the look until it succeeds, in shorter pauses first; the last failure becomes the error.
func Eventually(ctx context.Context, within time.Duration, look func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	var last error
	for pause := 10 * time.Millisecond; ; pause = min(pause*5/4, 250*time.Millisecond) {
		err := look(ctx)
		if err == nil || errors.Is(err, ErrHopeless) {
			return err
		}
		if last == nil || ctx.Err() == nil { // a look that the end of the wait has cut short says nothing
			last = err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w (given up after %s)", last, within)
		case <-time.After(pause):
		}
	}
}

// ErrHopeless ends Eventually at once.
var ErrHopeless = errors.New("waiting on is of no use")

package update

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"go.uber.org/zap"

	"panel/platform/agentapi"
)

const (
	pollPause = 100 * time.Millisecond
	tailLimit = agentapi.MaxTail
	pipeLimit = 2 * time.Second
)

// Watcher runs a build on trial as a child and decides about it. When it gives the build up, or the build asks to be
// replaced in its turn, the caller starts over.
type Watcher struct {
	Self
	Signals <-chan os.Signal
}

// child is a running build.
type child struct {
	cmd   *exec.Cmd
	ended chan struct{}
	tail  tail
}

// Run watches the build until it ends. Again says that the caller shall decide anew; otherwise code is what to exit
// with.
func (w *Watcher) Run(b Build) (again bool, code int, err error) {
	s := newStore(w.DataDir)
	c, err := start(s.executable(b), append([]string{"run", "--watched", "--build", b.SHA256}, w.Args...))
	if err != nil {
		return true, 0, w.giveUp(s, agentapi.StageStart, "the new build could not be started: "+err.Error(), "")
	}
	w.Log.Info("a new build of the agent is on trial", zap.String("version", b.Version),
		zap.Duration("within", w.Patience))
	return w.follow(s, b, c)
}

func (w *Watcher) follow(s store, b Build, c *child) (again bool, code int, err error) {
	expired := w.Clock.After(w.Patience)
	poll := w.Clock.NewTicker(pollPause)
	defer poll.Stop()
	onTrial := true
	for {
		select {
		case received := <-w.Signals:
			_ = c.cmd.Process.Signal(received) // one that ends at this moment needs no signal
			<-c.ended
			return false, c.code(), nil
		case <-c.ended:
			if onTrial && !s.confirmed(b.SHA256) {
				return true, 0, w.giveUp(s, agentapi.StageStart,
					"the new build ended by itself: "+c.cmd.ProcessState.String(),
					c.tail.String())
			}
			return w.ended(s, onTrial, c)
		case <-expired:
			if onTrial && !s.confirmed(b.SHA256) {
				_ = c.cmd.Process.Kill() // its cores serve on
				<-c.ended
				words := fmt.Sprintf("no heartbeat of the new build reached the panel within %.0f s",
					w.Patience.Seconds())
				return true, 0, w.giveUp(s, agentapi.StageHeartbeat, words, c.tail.String())
			}
		case <-poll.Chan():
			if onTrial && s.confirmed(b.SHA256) {
				onTrial = false
				poll.Stop()
				if err := w.commit(s); err != nil {
					return false, 1, err
				}
			}
		}
	}
}

// ended reports whether a confirmed build ended in order to be replaced itself.
func (w *Watcher) ended(s store, onTrial bool, c *child) (bool, int, error) {
	if onTrial {
		if err := w.commit(s); err != nil {
			return false, 1, err
		}
	}
	now, err := s.load()
	return now.Trial != nil, c.code(), err
}

func (w *Watcher) commit(s store) error {
	now, err := s.load()
	if err != nil || now.Trial == nil {
		return err
	}
	if err := s.commit(&now); err != nil {
		return err
	}
	w.Log.Info("the new build of the agent stays", zap.String("version", now.Active.Version))
	s.prune(now.Active.SHA256, w.Build)
	return nil
}

func (w *Watcher) giveUp(s store, stage agentapi.Stage, words, tail string) error {
	now, err := s.load()
	if err != nil || now.Trial == nil {
		return err
	}
	w.Log.Error("the new build of the agent is given up; the one before it goes on", zap.String("stage", string(stage)),
		zap.String("why", words))
	return s.giveUp(&now, w.Clock.Now(), stage, words, tail)
}

// start runs the child on a thread of its own, because the kernel ends it with the thread that made it.
func start(path string, args []string) (*child, error) {
	c := &child{cmd: exec.Command(path, args...), ended: make(chan struct{})} //nolint:noctx // ends by signal
	c.cmd.Stdout, c.cmd.Stderr, c.cmd.WaitDelay = os.Stdout, io.MultiWriter(os.Stderr, &c.tail), pipeLimit
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := c.cmd.Start()
		started <- err
		if err == nil {
			_ = c.cmd.Wait() // the exit code is asked for later
			close(c.ended)
		}
	}()
	return c, <-started
}

func (c *child) code() int {
	if code := c.cmd.ProcessState.ExitCode(); code >= 0 {
		return code
	}
	return 1
}

// ReapInherited waits for the cores that this process started before it became the watcher, so that none stays behind
// as a zombie. It takes every child that the process has at this moment: call it before Run and before any other
// start.
func ReapInherited() {
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, list := range lists {
		content, _ := os.ReadFile(list)
		for word := range strings.FieldsSeq(string(content)) {
			if pid, err := strconv.Atoi(word); err == nil {
				go func() {
					for errors.Is(waitFor(pid), syscall.EINTR) {
						continue
					}
				}()
			}
		}
	}
}

func waitFor(pid int) error {
	_, err := syscall.Wait4(pid, nil, 0, nil)
	return err
}

// tail keeps the last words of a child.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write never fails.
func (t *tail) Write(part []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, part...)
	if extra := len(t.text) - tailLimit; extra > 0 {
		t.text = append([]byte(nil), t.text[extra:]...)
	}
	return len(part), nil
}

// String gives the last words.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.text), "")
}

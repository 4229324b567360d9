package update

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/platform/agentapi"
)

// Self is this process as the update sees it.
type Self struct {
	DataDir    string
	Executable string
	Build      string        // digest of the build that this executable is; empty: the installed program
	Args       []string      // with which the agent was started, without the program and without --build and --watched
	Patience   time.Duration // how long a build on trial may take to its first heartbeat
	Clock      clockwork.Clock
	Log        *zap.Logger
}

// Decision says what a starting agent does.
type Decision int

// Decisions at the start.
const (
	Work      Decision = iota // run here
	Replace                   // become the build that was updated to
	Supervise                 // watch a build on trial
)

// Decide reads what an earlier run left behind and settles it. It is the only place where a start deals with updates.
func Decide(self Self) (Decision, Build, error) {
	s := newStore(self.DataDir)
	now, err := s.load()
	if err != nil {
		return Work, Build{}, err
	}
	if now.Active == nil && now.Trial == nil {
		return Work, Build{}, nil
	}
	if self.Build == "" {
		if err := s.forgetIfReinstalled(&now, self); err != nil {
			return Work, Build{}, err
		}
	}
	return s.decide(&now, self)
}

// forgetIfReinstalled lets a program that somebody installed by hand win over what was updated to before.
func (s store) forgetIfReinstalled(now *state, self Self) error {
	own, err := digest(self.Executable)
	if err != nil || own == now.Base {
		return err
	}
	self.Log.Info("another agent was installed; what earlier updates left is forgotten")
	if now.Trial != nil {
		if err := s.giveUp(now, self.Clock.Now(), agentapi.StageSwitch, "another agent was installed by hand meanwhile",
			""); err != nil {
			return err
		}
	}
	now.Active, now.Base = nil, ""
	if err := s.save(*now); err != nil {
		return err
	}
	s.prune()
	return nil
}

func (s store) decide(now *state, self Self) (Decision, Build, error) {
	if t := now.Trial; t != nil {
		switch {
		case s.confirmed(t.SHA256):
			if err := s.commit(now); err != nil {
				return Work, Build{}, err
			}
		case t.Starts >= mostStarts:
			if err := s.giveUp(now, self.Clock.Now(), agentapi.StageStart,
				"the server or the agent ended again and again before a heartbeat", ""); err != nil {
				return Work, Build{}, err
			}
		default:
			t.Starts++
			return Supervise, t.Build, s.save(*now)
		}
	}
	if now.Active == nil || now.Active.SHA256 == self.Build {
		s.prune(self.Build)
		return Work, Build{}, nil
	}
	return Replace, *now.Active, nil
}

// Become replaces this process by another executable of the agent under the same process number; it returns only on
// failure.
func Become(path string, args ...string) error {
	if err := syscall.Exec(path, append([]string{path, "run"}, args...), os.Environ()); err != nil {
		return fmt.Errorf("become %s: %w", path, err)
	}
	return nil
}

// Path is where the executable of a build lies.
func Path(dataDir string, b Build) string { return newStore(dataDir).executable(b) }

// Drop forgets the build that cannot be started, so that the installed program runs.
func Drop(dataDir string) error {
	s := newStore(dataDir)
	now, err := s.load()
	if err != nil {
		return err
	}
	now.Active, now.Base = nil, ""
	return s.save(now)
}

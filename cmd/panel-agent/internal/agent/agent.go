// Package agent is the running agent: it opens the parts, keeps the link to the panel and hands on what comes. The
// panel is needed for none of the traffic.
package agent

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/google/uuid"
	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/commands"
	"panel/cmd/panel-agent/internal/core"
	"panel/cmd/panel-agent/internal/documents"
	"panel/cmd/panel-agent/internal/identity"
	"panel/cmd/panel-agent/internal/link"
	"panel/cmd/panel-agent/internal/part"
	"panel/cmd/panel-agent/internal/sockets"
	"panel/cmd/panel-agent/internal/telemetry"
	"panel/platform/agentapi"
)

// Options of an Agent.
type Options struct {
	Parts      []part.Part
	DataDir    string
	PanelURL   string // replaces the address of the enrolment; empty keeps it
	CAFile     string
	Executable string
	Version    string
	Drain      time.Duration
	Sampling   time.Duration // pause between samples; 0 = 15 s
	Timing     link.Timing
	Clock      clockwork.Clock
	Log        *zap.Logger
	Lines      part.Lines // of the agent's own log
	Build      string     // digest of the build that this is after an update; empty: the installed program
	UpdateKeys string     // keys that updates are checked with, where they were built in
	Leave      func()     // ends the agent for another build, the cores serve on; nil: updates are not for this agent
}

const (
	defaultHeartbeat = 15 * time.Second
	shortestBeat     = time.Second
	flushLimit       = 4 * time.Second
	lockPatience     = 2 * time.Second
	lockPause        = 20 * time.Millisecond
)

// Agent is one agent with its parts.
type Agent struct {
	Options
	client    *link.Client
	http      *http.Client
	core      *core.Supervisor
	env       *part.Env
	live      []*part.Live // in the sequence of Parts
	queue     *commands.Queue
	documents *documents.Keeper
	session   string
	boot      string
	lock      *os.File

	skew    atomic.Int64  // the panel's clock minus this one, in nanoseconds
	beat    atomic.Int64  // pause between heartbeats, in nanoseconds
	changed chan struct{} // a heartbeat is due
}

// ErrBusy says that another agent runs on the same data folder.
var ErrBusy = errors.New("another agent runs on this data folder; stop it first")

// New opens the data folder and the parts. Faults: identity.ErrNotEnrolled, ErrBusy.
func New(o Options) (*Agent, error) {
	id, err := identity.Load(o.DataDir)
	if err != nil {
		return nil, err
	}
	a := &Agent{Options: o, session: uuid.NewString(), boot: telemetry.BootID(), changed: make(chan struct{}, 1)}
	a.beat.Store(int64(defaultHeartbeat))
	if a.lock, err = lockDir(o.DataDir); err != nil {
		return nil, err
	}
	if err := a.connect(id); err != nil {
		return nil, err
	}
	return a, a.open()
}

// lockDir holds the data folder for as long as this process lives, also when it is killed.
func lockDir(dir string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(dir, "agent.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the data folder: %w", err)
	}
	for began := time.Now(); ; time.Sleep(lockPause) { // the agent before this one may be ending at this moment
		if err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
			return file, nil
		}
		if time.Since(began) > lockPatience {
			return nil, errors.Join(ErrBusy, file.Close())
		}
	}
}

func (a *Agent) connect(id identity.Identity) error {
	base := id.PanelURL
	if a.PanelURL != "" {
		base = a.PanelURL
	}
	base, err := identity.CleanURL(base)
	if err != nil {
		return err
	}
	if a.http, err = link.NewHTTP(a.CAFile); err != nil {
		return err
	}
	a.client = link.NewClient(base, string(id.Token), a.http)
	a.client.FallBack(string(id.Former), a.keepTokens)
	return nil
}

// keepTokens makes the tokens durable when the panel knew the former one alone: it was restored from a backup.
func (a *Agent) keepTokens(token, former string) error {
	a.Log.Warn("the panel knows the agent's former token only; the agent goes on with that one")
	id, err := identity.Load(a.DataDir)
	if err != nil {
		return err
	}
	id.Token, id.Former = identity.Token(token), identity.Token(former)
	return identity.Save(a.DataDir, id)
}

// open makes the parts and what they share. Faults are those of the disk, and of a list of parts that does not fit
// together.
func (a *Agent) open() error {
	var err error
	a.core, err = core.New(core.Options{
		Executable: a.Executable, Dir: filepath.Join(a.DataDir, "core"), Assets: filepath.Join(a.DataDir, "assets"),
		Drain: a.Drain,
		Clock: a.Clock, Log: a.Log.Named("core"), Changed: a.touch,
		Looping: func(m core.Meta, words string) { a.env.CrashLoop(m, words) },
	})
	if err != nil {
		return err
	}
	a.env = &part.Env{
		DataDir: a.DataDir, Executable: a.Executable, Version: a.Version, Build: a.Build, UpdateKeys: a.UpdateKeys,
		Sampling: a.Sampling, Clock: a.Clock, Log: a.Log, Panel: a.client, HTTP: a.http, Core: a.core,
		Sockets: sockets.New(a.core.Processes), Lines: a.Lines, Changed: a.touch, Leave: a.Leave,
		Skew: func() time.Duration { return time.Duration(a.skew.Load()) },
	}
	handlers, held, err := a.openParts()
	if err != nil {
		return err
	}
	a.documents, err = documents.Open(documents.Options{
		Dir: filepath.Join(a.DataDir, "documents"), Source: a.client, Clock: a.Clock, Log: a.Log.Named("documents"),
		Changed: a.touch,
	}, held)
	if err != nil {
		return err
	}
	a.queue, err = commands.Open(commands.Options{
		Dir: filepath.Join(a.DataDir, "orders"), Handlers: handlers, Once: a.once(), Clock: a.Clock,
		Log:  a.Log.Named("commands"),
		Skew: func() time.Duration { return time.Duration(a.skew.Load()) }, Refused: link.Refused,
	})
	return err
}

func (a *Agent) openParts() (handlers map[agentapi.CommandKind]part.Handler, held []documents.Document, err error) {
	handlers = map[agentapi.CommandKind]part.Handler{}
	for _, p := range a.Parts {
		live, err := part.Open(p, a.env)
		if err != nil {
			return nil, nil, err
		}
		for kind, handler := range live.Commands {
			if handlers[kind] != nil {
				return nil, nil, fmt.Errorf("open the part %s: the command %s belongs to another part, too",
					p.Name, kind)
			}
			handlers[kind] = handler
		}
		held = append(held, live.Documents...)
		a.live = append(a.live, live)
	}
	return handlers, held, nil
}

func (a *Agent) once() (kinds []agentapi.CommandKind) {
	for _, p := range a.Parts {
		kinds = append(kinds, p.Once...)
	}
	return kinds
}

// touch asks for a heartbeat soon: something that it reports has changed.
func (a *Agent) touch() {
	select {
	case a.changed <- struct{}{}:
	default:
	}
}

// Run works until the context ends, then flushes. With leave, the cores serve on for the next agent; else they are
// stopped.
func (a *Agent) Run(ctx context.Context, leave func() bool) error {
	a.bootParts(ctx)
	a.queue.Resume()
	a.client.ExpectStream()
	var loops sync.WaitGroup
	for _, loop := range a.loops() {
		loops.Go(func() { loop(ctx) })
	}
	<-ctx.Done()
	loops.Wait()
	return a.stop(leave())
}

// bootParts brings up what needs no panel; the documents come last, because parts apply them to what they have brought
// up.
func (a *Agent) bootParts(ctx context.Context) {
	for at, live := range a.live {
		if live.Boot == nil {
			continue
		}
		if err := live.Boot(ctx); err != nil {
			a.Log.Error("a part could not be brought up; waiting for the panel", zap.String("part", a.Parts[at].Name),
				zap.Error(err))
		}
	}
	a.documents.Boot(ctx)
}

func (a *Agent) loops() []func(context.Context) {
	all := []func(context.Context){a.receive, a.heartbeats, a.deliverResults, a.documents.Run}
	for _, live := range a.live {
		all = append(all, live.Loops...)
	}
	for _, stream := range a.env.Streams() {
		all = append(all, stream.Run)
	}
	return all
}

func (a *Agent) stop(leave bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), flushLimit)
	defer cancel()
	a.queue.Close()
	var problems []error
	for _, live := range a.live {
		if live.Close != nil {
			problems = append(problems, live.Close(ctx, leave))
		}
	}
	for _, stream := range a.env.Streams() {
		stream.Flush(ctx)
		problems = append(problems, stream.Close())
	}
	return errors.Join(append(problems, a.lock.Close())...)
}

// Package agent is the running agent: it keeps the core serving, follows the panel's orders and reports, and needs the panel
// for none of the traffic.
package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/google/uuid"
	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/buffer"
	"panel/cmd/panel-agent/internal/commands"
	"panel/cmd/panel-agent/internal/core"
	"panel/cmd/panel-agent/internal/firewall"
	"panel/cmd/panel-agent/internal/identity"
	"panel/cmd/panel-agent/internal/install"
	"panel/cmd/panel-agent/internal/link"
	"panel/cmd/panel-agent/internal/probe"
	"panel/cmd/panel-agent/internal/sockets"
	"panel/cmd/panel-agent/internal/telemetry"
	"panel/cmd/panel-agent/internal/update"
	"panel/platform/agentapi"
)

// Capabilities are what this build can do.
var Capabilities = []agentapi.Capability{
	agentapi.CanApply, agentapi.CanRestartCore, agentapi.CanCollectLogs, agentapi.CanProbe, agentapi.CanStream,
	agentapi.CanRotateToken, agentapi.CanUpdate,
}

// Options of an Agent.
type Options struct {
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
	Lines      *Ring
	Build      string // digest of the build that this is after an update; empty: the installed program
	UpdateKeys string // keys that updates are checked with, where they were built in
	Leave      func() // ends the agent for another build and leaves the cores serving; nil: updates are not for this agent
}

const (
	defaultSampling  = 15 * time.Second
	defaultHeartbeat = 15 * time.Second
	shortestBeat     = time.Second
	flushLimit       = 4 * time.Second
	lockPatience     = 2 * time.Second
	lockLook         = 20 * time.Millisecond
)

// Agent is one agent with its parts.
type Agent struct {
	Options
	client    *link.Client
	core      *core.Supervisor
	installer *install.Installer
	desk      *commands.Desk
	buffer    *buffer.Buffer
	host      *telemetry.Host
	sockets   *sockets.Lister
	firewall  *firewall.Reader
	prober    *probe.Prober
	updater   *update.Updater
	session   string
	boot      string
	lock      *os.File

	skew    atomic.Int64  // the panel's clock minus this one, in nanoseconds
	beat    atomic.Int64  // pause between heartbeats, in nanoseconds
	changed chan struct{} // a heartbeat is due
	outcome chan struct{} // a report may wait
	sampled chan struct{} // a sample waits
}

// ErrBusy says that another agent runs on the same data folder.
var ErrBusy = errors.New("another agent runs on this data folder; stop it first")

// New opens the data folder and puts the parts together. Faults: identity.ErrNotEnrolled, ErrBusy.
func New(o Options) (*Agent, error) {
	id, err := identity.Load(o.DataDir)
	if err != nil {
		return nil, err
	}
	a := &Agent{
		Options: o, session: uuid.NewString(), boot: telemetry.BootID(),
		changed: make(chan struct{}, 1), outcome: make(chan struct{}, 1), sampled: make(chan struct{}, 1),
	}
	if a.Sampling <= 0 {
		a.Sampling = defaultSampling
	}
	a.beat.Store(int64(defaultHeartbeat))
	if a.lock, err = lockDir(o.DataDir); err != nil {
		return nil, err
	}
	if err := a.connect(id); err != nil {
		return nil, err
	}
	return a, a.assemble()
}

// lockDir holds the data folder for as long as this process lives, also when it is killed.
func lockDir(dir string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(dir, "agent.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the data folder: %w", err)
	}
	for began := time.Now(); ; time.Sleep(lockLook) { // the agent before this one may be ending at this moment
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
	shared, err := link.NewHTTP(a.CAFile)
	if err != nil {
		return err
	}
	a.client = link.NewClient(base, string(id.Token), shared)
	a.updater = &update.Updater{
		DataDir: a.DataDir, Executable: a.Executable, Version: a.Version, Build: a.Build, BuiltIn: a.UpdateKeys,
		Panel: update.Panel{Base: base, Token: a.client.Token, HTTP: shared}, Clock: a.Clock, Log: a.Log.Named("update"), Leave: a.Leave,
	}
	return a.updater.Open()
}

func (a *Agent) assemble() error {
	var err error
	a.core, err = core.New(core.Options{
		Executable: a.Executable, Dir: filepath.Join(a.DataDir, "core"), Assets: filepath.Join(a.DataDir, "assets"), Drain: a.Drain,
		Clock: a.Clock, Log: a.Log.Named("core"), Changed: a.touch, Looping: func(m core.Meta, words string) { a.installer.CrashLoop(m, words) },
	})
	if err != nil {
		return err
	}
	a.sockets = sockets.New(a.core.Processes)
	a.firewall = firewall.New(a.Clock)
	a.host = telemetry.NewHost(a.Clock, a.DataDir)
	a.prober = &probe.Prober{Owner: a.sockets.Owner, Client: a.core, Reflect: a.client.ReflectURL(), Bearer: a.client.Token}
	return a.open()
}

func (a *Agent) open() error {
	var err error
	if a.buffer, err = buffer.Open(filepath.Join(a.DataDir, "telemetry")); err != nil {
		return err
	}
	a.installer, err = install.New(install.Options{
		Dir: a.DataDir, Core: a.core, Source: a.client, Clock: a.Clock, Log: a.Log.Named("install"),
		Release: a.prober.Release, Changed: a.touch,
	})
	if err != nil {
		return err
	}
	a.desk, err = commands.Open(commands.Options{
		Dir: filepath.Join(a.DataDir, "orders"), Handle: a.handle, Clock: a.Clock, Log: a.Log.Named("orders"),
		Skew: func() time.Duration { return time.Duration(a.skew.Load()) }, Refused: link.Refused,
	})
	return err
}

// touch asks for a heartbeat soon: something that it reports has changed.
func (a *Agent) touch() {
	signal(a.changed)
	signal(a.outcome)
}

func signal(waiting chan struct{}) {
	select {
	case waiting <- struct{}{}:
	default:
	}
}

// Run works until the context ends, then flushes. With leave, the cores serve on for the next agent; else they are stopped.
func (a *Agent) Run(ctx context.Context, leave func() bool) error {
	if err := a.installer.Boot(ctx); err != nil {
		a.Log.Error("the last good configuration could not be started; waiting for the panel", zap.Error(err))
	}
	a.desk.Resume()
	var loops sync.WaitGroup
	a.client.ExpectStream()
	for _, loop := range []func(context.Context){a.installer.Run, a.receive, a.heartbeats, a.samples, a.deliverSamples, a.deliverResults, a.deliverOutcomes} {
		loops.Go(func() { loop(ctx) })
	}
	<-ctx.Done()
	loops.Wait()
	return a.stop(leave())
}

func (a *Agent) stop(leave bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), flushLimit)
	defer cancel()
	a.desk.Close()
	coreErr := a.core.Close(ctx, leave)
	a.sample(ctx)
	for delivered := true; delivered; {
		delivered, _ = a.deliverBatch(ctx)
	}
	return errors.Join(coreErr, a.buffer.Close(), a.lock.Close())
}

func (a *Agent) receive(ctx context.Context) {
	receiver := link.Receiver{Client: a.client, Orders: a, Timing: a.Timing, Clock: a.Clock, Log: a.Log.Named("link")}
	receiver.Run(ctx)
}

// Desired implements link.Orders.
func (a *Agent) Desired(d agentapi.Desired) { a.installer.Desired(d) }

// Command implements link.Orders.
func (a *Agent) Command(c agentapi.Command) error { return a.desk.Accept(c) }

// Hello implements link.Orders.
func (a *Agent) Hello() agentapi.Hello {
	revision, hash, _ := a.installer.Running()
	return agentapi.Hello{
		Protocol: agentapi.Protocol, AgentVersion: a.Version, SessionID: a.session, ConfigRevision: revision, ConfigHash: hash,
	}
}

func (a *Agent) report(ctx context.Context) agentapi.Heartbeat {
	hostname, _ := os.Hostname()
	beat := agentapi.Heartbeat{
		AgentVersion: a.Version, Protocol: agentapi.Protocol, OS: runtime.GOOS, Arch: runtime.GOARCH, Hostname: hostname,
		Capabilities: Capabilities, BootID: a.boot, SessionID: a.session, SentAt: a.Clock.Now().UTC(),
		Core: a.core.Report(), Sockets: a.sockets.List(), Addresses: sockets.Addresses(), Firewall: a.firewall.Read(ctx),
		PanelURL: a.client.Base(),
	}
	beat.Core.ConfigRevision, beat.Core.ConfigHash, beat.Core.ApplyID = a.installer.Running()
	return beat
}

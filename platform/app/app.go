package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/platform/audit"
	"panel/platform/automation"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/files"
	"panel/platform/httpapi"
	"panel/platform/idempotency"
	"panel/platform/ingest"
	"panel/platform/jobs"
	"panel/platform/maintenance"
	"panel/platform/metrics"
	"panel/platform/module"
	"panel/platform/operations"
	"panel/platform/outbound"
	"panel/platform/password"
	"panel/platform/places"
	"panel/platform/settings"
	"panel/platform/vault"
	"panel/platform/version"
)

// Options are what a panel is composed from; the database is open and migrated.
type Options struct {
	Modules []module.Module // core and features, as With gives them
	Config  *config.Config
	Log     *zap.Logger
	Clock   clockwork.Clock
	DB      *database.DB
	Vault   *vault.Vault
	License entitlement.Source // replaces the license module's, for tests
	Web     fiber.Handler      // the web interface; nil for none
	Leeway  time.Duration      // that every request has beyond its deadline, for tests

	Downtime *maintenance.Switch // where a module asks the process to stop the panel; nil where nobody can

	MetricsAddr string // where scrapes are answered; "" for nowhere
}

// App is a composed panel.
type App struct {
	opts      Options
	server    *httpapi.Server
	parts     []owned
	listener  *database.Listener
	bus       *events.Bus
	listeners []events.Listener
	journal   audit.Journal
	worker    *jobs.Runner
	timer     *jobs.Scheduler
	cancel    context.CancelFunc
	running   sync.WaitGroup
	loops     sync.Map // a mark of its own to the loop's owner, while it runs
	keepers   keepers
	metrics   *metrics.Registry
}

// New composes the panel and mounts its operations; nothing runs yet.
func New(opts Options) (*App, error) {
	if err := Check(opts.Modules); err != nil {
		return nil, err
	}
	if opts.Downtime == nil {
		opts.Downtime = maintenance.NewSwitch("")
	}
	Speak(opts.Modules)
	listener := database.NewListener(opts.DB.Pool, opts.Log.Named("listener"))
	bus := events.New(opts.DB, listener, opts.Log.Named("events"))
	if err := bus.Declare(EventKinds(opts.Modules)...); err != nil {
		return nil, err
	}
	followed := operations.NewStore(opts.DB, bus)
	enqueuer, worker := jobs.New(opts.DB, followed, opts.Log.Named("worker"))
	streams, intakes := httpapi.NewStreams(), ingest.NewIntakes()
	journal, err := audit.New(opts.DB, opts.Clock, opts.Log.Named("audit"), opts.Config)
	if err != nil {
		return nil, err
	}
	journal.Declare(JournalKinds(opts.Modules))
	network, err := outbound.NewNetwork(opts.Config)
	if err != nil {
		return nil, err
	}
	var found gathered
	license, reader := new(entitlement.Shared), httpapi.NewReader()
	err = wire(services{
		Log: opts.Log, Clock: opts.Clock, Config: opts.Config, DB: opts.DB, Listener: listener, Vault: opts.Vault,
		Bus:      bus,
		Rotation: vault.NewRotation(opts.Vault, SealedColumns(opts.Modules)), Network: network,
		Settings: settings.NewStore(opts.DB, opts.Vault, journal, opts.Clock, listener, bus),
		Jobs:     enqueuer, Operations: followed,
		Files:   files.NewStore(opts.DB, filepath.Join(opts.Config.DataDir(), "files"), opts.Log.Named("files")),
		Journal: journal, Refusals: journal, Hasher: password.NewHasher(), Streams: streams, Intakes: intakes,
		Catalog: Permissions(opts.Modules), Features: declaredFeatures(opts.Modules),
		Known: known(opts.Modules), Downtime: opts.Downtime, License: license,
		Automation: automation.New(opts.DB, opts.Clock, license, journal, bus, Acts(opts.Modules)),
		Places:     new(places.Book), Reader: reader,
	}, opts.Modules, &found, opts.Log)
	if err != nil {
		return nil, fmt.Errorf("compose the panel: %w", err)
	}
	proxies, err := proxies(opts.Config)
	if err != nil {
		return nil, err
	}
	license.Follow(source(opts, found))
	a := &App{opts: opts, parts: found.Parts, listener: listener, bus: bus, worker: worker, journal: journal}
	a.timer = jobs.NewScheduler(opts.DB, enqueuer, license, opts.Clock, opts.Log.Named("scheduler"))
	problems := []error{a.addJobs(), a.addListeners(enqueuer, license), found.addIntakes(intakes)}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	if a.metrics, err = a.counted(license); err != nil {
		return nil, err
	}
	a.server, err = httpapi.New(httpapi.Options{
		Log: opts.Log.Named("http"), Clock: opts.Clock, Version: version.Version, Sessions: found.Sessions,
		Agents: agents(found), License: license, Installation: found.Installation, Denials: journal,
		Permissions: Permissions(opts.Modules), Streams: streams, Reader: reader, TrustedProxies: proxies,
		Fallback: opts.Web,
		Meter:    a.metrics.Requests, Database: found.Database, Idempotency: idempotency.NewStore(opts.DB, opts.Vault),
		Leeway: opts.Leeway,
		Connections: httpapi.Connections{
			Most:       opts.Config.Int(config.MaxConns),
			PerAddress: opts.Config.Int(config.MaxConnsEach),
		},
	}, found.routes())
	if err != nil {
		return nil, err
	}
	return a, nil
}

func agents(found gathered) httpapi.Agents {
	if found.Agents == nil {
		return httpapi.NoAgents{}
	}
	return found.Agents
}

// source is the license module's, or full access in a build that was made without one.
func source(opts Options, found gathered) entitlement.Source {
	switch {
	case opts.License != nil:
		return opts.License
	case found.License != nil:
		return found.License
	}
	return entitlement.Fixed{State: entitlement.Active, Reason: "ok", Enabled: Features(opts.Modules)}
}

// proxies reads PANEL_TRUSTED_PROXIES: addresses or networks.
func proxies(cfg *config.Config) ([]netip.Prefix, error) {
	var list []netip.Prefix
	for _, text := range cfg.List(config.TrustedProxies) {
		network, err := config.Network(text)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", config.TrustedProxies.Name, err)
		}
		list = append(list, network)
	}
	return list, nil
}

// Server is the HTTP server, for tests and for the description.
func (a *App) Server() *httpapi.Server { return a.server }

// Bus delivers the panel's events, for tests.
func (a *App) Bus() *events.Bus { return a.bus }

// Start loads memory images and begins loops and listeners; afterwards requests may come.
func (a *App) Start(ctx context.Context) error {
	if err := a.settle(ctx); err != nil {
		return err
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	a.cancel = cancel
	a.keep(running, "listener", a.listener.Run)
	a.keep(running, "events", a.bus.Run)
	if a.opts.MetricsAddr != "" {
		a.keep(running, "metrics", a.showMetrics)
	}
	for _, o := range a.parts {
		for _, ready := range o.parts.Ready {
			if err := ready(ctx); err != nil {
				return fmt.Errorf("start the module %s: %w", o.owner, err)
			}
		}
		for _, loop := range o.parts.Loops {
			a.keep(running, o.owner, loop)
		}
	}
	a.keep(running, "worker", a.worker.Run)
	a.keep(running, "scheduler", a.timer.Run)
	return nil
}

// keep runs a loop until the context ends; a loop that fails or panics starts again after a pause.
func (a *App) keep(ctx context.Context, owner string, loop func(context.Context) error) {
	const pause = time.Second
	a.running.Go(func() {
		id := new(byte)
		a.loops.Store(id, owner)
		defer a.loops.Delete(id)
		a.keepers.began(owner)
		defer a.keepers.ended(owner)
		for ctx.Err() == nil {
			if err := guarded(ctx, loop); err != nil && ctx.Err() == nil {
				a.keepers.broke(owner)
				a.opts.Log.Error("a loop ended and starts again", zap.String("owner", owner), zap.Error(err))
			}
			select {
			case <-ctx.Done():
			case <-time.After(pause):
			}
		}
	})
}

func guarded(ctx context.Context, loop func(context.Context) error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	return loop(ctx)
}

// Serve answers requests until Stop.
func (a *App) Serve(on net.Listener) error { return a.server.Serve(on) }

// Stop drains requests, ends streams and loops, and waits for them until ctx ends.
func (a *App) Stop(ctx context.Context) error {
	err := a.server.Stop(ctx)
	if a.cancel != nil {
		a.cancel()
	}
	ended := make(chan struct{})
	go func() { a.running.Wait(); close(ended) }()
	select {
	case <-ended:
		return err
	case <-ctx.Done():
		return errors.Join(err, fmt.Errorf("stop the panel: loops of %s did not end: %w", a.stillRunning(), ctx.Err()))
	}
}

func (a *App) stillRunning() string {
	var owners []string
	a.loops.Range(func(_, owner any) bool {
		owners = append(owners, fmt.Sprint(owner))
		return true
	})
	slices.Sort(owners)
	return strings.Join(owners, ", ")
}

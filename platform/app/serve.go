package app

import (
	"context"
	"errors"
	"net"
	"runtime/debug"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/migrations"
	"panel/platform/cli"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/maintenance"
	"panel/platform/module"
	"panel/platform/version"
	"panel/platform/web"
)

// stopWithin is how long the panel drains after a signal.
const stopWithin = 8 * time.Second

// Serve runs the panel until ctx ends: configuration, port, database, migrations, modules, requests, in this order.
// Failures carry their exit code: 1 for a taken port or a bad setting, 3 for a database that cannot be used.
func Serve(ctx context.Context, features []module.Module) error {
	modules := With(features)
	cfg, warnings, err := config.Load(Keys(modules)...)
	if err != nil {
		return cli.Failed(cli.Say("the configuration cannot be used")).Because(cli.English(err.Error()))
	}
	log, err := newLog(cfg)
	if err != nil {
		return err
	}
	defer func() { _ = log.Sync() }()
	for _, warning := range warnings {
		log.Warn(string(warning))
	}
	on, err := listen(cfg)
	if err != nil {
		return err
	}
	defer func() { _ = on.Close() }()
	return serveOn(ctx, cfg, log, modules, on)
}

// serveOn runs the panel again and again: it is composed anew after a restore has replaced its database.
func serveOn(ctx context.Context, cfg *config.Config, log *zap.Logger, modules []module.Module, on net.Listener) error {
	dsn, stop, err := databaseServer(ctx, cfg, log)
	if err != nil {
		return withoutDatabase(err)
	}
	defer stop()
	at := newPort(on)
	ready := sync.OnceFunc(func() { go supervise(ctx, on.Addr().String(), log) })
	for {
		if err := maintained(ctx, dsn, at, ready, log); err != nil {
			return err
		}
		r := &round{
			cfg: cfg, log: log, modules: modules, dsn: dsn, downtime: maintenance.NewSwitch(dsn), on: at, ready: ready,
		}
		if again, err := r.run(ctx); err != nil || !again {
			return err
		}
	}
}

func withoutDatabase(err error) error {
	return cli.Unreachable(cli.Say("the panel cannot start without its database")).
		Because(cli.English(err.Error())).
		Advise(cli.Plain("panelctl doctor"))
}

// round is the life of a panel between two restores.
type round struct {
	cfg      *config.Config
	log      *zap.Logger
	modules  []module.Module
	dsn      string
	downtime *maintenance.Switch
	on       *port
	ready    func()
}

// run tells whether another round follows.
func (r *round) run(ctx context.Context) (again bool, err error) {
	again, err = r.live(ctx)
	if again && err == nil {
		select {
		case <-r.downtime.Entered():
			r.downtime.Stopped()
		default:
		}
	}
	return again, err
}

func (r *round) live(ctx context.Context) (again bool, err error) {
	db, err := database.Open(ctx, r.dsn, database.Options{
		MaxConns: r.cfg.Int(config.DBMaxConns), Wait: databaseWait, Name: "panel",
	})
	if err != nil {
		return false, withoutDatabase(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			r.log.Warn("the database did not close cleanly", zap.Error(err))
		}
	}()
	applied, err := migrations.Apply(ctx, db.DB.DB, Migrations(r.modules))
	if err != nil {
		return false, cli.Failed(cli.Say("the database could not be migrated")).Because(cli.English(err.Error()))
	}
	app, err := compose(ctx, r, db)
	if err != nil {
		return false, cli.Failed(cli.Say("the panel could not be composed")).Because(cli.English(err.Error()))
	}
	return r.serve(ctx, app, applied)
}

func compose(ctx context.Context, r *round, db *database.DB) (*App, error) {
	secrets, err := OpenVault(ctx, r.cfg, db)
	if err != nil {
		return nil, err
	}
	page, err := web.Handler()
	if err != nil {
		return nil, err
	}
	return New(Options{
		Modules: r.modules, Config: r.cfg, Log: r.log, Clock: clockwork.NewRealClock(), DB: db, Vault: secrets,
		Web: page, MetricsAddr: r.cfg.String(config.MetricsAddr), Downtime: r.downtime,
	})
}

// serve starts the panel, answers requests and stops cleanly when ctx ends or somebody restores the database.
func (r *round) serve(ctx context.Context, app *App, applied []string) (again bool, err error) {
	if err := app.Start(ctx); err != nil {
		return false, err
	}
	app.began(ctx, applied)
	boundMemory(r.log)
	// starting takes several times the memory of running; the machine gets it back now, not over minutes
	debug.FreeOSMemory()
	on, served := r.on.open(), make(chan error, 1)
	go func() { served <- app.Serve(on) }()
	r.log.Info("the panel is ready", zap.String("address", "http://"+on.Addr().String()), zap.String("version",
		version.Version))
	r.ready()
	watching, cease := context.WithCancel(ctx)
	defer cease()
	var failure error
	select {
	case failure = <-served:
	case <-ctx.Done():
		r.log.Info("the panel stops")
		_ = r.on.Close() // for good: what still waits at the port goes to somebody else
	case <-r.downtime.Entered():
		again = true
	case <-elsewhere(watching, app):
		again = true
	}
	app.stopping(ctx)
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer cancel()
	if failure = errors.Join(failure, app.Stop(drain)); failure == nil {
		app.stopped()
	}
	return again, failure
}

// elsewhere is closed when another process begins to replace the database. It looks until ctx ends.
func elsewhere(ctx context.Context, app *App) <-chan struct{} {
	found := make(chan struct{})
	go func() {
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			looking, cancel := context.WithTimeout(ctx, time.Second)
			notice, err := maintenance.Read(looking, app.opts.DB.Pool)
			cancel()
			if err == nil && notice != nil {
				close(found)
				return
			}
		}
	}()
	return found
}

func listen(cfg *config.Config) (net.Listener, error) {
	address := net.JoinHostPort(cfg.String(config.Bind), strconv.Itoa(cfg.Int(config.Port)))
	on, err := net.Listen("tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, cli.Failed(cli.Say("the port %s is taken by another process", address)).
			Advise(cli.Say("stop the other process, or set PANEL_PORT to a free port"))
	case err != nil:
		return nil, cli.Failed(cli.Say("the panel cannot listen on %s", address)).Because(cli.English(err.Error()))
	}
	return on, nil
}

const databaseWait = 3 * time.Second

// databaseServer is PANEL_DB_URL or, without one, the private PostgreSQL of the data folder, which runs until stop.
func databaseServer(ctx context.Context, cfg *config.Config, log *zap.Logger) (dsn string, stop func(), err error) {
	if dsn = cfg.Secret(config.DBURL).Reveal(); dsn != "" {
		return dsn, func() {}, nil
	}
	dsn, end, err := database.StartPrivate(ctx, database.PrivateOptions{
		DataDir: cfg.DataDir(), BinDir: cfg.String(config.PGBin), Log: log.Named("database"),
	})
	if err != nil {
		return "", nil, err
	}
	return dsn, func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
		defer cancel()
		if err := end(ctx); err != nil {
			log.Warn("the database did not close cleanly", zap.Error(err))
		}
	}, nil
}

package app

import (
	"context"
	"errors"
	"net"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/migrations"
	"panel/platform/cli"
	"panel/platform/config"
	"panel/platform/database"
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

func serveOn(ctx context.Context, cfg *config.Config, log *zap.Logger, modules []module.Module, on net.Listener) error {
	db, closeDB, err := openDatabase(ctx, cfg, log)
	if err != nil {
		return cli.Unreachable(cli.Say("the panel cannot start without its database")).
			Because(cli.English(err.Error())).
			Advise(cli.Plain("panelctl doctor"))
	}
	defer closeDB()
	applied, err := migrations.Apply(ctx, db.DB.DB, Migrations(modules))
	if err != nil {
		return cli.Failed(cli.Say("the database could not be migrated")).Because(cli.English(err.Error()))
	}
	app, err := compose(ctx, cfg, log, modules, db)
	if err != nil {
		return cli.Failed(cli.Say("the panel could not be composed")).Because(cli.English(err.Error()))
	}
	return run(ctx, app, applied, on, log)
}

func compose(ctx context.Context, cfg *config.Config, log *zap.Logger, modules []module.Module, db *database.DB) (*App,
	error,
) {
	secrets, err := OpenVault(ctx, cfg, db)
	if err != nil {
		return nil, err
	}
	page, err := web.Handler()
	if err != nil {
		return nil, err
	}
	return New(Options{
		Modules: modules, Config: cfg, Log: log, Clock: clockwork.NewRealClock(), DB: db, Vault: secrets, Web: page,
		MetricsAddr: cfg.String(config.MetricsAddr),
	})
}

// run starts the panel, answers requests and stops cleanly when ctx ends.
func run(ctx context.Context, app *App, applied []string, on net.Listener, log *zap.Logger) error {
	if err := app.Start(ctx); err != nil {
		return err
	}
	app.began(ctx, applied)
	boundMemory(log)
	// starting takes several times the memory of running; the machine gets it back now, not over minutes
	debug.FreeOSMemory()
	served := make(chan error, 1)
	go func() { served <- app.Serve(on) }()
	log.Info("the panel is ready", zap.String("address", "http://"+on.Addr().String()), zap.String("version",
		version.Version))
	go supervise(ctx, on.Addr().String(), log)
	var failure error
	select {
	case failure = <-served:
	case <-ctx.Done():
		log.Info("the panel stops")
	}
	app.stopping(ctx)
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer cancel()
	if failure = errors.Join(failure, app.Stop(drain)); failure == nil {
		app.stopped()
	}
	return failure
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

// openDatabase opens PANEL_DB_URL or, without one, the private PostgreSQL of the data folder.
func openDatabase(ctx context.Context, cfg *config.Config, log *zap.Logger) (*database.DB, func(), error) {
	dsn, stop := cfg.Secret(config.DBURL).Reveal(), func(context.Context) error { return nil }
	if dsn == "" {
		var err error
		dsn, stop, err = database.StartPrivate(ctx, database.PrivateOptions{
			DataDir: cfg.DataDir(), BinDir: cfg.String(config.PGBin), Log: log.Named("database"),
		})
		if err != nil {
			return nil, nil, err
		}
	}
	db, err := database.Open(ctx, dsn, database.Options{
		MaxConns: cfg.Int(config.DBMaxConns), Wait: databaseWait,
		Name: "panel",
	})
	if err != nil {
		return nil, nil, errors.Join(err, stop(context.WithoutCancel(ctx)))
	}
	return db, func() { closeDatabase(ctx, db, stop, log) }, nil
}

func closeDatabase(ctx context.Context, db *database.DB, stop func(context.Context) error, log *zap.Logger) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer cancel()
	if err := errors.Join(db.Close(), stop(ctx)); err != nil {
		log.Warn("the database did not close cleanly", zap.Error(err))
	}
}

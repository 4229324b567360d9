// Package offline opens the panel's database for a command that works without the panel: it finds the settings, says
// where they come from, and starts or joins the private database where there is no other.
package offline

import (
	"context"
	"os"
	"path/filepath"

	"go.uber.org/zap"

	"panel/platform/cli"
	"panel/platform/cli/envfile"
	"panel/platform/config"
	"panel/platform/database"
)

// Session is an open database with the settings that led to it.
type Session struct {
	Config *config.Config
	DB     *database.DB
	// Settings is the file that the settings came from, or the environment.
	Settings cli.Message
	// Database is the server and name, without any password.
	Database cli.Message

	stop func(context.Context) error
}

// Open finds PANEL_DB_URL in the environment or in a .env file, in the order of the specification; without one it joins
// the private database of the data folder. Failures carry exit code 3.
func Open(ctx context.Context, env cli.Env, keys ...config.Key) (*Session, error) {
	s, err := settings(env, keys)
	if err != nil {
		return nil, err
	}
	dsn, err := s.Address(ctx, false)
	if err != nil {
		return nil, err
	}
	s.DB, err = database.Open(ctx, dsn, database.Options{MaxConns: 2, Name: "panelctl"})
	if err != nil {
		return nil, unreachable(err)
	}
	return s, s.name(ctx)
}

// Settings finds the settings alone, in the order of Open, for a command that may have no database to work on.
func Settings(env cli.Env, keys ...config.Key) (*Session, error) { return settings(env, keys) }

// Address is that of PANEL_DB_URL, else of the private database, which it starts or joins. With fresh it also makes a
// private database where there is none. Failures carry exit code 3.
func (s *Session) Address(ctx context.Context, fresh bool) (string, error) {
	if dsn := s.Config.Secret(config.DBURL).Reveal(); dsn != "" {
		return dsn, nil
	}
	dsn, err := s.private(ctx, fresh)
	if err != nil {
		return "", unreachable(err)
	}
	return dsn, nil
}

func settings(env cli.Env, keys []config.Key) (*Session, error) {
	s := &Session{Settings: cli.Say("environment"), stop: func(context.Context) error { return nil }}
	found := (*envfile.File)(nil)
	if env.Getenv(config.DBURL.Name) == "" {
		found = envfile.Find(envfile.Places(env.Getenv("HOME")), config.DBURL.Name)
	}
	values := map[string]string{}
	if found != nil {
		if found.Err != nil {
			return nil, cli.Failed(cli.Say("the settings in %s cannot be read", found.Path)).
				Because(cli.English(found.Err.Error()))
		}
		s.Settings = cli.Plain(absolute(found.Path))
	}
	for _, key := range append(config.Platform(), keys...) {
		if value := env.Getenv(key.Name); value != "" {
			values[key.Name] = value
		} else if found != nil {
			values[key.Name] = found.Values[key.Name]
		}
	}
	read, err := config.Of(values, keys...)
	s.Config = read
	return s, err
}

func absolute(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

// private makes no new cluster unless it is told to: a command that works on a panel's data has nothing to do without
// one.
func (s *Session) private(ctx context.Context, fresh bool) (string, error) {
	dir := s.Config.DataDir()
	if _, err := os.Stat(filepath.Join(dir, "postgres")); err != nil && !fresh {
		return "", errNoDatabase(dir)
	}
	dsn, stop, err := database.StartPrivate(ctx, database.PrivateOptions{
		DataDir: dir,
		BinDir:  s.Config.String(config.PGBin), Log: zap.NewNop(),
	})
	if err == nil {
		s.stop = stop
	}
	return dsn, err
}

type errNoDatabase string

func (e errNoDatabase) Error() string {
	return "PANEL_DB_URL is not set and there is no private database in " + string(e)
}

func unreachable(err error) error {
	return cli.Unreachable(cli.Say("the panel's database cannot be opened")).Because(cli.English(err.Error())).
		Advise(cli.Say("set PANEL_DB_URL or PANEL_DATA_DIR as the panel's service does"), cli.Plain("panelctl doctor"))
}

// name reads where the connection really leads and refuses a database that is not a panel's.
func (s *Session) name(ctx context.Context) error {
	var database, host string
	err := s.DB.NewRaw("select current_database(), coalesce(host(inet_server_addr()), '')").Scan(ctx, &database, &host)
	if err != nil {
		return unreachable(err)
	}
	s.Database = cli.Say("%s at %s", database, host)
	if host == "" {
		s.Database = cli.Say("%s at local socket", database)
	}
	var panels bool
	if err := s.DB.NewRaw("select to_regclass('accounts') is not null").Scan(ctx, &panels); err != nil {
		return unreachable(err)
	}
	if !panels {
		return cli.Failed(cli.Say("the database %s holds no panel", s.Database)).
			Because(cli.Say("its schema is empty; the panel makes it at its first start")).
			Advise(cli.Say("check which database %s names", config.DBURL.Name), cli.Plain("panelctl serve"))
	}
	return nil
}

// Close leaves the database as it was found.
func (s *Session) Close(ctx context.Context) error {
	if s.DB != nil {
		if err := s.DB.Close(); err != nil {
			return err
		}
	}
	return s.stop(context.WithoutCancel(ctx))
}

package selfupdate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/jonboulle/clockwork"

	"panel/platform/cli"
	"panel/platform/cli/envfile"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/outbound"
	"panel/platform/release"
	"panel/platform/release/remote"
)

// engine is root's half for the installed panel of this machine.
func (t tool) engine() (*Engine, *config.Config, error) {
	if os.Geteuid() != 0 {
		return nil, nil, cli.NotAllowed(cli.Say("only root may replace the panel")).
			Advise(cli.Plain("sudo panelctl update apply"))
	}
	values, err := settingsFile()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, cli.Failed(cli.Say("this machine has no installed panel")).
			Because(cli.Say("%s does not exist", installedSettings)).
			Advise(cli.Say("run this on the panel server, as root"))
	}
	if err != nil {
		return nil, nil, cli.Failed(cli.Say("the settings in %s cannot be read", installedSettings)).
			Because(cli.English(err.Error()))
	}
	cfg, err := config.Of(values, keys()...)
	if err != nil {
		return nil, nil, cli.Failed(cli.Say("the configuration cannot be used")).Because(cli.English(err.Error()))
	}
	owner, err := identityOf(panelUser)
	if err != nil {
		return nil, nil, cli.Failed(cli.Say("this machine has no installed panel")).Because(cli.English(err.Error()))
	}
	network, err := outbound.Through(cfg.Secret(config.HTTPProxy).Reveal())
	if err != nil {
		return nil, nil, cli.Failed(cli.Say("PANEL_HTTP_PROXY cannot be used as the address of a proxy"))
	}
	releases := remote.New(network)
	paths := Paths{Binary: installedBinary, Settings: installedSettings, Work: installedWork, Data: cfg.DataDir()}
	e := &Engine{
		Paths: paths, Host: &machine{unit: panelUnit, tool: paths.self(), cfg: cfg, values: values, owner: owner},
		Owner: owner, Clock: clockwork.NewRealClock(), Self: "/proc/self/exe",
		Report: func(state, detail string) { t.env.Note(cli.English(joined(state, detail))) },
		Look: func(ctx context.Context, from string) (*release.Release, error) {
			if from == "" {
				from = cfg.String(config.UpdateURL)
			}
			return releases.Open(ctx, from, cfg.String(PublicKey))
		},
	}
	return e, cfg, nil
}

func joined(state, detail string) string {
	if detail == "" {
		return state
	}
	return state + ": " + detail
}

func settingsFile() (map[string]string, error) {
	file, err := os.Open(installedSettings)
	if err != nil {
		return nil, fmt.Errorf("open the settings: %w", err)
	}
	defer file.Close()
	return envfile.Parse(file)
}

func goesOn() error {
	return cli.Conflict(cli.Say("an update or rollback is already going on")).
		Advise(cli.Plain("journalctl -u panel-update"))
}

// here does the run in this process. Should it die, panel-update.service carries it on.
func (t tool) here(ctx context.Context, e *Engine, cfg *config.Config, r request) error {
	unlock, err := lock(e.Paths.Work)
	if err != nil {
		return err
	}
	defer unlock()
	if e.Unfinished() {
		return goesOn()
	}
	r.ID, r.By, r.At = database.NewID(), "root", e.Clock.Now().UTC()
	if err := e.begin(r, t.env.Version); err != nil {
		return err
	}
	if err := e.carryOn(ctx); err != nil {
		return err
	}
	return t.outcome(cfg, r.ID)
}

// outcome answers with the journal's last word on the run: anything but done is exit code 1.
func (t tool) outcome(cfg *config.Config, id string) error {
	lines, err := readJournal(filepath.Join(cfg.DataDir(), journalName))
	if err != nil {
		return err
	}
	past, _ := runs(lines)
	for _, run := range past {
		if run.ID != id {
			continue
		}
		if run.State != Done {
			return cli.Failed(cli.Say("the panel was not changed to the wanted release")).
				Because(cli.English(joined(run.State, run.Reason))).
				Advise(cli.Plain("journalctl -u panel -n 50"), cli.Plain("panelctl doctor"))
		}
		return t.env.Record(
			run,
			cli.Field{Key: "state", Label: "State", Value: run.State, Mood: cli.Good},
			cli.Field{Key: "version", Label: "Version", Value: run.To},
		)
	}
	return cli.Failed(cli.Say("the update left no trace in its journal"))
}

func (t tool) run(ctx context.Context) error {
	return t.alone(func(e *Engine) error { return e.Run(ctx, t.env.Version) })
}

var errWhen = errors.New("before or after")

func (t tool) keep(ctx context.Context, when string) error {
	return t.alone(func(e *Engine) error {
		switch {
		case e.Unfinished():
			return goesOn()
		case when == "before":
			return e.beforePackage(ctx, t.env.Version)
		case when == "after":
			return e.afterPackage(ctx, t.env.Version)
		}
		return errWhen
	})
}

// alone works on the installed panel while no other process does.
func (t tool) alone(do func(*Engine) error) error {
	e, _, err := t.engine()
	if err != nil {
		return err
	}
	unlock, err := lock(e.Paths.Work)
	if err != nil {
		return err
	}
	defer unlock()
	return do(e)
}

// lock lets one process work at a time; the system gives it back when that process dies.
func lock(work string) (func(), error) {
	if err := makeFolder(work, 0o711); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(work, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the lock of updates: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		file.Close()
		return nil, goesOn()
	}
	return func() { file.Close() }, nil
}

var errWhat = errors.New("schema, dump, restore or migrating")

// database runs as the panel's user with the settings of its service; the data goes through the standard streams.
func (t tool) database(ctx context.Context, what string) error {
	cfg, _, err := config.Load(keys()...)
	if err != nil {
		return err
	}
	if what == "migrating" {
		at, err := migrating(ctx, cfg)
		fmt.Fprintln(t.env.Out, at)
		return err
	}
	c, err := connect(ctx, cfg)
	if err != nil {
		return cli.Unreachable(cli.English(err.Error()))
	}
	programs := cfg.String(config.PGBin)
	switch what {
	case "schema":
		var fingerprint string
		fingerprint, err = c.schema(ctx)
		fmt.Fprintln(t.env.Out, fingerprint)
	case "dump":
		err = c.dump(ctx, programs, t.env.Out)
	case "restore":
		err = c.restore(ctx, programs, t.env.In)
	default:
		err = errWhat
	}
	return errors.Join(err, c.close(ctx))
}

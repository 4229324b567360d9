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
	"github.com/spf13/cobra"

	"panel/platform/cli"
	"panel/platform/cli/envfile"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/release"
)

type tool struct{ env cli.Env }

func commands(env cli.Env) []*cobra.Command {
	t := tool{env}
	group := &cobra.Command{Use: "update", Short: "Show and install newer releases of the panel, and roll back to the one before"}
	apply := &cobra.Command{
		Use: "apply [version]", Short: "Install the newer release; root needs no token", Args: cobra.MaximumNArgs(1),
		Long: "As root on the panel server it does the whole update here and shows each stage; elsewhere it asks the panel by POST /api/v1/system/updates/apply. " +
			"Database, executable and settings are kept as one set; a panel that does not become healthy is replaced by the one before within a minute.",
		Example: "sudo panelctl update apply\nsudo panelctl update apply --from /media/usb/manifest.json\npanelctl update apply 1.5.0",
	}
	from := apply.Flags().String("from", "", "manifest on this machine, for a server without access to the release server; root only")
	apply.RunE = func(cmd *cobra.Command, args []string) error { return t.apply(cmd.Context(), first(args), *from) }
	group.AddCommand(
		&cobra.Command{
			Use: "status", Short: "Show the version, what newer there is, and the way back", Args: cobra.NoArgs,
			Long: "Asks GET /api/v1/system/updates.", Example: "panelctl update status\npanelctl update status --json",
			RunE: func(cmd *cobra.Command, _ []string) error { return t.status(cmd.Context(), false) },
		},
		&cobra.Command{
			Use: "check", Short: "Check for a newer release now", Args: cobra.NoArgs,
			Long: "Calls POST /api/v1/system/updates/check and shows the answer.", Example: "panelctl update check",
			RunE: func(cmd *cobra.Command, _ []string) error { return t.status(cmd.Context(), true) },
		},
		apply,
		&cobra.Command{
			Use: "rollback", Short: "Roll back to the release before; root needs no token", Args: cobra.NoArgs,
			Long: "Brings back the set that the last update kept. When that update changed the schema, the database comes back too and what was written since is lost. " +
				"As root it works while the panel is down.",
			Example: "sudo panelctl update rollback\nsudo panelctl update rollback --yes",
			RunE:    func(cmd *cobra.Command, _ []string) error { return t.rollback(cmd.Context()) },
		},
		&cobra.Command{
			Use: "keep before|after", Short: "Keep a way back from the upgrade of a package; started by its scripts", Hidden: true, Args: cobra.ExactArgs(1),
			RunE: func(cmd *cobra.Command, args []string) error { return t.keep(cmd.Context(), args[0]) },
		},
		&cobra.Command{
			Use: "run", Short: "Carry on a run or take a request; started by panel-update.service", Hidden: true, Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error { return t.run(cmd.Context()) },
		},
		&cobra.Command{
			Use: "database schema|dump|restore|migrating", Short: "Work on the database of a stopped panel, or see whether a starting one works on it; started by an update", Hidden: true, Args: cobra.ExactArgs(1),
			RunE: func(cmd *cobra.Command, args []string) error { return t.database(cmd.Context(), args[0]) },
		},
	)
	return []*cobra.Command{group}
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// The installed places; nothing else may be updated by root.
const (
	installedBinary   = "/opt/panel/bin/panelctl"
	installedSettings = "/etc/panel/panel.env"
	installedWork     = "/opt/panel/updates"
	panelUser         = "panel"
	panelUnit         = "panel.service"
)

func (t tool) status(ctx context.Context, look bool) error {
	client, err := t.env.Client()
	if err != nil {
		return err
	}
	d := struct {
		Schema string `json:"schema"`
		View
	}{Schema: "panelctl.update/v1"}
	if look {
		err = client.Post(ctx, "/api/v1/system/updates/check", nil, &d)
	} else {
		err = client.Get(ctx, "/api/v1/system/updates", &d)
	}
	if err != nil {
		return err
	}
	d.Schema = "panelctl.update/v1"
	return t.env.Record(d, fields(d.View)...)
}

func fields(v View) []cli.Field {
	list := []cli.Field{
		{Key: "current", Label: "Version", Value: v.Current},
		{Key: "channel", Label: "Channel", Value: v.Channel},
		{Key: "available", Label: "Newer release", Value: "-"},
	}
	if v.Available != nil {
		list[2].Value, list[2].Mood = v.Available.Version, cli.Careful
	}
	if v.CheckError != "" {
		list = append(list, cli.Field{Key: "check_error", Label: "Last check failed", Value: v.CheckError, Mood: cli.Bad})
	}
	for _, c := range v.Checks {
		if !c.OK {
			said := cli.Say("%s; %s", cli.English(c.Finding), cli.English(c.Action))
			list = append(list, cli.Field{Key: "check." + c.ID, Label: "To be put right", Value: c.Finding, Shown: said, Mood: cli.Bad})
		}
	}
	if v.Run != nil {
		list = append(list, cli.Field{Key: "run", Label: "Goes on", Value: v.Run.Kind + " to " + v.Run.To + ": " + v.Run.State, Shown: runText(*v.Run), Mood: cli.Careful})
	}
	if len(v.History) > 0 {
		last := v.History[0]
		list = append(list, cli.Field{Key: "last", Label: "Last run", Value: last.Kind + " to " + last.To + ": " + last.State, Shown: runText(last)})
	}
	way := cli.Field{Key: "rollback", Label: "Way back", Value: "-"}
	if v.Rollback.Possible {
		way.Value = v.Rollback.Version
		if v.Rollback.RestoresDatabase {
			way.Shown = cli.Say("%s, with the database of that time", v.Rollback.Version)
		}
	}
	return append(list, way)
}

// runText keeps the state's word in every language.
func runText(run Run) cli.Message {
	if run.Kind == kindRollback {
		return cli.Say("rollback to %s: %s", run.To, run.State)
	}
	return cli.Say("update to %s: %s", run.To, run.State)
}

func (t tool) apply(ctx context.Context, wanted, from string) error {
	if os.Geteuid() != 0 {
		if from != "" {
			return cli.NotAllowed(cli.Say("only root may install a release from a file")).Advise(cli.Plain("sudo panelctl update apply --from " + from))
		}
		return t.ask(ctx, wanted)
	}
	e, cfg, err := t.engine()
	if err != nil {
		return err
	}
	found, err := e.Look(ctx, from)
	if err != nil {
		return cli.Failed(cli.Say("no release could be read")).Because(cli.English(err.Error())).
			Advise(cli.Say("check %s and %s", config.UpdateURL.Name, PublicKey.Name))
	}
	if release.Compare(found.Manifest.Version, t.env.Version) <= 0 {
		t.env.Note(cli.Say("version %s is the newest", t.env.Version))
		return nil
	}
	if wanted != "" && release.Compare(wanted, found.Manifest.Version) != 0 {
		return cli.Conflict(cli.Say("the release server offers %s", found.Manifest.Version)).Advise(cli.Plain("panelctl update apply " + found.Manifest.Version))
	}
	return t.here(ctx, e, cfg, request{Kind: kindUpdate, Version: found.Manifest.Version, from: absolute(from)})
}

func absolute(path string) string {
	if whole, err := filepath.Abs(path); err == nil && path != "" {
		return whole
	}
	return path
}

// ask leaves the work to the panel and its service.
func (t tool) ask(ctx context.Context, wanted string) error {
	client, err := t.env.Client()
	if err != nil {
		return err
	}
	if wanted == "" {
		var v View
		if err := client.Post(ctx, "/api/v1/system/updates/check", nil, &v); err != nil {
			return err
		}
		if v.Available == nil {
			t.env.Note(cli.Say("version %s is the newest", v.Current))
			return nil
		}
		wanted = v.Available.Version
	}
	var run Run
	if err := client.Post(ctx, "/api/v1/system/updates/apply", map[string]string{"version": wanted}, &run); err != nil {
		return err
	}
	return t.accepted(run)
}

func (t tool) accepted(run Run) error {
	t.env.Note(cli.Say("accepted; panelctl update status shows how it goes"))
	return t.env.Record(run, cli.Field{Key: "run", Label: "Run", Value: run.ID}, cli.Field{Key: "to", Label: "Version", Value: run.To})
}

const word = "ROLLBACK"

func (t tool) rollback(ctx context.Context) error {
	err := t.env.Confirm(cli.Say("The release before comes back. If the newer one changed the database, that comes back too, and what was written since is lost."),
		cli.Say("Type %s to go on:", word), word)
	if err != nil {
		return err
	}
	if os.Geteuid() == 0 {
		e, cfg, err := t.engine()
		if err != nil {
			return err
		}
		return t.here(ctx, e, cfg, request{Kind: kindRollback})
	}
	client, err := t.env.Client()
	if err != nil {
		return err
	}
	var run Run
	if err := client.Post(ctx, "/api/v1/system/updates/rollback", nil, &run); err != nil {
		return err
	}
	return t.accepted(run)
}

// engine is root's half for the installed panel of this machine.
func (t tool) engine() (*Engine, *config.Config, error) {
	if os.Geteuid() != 0 {
		return nil, nil, cli.NotAllowed(cli.Say("only root may replace the panel")).Advise(cli.Plain("sudo panelctl update apply"))
	}
	values, err := settingsFile()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, cli.Failed(cli.Say("this machine has no installed panel")).Because(cli.Say("%s does not exist", installedSettings)).
			Advise(cli.Say("run this on the panel server, as root"))
	}
	if err != nil {
		return nil, nil, cli.Failed(cli.Say("the settings in %s cannot be read", installedSettings)).Because(cli.English(err.Error()))
	}
	cfg, err := config.Of(values, keys()...)
	if err != nil {
		return nil, nil, cli.Failed(cli.Say("the configuration cannot be used")).Because(cli.English(err.Error()))
	}
	owner, err := identityOf(panelUser)
	if err != nil {
		return nil, nil, cli.Failed(cli.Say("this machine has no installed panel")).Because(cli.English(err.Error()))
	}
	paths := Paths{Binary: installedBinary, Settings: installedSettings, Work: installedWork, Data: cfg.DataDir()}
	e := &Engine{
		Paths: paths, Host: &machine{unit: panelUnit, tool: paths.self(), cfg: cfg, values: values, owner: owner},
		Owner: owner, Clock: clockwork.NewRealClock(), Self: "/proc/self/exe",
		Tell: func(state, detail string) { t.env.Note(cli.English(joined(state, detail))) },
		Look: func(ctx context.Context, from string) (*release.Release, error) {
			if from == "" {
				from = cfg.String(config.UpdateURL)
			}
			return release.Open(ctx, from, cfg.String(PublicKey), release.Via(cfg.Secret(config.HTTPProxy).Reveal()))
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
	return cli.Conflict(cli.Say("an update or rollback is already going on")).Advise(cli.Plain("journalctl -u panel-update"))
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
			return cli.Failed(cli.Say("the panel was not changed to the wanted release")).Because(cli.English(joined(run.State, run.Reason))).
				Advise(cli.Plain("journalctl -u panel -n 50"), cli.Plain("panelctl doctor"))
		}
		return t.env.Record(run, cli.Field{Key: "state", Label: "State", Value: run.State, Mood: cli.Good}, cli.Field{Key: "version", Label: "Version", Value: run.To})
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

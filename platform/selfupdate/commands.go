package selfupdate

import (
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"panel/platform/cli"
	"panel/platform/config"
	"panel/platform/release"
)

type tool struct{ env cli.Env }

func commands(env cli.Env) []*cobra.Command {
	t := tool{env}
	group := &cobra.Command{
		Use:   "update",
		Short: "Show and install newer releases of the panel, and roll back to the previous one",
	}
	apply := &cobra.Command{
		Use: "apply [version]", Short: "Install the newer release; root needs no token", Args: cobra.MaximumNArgs(1),
		Long: "As root on the panel server it does the whole update here and shows each stage; elsewhere it asks the panel by POST /api/v1/system/updates/apply. " +
			"Database, executable and settings are kept as one set; a panel that does not become healthy is replaced by the one before within a minute.",
		Example: "sudo panelctl update apply\nsudo panelctl update apply --from /media/usb/manifest.json\npanelctl update apply 1.5.0",
	}
	from := apply.Flags().
		String("from", "", "manifest on this machine, for a server without access to the release server; root only")
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
			Use: "keep before|after", Short: "Keep a way back from the upgrade of a package; started by its scripts",
			Hidden: true, Args: cobra.ExactArgs(1),
			RunE: func(cmd *cobra.Command, args []string) error { return t.keep(cmd.Context(), args[0]) },
		},
		&cobra.Command{
			Use: "run", Short: "Carry on a run or take a request; started by panel-update.service", Hidden: true,
			Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error { return t.run(cmd.Context()) },
		},
		&cobra.Command{
			Use:    "database schema|dump|restore|migrating",
			Short:  "Work on the database of a stopped panel, or see whether a starting one works on it; started by an update",
			Hidden: true, Args: cobra.ExactArgs(1),
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
		list = append(list, cli.Field{
			Key: "check_error", Label: "Last check failed", Value: v.CheckError,
			Mood: cli.Bad,
		})
	}
	for _, c := range v.Checks {
		if !c.OK {
			said := cli.Say("%s; %s", cli.English(c.Finding), cli.English(c.Action))
			list = append(
				list,
				cli.Field{Key: "check." + c.ID, Label: "To be put right", Value: c.Finding, Shown: said, Mood: cli.Bad},
			)
		}
	}
	if v.Run != nil {
		list = append(
			list,
			cli.Field{
				Key:   "run",
				Label: "Goes on",
				Value: v.Run.Kind + " to " + v.Run.To + ": " + v.Run.State,
				Shown: runText(*v.Run),
				Mood:  cli.Careful,
			},
		)
	}
	if len(v.History) > 0 {
		last := v.History[0]
		list = append(
			list,
			cli.Field{
				Key:   "last",
				Label: "Last run",
				Value: last.Kind + " to " + last.To + ": " + last.State,
				Shown: runText(last),
			},
		)
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
			return cli.NotAllowed(cli.Say("only root may install a release from a file")).
				Advise(cli.Plain("sudo panelctl update apply --from " + from))
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
		return cli.Conflict(cli.Say("the release server offers %s", found.Manifest.Version)).
			Advise(cli.Plain("panelctl update apply " + found.Manifest.Version))
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
	return t.env.Record(
		run,
		cli.Field{Key: "run", Label: "Run", Value: run.ID},
		cli.Field{Key: "to", Label: "Version", Value: run.To},
	)
}

const word = "ROLLBACK"

func (t tool) rollback(ctx context.Context) error {
	err := t.env.Confirm(
		cli.Say(
			"The release before comes back. If the newer one changed the database, that comes back too, and what was written since is lost.",
		),
		cli.Say("Type %s to go on:", word),
		word,
	)
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

// Package console is the command line of backups: it works without the API, for a panel that is dead.
package console

import (
	"context"

	"github.com/spf13/cobra"

	"panel/modules/backups/internal/artefact"
	"panel/platform/cli"
	"panel/platform/config"
)

// Settings are the variables of the module that the commands read.
type Settings struct {
	Folder    config.Key // PANEL_BACKUP_DIR
	Messenger config.Key // PANEL_MESSENGER_API_ROOT
}

// tool is one run of a command.
type tool struct {
	env      cli.Env
	settings Settings
	place    placeFlags
	keys     keyFlags
}

// Commands are panelctl backup and what is below it.
func Commands(env cli.Env, settings Settings) []*cobra.Command {
	t := &tool{env: env, settings: settings}
	group := &cobra.Command{
		Use:   "backup",
		Short: "List, make, verify and restore backups without the API",
	}
	group.AddCommand(t.listCommand(), t.createCommand(), t.verifyCommand(), t.restoreCommand(), t.decryptCommand())
	return []*cobra.Command{group}
}

func (t *tool) listCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "list", Short: "List the backups of a place, newest first", Args: cobra.NoArgs,
		Long: "A backup is listed when all of it was written. Without --place it looks into the panel's folder of backups.",
		Example: "panelctl backup list\n" +
			"panelctl backup list --place /mnt/usb\npanelctl backup list --place s3.json --json",
		RunE: func(cmd *cobra.Command, _ []string) error { return t.list(cmd.Context()) },
	}
	t.place.bind(c)
	return c
}

func (t *tool) createCommand() *cobra.Command {
	o := &createFlags{}
	c := &cobra.Command{
		Use: "create", Short: "Create a backup of the panel's database now", Args: cobra.NoArgs,
		Long: "Choose one of --recipient, --passphrase and --unencrypted. The panel may run meanwhile. The master key is kept only in an encrypted backup, " +
			"by --with-key; without it and without secret.key nobody can read the secrets of the backup.",
		Example: "panelctl backup create --recipient age1… --with-key\npanelctl backup create --unencrypted --place /mnt/usb",
		RunE:    func(cmd *cobra.Command, _ []string) error { return t.create(cmd.Context(), o) },
	}
	t.place.bind(c)
	o.bind(c)
	return c
}

func (t *tool) verifyCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "verify [name]", Short: "Prove that a backup can be restored", Args: cobra.MaximumNArgs(1),
		Long: "Reads every part, restores the backup into a database of its own, compares all tables, opens all secrets and proves the journal. " +
			"Nothing of the panel is touched. Without a name it takes the newest.",
		Example: "panelctl backup verify\npanelctl backup verify --place /mnt/usb --identity key.txt",
		RunE:    func(cmd *cobra.Command, args []string) error { return t.verify(cmd.Context(), first(args)) },
	}
	t.place.bind(c)
	t.keys.bind(c)
	return c
}

func (t *tool) restoreCommand() *cobra.Command {
	o := &restoreFlags{}
	c := &cobra.Command{
		Use: "restore [name]", Short: "Replace the panel's database by a backup", Args: cobra.MaximumNArgs(1),
		Long: "Stop the panel first. The present database is kept as a backup before anything is changed, and all is changed in one transaction. " +
			"A backup that is damaged, belongs to another master key or was made by a newer panel is refused. Without a name it takes the newest.",
		Example: "sudo systemctl stop panel\nsudo panelctl backup restore\n" +
			"sudo panelctl backup restore --place s3.json --identity key.txt --old-key old.key --yes",
		RunE: func(cmd *cobra.Command, args []string) error { return t.restore(cmd.Context(), first(args), o) },
	}
	t.place.bind(c)
	t.keys.bind(c)
	o.bind(c)
	return c
}

func (t *tool) decryptCommand() *cobra.Command {
	entry, output := "", ""
	c := &cobra.Command{
		Use: "decrypt [name]", Short: "Give out the plain content of a backup", Args: cobra.MaximumNArgs(1),
		Long: "Proves all parts, then writes an entry: database is for pg_restore, config is a tar, secret_store the master key. " +
			"Nothing of the panel is needed or touched.",
		Example: "panelctl backup decrypt --identity key.txt | pg_restore --list\n" +
			"panelctl backup decrypt --entry config --output settings.tar",
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.decrypt(cmd.Context(), first(args), artefact.Entry(entry), output)
		},
	}
	t.place.bind(c)
	t.keys.bind(c)
	c.Flags().StringVar(&entry, "entry", string(artefact.Database), "database, config or secret_store")
	c.Flags().StringVar(&output, "output", "", "file to write; without it the content goes to the standard output")
	return c
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// found opens the place and finds the backup in it.
func (t *tool) found(ctx context.Context, name string) (*source, error) {
	p, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	s := &source{opened: p}
	if s.keys, err = t.keys.read(t.env); err == nil {
		s.keys.Masters = append(p.masters(), s.keys.Masters...)
		s.listed, err = artefact.Find(ctx, p.at, name, s.keys)
	}
	if err != nil {
		return nil, closing(ctx, p, failed(cli.Say("the backup cannot be used"), err))
	}
	if s.listed.Manifest.Encryption == artefact.ByPassphrase && s.keys.Passphrase == "" {
		if s.keys.Passphrase, err = t.env.AskSecret(ctx, cli.Say("Passphrase of the backup:")); err != nil {
			return nil, closing(ctx, p, err)
		}
	}
	return s, nil
}

// source is a backup that a command works on.
type source struct {
	*opened
	listed artefact.Listed
	keys   artefact.Keys
}

func closing(ctx context.Context, p *opened, err error) error {
	p.close(ctx)
	return err
}

// failed names what was attempted; a failure that says more is left as it is.
func failed(problem cli.Message, err error) error {
	return &cli.Failure{Exit: cli.ExitFailed, Problem: problem, Cause: cli.English(err.Error()), Err: err}
}

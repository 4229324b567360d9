package console

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"panel/modules/backups/internal/artefact"
	"panel/modules/backups/internal/restore"
	"panel/platform/cli"
	"panel/platform/database"
	"panel/platform/durable"
	"panel/platform/pgtools"
	"panel/platform/restored"
)

// restoreFlags say how a database is replaced.
type restoreFlags struct{ withoutCopy bool }

func (o *restoreFlags) bind(c *cobra.Command) {
	c.Flags().BoolVar(&o.withoutCopy, "no-copy", false, "do not keep the present database as a backup first")
}

func trimmed(text []byte) []byte { return bytes.TrimSpace(text) }

func (t *tool) restore(ctx context.Context, name string, o *restoreFlags) error {
	s, err := t.found(ctx, name)
	if err != nil {
		return err
	}
	defer s.close(ctx)
	if err := mayMake(s.session.Config.DataDir()); err != nil {
		return err
	}
	p := t.installed(s)
	brought := false
	if p.Master, brought, err = t.ownKey(ctx, s); err != nil {
		return t.refused(err)
	}
	s.keys.Masters = append([]string{p.Master}, s.keys.Masters...)
	if err := t.ask(s, brought); err != nil {
		return err
	}
	if p.DSN, err = s.session.Address(ctx, true); err != nil {
		return err
	}
	steps := t.steps()
	out, err := restore.Full(ctx, restore.From{At: s.at, Manifest: s.listed.Manifest, Keys: s.keys}, p, restore.Options{
		Alone: true, Progress: steps.note, Hooks: t.hooks(s, p, o),
	})
	steps.end()
	if err != nil && !out.Changed {
		return t.refused(err)
	}
	if err != nil {
		return failed(cli.Say("the database is restored, but its secrets are not sealed anew"), err)
	}
	if brought {
		if err := keepKey(s.session.Config.DataDir(), p.Master); err != nil {
			return failed(cli.Say("the database is restored, but its files are not in place"), err)
		}
	}
	return t.restored(s, out)
}

// mayMake keeps root from making files that the panel's own user could not read.
func mayMake(data string) error {
	about, err := os.Stat(data)
	if err != nil || os.Geteuid() != 0 {
		return nil
	}
	owner, known := about.Sys().(*syscall.Stat_t)
	_, cluster := os.Stat(filepath.Join(data, "postgres"))
	if known && owner.Uid != 0 && errors.Is(cluster, fs.ErrNotExist) {
		return cli.NotAllowed(cli.Say("the folder %s belongs to another user, who must make its database", data)).
			Advise(cli.Plain("sudo -u panel panelctl backup restore"))
	}
	return nil
}

// ask says what was chosen, and has the word typed.
func (t *tool) ask(s *source, brought bool) error {
	m := s.listed.Manifest
	t.env.Note(cli.Say("settings from %s, backup %s of %s, made by panel %s, from %s", s.session.Settings, m.Name,
		cli.Moment(m.CreatedAt.In(time.UTC)), m.PanelVersion, s.shown))
	if brought {
		t.env.Note(cli.Say("this machine has no master key: the one of the backup is put into %s", s.keyFile()))
	}
	return t.env.Confirm(cli.Say("Everything in the panel's database is replaced; what was written since the backup is gone."),
		cli.Say("Type restore to go on:"), "restore")
}

func (o *opened) keyFile() string { return filepath.Join(o.session.Config.DataDir(), "secret.key") }

// hooks are the steps of a restore beside a stopped panel. The panel that starts afterwards puts the rest right.
func (t *tool) hooks(s *source, p restore.Panel, o *restoreFlags) restore.Hooks {
	note := restored.Note{ID: database.NewID(), Artefact: s.listed.Manifest.Name}
	hooks := restore.Hooks{SQL: restore.Outliving(t.env.Known().Outlives, &note)}
	if !o.withoutCopy {
		hooks.Snapshot = func(ctx context.Context) (err error) {
			note.Snapshot, err = t.copyFirst(ctx, s, p)
			return err
		}
	}
	return hooks
}

// copyFirst keeps the present database in the panel's folder of backups, and answers the name of the copy.
func (t *tool) copyFirst(ctx context.Context, s *source, p restore.Panel) (name string, err error) {
	at, err := s.env.Open(folderSpec(s.env.Folder))
	if err != nil {
		return "", err
	}
	defer at.Close()
	from := artefact.Source{DSN: p.DSN, Programs: p.Programs, Master: p.Master, Version: t.env.Version}
	result, err := artefact.Create(ctx, from, artefact.Options{
		Word: "before-restore", Encryption: artefact.Encryption{Mode: artefact.Plain},
	}, []artefact.Target{{Name: s.env.Folder, Destination: at}})
	if err != nil {
		return "", err
	}
	t.env.Note(cli.Say("the present database is kept as %s in %s", result.Manifest.Name, s.env.Folder))
	return result.Manifest.Name, nil
}

// keepKey puts the key that the database was sealed with beside it.
func keepKey(data, master string) error {
	if err := os.MkdirAll(data, 0o700); err != nil {
		return fmt.Errorf("make the data folder: %w", err)
	}
	err := durable.CreateBelow(data, "secret.key", 0o600, []byte(master+"\n"))
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("keep the master key: %w", err)
	}
	return nil
}

// refused says what can be done about a refusal.
func (t *tool) refused(err error) error {
	failure := &cli.Failure{
		Exit: cli.ExitFailed, Problem: cli.Say("the backup was not restored; nothing was changed"),
		Cause: cli.English(err.Error()), Err: err,
	}
	switch {
	case errors.Is(err, restore.ErrKeyMismatch):
		failure.Try = []cli.Message{cli.Plain("--old-key")}
	case errors.Is(err, artefact.ErrNeedsKey):
		failure.Try = []cli.Message{cli.Plain("--identity"), cli.Plain(passphraseGiven)}
	case errors.Is(err, pgtools.ErrShared):
		failure.Exit, failure.Try = cli.ExitConflict, []cli.Message{cli.Plain("systemctl stop panel")}
	}
	return failure
}

type restoredDocument struct {
	Schema   string `json:"schema"`
	Name     string `json:"name"`
	Tables   int    `json:"tables"`
	Rows     int64  `json:"rows"`
	Resealed int    `json:"resealed"`
}

func (t *tool) restored(s *source, out restore.Outcome) error {
	d := restoredDocument{
		Schema: "panelctl.backup-restore/v1", Name: s.listed.Manifest.Name, Tables: out.Tables, Rows: out.Rows,
		Resealed: out.Resealed,
	}
	err := t.env.Record(d, cli.Field{Key: "restored", Label: "Restored", Value: d.Name, Mood: cli.Good},
		cli.Field{Key: "tables", Label: "Tables", Value: strconv.Itoa(d.Tables)},
		cli.Field{Key: "rows", Label: "Rows", Value: strconv.FormatInt(d.Rows, 10)})
	t.env.Note(cli.Say("start the panel: it brings the schema up to date; everybody signs in again"))
	return err
}

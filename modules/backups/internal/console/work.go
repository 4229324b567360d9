package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"panel/modules/backups/internal/artefact"
	"panel/modules/backups/internal/restore"
	"panel/platform/cli"
	"panel/platform/config"
	"panel/platform/vault"
)

// listing is what list prints with --json.
type listing struct {
	Schema  string       `json:"schema"`
	Place   string       `json:"place"`
	Backups []backupLine `json:"backups"`
}

type backupLine struct {
	Name         string    `json:"name"`
	CreatedAt    time.Time `json:"created_at"`
	Bytes        int64     `json:"bytes"`
	PanelVersion string    `json:"panel_version"`
	Schema       string    `json:"schema_version"`
	Encryption   string    `json:"encryption"`
	KeyID        string    `json:"key_fingerprint"`
	Proved       bool      `json:"seal_proved"`
}

func (t *tool) list(ctx context.Context) error {
	p, err := t.open(ctx)
	if err != nil {
		return err
	}
	defer p.close(ctx)
	found, damaged := artefact.List(ctx, p.at, artefact.Keys{Masters: p.masters()})
	if damaged != nil && !errors.Is(damaged, artefact.ErrDamaged) {
		return failed(cli.Say("the backups of %s cannot be listed", p.shown), damaged)
	}
	document := listing{Schema: "panelctl.backups/v1", Place: p.shown, Backups: []backupLine{}}
	rows := make([][]string, len(found))
	for i, one := range found {
		m := one.Manifest
		document.Backups = append(document.Backups, lineOf(one))
		rows[i] = []string{
			m.Name, m.CreatedAt.Format(time.RFC3339), strconv.FormatInt(m.Bytes(), 10), m.PanelVersion,
			string(m.Encryption),
		}
	}
	if len(found) == 0 && damaged == nil && t.env.Form() == cli.Table {
		t.env.Note(cli.Say("there is no backup in %s yet; create one: panelctl backup create", p.shown))
		return nil
	}
	if err := t.env.List(document, []string{"Name", "Made", "Bytes", "Panel", "Encryption"}, rows); err != nil {
		return err
	}
	if damaged != nil {
		return failed(cli.Say("some backups cannot be used"), damaged)
	}
	return nil
}

func lineOf(one artefact.Listed) backupLine {
	m := one.Manifest
	return backupLine{
		Name: m.Name, CreatedAt: m.CreatedAt, Bytes: m.Bytes(), PanelVersion: m.PanelVersion, Schema: m.SchemaSum,
		Encryption: string(m.Encryption), KeyID: m.KeyID, Proved: one.Authentic,
	}
}

// createFlags say what a backup holds.
type createFlags struct {
	recipient         string
	passphrase, plain bool
	telemetry, label  string
	withKey           bool
}

func (o *createFlags) bind(c *cobra.Command) {
	set := c.Flags()
	set.StringVar(&o.recipient, "recipient", "", "encrypt for this age public key (age1…)")
	set.BoolVar(&o.passphrase, "passphrase", false, "encrypt with a passphrase, asked for or taken from PANEL_BACKUP_PASSPHRASE")
	set.BoolVar(&o.plain, "unencrypted", false, "do not encrypt")
	set.StringVar(&o.telemetry, "telemetry", string(artefact.TelemetryRollups), "measurements: none, rollups or all")
	set.StringVar(&o.label, "label", "manual", "word in the name of the backup")
	set.BoolVar(&o.withKey, "with-key", false, "keep the master key in the backup, too; only with encryption")
}

func (t *tool) encryption(ctx context.Context, o *createFlags) (e artefact.Encryption, err error) {
	chosen := 0
	for _, one := range []bool{o.recipient != "", o.passphrase, o.plain} {
		if one {
			chosen++
		}
	}
	if chosen != 1 {
		return e, cli.Usage(cli.Say("choose one of --recipient, --passphrase and --unencrypted"))
	}
	switch {
	case o.recipient != "":
		e = artefact.Encryption{Mode: artefact.ByRecipient, Recipient: o.recipient}
	case o.plain:
		e = artefact.Encryption{Mode: artefact.Plain}
	default:
		e = artefact.Encryption{Mode: artefact.ByPassphrase, Passphrase: t.env.Getenv(passphraseGiven)}
		if e.Passphrase == "" && t.env.CanAsk() {
			if e.Passphrase, err = t.env.AskSecret(ctx, cli.Say("Passphrase of the backup:")); err != nil {
				return e, err
			}
		}
	}
	if err := e.Check(); err != nil {
		return e, cli.Usage(cli.English(err.Error()))
	}
	levels := []artefact.Telemetry{artefact.TelemetryNone, artefact.TelemetryRollups, artefact.TelemetryAll}
	if !slices.Contains(levels, artefact.Telemetry(o.telemetry)) {
		return e, cli.Usage(cli.Say("--telemetry is none, rollups or all"))
	}
	return e, nil
}

func (t *tool) create(ctx context.Context, o *createFlags) error {
	encryption, err := t.encryption(ctx, o)
	if err != nil {
		return err
	}
	p, err := t.open(ctx)
	if err != nil {
		return err
	}
	defer p.close(ctx)
	from, err := t.panel(ctx, p)
	if err != nil {
		return err
	}
	t.env.Note(cli.Say("settings from %s, backup to %s", p.session.Settings, p.shown))
	steps := t.steps()
	result, err := artefact.Create(ctx, from, artefact.Options{
		Word: o.label, SecretStore: o.withKey, Telemetry: artefact.Telemetry(o.telemetry), Encryption: encryption,
		Progress: steps.note,
	}, []artefact.Target{{Name: p.shown, Destination: p.at}})
	steps.end()
	if err != nil {
		return failed(cli.Say("the backup was not made"), err)
	}
	return t.show(lineOf(artefact.Listed{Manifest: result.Manifest, Authentic: true}))
}

// panel is the installation of this machine as a source of backups. It needs the master key, which seals the manifest.
func (t *tool) panel(ctx context.Context, p *opened) (from artefact.Source, err error) {
	from = artefact.Source{
		Programs: p.session.Config.String(config.PGBin), Master: p.master(), Version: t.env.Version,
		Previous: p.session.Config.Secret(config.SecretKeyPrevious).List(),
	}
	if from.Master == "" {
		return from, cli.Failed(cli.Say("the panel's master key is not known here")).
			Advise(cli.Say("set PANEL_SECRET_KEY or PANEL_DATA_DIR as the panel's service does"))
	}
	from.DSN, err = p.session.Address(ctx, false)
	return from, err
}

func (t *tool) show(b backupLine) error {
	document := struct {
		Schema string `json:"schema"`
		backupLine
	}{"panelctl.backup/v1", b}
	return t.env.Record(document, cli.Field{Key: "name", Label: "Name", Value: b.Name, Mood: cli.Good},
		cli.Field{Key: "bytes", Label: "Bytes", Value: strconv.FormatInt(b.Bytes, 10)},
		cli.Field{Key: "encryption", Label: "Encryption", Value: b.Encryption},
		cli.Field{Key: "key_fingerprint", Label: "Master key", Value: b.KeyID})
}

// verdict is what verify prints with --json.
type verdict struct {
	Schema   string   `json:"schema"`
	Name     string   `json:"name"`
	Verdict  string   `json:"verdict"`
	Reason   string   `json:"reason,omitempty"`
	Tables   int      `json:"tables"`
	Rows     int64    `json:"rows"`
	Secrets  int      `json:"secrets"`
	Journal  int64    `json:"journal_entries"`
	Findings []string `json:"findings"`
}

var verdicts = map[restore.Verdict]cli.Mood{restore.OK: cli.Good, restore.Broken: cli.Bad, restore.Skipped: cli.Careful}

func (t *tool) verify(ctx context.Context, name string) error {
	s, err := t.found(ctx, name)
	if err != nil {
		return err
	}
	defer s.close(ctx)
	p := t.installed(s)
	// A dead panel has no database beside which the backup could be tried; a private one does as well.
	if dsn, err := s.session.Address(ctx, false); err == nil {
		p.DSN = dsn
	}
	steps := t.steps()
	report, err := restore.Verify(ctx, restore.From{At: s.at, Manifest: s.listed.Manifest, Keys: s.keys}, p, steps.note)
	steps.end()
	if err != nil {
		return failed(cli.Say("the backup could not be verified"), err)
	}
	document := verdict{
		Schema: "panelctl.backup-verify/v1", Name: s.listed.Manifest.Name, Verdict: string(report.Verdict),
		Reason: report.Reason, Tables: report.Tables, Rows: report.Rows, Secrets: report.Secrets,
		Journal: report.Journal, Findings: append([]string{}, report.Findings...),
	}
	err = t.env.Record(document, cli.Field{Key: "name", Label: "Name", Value: document.Name},
		cli.Field{Key: "verdict", Label: "Verdict", Value: document.Verdict, Mood: verdicts[report.Verdict]},
		cli.Field{Key: "tables", Label: "Tables", Value: strconv.Itoa(report.Tables)},
		cli.Field{Key: "rows", Label: "Rows", Value: strconv.FormatInt(report.Rows, 10)},
		cli.Field{Key: "secrets", Label: "Secrets", Value: strconv.Itoa(report.Secrets)},
		cli.Field{Key: "journal_entries", Label: "Journal entries", Value: strconv.FormatInt(report.Journal, 10)})
	for _, finding := range report.Findings {
		t.env.Warn(cli.English(finding))
	}
	if err == nil && report.Verdict != restore.OK {
		return cli.Failed(cli.Say("the backup was not proved")).Because(cli.English(report.Reason))
	}
	return err
}

// installed is what this build and this machine know.
func (t *tool) installed(s *source) restore.Panel {
	known := t.env.Known()
	return restore.Panel{
		Programs: s.session.Config.String(config.PGBin), Steps: known.Steps, Sealed: known.Sealed, Master: s.master(),
	}
}

func (t *tool) decrypt(ctx context.Context, name string, entry artefact.Entry, output string) error {
	if output == "" && t.env.Terminal.Out {
		return cli.Usage(cli.Say("a backup is not for a terminal")).Advise(cli.Plain("--output"), cli.Plain("| pg_restore"))
	}
	s, err := t.found(ctx, name)
	if err != nil {
		return err
	}
	defer s.close(ctx)
	if err = artefact.Prove(ctx, s.at, s.listed.Manifest, nil); err == nil {
		err = t.give(ctx, s, entry, output)
	}
	if err != nil {
		return failed(cli.Say("the content of the backup could not be given out"), err)
	}
	return nil
}

func (t *tool) give(ctx context.Context, s *source, entry artefact.Entry, output string) error {
	content, err := artefact.Open(ctx, s.at, s.listed.Manifest, entry, s.keys)
	if err != nil {
		return err
	}
	defer content.Close()
	if output == "" {
		_, err = io.Copy(t.env.Out, content)
		return err
	}
	file, err := os.OpenFile(output, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("the file %s is already there", filepath.Base(output))
	}
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(output))
	}
	return nil
}

// ownKey finds or brings the master key that the restored panel will run with: its own, else the one of the backup.
func (t *tool) ownKey(ctx context.Context, s *source) (key string, brought bool, err error) {
	if own := s.master(); own != "" {
		return own, false, nil
	}
	for _, master := range s.keys.Masters {
		if safe, err := vault.New(master); err == nil && safe.KeyID() == s.listed.Manifest.KeyID {
			return master, true, nil
		}
	}
	if !s.listed.Manifest.Has(artefact.SecretStore) {
		return "", false, restore.ErrKeyMismatch
	}
	content, err := artefact.Open(ctx, s.at, s.listed.Manifest, artefact.SecretStore, s.keys)
	if err != nil {
		return "", false, err
	}
	defer content.Close()
	const longest = 1 << 16
	text, err := io.ReadAll(io.LimitReader(content, longest))
	return string(trimmed(text)), true, err
}

package restore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun"
	"go.uber.org/zap"

	"panel/modules/backups/internal/artefact"
	"panel/platform/audit"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/pgtools"
	"panel/platform/vault"
)

// Verify proves the parts, restores them into a scratch database, compares counts and checksums of all tables, opens
// every secret and proves the journal's chain. The scratch database is gone afterwards. The error says that it could
// not be tried at all; what is wrong with the artefact is in the report.
func Verify(ctx context.Context, from From, p Panel, progress func(artefact.Progress)) (Report, error) {
	if p.Master != "" {
		from.Keys.Masters = append([]string{p.Master}, from.Keys.Masters...)
	}
	listed, err := artefact.Find(ctx, from.At, from.Manifest.Name, from.Keys)
	if err == nil {
		err = artefact.Prove(ctx, from.At, listed.Manifest, progress)
	}
	if err != nil {
		return brokenBy(err)
	}
	from.Manifest = listed.Manifest
	v := &verification{run: run{from: from, panel: p, server: from.Manifest.Server}}
	v.options.Progress = progress
	if !listed.Authentic {
		v.find("the seal of the backup was not proved: its master key was not given")
	}
	s, err := scratch(ctx, &v.run)
	if err != nil {
		return Report{Verdict: Skipped, Reason: err.Error(), Findings: v.report.Findings}, ctx.Err()
	}
	defer s.drop(context.WithoutCancel(ctx))
	v.report.Private = s.private
	return v.in(ctx, s.dsn)
}

// brokenBy tells what is wrong with an artefact from what kept us from looking.
func brokenBy(err error) (Report, error) {
	if errors.Is(err, artefact.ErrDamaged) || errors.Is(err, artefact.ErrNeedsKey) {
		return Report{Verdict: Broken, Reason: err.Error()}, nil
	}
	return Report{}, err
}

type verification struct {
	run
	report Report
}

func (v *verification) find(text string) { v.report.Findings = append(v.report.Findings, text) }

func (v *verification) in(ctx context.Context, dsn string) (Report, error) {
	err := v.unpack(ctx, pgtools.Program{
		Name: "pg_restore", DSN: dsn, Args: []string{"--no-owner", "--no-privileges", "--exit-on-error"},
	})
	if ctx.Err() != nil {
		return Report{}, context.Cause(ctx)
	}
	if err != nil {
		v.report.Verdict, v.report.Reason = Broken, "it cannot be restored: "+err.Error()
		return v.report, nil
	}
	v.note("verifying", 0, 0)
	db, err := database.Open(ctx, dsn, database.Options{MaxConns: 2, Name: "panel-verify"})
	if err != nil {
		return Report{}, fmt.Errorf("open the scratch database: %w", err)
	}
	defer func() { _ = db.Close() }()
	for _, step := range []func(context.Context, *database.DB) error{v.tables, v.secrets, v.journal} {
		if err := step(ctx, db); err != nil {
			return Report{}, err
		}
	}
	if v.report.Verdict == "" {
		v.report.Verdict = OK
	}
	return v.report, nil
}

func (v *verification) broken(reason string) {
	if v.report.Verdict == "" {
		v.report.Verdict, v.report.Reason = Broken, reason
	}
	v.find(reason)
}

// tables compares what the scratch database holds with what the manifest says.
func (v *verification) tables(ctx context.Context, db *database.DB) error {
	got := make([]artefact.Table, len(v.from.Manifest.Tables))
	for i, table := range v.from.Manifest.Tables {
		got[i] = artefact.Table{Name: table.Name, By: table.By, Empty: table.Empty}
	}
	err := pgx.BeginFunc(ctx, db.Pool, func(tx pgx.Tx) error { return artefact.Count(ctx, tx, got) })
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		v.broken(err.Error())
		return nil
	}
	for i, want := range v.from.Manifest.Tables {
		if got[i] != want {
			v.broken(fmt.Sprintf("the table %s has %d rows instead of %d, or other ones", want.Name, got[i].Rows,
				want.Rows))
			continue
		}
		v.report.Tables++
		v.report.Rows += want.Rows
	}
	return nil
}

// secrets opens every sealed text.
func (v *verification) secrets(ctx context.Context, db *database.DB) error {
	safe, _ := vaultOf(v.from.Manifest.KeyID, v.from.Keys)
	if safe == nil {
		v.find("the secrets were not opened: the master key of the backup was not given")
		return nil
	}
	columns, err := present(ctx, db, slices.Concat(v.panel.Sealed, journalKeys))
	if err != nil {
		return err
	}
	for _, column := range columns {
		if err := v.openAll(ctx, db, safe, column); err != nil {
			return err
		}
	}
	return nil
}

func (v *verification) openAll(ctx context.Context, db *database.DB, safe *vault.Vault, c vault.Column) error {
	var rows []struct {
		ID     string `bun:"id"`
		Sealed string `bun:"sealed"`
	}
	err := db.NewRaw("select (?)::text as id, ? as sealed from ? where ? <> ''", bun.Safe(c.ID), bun.Ident(c.Column),
		bun.Ident(c.Table), bun.Ident(c.Column)).Scan(ctx, &rows)
	if err != nil {
		return fmt.Errorf("read the secrets of the scratch database: %w", err)
	}
	for _, row := range rows {
		if _, err := safe.Open(vault.Ref{Table: c.Table, ID: row.ID, Column: c.Column}, row.Sealed); err != nil {
			v.broken("a secret of " + c.Table + "." + c.Column + " does not open with the master key")
			return nil
		}
		v.report.Secrets++
	}
	return nil
}

// present are the columns that the artefact's schema has: it may be an older one.
func present(ctx context.Context, db *database.DB, all []vault.Column) (there []vault.Column, err error) {
	for _, c := range all {
		var has bool
		err := db.NewRaw(`select exists (select from pg_attribute where attrelid = to_regclass(?) and attname = ?
			and not attisdropped)`, c.Table, c.Column).Scan(ctx, &has)
		if err != nil {
			return nil, fmt.Errorf("look for columns with secrets: %w", err)
		}
		if has {
			there = append(there, c)
		}
	}
	return there, nil
}

const journalWithin = 10 * time.Minute

// journal proves the chain of the journal. An entry that cannot be proved is no fault of the artefact; one that was
// changed is named.
func (v *verification) journal(ctx context.Context, db *database.DB) error {
	_, master := vaultOf(v.from.Manifest.KeyID, v.from.Keys)
	if master == "" {
		v.find("the journal was not proved: the master key of the backup was not given")
		return nil
	}
	nowhere, err := os.MkdirTemp(v.panel.Scratch, "panel-verify-")
	if err != nil {
		return fmt.Errorf("make a folder for the verification: %w", err)
	}
	defer os.RemoveAll(nowhere)
	cfg, err := config.Of(map[string]string{config.SecretKey.Name: master, config.DataDir.Name: nowhere})
	if err != nil {
		return err
	}
	store, err := audit.New(db, clockwork.NewRealClock(), zap.NewNop(), cfg)
	if err != nil {
		return err
	}
	report, err := store.Look(ctx, journalWithin)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		v.find("the journal was not proved: " + err.Error())
	case report.State == audit.Broken:
		v.broken(fmt.Sprintf("the journal was changed: %d findings", len(report.Findings)))
	}
	v.report.Journal = report.Checked
	return nil
}

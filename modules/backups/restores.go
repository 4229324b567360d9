package backups

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"panel/modules/backups/internal/artefact"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/keyset"
	"panel/platform/restored"
	"panel/platform/vault"
)

func keysRef(id string) vault.Ref { return vault.Ref{Table: "backup_restores", ID: id, Column: "keys"} }

var errMissing = fault.Conflict("backup_missing", "no destination of the profile has the backup of this run any more")

// verify begins a restore test of a run's backup. Faults as those of beginRestore.
func (s *service) verify(ctx context.Context, runID string, keys KeysInput, trigger string) (restoreRow, error) {
	return s.beginRestore(ctx, NewRestore{RunID: runID, Mode: modeVerify, Keys: keys}, trigger)
}

// beginRestore begins a restore of a run's backup, as a test or in the place of the database.
// Faults: restore_active, backup_missing (409), restore_key_mismatch, invalid_value (422).
func (s *service) beginRestore(ctx context.Context, in NewRestore, trigger string) (row restoreRow, err error) {
	keys := in.Keys
	err = s.store.db.InTx(ctx, func(ctx context.Context) error {
		run, err := s.store.run(ctx, in.RunID, false)
		if fault.KindOf(err) == fault.KindMissing {
			return fault.InvalidValue("run_id", "there is no such run")
		}
		if err != nil {
			return err
		}
		if in.Mode == modeFull && in.Confirm != run.ProfileName {
			return fault.InvalidValue("confirm", "type the name of the profile to replace the panel's database")
		}
		if run.Artefact == nil || len(holders(&run)) == 0 {
			return errMissing
		}
		if err := s.fits(&run, keys); err != nil {
			return err
		}
		caller := access.From(ctx)
		row = restoreRow{
			ID: database.NewID(), RunID: run.ID, Mode: in.Mode, State: stateQueued, Trigger: trigger,
			StartedBy: caller.Username, AccountID: caller.AccountID, CreatedAt: s.now(),
		}
		if row.Keys, err = s.sealKeys(row.ID, keys); err != nil {
			return err
		}
		if row.OperationID, err = s.follow(ctx, testOperation, run.object()); err != nil {
			return err
		}
		if _, err := s.store.db.In(ctx).NewInsert().Model(&row).Exec(ctx); err != nil {
			return database.Fault(err, constraints)
		}
		if err := s.publishTest(ctx, &row, &run, kindRestoreStarted, audit.OK); err != nil {
			return err
		}
		return s.wakeTest(ctx, row.ID)
	})
	return row, err
}

// holders are the places that have the backup of a run.
func holders(run *runRow) (ids []string) {
	for _, one := range run.Destinations {
		if one.State == stateSucceeded {
			ids = append(ids, one.ID)
		}
	}
	return ids
}

// fits refuses a backup of another master key before anything is touched. Fault: restore_key_mismatch (422).
func (s *service) fits(run *runRow, keys KeysInput) error {
	known := s.keyIDs
	if keys.MasterKey != "" {
		given, err := keyIDs([]string{keys.MasterKey})
		if err != nil {
			return fault.InvalidValue("keys.master_key", "this cannot be a master key")
		}
		known = slices.Concat(known, given)
	}
	if !slices.Contains(known, run.Artefact.KeyFingerprint) {
		return fault.Invalid("restore_key_mismatch",
			"the backup belongs to another master key: give the key that the panel had then")
	}
	return nil
}

func (s *service) sealKeys(id string, keys KeysInput) (string, error) {
	if keys == (KeysInput{}) {
		return "", nil
	}
	text, err := json.Marshal(keys)
	if err != nil {
		return "", fmt.Errorf("keep the keys of a restore test: %w", err)
	}
	return s.store.seal(keysRef(id), string(text)), nil
}

// keysOf joins the keys that were given with those of the profile.
func (s *service) keysOf(row *restoreRow, p *profile) (artefact.Keys, error) {
	keys := s.keys(p)
	text, err := s.store.open(keysRef(row.ID), row.Keys)
	if err != nil || text == "" {
		return keys, err
	}
	var given KeysInput
	if err := json.Unmarshal([]byte(text), &given); err != nil {
		return keys, errors.New("the keys of the restore test cannot be read")
	}
	keys.Identity = given.Identity
	if given.Passphrase != "" {
		keys.Passphrase = given.Passphrase
	}
	if given.MasterKey != "" {
		keys.Masters = append(slices.Clone(keys.Masters), given.MasterKey)
	}
	return keys, nil
}

// find opens the first place that still has the artefact of a run. Whoever calls it closes the place.
// Faults: backup_missing, backup_elsewhere (409).
func (s *service) find(
	ctx context.Context, run *runRow, p *profile, keys artefact.Keys,
) (artefact.Destination, artefact.Listed, error) {
	if run.Artefact == nil {
		return nil, artefact.Listed{}, errMissing
	}
	held, cause := holders(run), error(nil)
	for _, one := range p.places {
		if !slices.Contains(held, one.row.ID) {
			continue
		}
		at, err := s.places.Open(one.row.spec(one.secret))
		if err != nil {
			cause = err
			continue
		}
		listed, err := artefact.Find(ctx, at, run.Artefact.Name, keys)
		if err == nil {
			return at, listed, nil
		}
		cause = err
		_ = at.Close()
	}
	if panel := s.elsewhere(run); panel != "" {
		return nil, artefact.Listed{}, heldBy(panel).Wrap(cause)
	}
	return nil, artefact.Listed{}, errMissing.Wrap(cause)
}

func (s *service) publishTest(ctx context.Context, row *restoreRow, run *runRow, kind, result string) error {
	entry := audit.Entry{Action: kind, Object: run.object(), Result: result, Changes: map[string]audit.Change{
		"mode": {To: row.Mode},
	}}
	if err := s.journal.Record(ctx, s.store.db.In(ctx), entry); err != nil {
		return err
	}
	news := TestNews{RestoreID: row.ID, Name: run.ProfileName, Mode: row.Mode, Error: row.Error}
	return s.bus.Emit(ctx, events.Event{Kind: kind, SubjectID: run.ID, At: s.now(), Data: news})
}

func (s *store) restore(ctx context.Context, id string) (row restoreRow, err error) {
	err = s.db.In(ctx).NewSelect().Model(&row).Where("v.id = ?", id).Scan(ctx)
	return row, database.Fault(err, nil)
}

var restoreOrders = map[string]keyset.Order{
	"created_at": {Expression: "v.created_at", Kind: httpapi.CursorMoment},
}

func (s *store) restores(ctx context.Context, query httpapi.PageQuery) (page httpapi.Page[Restore], err error) {
	k, err := keyset.New(query, "v.id", "-created_at", restoreOrders)
	if err != nil {
		return page, err
	}
	var rows []restoreRow
	if err := k.Apply(s.db.In(ctx).NewSelect().Model(&rows).ColumnExpr("?TableColumns"), nil).Scan(ctx); err != nil {
		return page, database.Fault(fmt.Errorf("list restore tests: %w", err), nil)
	}
	total, err := s.db.In(ctx).NewSelect().Model((*restoreRow)(nil)).Count(ctx)
	if err != nil {
		return page, database.Fault(fmt.Errorf("count restore tests: %w", err), nil)
	}
	outcomes, err := restored.Outcomes(ctx, s.db)
	if err != nil {
		return page, err
	}
	for i := range rows {
		rows[i].Outcome = outcomes[rows[i].ID]
	}
	last := func(r *restoreRow) (sortKey, id string) { return r.SortKey, r.ID }
	return keyset.Page(k, rows, int(total), (*restoreRow).shown, last), nil
}

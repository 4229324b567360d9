package backups

import (
	"context"
	"fmt"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/keyset"
	"panel/platform/vault"
)

// store is rows and queries; it knows no rules. Each query takes part in the context's transaction.
type store struct {
	db   *database.DB
	safe *vault.Vault
}

func newStore(db *database.DB, safe *vault.Vault) *store { return &store{db, safe} }

var constraints = map[string]*fault.Fault{
	"backup_profiles_name":   fault.Conflict("name_taken", "a profile of this name is already there"),
	"backup_runs_active":     fault.Conflict("backup_run_active", "this profile has a run that goes on; wait or cancel it"),
	"backup_restores_active": fault.Conflict("restore_active", "another restore test goes on; wait for its end"),
}

func passphraseRef(id string) vault.Ref {
	return vault.Ref{Table: "backup_profiles", ID: id, Column: "passphrase"}
}

func secretRef(id string) vault.Ref {
	return vault.Ref{Table: "backup_destinations", ID: id, Column: "secret"}
}

func (s *store) seal(ref vault.Ref, plain string) string {
	if plain == "" {
		return ""
	}
	return s.safe.Seal(ref, []byte(plain))
}

func (s *store) open(ref vault.Ref, sealed string) (string, error) {
	if sealed == "" {
		return "", nil
	}
	plain, err := s.safe.Open(ref, sealed)
	if err != nil {
		return "", fmt.Errorf("open a secret of %s: %w", ref.Table, err)
	}
	return string(plain), nil
}

var profileOrders = map[string]keyset.Order{
	"name":       {Expression: "p.name", Kind: httpapi.CursorText},
	"created_at": {Expression: "p.created_at", Kind: httpapi.CursorMoment},
}

func (s *store) profiles(ctx context.Context, query httpapi.PageQuery) (page httpapi.Page[Profile], err error) {
	k, err := keyset.New(query, "p.id", "name", profileOrders)
	if err != nil {
		return page, err
	}
	var rows []profileRow
	if err := k.Apply(s.db.In(ctx).NewSelect().Model(&rows).ColumnExpr("p.*"), nil).Scan(ctx); err != nil {
		return page, database.Fault(fmt.Errorf("list backup profiles: %w", err), nil)
	}
	total, err := s.db.In(ctx).NewSelect().Model((*profileRow)(nil)).Count(ctx)
	if err != nil {
		return page, database.Fault(fmt.Errorf("count backup profiles: %w", err), nil)
	}
	ids := make([]string, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID
	}
	places, err := s.destinations(ctx, ids...)
	if err != nil {
		return page, err
	}
	shown := func(r *profileRow) Profile { return shownProfile(r, places[r.ID]) }
	last := func(r *profileRow) (sortKey, id string) { return r.SortKey, r.ID }
	return keyset.Page(k, rows, int(total), shown, last), nil
}

// destinations gives the places of profiles by the profile, in their order.
func (s *store) destinations(ctx context.Context, profiles ...string) (map[string][]destinationRow, error) {
	var rows []destinationRow
	err := s.db.In(ctx).NewSelect().Model(&rows).Where("profile_id = any(?::uuid[])", pgdialect.Array(profiles)).
		Order("profile_id", "place").Scan(ctx)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read destinations of backups: %w", err), nil)
	}
	found := map[string][]destinationRow{}
	for _, row := range rows {
		found[row.ProfileID] = append(found[row.ProfileID], row)
	}
	return found, nil
}

func (s *store) profileRow(ctx context.Context, id string, lock bool) (row profileRow, err error) {
	query := s.db.In(ctx).NewSelect().Model(&row).Where("p.id = ?", id)
	if lock {
		query = query.For("UPDATE")
	}
	return row, database.Fault(query.Scan(ctx), nil)
}

// profile gives a profile with its open secrets. Fault: not_found (404).
func (s *store) profile(ctx context.Context, id string) (*profile, error) {
	row, err := s.profileRow(ctx, id, false)
	if err != nil {
		return nil, err
	}
	places, err := s.destinations(ctx, id)
	if err != nil {
		return nil, err
	}
	p := &profile{row: row}
	if p.passphrase, err = s.open(passphraseRef(id), row.Passphrase); err != nil {
		return nil, err
	}
	for _, one := range places[id] {
		secret, err := s.open(secretRef(one.ID), one.Secret)
		if err != nil {
			return nil, err
		}
		p.places = append(p.places, place{row: one, secret: secret})
	}
	return p, nil
}

func (s *store) insertProfile(ctx context.Context, row *profileRow) error {
	_, err := s.db.In(ctx).NewInsert().Model(row).Exec(ctx)
	return database.Fault(err, constraints)
}

func (s *store) updateProfile(ctx context.Context, row *profileRow) error {
	_, err := s.db.In(ctx).NewUpdate().Model(row).ExcludeColumn("id", "label", "created_at",
		"last_success_at", "last_good_run").WherePK().Exec(ctx)
	return database.Fault(err, constraints)
}

// replaceDestinations makes the list of a profile's places this one; places that stay keep their ids.
func (s *store) replaceDestinations(ctx context.Context, profile string, rows []destinationRow) error {
	_, err := s.db.In(ctx).NewDelete().Model((*destinationRow)(nil)).Where("profile_id = ?", profile).Exec(ctx)
	if err == nil {
		_, err = s.db.In(ctx).NewInsert().Model(&rows).Exec(ctx)
	}
	return database.Fault(err, nil)
}

func (s *store) deleteProfile(ctx context.Context, id string) error {
	_, err := s.db.In(ctx).NewDelete().Model((*profileRow)(nil)).Where("id = ?", id).Exec(ctx)
	return database.Fault(err, nil)
}

// hasActive tells whether a run of the profile goes on.
func (s *store) hasActive(ctx context.Context, profile string) (bool, error) {
	found, err := s.db.In(ctx).NewSelect().Model((*runRow)(nil)).
		Where("profile_id = ? and finished_at is null", profile).Exists(ctx)
	return found, database.Fault(err, nil)
}

package cdndns

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"panel/modules/cdn-dns/internal/provider"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/keyset"
)

// integrationRow is an integration as the table keeps it. Fields may be shown; Sealed holds what may not.
type integrationRow struct {
	bun.BaseModel `bun:"table:cdndns_integrations,alias:i"`

	ID         string          `bun:"id,pk,type:uuid"`
	Provider   string          `bun:"provider"`
	Label      string          `bun:"label"`
	Fields     json.RawMessage `bun:"fields,type:jsonb"`
	Sealed     string          `bun:"sealed"`
	Zones      json.RawMessage `bun:"zones,type:jsonb"`
	ZoneRead   bool            `bun:"zone_read"`
	DNSEdit    bool            `bun:"dns_edit"`
	VerifiedAt *time.Time      `bun:"verified_at"`
	LastError  string          `bun:"last_error"`
	CreatedAt  time.Time       `bun:"created_at"`
	UpdatedAt  time.Time       `bun:"updated_at"`
	Revision   int64           `bun:"revision"`
	SortKey    string          `bun:"sort_key,scanonly"`
}

func (r *integrationRow) shown() Integration {
	shown := Integration{
		ID: r.ID, Provider: r.Provider, Label: r.Label, Fields: provider.Values{}, Zones: []Zone{}, HasToken: r.Sealed != "",
		Permissions:    Permissions{ZoneRead: r.ZoneRead, DNSEdit: r.DNSEdit},
		LastVerifiedAt: r.VerifiedAt, LastError: r.LastError, CreatedAt: r.CreatedAt.UTC(),
		UpdatedAt: r.UpdatedAt.UTC(), Revision: r.Revision,
	}
	_ = json.Unmarshal(r.Fields, &shown.Fields)
	_ = json.Unmarshal(r.Zones, &shown.Zones)
	return shown
}

// store is rows and queries; it knows no rules. Each query takes part in the context's transaction.
type store struct{ db *database.DB }

func newStore(db *database.DB) *store { return &store{db} }

var constraints = map[string]*fault.Fault{
	"cdn_fronts_integration_id_fkey": fault.Conflict("integration_in_use",
		"host names lead through this CDN; take them out of their flows and apply those first"),
	"cdndns_integrations_label": fault.Conflict("name_taken", "an integration with this label is already there"),
}

var orders = map[string]keyset.Order{
	"label":      {Expression: "i.label", Kind: httpapi.CursorText},
	"created_at": {Expression: "i.created_at", Kind: httpapi.CursorMoment},
}

func (i *integrations) page(ctx context.Context, query httpapi.PageQuery) (page httpapi.Page[Integration], err error) {
	k, err := keyset.New(query, "i.id", "label", orders)
	if err != nil {
		return page, err
	}
	db := i.store.db.In(ctx)
	var rows []integrationRow
	if err := k.Apply(db.NewSelect().Model(&rows).ColumnExpr("i.*"), nil).Scan(ctx); err != nil {
		return page, database.Fault(fmt.Errorf("list integrations: %w", err), nil)
	}
	total, err := db.NewSelect().Model((*integrationRow)(nil)).Count(ctx)
	if err != nil {
		return page, database.Fault(fmt.Errorf("count integrations: %w", err), nil)
	}
	last := func(r *integrationRow) (sortKey, id string) { return r.SortKey, r.ID }
	return keyset.Page(k, rows, int(total), (*integrationRow).shown, last), nil
}

func (s *store) integration(ctx context.Context, id string) (row integrationRow, err error) {
	err = s.db.In(ctx).NewSelect().Model(&row).Where("i.id = ?", id).Scan(ctx)
	return row, database.Fault(err, nil)
}

// providerOf gives the service of an integration, which stays until the end of the context's transaction; empty for an
// unknown one.
func (s *store) providerOf(ctx context.Context, id string) (name string, err error) {
	q := s.db.In(ctx).NewSelect().Model((*integrationRow)(nil)).Column("provider").Where("i.id = ?", id)
	if database.InTransaction(ctx) {
		q = q.For("SHARE OF i")
	}
	var found []string
	if err := q.Scan(ctx, &found); err != nil || len(found) == 0 {
		return "", database.Fault(err, nil)
	}
	return found[0], nil
}

// labelled gives the integration with a label, if there is one.
func (s *store) labelled(ctx context.Context, label string) (row integrationRow, there bool, err error) {
	var rows []integrationRow
	err = s.db.In(ctx).NewSelect().Model(&rows).Where("i.label = ?", label).Scan(ctx)
	if err != nil || len(rows) == 0 {
		return row, false, database.Fault(err, nil)
	}
	return rows[0], true, nil
}

// all gives every integration, the oldest first.
func (s *store) all(ctx context.Context) (rows []integrationRow, err error) {
	err = s.db.In(ctx).NewSelect().Model(&rows).OrderExpr("i.created_at, i.id").Scan(ctx)
	return rows, database.Fault(err, nil)
}

// lock gives an integration that stays as it is until the end of the transaction. Fault: revision_conflict (409).
func (s *store) lock(ctx context.Context, id string, revision int64) (row integrationRow, err error) {
	err = s.db.In(ctx).NewSelect().Model(&row).Where("i.id = ?", id).For("UPDATE").Scan(ctx)
	if err == nil && row.Revision != revision {
		return row, httpapi.ErrRevision
	}
	return row, database.Fault(err, nil)
}

func (s *store) insert(ctx context.Context, row *integrationRow) error {
	_, err := s.db.In(ctx).NewInsert().Model(row).Exec(ctx)
	return database.Fault(err, constraints)
}

func (s *store) update(ctx context.Context, row *integrationRow) error {
	_, err := s.db.In(ctx).NewUpdate().Model(row).Column("label", "fields", "sealed", "zones", "zone_read", "dns_edit",
		"verified_at", "last_error", "updated_at", "revision").WherePK().Exec(ctx)
	return database.Fault(err, constraints)
}

func (s *store) remove(ctx context.Context, id string) (row integrationRow, err error) {
	err = s.db.In(ctx).NewDelete().Model(&row).Where("i.id = ?", id).Returning("*").Scan(ctx)
	return row, database.Fault(err, constraints)
}

// checked writes what a check found, unless the integration was changed or removed meanwhile. It gives what stood
// there before as the error.
func (s *store) checked(ctx context.Context, row *integrationRow) (before string, written bool, err error) {
	var held []integrationRow
	err = s.db.In(ctx).NewSelect().Model(&held).Where("i.id = ? and i.revision = ?", row.ID, row.Revision).
		For("UPDATE").Scan(ctx)
	if err != nil || len(held) == 0 {
		return "", false, database.Fault(err, nil)
	}
	_, err = s.db.In(ctx).NewUpdate().Model(row).Column("zones", "zone_read", "dns_edit", "verified_at", "last_error").
		WherePK().Exec(ctx)
	return held[0].LastError, err == nil, database.Fault(err, nil)
}

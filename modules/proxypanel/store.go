package proxypanel

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"panel/modules/proxypanel/internal/remnawave"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/jobs"
	"panel/platform/keyset"
	"panel/platform/vault"
)

// connectionRow is a connection as the table keeps it. Sealed holds all that is secret of the access.
type connectionRow struct {
	bun.BaseModel `bun:"table:proxypanel_connections,alias:c"`

	ID                   string          `bun:"id,pk,type:uuid"`
	Label                string          `bun:"label"`
	BaseURL              string          `bun:"base_url"`
	Direct               bool            `bun:"direct"`
	Sealed               string          `bun:"sealed"`
	HasExtraHeaders      bool            `bun:"has_extra_headers"`
	HasCookie            bool            `bun:"has_cookie"`
	HasCA                bool            `bun:"has_ca"`
	HasClientCertificate bool            `bun:"has_client_certificate"`
	TokenExpiresAt       *time.Time      `bun:"token_expires_at"`
	State                string          `bun:"state"`
	Cause                string          `bun:"cause"`
	Detail               string          `bun:"detail"`
	MissingScopes        json.RawMessage `bun:"missing_scopes,type:jsonb"`
	Version              string          `bun:"version"`
	LatencyMS            *int64          `bun:"latency_ms"`
	Panel                json.RawMessage `bun:"panel,type:jsonb"`
	CheckedAt            *time.Time      `bun:"checked_at"`
	LastOKAt             *time.Time      `bun:"last_ok_at"`
	ScopesCheckedAt      *time.Time      `bun:"scopes_checked_at"`
	Failures             int64           `bun:"failures"`
	ToldFailure          bool            `bun:"told_failure"`
	ToldExpiry           *time.Time      `bun:"told_expiry"`
	CreatedAt            time.Time       `bun:"created_at"`
	UpdatedAt            time.Time       `bun:"updated_at"`
	Revision             int64           `bun:"revision"`
	LastSyncAt           *time.Time      `bun:"last_sync_at,scanonly"`
	UsersSyncedAt        *time.Time      `bun:"users_synced_at,scanonly"`
	HookID               string          `bun:"hook_id,scanonly"`
	HasHookSecret        bool            `bun:"has_hook_secret,scanonly"`
	HookEventAt          *time.Time      `bun:"hook_event_at,scanonly"`
	HookSkew             *int64          `bun:"hook_skew,scanonly"`
	SortKey              string          `bun:"sort_key,scanonly"`
}

func (r *connectionRow) object() audit.Object {
	return audit.Object{Type: object, ID: r.ID, Name: r.Label}
}

func (r *connectionRow) place() vault.Ref {
	return vault.Ref{Table: "proxypanel_connections", ID: r.ID, Column: "sealed"}
}

func (r *connectionRow) shown() Connection {
	shown := Connection{
		ID: r.ID, Label: r.Label, BaseURL: r.BaseURL, Direct: r.Direct, HasToken: r.Sealed != "",
		HasExtraHeaders: r.HasExtraHeaders, HasCookie: r.HasCookie, HasCA: r.HasCA,
		HasClientCertificate: r.HasClientCertificate, TokenExpiresAt: utc(r.TokenExpiresAt), State: r.State,
		Cause: r.Cause, Detail: r.Detail, MissingScopes: r.missing(), Version: r.Version,
		Compatibility: remnawave.Compatible(r.Version), LatencyMS: r.LatencyMS, CheckedAt: utc(r.CheckedAt),
		LastOKAt: utc(r.LastOKAt), LastSyncAt: utc(r.LastSyncAt), UsersSyncedAt: utc(r.UsersSyncedAt),
		CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(), Revision: r.Revision,
	}
	shown.Webhook = Webhook{
		Path: webhooksPath + "/" + r.HookID, HasSecret: r.HasHookSecret, LastEventAt: utc(r.HookEventAt),
		SkewSeconds: r.HookSkew,
	}
	if len(r.Panel) > 0 {
		_ = json.Unmarshal(r.Panel, &shown.Panel)
	}
	return shown
}

func (r *connectionRow) missing() []string {
	missing := []string{}
	_ = json.Unmarshal(r.MissingScopes, &missing)
	return missing
}

func utc(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	moved := at.UTC()
	return &moved
}

// store is rows and queries; it knows no rules. Each query takes part in the context's transaction.
type store struct{ db *database.DB }

func newStore(db *database.DB) *store { return &store{db} }

var (
	errLabelTaken = fault.Conflict("name_taken", "a connection with this label is already there")
	errConnected  = fault.Conflict("panel_connected", "there is a connection with this proxy panel already")
)

var constraints = map[string]*fault.Fault{
	"proxypanel_connections_label": errLabelTaken, "proxypanel_connections_base_url": errConnected,
	"proxypanel_mappings_connection_id_fkey": errMapped,
}

var orders = map[string]keyset.Order{
	"label":      {Expression: "c.label", Kind: httpapi.CursorText},
	"created_at": {Expression: "c.created_at", Kind: httpapi.CursorMoment},
}

func (s *store) page(ctx context.Context, query httpapi.PageQuery) (page httpapi.Page[Connection], err error) {
	k, err := keyset.New(query, "c.id", "label", orders)
	if err != nil {
		return page, err
	}
	db := s.db.In(ctx)
	var rows []connectionRow
	if err := k.Apply(withTimes(db.NewSelect().Model(&rows)), nil).Scan(ctx); err != nil {
		return page, database.Fault(fmt.Errorf("list connections with proxy panels: %w", err), nil)
	}
	total, err := db.NewSelect().Model((*connectionRow)(nil)).Count(ctx)
	if err != nil {
		return page, database.Fault(fmt.Errorf("count connections with proxy panels: %w", err), nil)
	}
	last := func(r *connectionRow) (sortKey, id string) { return r.SortKey, r.ID }
	return keyset.Page(k, rows, int(total), (*connectionRow).shown, last), nil
}

// withTimes reads along when connections were last read, and their webhooks.
func withTimes(q *bun.SelectQuery) *bun.SelectQuery {
	return q.ColumnExpr("c.*").ColumnExpr("t.objects_at as last_sync_at, t.users_at as users_synced_at").
		Join("left join proxypanel_sync_states as t on t.connection_id = c.id").
		ColumnExpr("h.hook_id, h.sealed <> '' as has_hook_secret, h.last_event_at as hook_event_at").
		ColumnExpr("h.skew_seconds as hook_skew").Join("join proxypanel_hooks as h on h.connection_id = c.id")
}

// get gives one connection. Fault: not_found (404).
func (s *store) get(ctx context.Context, id string) (row connectionRow, err error) {
	err = withTimes(s.db.In(ctx).NewSelect().Model(&row)).Where("c.id = ?", id).Scan(ctx)
	return row, database.Fault(err, nil)
}

// ids are those of all connections.
func (s *store) ids(ctx context.Context) (ids []string, err error) {
	err = s.db.In(ctx).NewSelect().Model((*connectionRow)(nil)).Column("id").OrderExpr("c.id").Scan(ctx, &ids)
	return ids, database.Fault(err, nil)
}

// free refuses a label or an address that another connection has. Faults: name_taken, panel_connected (409).
func (s *store) free(ctx context.Context, label, baseURL string) error {
	var rows []connectionRow
	err := s.db.In(ctx).NewSelect().Model(&rows).Where("c.label = ? or c.base_url = ?", label, baseURL).Scan(ctx)
	switch {
	case err != nil:
		return database.Fault(fmt.Errorf("look for the same connection: %w", err), nil)
	case len(rows) == 0:
		return nil
	case rows[0].Label == label:
		return errLabelTaken
	}
	return errConnected
}

// lock gives a connection that stays as it is until the end of the transaction. Fault: revision_conflict (409).
func (s *store) lock(ctx context.Context, id string, revision int64) error {
	var row connectionRow
	err := s.db.In(ctx).NewSelect().Model(&row).Where("c.id = ?", id).For("UPDATE").Scan(ctx)
	if err == nil && row.Revision != revision {
		return httpapi.ErrRevision
	}
	return database.Fault(err, nil)
}

func (s *store) insert(ctx context.Context, row *connectionRow) error {
	_, err := s.db.In(ctx).NewInsert().Model(row).Exec(ctx)
	return database.Fault(err, constraints)
}

func (s *store) update(ctx context.Context, row *connectionRow) error {
	_, err := s.db.In(ctx).NewUpdate().Model(row).ExcludeColumn("id", "created_at").WherePK().Exec(ctx)
	return database.Fault(err, constraints)
}

func (s *store) remove(ctx context.Context, id string) (row connectionRow, err error) {
	err = s.db.In(ctx).NewDelete().Model(&row).Where("c.id = ?", id).Returning("*").Scan(ctx)
	return row, database.Fault(err, constraints)
}

// unchanged gives the row of a connection that nobody has changed or removed since, locked; nil where somebody has.
func (s *store) unchanged(ctx context.Context, id string, revision int64) (*connectionRow, error) {
	var rows []connectionRow
	err := s.db.In(ctx).NewSelect().Model(&rows).Where("c.id = ? and c.revision = ?", id, revision).For("UPDATE").Scan(ctx)
	if err != nil || len(rows) == 0 {
		return nil, database.Fault(err, nil)
	}
	return &rows[0], nil
}

// bootstrapRow is the administrator of a panel that is being set up.
type bootstrapRow struct {
	bun.BaseModel `bun:"table:proxypanel_bootstraps,alias:b"`

	BaseURL   string    `bun:"base_url,pk"`
	Sealed    string    `bun:"sealed"`
	CreatedAt time.Time `bun:"created_at"`
}

func (r *bootstrapRow) place() vault.Ref {
	return vault.Ref{Table: "proxypanel_bootstraps", ID: r.BaseURL, Column: "sealed"}
}

// begun gives what an earlier call has begun with a panel; nil where there is none.
func (s *store) begun(ctx context.Context, baseURL string) (*bootstrapRow, error) {
	var rows []bootstrapRow
	err := s.db.In(ctx).NewSelect().Model(&rows).Where("b.base_url = ?", baseURL).Scan(ctx)
	if err != nil || len(rows) == 0 {
		return nil, database.Fault(err, nil)
	}
	return &rows[0], nil
}

// begin notes the credentials before they are used; of two calls at once the first one's hold.
func (s *store) begin(ctx context.Context, row *bootstrapRow) error {
	_, err := s.db.In(ctx).NewInsert().Model(row).On("conflict (base_url) do nothing").Exec(ctx)
	return database.Fault(err, nil)
}

func (s *store) forget(ctx context.Context, baseURL string) error {
	_, err := s.db.In(ctx).NewDelete().Model((*bootstrapRow)(nil)).Where("b.base_url = ?", baseURL).Exec(ctx)
	return database.Fault(err, nil)
}

// Rows that nobody needs any more: the pace of a panel that is not asked, and credentials that nobody came back for.
var (
	tidyPaces      = jobs.Tidy{Table: "proxypanel_paces", Column: "next_at", Age: 24 * time.Hour}
	tidyBootstraps = jobs.Tidy{Table: "proxypanel_bootstraps", Column: "created_at", Age: 7 * 24 * time.Hour}
)

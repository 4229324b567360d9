package hosting

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"panel/modules/hosting/internal/cloud"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/jobs"
	"panel/platform/keyset"
	"panel/platform/vault"
)

// accountRow is an account as the table keeps it.
type accountRow struct {
	bun.BaseModel `bun:"table:hosting_accounts,alias:a"`

	ID              string          `bun:"id,pk,type:uuid"`
	Kind            string          `bun:"kind"`
	Label           string          `bun:"label"`
	BaseURL         string          `bun:"base_url"`
	Sealed          string          `bun:"sealed"`
	HasCredentials  bool            `bun:"has_credentials"`
	State           string          `bun:"state"`
	Cause           string          `bun:"cause"`
	Detail          string          `bun:"detail"`
	MissingRights   json.RawMessage `bun:"missing_rights,type:jsonb"`
	BalanceAmount   *int64          `bun:"balance_amount"`
	BalanceCurrency string          `bun:"balance_currency"`
	ServersMax      int64           `bun:"servers_max"`
	CheckedAt       *time.Time      `bun:"checked_at"`
	LastSyncAt      *time.Time      `bun:"last_sync_at"`
	Failures        int64           `bun:"failures"`
	ToldFailure     bool            `bun:"told_failure"`
	CreatedAt       time.Time       `bun:"created_at"`
	UpdatedAt       time.Time       `bun:"updated_at"`
	Revision        int64           `bun:"revision"`
	ServersUsed     int64           `bun:"servers_used,scanonly"`
	SortKey         string          `bun:"sort_key,scanonly"`
}

func (r *accountRow) object() audit.Object {
	return audit.Object{Type: objectAccount, ID: r.ID, Name: r.Label}
}

func (r *accountRow) place() vault.Ref {
	return vault.Ref{Table: "hosting_accounts", ID: r.ID, Column: "sealed"}
}

func (r *accountRow) shown() Account {
	shown := Account{
		ID: r.ID, Kind: r.Kind, Label: r.Label, BaseURL: r.BaseURL, HasCredentials: r.HasCredentials, State: r.State,
		Cause: r.Cause, Detail: r.Detail, MissingRights: texts(r.MissingRights),
		Limits:    Limits{ServersUsed: r.ServersUsed, Max: r.ServersMax},
		CheckedAt: utc(r.CheckedAt), LastSyncAt: utc(r.LastSyncAt), CreatedAt: r.CreatedAt.UTC(),
		UpdatedAt: r.UpdatedAt.UTC(), Revision: r.Revision,
	}
	if r.BalanceAmount != nil {
		shown.Balance = &cloud.Money{Amount: *r.BalanceAmount, Currency: r.BalanceCurrency}
	}
	return shown
}

// texts is a list of the database, never nil.
func texts(stored json.RawMessage) []string {
	list := []string{}
	_ = json.Unmarshal(stored, &list)
	return list
}

// utc is a moment as finely as the database keeps it.
func utc(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	moved := at.UTC().Truncate(time.Microsecond)
	return &moved
}

// serverRow is a machine as the table keeps it.
type serverRow struct {
	bun.BaseModel `bun:"table:hosting_servers,alias:s"`

	ID            string          `bun:"id,pk,type:uuid" json:"id"`
	AccountID     string          `bun:"account_id,type:uuid" json:"-"`
	ExternalID    string          `bun:"external_id" json:"external_id"`
	Name          string          `bun:"name" json:"name"`
	Status        string          `bun:"status" json:"status"`
	Region        string          `bun:"region" json:"region"`
	Plan          string          `bun:"plan" json:"plan"`
	VCPU          int64           `bun:"vcpu" json:"vcpu"`
	Mem           int64           `bun:"mem" json:"mem"`
	Disk          int64           `bun:"disk" json:"disk"`
	IPv4          json.RawMessage `bun:"ipv4,type:jsonb" json:"ipv4"`
	IPv6          json.RawMessage `bun:"ipv6,type:jsonb" json:"ipv6"`
	Tags          json.RawMessage `bun:"tags,type:jsonb" json:"tags"`
	PriceAmount   *int64          `bun:"price_amount" json:"price_amount"`
	PriceCurrency string          `bun:"price_currency" json:"price_currency"`
	PricePeriod   string          `bun:"price_period" json:"price_period"`
	NextDueAt     *time.Time      `bun:"next_due_at" json:"next_due_at"`
	NodeID        *string         `bun:"node_id,type:uuid" json:"node_id"`
	CreatedAt     time.Time       `bun:"created_at" json:"-"`
	UpdatedAt     time.Time       `bun:"updated_at" json:"-"`
	GoneAt        *time.Time      `bun:"gone_at" json:"-"`
	SkippedDue    *time.Time      `bun:"skipped_due" json:"-"`
	MadeFor       *string         `bun:"made_for,type:uuid" json:"-"`
	Revision      int64           `bun:"revision" json:"-"`
	SortKey       string          `bun:"sort_key,scanonly" json:"-"`
}

func (r *serverRow) object() audit.Object {
	return audit.Object{Type: objectServer, ID: r.ID, Name: r.Name}
}

func (r *serverRow) shown() Server {
	return Server{
		ID: r.ID, AccountID: r.AccountID, ExternalID: r.ExternalID, Name: r.Name, Status: r.Status, Region: r.Region,
		Plan: r.Plan, Specs: cloud.Specs{VCPU: int(r.VCPU), Mem: r.Mem, Disk: r.Disk}, IPv4: texts(r.IPv4),
		IPv6: texts(r.IPv6), Tags: texts(r.Tags), Price: r.price(), NextDueAt: utc(r.NextDueAt), NodeID: r.NodeID,
		CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(), Revision: r.Revision,
	}
}

func (r *serverRow) price() *cloud.Price {
	if r.PriceAmount == nil {
		return nil
	}
	return &cloud.Price{Amount: *r.PriceAmount, Currency: r.PriceCurrency, Period: r.PricePeriod}
}

func (r *serverRow) setPrice(p *cloud.Price) {
	r.PriceAmount, r.PriceCurrency, r.PricePeriod = nil, "", ""
	if p != nil {
		amount := p.Amount
		r.PriceAmount, r.PriceCurrency, r.PricePeriod = &amount, p.Currency, p.Period
	}
}

// store is rows and queries; it knows no rules. Each query takes part in the context's transaction.
type store struct{ db *database.DB }

func newStore(db *database.DB) *store { return &store{db} }

var (
	errLabelTaken   = fault.Conflict("name_taken", "an account with this label is already there")
	errAccountInUse = fault.Conflict("hosting_account_in_use",
		"the account has machines that were entered by hand; remove them first")
)

var constraints = map[string]*fault.Fault{"hosting_accounts_label": errLabelTaken}

var accountOrders = map[string]keyset.Order{
	"label":      {Expression: "a.label", Kind: httpapi.CursorText},
	"created_at": {Expression: "a.created_at", Kind: httpapi.CursorMoment},
}

// counted reads along how many machines an account has.
func counted(q *bun.SelectQuery) *bun.SelectQuery {
	return q.ColumnExpr("a.*").ColumnExpr(
		"(select count(*) from hosting_servers s where s.account_id = a.id and s.gone_at is null) as servers_used")
}

func (s *store) page(ctx context.Context, query httpapi.PageQuery) (page httpapi.Page[Account], err error) {
	k, err := keyset.New(query, "a.id", "label", accountOrders)
	if err != nil {
		return page, err
	}
	var rows []accountRow
	if err := k.Apply(counted(s.db.In(ctx).NewSelect().Model(&rows)), nil).Scan(ctx); err != nil {
		return page, database.Fault(fmt.Errorf("list accounts at hosting providers: %w", err), nil)
	}
	total, err := s.db.In(ctx).NewSelect().Model((*accountRow)(nil)).Count(ctx)
	if err != nil {
		return page, database.Fault(fmt.Errorf("count accounts at hosting providers: %w", err), nil)
	}
	last := func(r *accountRow) (sortKey, id string) { return r.SortKey, r.ID }
	return keyset.Page(k, rows, int(total), (*accountRow).shown, last), nil
}

// account gives one. Fault: not_found (404).
func (s *store) account(ctx context.Context, id string) (row accountRow, err error) {
	err = counted(s.db.In(ctx).NewSelect().Model(&row)).Where("a.id = ?", id).Scan(ctx)
	return row, database.Fault(err, nil)
}

// called gives the ids of the accounts whose providers are called.
func (s *store) called(ctx context.Context) (ids []string, err error) {
	err = s.db.In(ctx).NewSelect().Model((*accountRow)(nil)).Column("id").Where("kind <> ?", cloud.Custom).
		OrderExpr("id").Scan(ctx, &ids)
	return ids, database.Fault(err, nil)
}

// lockAccount keeps an account as it is until the end of the transaction. Fault: revision_conflict (409).
func (s *store) lockAccount(ctx context.Context, id string, revision int64) error {
	var row accountRow
	err := s.db.In(ctx).NewSelect().Model(&row).Where("a.id = ?", id).For("UPDATE").Scan(ctx)
	if err == nil && row.Revision != revision {
		return httpapi.ErrRevision
	}
	return database.Fault(err, nil)
}

// unchanged gives an account that nobody has changed or removed since, locked; nil where somebody has.
func (s *store) unchanged(ctx context.Context, id string, revision int64) (*accountRow, error) {
	var rows []accountRow
	err := s.db.In(ctx).NewSelect().Model(&rows).Where("a.id = ? and a.revision = ?", id, revision).For("UPDATE").
		Scan(ctx)
	if err != nil || len(rows) == 0 {
		return nil, database.Fault(err, nil)
	}
	return &rows[0], nil
}

func (s *store) insertAccount(ctx context.Context, row *accountRow) error {
	_, err := s.db.In(ctx).NewInsert().Model(row).Exec(ctx)
	return database.Fault(err, constraints)
}

func (s *store) updateAccount(ctx context.Context, row *accountRow) error {
	_, err := s.db.In(ctx).NewUpdate().Model(row).ExcludeColumn("id", "created_at").WherePK().Exec(ctx)
	return database.Fault(err, constraints)
}

func (s *store) removeAccount(ctx context.Context, id string) error {
	_, err := s.db.In(ctx).NewDelete().Model((*accountRow)(nil)).Where("a.id = ?", id).Exec(ctx)
	return database.Fault(err, nil)
}

var serverOrders = map[string]keyset.Order{
	"name":       {Expression: "s.name", Kind: httpapi.CursorText},
	"created_at": {Expression: "s.created_at", Kind: httpapi.CursorMoment},
}

func (s *store) servers(ctx context.Context, accountID string, query httpapi.PageQuery) (page httpapi.Page[Server],
	err error,
) {
	k, err := keyset.New(query, "s.id", "name", serverOrders)
	if err != nil {
		return page, err
	}
	here := func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("s.account_id = ? and s.gone_at is null", accountID)
	}
	var rows []serverRow
	if err := k.Apply(here(s.db.In(ctx).NewSelect().Model(&rows)).ColumnExpr("s.*"), nil).Scan(ctx); err != nil {
		return page, database.Fault(fmt.Errorf("list machines: %w", err), nil)
	}
	total, err := here(s.db.In(ctx).NewSelect().Model((*serverRow)(nil))).Count(ctx)
	if err != nil {
		return page, database.Fault(fmt.Errorf("count machines: %w", err), nil)
	}
	last := func(r *serverRow) (sortKey, id string) { return r.SortKey, r.ID }
	return keyset.Page(k, rows, int(total), (*serverRow).shown, last), nil
}

// server gives one machine of an account that is not gone. Fault: not_found (404).
func (s *store) server(ctx context.Context, accountID, id string) (row serverRow, err error) {
	err = s.db.In(ctx).NewSelect().Model(&row).Where("s.id = ? and s.account_id = ? and s.gone_at is null", id,
		accountID).
		Scan(ctx)
	return row, database.Fault(err, nil)
}

// lockServer gives one machine and keeps it as it is until the end of the transaction. Faults: not_found (404),
// revision_conflict (409).
func (s *store) lockServer(ctx context.Context, accountID, id string, revision int64) (row serverRow, err error) {
	err = s.db.In(ctx).NewSelect().Model(&row).Where("s.id = ? and s.account_id = ? and s.gone_at is null", id,
		accountID).
		For("UPDATE").Scan(ctx)
	if err == nil && row.Revision != revision {
		return row, httpapi.ErrRevision
	}
	return row, database.Fault(err, nil)
}

// heldServer is lockServer for whoever starts from no revision. Fault: not_found (404).
func (s *store) heldServer(ctx context.Context, accountID, id string) (row serverRow, err error) {
	err = s.db.In(ctx).NewSelect().Model(&row).ColumnExpr("s.*").
		Where("s.id = ? and s.account_id = ? and s.gone_at is null", id, accountID).For("UPDATE").Scan(ctx)
	return row, database.Fault(err, nil)
}

func (s *store) insertServer(ctx context.Context, row *serverRow) error {
	_, err := s.db.In(ctx).NewInsert().Model(row).Exec(ctx)
	return database.Fault(err, nil)
}

func (s *store) updateServer(ctx context.Context, row *serverRow) error {
	_, err := s.db.In(ctx).NewUpdate().Model(row).ExcludeColumn("id", "account_id", "external_id", "created_at", "made_for").
		WherePK().
		Exec(ctx)
	return database.Fault(err, nil)
}

func (s *store) removeServer(ctx context.Context, id string) error {
	_, err := s.db.In(ctx).NewDelete().Model((*serverRow)(nil)).Where("s.id = ?", id).Exec(ctx)
	return database.Fault(err, nil)
}

// put writes what a pass over an account has found, only where it differs. What people have entered stays where the
// provider says nothing of it.
func (s *store) put(ctx context.Context, accountID string, found []serverRow) error {
	text, err := json.Marshal(found)
	if err != nil {
		return fmt.Errorf("write machines: %w", err)
	}
	_,
		err = s.db.In(ctx).
		NewRaw(`insert into hosting_servers as s (id, account_id, external_id, name, status, region,
			plan,
			vcpu, mem, disk, ipv4, ipv6, tags, price_amount, price_currency, price_period, next_due_at, node_id,
			created_at,
			updated_at, revision)
		select id, ?0, external_id, name, status, region, plan, vcpu, mem, disk, ipv4, ipv6, tags, price_amount,
			price_currency, price_period, next_due_at, node_id, now(), now(), 1
		from jsonb_to_recordset(?1::jsonb) as r(id uuid, external_id text, name text, status text, region text, plan
		text,
			vcpu bigint, mem bigint, disk bigint, ipv4 jsonb, ipv6 jsonb, tags jsonb, price_amount bigint,
			price_currency text, price_period text, next_due_at timestamptz, node_id uuid)
		on conflict (account_id, external_id) do update set name = excluded.name, status = excluded.status,
			region = excluded.region, plan = excluded.plan, vcpu = excluded.vcpu, mem = excluded.mem, disk =
			excluded.disk,
			ipv4 = excluded.ipv4, ipv6 = excluded.ipv6, tags = excluded.tags,
			price_amount = coalesce(excluded.price_amount, s.price_amount),
			price_currency = case when excluded.price_amount is null then s.price_currency else excluded.price_currency
			end,
			price_period = case when excluded.price_amount is null then s.price_period else excluded.price_period end,
			next_due_at = coalesce(excluded.next_due_at, s.next_due_at),
			node_id = coalesce(excluded.node_id, s.made_for), gone_at = null,
			updated_at = now(), revision = s.revision + 1
		where s.gone_at is not null or (s.name, s.status, s.region, s.plan, s.vcpu, s.mem, s.disk, s.ipv4, s.ipv6,
		s.tags,
				s.node_id) is distinct from (excluded.name, excluded.status, excluded.region, excluded.plan,
				excluded.vcpu,
				excluded.mem, excluded.disk, excluded.ipv4, excluded.ipv6, excluded.tags,
				coalesce(excluded.node_id, s.made_for))
			or excluded.price_amount is not null and (s.price_amount, s.price_currency, s.price_period) is distinct from
				(excluded.price_amount, excluded.price_currency, excluded.price_period)
			or excluded.next_due_at is not null and s.next_due_at is distinct from excluded.next_due_at`,
			accountID, string(text)).Exec(ctx)
	return database.Fault(err, nil)
}

// lose marks those machines gone that a pass has not found, but what has come since it has asked.
func (s *store) lose(ctx context.Context, accountID string, found []serverRow, asked time.Time) error {
	ids := make([]string, len(found))
	for i := range found {
		ids[i] = found[i].ExternalID
	}
	text, err := json.Marshal(ids)
	if err != nil {
		return fmt.Errorf("write the ids of machines: %w", err)
	}
	_, err = s.db.In(ctx).
		NewRaw(`update hosting_servers set gone_at = now(), updated_at = now(),
			revision = revision + 1
		where account_id = ? and gone_at is null and created_at < ?
			and not external_id in (select jsonb_array_elements_text(?::jsonb))`,
			accountID, asked, string(text)).Exec(ctx)
	return database.Fault(err, nil)
}

// tidyServers lets machines go that have not been at their provider for a while.
var tidyServers = jobs.Tidy{Table: "hosting_servers", Column: "gone_at", Age: 90 * 24 * time.Hour}

// tidyOrders lets orders go that have been over for long; the journal keeps what was done.
var tidyOrders = jobs.Tidy{
	Table: "hosting_orders", Column: "created_at", Age: 90 * 24 * time.Hour, Unless: "finished_at is null",
}

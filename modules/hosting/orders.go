package hosting

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"panel/modules/flows/flowsapi"
	"panel/modules/hosting/internal/cloud"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/keyset"
	"panel/platform/operations"

	"panel/platform/httpapi"
)

// Acts of an order, beside those of package cloud on the power of a machine.
const (
	actCreate = "create"
	actDelete = "delete"
)

// States of an order.
const (
	orderQueued   = "queued"   // the provider was not asked, or its answer is not known
	orderProvider = "provider" // the provider is at it
	orderAgent    = "agent"    // the machine runs; its agent has not come
	orderDone     = "done"
	orderFailed   = "failed"
)

// Order is what somebody wants done with a machine at its provider.
type Order struct {
	ID         string       `json:"id" format:"uuid" doc:"Of its operation too"`
	AccountID  string       `json:"account_id" format:"uuid"`
	Act        string       `json:"act" enum:"create,on,off,reboot,delete"`
	State      string       `json:"state" enum:"queued,provider,agent,done,failed" doc:"provider: the provider is at it; agent: the machine runs and its agent is waited for"`
	Error      string       `json:"error" doc:"Why it failed; empty: it did not"`
	Name       string       `json:"name" doc:"Of the machine"`
	Region     string       `json:"region"`
	Plan       string       `json:"plan"`
	Image      string       `json:"image"`
	Price      *cloud.Price `json:"price" doc:"That was confirmed; null of an act that costs nothing"`
	ServerID   *string      `json:"server_id" doc:"The machine; null: it is not known yet"`
	NodeID     *string      `json:"node_id" doc:"The node that the machine is made for"`
	StartedBy  string       `json:"started_by"`
	CreatedAt  time.Time    `json:"created_at"`
	FinishedAt *time.Time   `json:"finished_at"`
}

// orderRow is an order as the table keeps it.
type orderRow struct {
	bun.BaseModel `bun:"table:hosting_orders,alias:o"`

	ID            string     `bun:"id,pk,type:uuid"`
	AccountID     string     `bun:"account_id,type:uuid"`
	Act           string     `bun:"act"`
	State         string     `bun:"state"`
	Name          string     `bun:"name"`
	Region        string     `bun:"region"`
	Plan          string     `bun:"plan"`
	Image         string     `bun:"image"`
	PriceAmount   *int64     `bun:"price_amount"`
	PriceCurrency string     `bun:"price_currency"`
	PricePeriod   string     `bun:"price_period"`
	ServerID      *string    `bun:"server_id,type:uuid"`
	ExternalID    string     `bun:"external_id"`
	NodeID        *string    `bun:"node_id,type:uuid"`
	TokenID       string     `bun:"token_id"`
	Action        string     `bun:"action"`
	SentAt        *time.Time `bun:"sent_at"`
	StateAt       time.Time  `bun:"state_at"`
	Error         string     `bun:"error"`
	StartedBy     string     `bun:"started_by"`
	StartedID     string     `bun:"started_id"`
	CreatedAt     time.Time  `bun:"created_at"`
	FinishedAt    *time.Time `bun:"finished_at"`
	CancelledAt   *time.Time `bun:"cancelled_at"`
	SortKey       string     `bun:"sort_key,scanonly"`
}

func (o *orderRow) shown() Order {
	shown := Order{
		ID: o.ID, AccountID: o.AccountID, Act: o.Act, State: o.State, Error: o.Error, Name: o.Name, Region: o.Region,
		Plan: o.Plan, Image: o.Image, ServerID: o.ServerID, NodeID: o.NodeID, StartedBy: o.StartedBy,
		CreatedAt: o.CreatedAt.UTC(), FinishedAt: utc(o.FinishedAt),
	}
	if o.PriceAmount != nil {
		shown.Price = &cloud.Price{Amount: *o.PriceAmount, Currency: o.PriceCurrency, Period: o.PricePeriod}
	}
	return shown
}

// object is the machine, also before the provider has made it: its order stands for it then.
func (o *orderRow) object() audit.Object {
	object := audit.Object{Type: objectServer, ID: o.ID, Name: o.Name}
	if o.ServerID != nil {
		object.ID = *o.ServerID
	}
	return object
}

// as gives the context the one who started an order.
func (o *orderRow) as(ctx context.Context) context.Context {
	return startedBy(ctx, o.StartedID, o.StartedBy)
}

func startedBy(ctx context.Context, accountID, name string) context.Context {
	return access.With(ctx, access.Caller{Kind: access.Admin, AccountID: accountID, Username: name})
}

var (
	errOrderActive = fault.Conflict("hosting_order_active", "something is being done with this machine already")
	errNameActive  = fault.Conflict("name_taken", "a machine of this name is being made already")
)

var orderConstraints = map[string]*fault.Fault{
	"hosting_orders_server": errOrderActive, "hosting_orders_name": errNameActive,
}

// orders are the rules about what is done with machines at providers.
type orders struct {
	*machines
	enrollment nodesapi.Enrollment
	applies    flowsapi.Applies
	follow     *operations.Store
	wake       func(ctx context.Context, id string) error
}

func newOrders(m *machines, e nodesapi.Enrollment, a flowsapi.Applies, f *operations.Store) *orders {
	return &orders{machines: m, enrollment: e, applies: a, follow: f}
}

// begin has an order carried out, as an operation of the context's caller, in the transaction of the context. Faults:
// hosting_order_active, name_taken (409).
func (o *orders) begin(ctx context.Context, row *orderRow, kind string, changes map[string]audit.Change) error {
	caller, now := access.From(ctx), o.now()
	row.State, row.StateAt, row.CreatedAt = orderQueued, now, now
	row.StartedBy, row.StartedID = caller.Name(), caller.AccountID
	if err := o.store.insertOrder(ctx, row); err != nil {
		return err
	}
	object := row.object()
	about := operations.About{Type: object.Type, ID: object.ID, Name: object.Name}
	if err := o.follow.Begin(ctx, row.ID, "hosting."+row.Act, about, nil); err != nil {
		return err
	}
	if err := o.publishOrder(ctx, kind, row, "", changes); err != nil {
		return err
	}
	return o.wake(ctx, row.ID)
}

// publishOrder writes the journal's line and emits the event of the same name, in the transaction of the context.
func (o *orders) publishOrder(
	ctx context.Context, kind string, row *orderRow, result string, changes map[string]audit.Change,
) error {
	object := row.object()
	recorded := o.journal.Record(ctx, o.store.db.In(ctx), audit.Entry{
		Action: kind, Object: object, Result: result, Changes: changes,
	})
	emitted := o.bus.Emit(ctx, events.Event{
		Kind: kind, SubjectID: object.ID, At: o.now(), Data: Ordered{Name: row.Name, Act: row.Act, Error: row.Error},
	})
	if err := errors.Join(recorded, emitted); err != nil {
		return fmt.Errorf("publish what happened to an order: %w", err)
	}
	return nil
}

func (s *store) insertOrder(ctx context.Context, row *orderRow) error {
	_, err := s.db.In(ctx).NewInsert().Model(row).Exec(ctx)
	return database.Fault(err, orderConstraints)
}

// order gives one. Fault: not_found (404).
func (s *store) order(ctx context.Context, id string) (row orderRow, err error) {
	err = s.db.In(ctx).NewSelect().Model(&row).Where("o.id = ?", id).Scan(ctx)
	return row, database.Fault(err, nil)
}

func (s *store) updateOrder(ctx context.Context, row *orderRow) error {
	_, err := s.db.In(ctx).NewUpdate().Model(row).
		Column("state", "state_at", "server_id", "external_id", "token_id", "action", "sent_at", "error", "finished_at").
		WherePK().Exec(ctx)
	return database.Fault(err, orderConstraints)
}

// working says whether an account has orders or replacements that are not at their end.
func (s *store) working(ctx context.Context, accountID string) (open bool, err error) {
	err = s.db.In(ctx).NewRaw(`select exists (select from hosting_orders where account_id = ?0 and finished_at is null)
		or exists (select from hosting_replacements where ?0 in (account_id, by_account_id) and finished_at is null)`,
		accountID).Scan(ctx, &open)
	return open, database.Fault(err, nil)
}

var orderOrders = map[string]keyset.Order{"created_at": {Expression: "o.created_at", Kind: httpapi.CursorMoment}}

func (s *store) orders(ctx context.Context, accountID string, query httpapi.PageQuery) (page httpapi.Page[Order],
	err error,
) {
	k, err := keyset.New(query, "o.id", "-created_at", orderOrders)
	if err != nil {
		return page, err
	}
	var rows []orderRow
	of := func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("o.account_id = ?", accountID) }
	if err := k.Apply(of(s.db.In(ctx).NewSelect().Model(&rows)).ColumnExpr("?TableColumns"), nil).Scan(ctx); err != nil {
		return page, database.Fault(fmt.Errorf("list orders: %w", err), nil)
	}
	total, err := of(s.db.In(ctx).NewSelect().Model((*orderRow)(nil))).Count(ctx)
	if err != nil {
		return page, database.Fault(fmt.Errorf("count orders: %w", err), nil)
	}
	last := func(r *orderRow) (sortKey, id string) { return r.SortKey, r.ID }
	return keyset.Page(k, rows, int(total), (*orderRow).shown, last), nil
}

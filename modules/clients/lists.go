package clients

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"panel/platform/database"
	"panel/platform/httpapi"
	"panel/platform/keyset"
	"panel/platform/names"
)

var orders = map[string]keyset.Order{
	"label":      {Expression: clientName, Kind: httpapi.CursorText},
	"created_at": {Expression: "c.created_at", Kind: httpapi.CursorMoment},
	"updated_at": {Expression: "c.updated_at", Kind: httpapi.CursorMoment},
	"used":       {Expression: "c.used_up + c.used_down", Kind: httpapi.CursorNumber},
	// Those that were never seen come first, those that never expire last.
	"last_seen_at": {Expression: "coalesce(c.last_seen_at, '1970-01-01T00:00:00Z')", Kind: httpapi.CursorMoment},
	"expires_at":   {Expression: "coalesce(c.expires_at, '9999-12-31T00:00:00Z')", Kind: httpapi.CursorMoment},
}

type listedRow struct {
	clientRow
	SortKey string `bun:"sort_key"`
}

// page lists clients by their labels, unless it is asked for another order.
func (c *clients) page(ctx context.Context, in *listInput) (httpapi.Page[Client], error) {
	none := httpapi.Page[Client]{}
	k, err := keyset.New(in.PageQuery, "c.id", "label", orders)
	if err != nil {
		return none, err
	}
	now := c.now()
	var rows []listedRow
	query := in.filter(c.store.db.In(ctx).NewSelect().TableExpr("client_profiles as c").ColumnExpr("c.*"), now)
	if err := k.Apply(query, nil).Scan(ctx, &rows); err != nil {
		return none, database.Fault(fmt.Errorf("list clients: %w", err), nil)
	}
	total, err := in.filter(c.store.db.In(ctx).NewSelect().TableExpr("client_profiles as c"), now).Count(ctx)
	if err != nil {
		return none, database.Fault(fmt.Errorf("count clients: %w", err), nil)
	}
	plain := make([]clientRow, len(rows))
	for i := range rows {
		plain[i] = rows[i].clientRow
	}
	shown, err := c.shown(ctx, plain)
	if err != nil {
		return none, err
	}
	at := -1
	return keyset.Page(k, rows, int(total), func(*listedRow) Client {
		at++
		return shown[at]
	}, func(row *listedRow) (string, string) { return row.SortKey, row.ID }), nil
}

// useState has clients that wait to be let in before those that work, and revoked ones last.
const (
	useRevoked = "coalesce(a.revoked_at, c.revoked_at)"
	useState   = "(case when " + useRevoked + " is not null then 'revoked' when " + installedNow + " then 'installed' " +
		"when " + activeNow + " then 'waiting' else 'out' end)"
)

var useOrders = map[string]keyset.Order{
	"created_at": {Expression: "a.created_at", Kind: httpapi.CursorMoment},
	"label":      {Expression: clientName, Kind: httpapi.CursorText},
	"state": {
		Expression: "(case " + useState + " when 'waiting' then '0' when 'installed' then '1' else '2' end) || " +
			clientName,
		Kind: httpapi.CursorText,
	},
}

// usedRow is a client of a flow.
type usedRow struct {
	ID        string     `bun:"id"`
	Label     string     `bun:"label"`
	State     string     `bun:"state"`
	Public    bool       `bun:"public"`
	Installed bool       `bun:"installed"`
	ByApply   bool       `bun:"by_apply"`
	CreatedAt time.Time  `bun:"created_at"`
	RevokedAt *time.Time `bun:"revoked_at"`
	SortKey   string     `bun:"sort_key"`
}

func (r *usedRow) shown() FlowClient {
	return FlowClient{
		ID: r.ID, Label: r.Label, State: r.State, HasSecret: true, HasPublicLink: r.Public, Installed: r.Installed,
		ByApply:   r.ByApply,
		CreatedAt: r.CreatedAt.UTC(), RevokedAt: utc(r.RevokedAt),
	}
}

// usedBy selects the clients of a flow.
func (s *store) usedBy(ctx context.Context) *bun.SelectQuery {
	return s.db.In(ctx).NewSelect().TableExpr("client_flows as a").Join("join client_profiles as c on c.id = a.client_id")
}

// pageOf lists the clients of a flow, the oldest first. Fault: not_found (404).
func (c *clients) pageOf(ctx context.Context, in *flowClientsInput) (httpapi.Page[FlowClient], error) {
	none := httpapi.Page[FlowClient]{}
	k, err := keyset.New(in.PageQuery, "c.id", "created_at", useOrders)
	if err != nil {
		return none, err
	}
	if err := c.thereIs(ctx, in.ID); err != nil {
		return none, err
	}
	var rows []usedRow
	query := in.filter(c.store.usedBy(ctx)).ColumnExpr("c.id, c.label, c.public_hash is not null as public").
		ColumnExpr(useStateAt+" as state", c.now()).
		ColumnExpr(installedNow + " as installed, " + byApply + " as by_apply, a.created_at, " + useRevoked + " as revoked_at")
	if err := k.Apply(query, nil).Scan(ctx, &rows); err != nil {
		return none, database.Fault(fmt.Errorf("list the clients of a flow: %w", err), nil)
	}
	total, err := in.filter(c.store.usedBy(ctx)).Count(ctx)
	if err != nil {
		return none, database.Fault(fmt.Errorf("count the clients of a flow: %w", err), nil)
	}
	return keyset.Page(k, rows, int(total), (*usedRow).shown,
		func(row *usedRow) (string, string) { return row.SortKey, row.ID }), nil
}

func (in *flowClientsInput) filter(q *bun.SelectQuery) *bun.SelectQuery {
	q = q.Where("a.flow_id = ?", in.ID)
	if in.Q != "" {
		q = q.Where("strpos("+clientName+", ?) > 0", names.SearchKey(in.Q))
	}
	if in.State != "" {
		q = q.Where(useState+" = ?", in.State)
	}
	return q
}

// thereIs fails for a flow that is not there. Fault: not_found (404).
func (c *clients) thereIs(ctx context.Context, flowID string) error {
	if !database.IsID(flowID) {
		return missing()
	}
	names, err := c.flows.Names(ctx, flowID)
	if err != nil {
		return fmt.Errorf("look up a flow: %w", err)
	}
	if _, there := names[flowID]; !there {
		return missing()
	}
	return nil
}

// addTo makes a client of one flow, as the page of the flow does. Faults: not_found (404), invalid_value (422).
func (c *clients) addTo(ctx context.Context, flowID, text string) (FlowClient, error) {
	label, err := labelOf(text)
	if err != nil {
		return FlowClient{}, err
	}
	if !database.IsID(flowID) {
		return FlowClient{}, missing()
	}
	row := c.made(ctx, label)
	err = c.store.db.InTx(ctx, func(ctx context.Context) error { return c.keep(ctx, row, []string{flowID}) })
	if err != nil {
		return FlowClient{}, database.Fault(err, nil)
	}
	needsApply, err := c.store.byApply(ctx, flowID)
	if err != nil {
		return FlowClient{}, err
	}
	return FlowClient{
		ID: row.ID, Label: row.Label, State: row.state(c.now()), HasSecret: true, CreatedAt: row.CreatedAt,
		ByApply: needsApply,
	}, nil
}

// find looks for clients of all flows by a part of their name; revoked ones are not found.
func (c *clients) find(ctx context.Context, in *findInput) (FoundClients, error) {
	found, q := FoundClients{Items: []FoundClient{}}, names.SearchKey(in.Q)
	err := c.store.usedBy(ctx).ColumnExpr("c.id, c.label, a.flow_id, "+installedNow+" as installed").
		Where(useRevoked+" is null and strpos("+clientName+", ?) > 0", q).
		OrderExpr("strpos("+clientName+", ?), "+clientName+", c.id, a.flow_id", q).Limit(int64(in.Limit)).
		Scan(ctx, &found.Items)
	if err != nil {
		return found, database.Fault(err, nil)
	}
	var ids []string
	for i := range found.Items {
		ids = append(ids, found.Items[i].FlowID)
	}
	names, err := c.flows.Names(ctx, distinct(ids)...)
	if err != nil {
		return found, fmt.Errorf("look up the flows of clients: %w", err)
	}
	for i := range found.Items {
		found.Items[i].FlowName = names[found.Items[i].FlowID]
	}
	return found, nil
}

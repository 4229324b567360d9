package clients

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"panel/modules/clients/clientsapi"
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
	now, args := c.now(), new(database.Arguments)
	var rows []listedRow
	query := c.store.db.NewSelect().TableExpr("client_profiles as c").ColumnExpr(c.store.columns)
	if err := database.Read(ctx, c.store.db, &rows, k.Apply(in.filter(query, now, args), args), args); err != nil {
		return none, database.Fault(fmt.Errorf("list clients: %w", err), nil)
	}
	total, err := c.total(ctx, in.ClientFilter, now)
	if err != nil {
		return none, err
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
	return keyset.Page(k, rows, total, func(*listedRow) Client {
		at++
		return shown[at]
	}, func(row *listedRow) (string, string) { return row.SortKey, row.ID }), nil
}

// total is how many clients match.
func (c *clients) total(ctx context.Context, f ClientFilter, now time.Time) (int, error) {
	return c.store.totals.Of(f, now, func() (int, error) {
		args := new(database.Arguments)
		var n []int
		query := f.filter(c.store.db.NewSelect().TableExpr("client_profiles as c").ColumnExpr("count(*)"), now, args)
		if err := database.Read(ctx, c.store.db, &n, query, args); err != nil {
			return 0, database.Fault(fmt.Errorf("count clients: %w", err), nil)
		}
		return n[0], nil
	})
}

// endsSoon is how many days before its end the time of a client is counted as ending.
const endsSoon = 7

// summary counts clients by what an operator looks for.
func (c *clients) summary(ctx context.Context) (all Summary, err error) {
	now := c.now()
	states := c.store.db.NewSelect().TableExpr("client_profiles as c").ColumnExpr(stateAt+" as state", now).
		ColumnExpr("c.last_seen_at, c.expires_at, c.revoked_at")
	err = c.store.db.NewSelect().TableExpr("(?) as c", states).
		ColumnExpr("count(*) as total").
		ColumnExpr("count(*) filter (where state = ?) as active", clientsapi.Active).
		ColumnExpr("count(*) filter (where revoked_at is null and last_seen_at > ?) as online", now.Add(-onlineFor)).
		ColumnExpr("count(*) filter (where state = ? and expires_at <= ?) as ending",
			clientsapi.Active, now.AddDate(0, 0, endsSoon)).
		ColumnExpr("count(*) filter (where state = ?) as expired", clientsapi.Expired).
		ColumnExpr("count(*) filter (where state = ?) as spent", clientsapi.Spent).
		ColumnExpr("count(*) filter (where state = ?) as disabled", clientsapi.Disabled).
		ColumnExpr("count(*) filter (where state = ?) as revoked", clientsapi.Revoked).
		Scan(ctx, &all)
	return all, database.Fault(err, nil)
}

// useState has clients that wait to be let in before those that work, and revoked ones last. Who uses the flow through
// proxy panels alone waits for nothing.
const (
	useRevoked = "coalesce(a.revoked_at, c.revoked_at)"
	useState   = "(case when " + useRevoked + " is not null then 'revoked' when " + installedNow + " then 'installed' " +
		"when " + activeNow + " and not " + servedElsewhere + " then 'waiting' else 'out' end)"
	servedElsewhere = "coalesce((select l.elsewhere from client_lists l where l.flow_id = a.flow_id), false)"
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

// shownState is the state of a client on a flow at a moment, which stands for the question mark, by what stands beside
// the flow.
const shownState = `(case when a.revoked_at is not null then 'revoked'
	when a.expires_at <= ? and coalesce(a.ended, 'spent') = 'spent' then 'expired' else coalesce(a.ended, 'active') end)`

// usedRow is a client of a flow.
type usedRow struct {
	ID        string     `bun:"id"`
	Label     string     `bun:"label"`
	State     string     `bun:"state"`
	Public    bool       `bun:"public"`
	Installed bool       `bun:"installed"`
	ByApply   bool       `bun:"by_apply"`
	Elsewhere bool       `bun:"elsewhere"`
	CreatedAt time.Time  `bun:"created_at"`
	RevokedAt *time.Time `bun:"revoked_at"`
	SortKey   string     `bun:"sort_key"`
}

func (r *usedRow) shown() FlowClient {
	return FlowClient{
		ID: r.ID, Label: r.Label, State: r.State, HasSecret: true, HasPublicLink: r.Public, Installed: r.Installed,
		ByApply: r.ByApply, Elsewhere: r.Elsewhere,
		CreatedAt: r.CreatedAt.UTC(), RevokedAt: utc(r.RevokedAt),
	}
}

// accesses selects what clients have on flows, beside the clients themselves where more of them is asked for.
func (s *store) accesses(clients bool) *bun.SelectQuery {
	q := s.db.NewSelect().TableExpr("client_flows as a")
	if clients {
		q = q.Join("join client_profiles as c on c.id = a.client_id")
	}
	return q
}

// usesOf selects the clients of flows.
func (s *store) usesOf() *bun.SelectQuery { return s.accesses(true) }

// narrows says whether not all clients of the flow are asked for.
func (in *flowClientsInput) narrows() bool { return in.Q != "" || in.State != "" }

// asksForClients says whether the page takes more of clients than what stands beside the flow.
func (in *flowClientsInput) asksForClients() bool {
	return in.narrows() || in.Sort != "" && strings.TrimPrefix(in.Sort, "-") != "created_at"
}

// pageOf lists the clients of a flow, the oldest first. Fault: not_found (404).
func (c *clients) pageOf(ctx context.Context, in *flowClientsInput) (httpapi.Page[FlowClient], error) {
	none := httpapi.Page[FlowClient]{}
	k, err := keyset.New(in.PageQuery, "a.client_id", "created_at", useOrders)
	if err != nil {
		return none, err
	}
	if err := c.thereIs(ctx, in.ID); err != nil {
		return none, err
	}
	now, args := c.now(), new(database.Arguments)
	var rows []usedRow
	query := in.filter(c.store.accesses(in.asksForClients()), args).Join(onList).ColumnExpr("a.client_id as id, a.label, a.public").
		ColumnExpr(shownState+" as state", args.Add(now)).
		ColumnExpr(letIn + " as installed, " + needsApply + " as by_apply, " + isElsewhere + " as elsewhere").
		ColumnExpr("a.created_at, a.revoked_at")
	if err := database.Read(ctx, c.store.db, &rows, k.Apply(query, args), args); err != nil {
		return none, database.Fault(fmt.Errorf("list the clients of a flow: %w", err), nil)
	}
	total, err := c.totalOf(ctx, in, now)
	if err != nil {
		return none, err
	}
	return keyset.Page(k, rows, total, (*usedRow).shown,
		func(row *usedRow) (string, string) { return row.SortKey, row.ID }), nil
}

// useFilter is what a count of the clients of a flow depends on.
type useFilter struct{ flow, query, state string }

// totalOf is how many clients of a flow match.
func (c *clients) totalOf(ctx context.Context, in *flowClientsInput, now time.Time) (int, error) {
	return c.store.useTotals.Of(useFilter{in.ID, in.Q, in.State}, now, func() (int, error) {
		args := new(database.Arguments)
		var n []int
		query := in.filter(c.store.accesses(in.narrows()), args).ColumnExpr("count(*)")
		if err := database.Read(ctx, c.store.db, &n, query, args); err != nil {
			return 0, database.Fault(fmt.Errorf("count the clients of a flow: %w", err), nil)
		}
		return n[0], nil
	})
}

func (in *flowClientsInput) filter(q *bun.SelectQuery, args *database.Arguments) *bun.SelectQuery {
	q = q.Where("a.flow_id = ?", args.Add(in.ID))
	if in.Q != "" {
		q = q.Where("strpos("+clientName+", ?) > 0", args.Add(names.SearchKey(in.Q)))
	}
	if in.State != "" {
		q = q.Where(useState+" = ?", in.State)
	}
	return q
}

// thereIs fails for a flow that is not there. Fault: not_found (404).
func (c *clients) thereIs(ctx context.Context, flowID string) error {
	now := c.now()
	switch {
	case !database.IsID(flowID):
		return missing()
	case c.store.flows.Seen(flowID, now):
		return nil
	}
	names, err := c.flows.Names(ctx, flowID)
	if err != nil {
		return fmt.Errorf("look up a flow: %w", err)
	}
	if len(names) == 0 {
		return missing()
	}
	c.store.flows.Note(flowID, now)
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
	byApply, elsewhere, err := c.store.comes(ctx, flowID)
	if err != nil {
		return FlowClient{}, err
	}
	return FlowClient{
		ID: row.ID, Label: row.Label, State: row.state(c.now()), HasSecret: true, CreatedAt: row.CreatedAt,
		ByApply: byApply, Elsewhere: elsewhere,
	}, nil
}

// find looks for clients of all flows by a part of their name; revoked ones are not found.
func (c *clients) find(ctx context.Context, in *findInput) (FoundClients, error) {
	found, q := FoundClients{Items: []FoundClient{}}, names.SearchKey(in.Q)
	args := new(database.Arguments)
	query := c.store.usesOf().ColumnExpr("c.id, c.label, a.flow_id, "+installedNow+" as installed").
		Where(useRevoked+" is null and strpos("+clientName+", ?) > 0", args.Add(q)).
		OrderExpr("strpos("+clientName+", ?), "+clientName+", c.id, a.flow_id", args.Add(q)).Limit(int64(in.Limit))
	var rows []FoundClient
	if err := database.Read(ctx, c.store.db, &rows, query, args); err != nil {
		return found, database.Fault(err, nil)
	}
	found.Items = append(found.Items, rows...)
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

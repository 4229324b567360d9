package certificates

import (
	"context"
	"fmt"

	"panel/platform/database"
	"panel/platform/httpapi"
	"panel/platform/keyset"
)

var orders = map[string]keyset.Order{
	"created_at": {Expression: "c.created_at", Kind: httpapi.CursorMoment},
	"name":       {Expression: "c.names[1]", Kind: httpapi.CursorText},
}

// List gives a page of the inventory, by host name where the query names no order. Fault: bad_parameter (400).
func (e *Engine) List(ctx context.Context, query httpapi.PageQuery) (page httpapi.Page[Certificate], err error) {
	k, err := keyset.New(query, "c.id", "name", orders)
	if err != nil {
		return page, err
	}
	var rows []row
	found := e.DB.In(ctx).NewSelect().Model(&rows).ExcludeColumn("chain", "key").ColumnExpr(isOrdered + " as ordered")
	if err := k.Apply(found, nil).Scan(ctx); err != nil {
		return page, database.Fault(fmt.Errorf("list certificates: %w", err), nil)
	}
	total, err := e.DB.In(ctx).NewSelect().Model((*row)(nil)).Count(ctx)
	if err != nil {
		return page, database.Fault(fmt.Errorf("count certificates: %w", err), nil)
	}
	now := e.now()
	shown := func(r *row) Certificate { return r.shown(now) }
	last := func(r *row) (sortKey, id string) { return r.SortKey, r.ID }
	return keyset.Page(k, rows, int(total), shown, last), nil
}

// Show gives one certificate. Fault: not_found (404).
func (e *Engine) Show(ctx context.Context, id string) (Certificate, error) {
	r, err := e.read(ctx, id, false)
	if err != nil {
		return Certificate{}, err
	}
	return r.shown(e.now()), nil
}

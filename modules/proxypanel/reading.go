package proxypanel

import (
	"context"
	"fmt"

	"panel/modules/proxypanel/internal/remnawave"
	"panel/modules/proxypanel/internal/shadow"
	"panel/modules/proxypanel/internal/syncs"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/httpapi"
	"panel/platform/operations"
)

// newSyncs lets connections be read.
func newSyncs(c *connections, s *shadow.Shadow) *syncs.Syncs {
	return syncs.New(syncs.Tools{DB: c.store.db, Shadow: s, Queue: c.queue, Due: c.due, Open: c.open})
}

// due are the connections that work, or that nobody has looked at. What is wrong with the others the look says.
func (c *connections) due(ctx context.Context) ([]syncs.Panel, error) {
	var rows []connectionRow
	err := c.store.db.In(ctx).NewSelect().Model(&rows).Column("id", "label").
		Where("c.state in ('ok', 'degraded', 'unchecked')").OrderExpr("c.id").Scan(ctx)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("list connections to be read: %w", err), nil)
	}
	panels := make([]syncs.Panel, len(rows))
	for i := range rows {
		panels[i] = syncs.Panel{ID: rows[i].ID, Label: rows[i].Label}
	}
	return panels, nil
}

// open gives a connection and a client for it, to be closed. Fault: not_found (404); error: *remnawave.Problem where
// its version is not spoken.
func (c *connections) open(ctx context.Context, id string) (panel syncs.Panel, client *remnawave.Client, err error) {
	row, err := c.store.get(ctx, id)
	if err != nil {
		return panel, nil, err
	}
	if remnawave.Compatible(row.Version) == remnawave.Unsupported {
		return panel, nil, &remnawave.Problem{Cause: remnawave.VersionUnsupported}
	}
	access, err := c.access(&row)
	if err != nil {
		return panel, nil, err
	}
	panel = syncs.Panel{ID: row.ID, Label: row.Label}
	if figures := row.shown().Panel; figures != nil {
		panel.Users = figures.Users
	}
	client, err = c.door.open(access)
	return panel, client, err
}

// SyncStarted is the operation that reads a proxy panel.
type SyncStarted struct {
	OperationID string `json:"operation_id" format:"uuid"`
}

// sync has a connection read whole. Faults: not_found (404), sync_active (409).
func (h *handlers) sync(ctx context.Context, in *ConnectionPath) (*body[SyncStarted], error) {
	c := h.connections
	row, err := c.store.get(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	var started SyncStarted
	err = c.store.db.InTx(ctx, func(ctx context.Context) error {
		about := operations.About{Type: object, ID: row.ID, Name: row.Label}
		if started.OperationID, err = h.syncs.Begin(ctx, syncs.Panel{ID: row.ID, Label: row.Label}, about); err != nil {
			return err
		}
		return c.journal.Record(ctx, c.store.db.In(ctx), audit.Entry{Action: syncStarted, Object: row.object()})
	})
	return &body[SyncStarted]{started}, err
}

type syncsInput struct {
	ConnectionPath
	httpapi.PageQuery
}

func (h *handlers) listSyncs(ctx context.Context, in *syncsInput) (*body[httpapi.Page[syncs.Run]], error) {
	if _, err := h.connections.store.get(ctx, in.ID); err != nil {
		return nil, err
	}
	page, err := h.syncs.Page(ctx, in.ID, in.PageQuery)
	return &body[httpapi.Page[syncs.Run]]{page}, err
}

package clients

import (
	"context"
	"fmt"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/clients/clientsapi"
	"panel/platform/database"
)

// Reach has the agents of nodes hold the clients of a flow, beside those that do already.
func (e exported) Reach(ctx context.Context, flowID string, nodeIDs ...string) error {
	if len(nodeIDs) == 0 {
		return nil
	}
	return e.store.db.InTx(ctx, func(ctx context.Context) error { return e.hold(ctx, flowID, nodeIDs) })
}

// hold locks the list of a flow before who holds it.
func (e exported) hold(ctx context.Context, flowID string, nodeIDs []string) error {
	db := e.store.db.In(ctx)
	_, err := db.NewRaw("insert into client_lists (flow_id) values (?) on conflict do nothing", flowID).Exec(ctx)
	if err != nil {
		return database.Fault(err, nil)
	}
	if err := e.relist(ctx, flowID); err != nil {
		return err
	}
	var rows []holderRow
	for _, id := range distinct(database.OnlyIDs(nodeIDs)) {
		rows = append(rows, holderRow{FlowID: flowID, NodeID: id})
	}
	if len(rows) == 0 {
		return nil
	}
	_, err = db.NewInsert().Model(&rows).On("conflict (flow_id, node_id) do update").Set("leaves = false").Exec(ctx)
	if err == nil {
		_, err = db.NewRaw("update client_lists set reshare = true where flow_id = ?", flowID).Exec(ctx)
	}
	return database.Fault(err, nil)
}

// SetInstalled takes how the installed parts of a flow know its clients.
func (e exported) SetInstalled(ctx context.Context, flowID string, by clientsapi.Installed) error {
	return e.store.db.InTx(ctx, func(ctx context.Context) error {
		if err := e.store.setInstalled(ctx, flowID, by.Refs); err != nil {
			return err
		}
		if err := e.hold(ctx, flowID, by.NodeIDs); err != nil {
			return err
		}
		return e.keepTo(ctx, flowID, by)
	})
}

// keepTo has all agents but some drop the list of a flow.
func (e exported) keepTo(ctx context.Context, flowID string, by clientsapi.Installed) error {
	db, nodeIDs := e.store.db.In(ctx), append([]string{}, by.NodeIDs...)
	_, err := db.NewRaw(`update client_list_nodes set leaves = true
		where flow_id = ? and not node_id::text = any(?::text[])`,
		flowID, pgdialect.Array(nodeIDs)).Exec(ctx)
	if err == nil {
		_, err = db.NewRaw("update client_lists set nodes = ?, fixed = ?, reshare = true where flow_id = ?", len(nodeIDs), by.Fixed, flowID).
			Exec(ctx)
	}
	if err != nil {
		return database.Fault(fmt.Errorf("note who holds the list of a flow: %w", err), nil)
	}
	return nil
}

// Holding gives those of the nodes whose agents hold a list of the flow, and for a client those that let it in.
func (e exported) Holding(ctx context.Context, flowID, clientID string) (nodeIDs []string, err error) {
	q := e.store.db.In(ctx).NewSelect().TableExpr("client_list_nodes as n").ColumnExpr("n.node_id::text").
		Where("n.flow_id = ? and n.installed > 0", flowID)
	if clientID != "" {
		q = q.Where(`exists (select from client_listed li join client_flows a using (flow_id, client_id)
			where li.flow_id = n.flow_id and li.client_id = ? and li.ref = `+accessRef+` and li.since <= n.installed and not li.gone)`, clientID)
	}
	err = q.Scan(ctx, &nodeIDs)
	return nodeIDs, database.Fault(err, nil)
}

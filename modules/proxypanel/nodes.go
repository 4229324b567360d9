package proxypanel

import (
	"context"
	"fmt"

	"panel/modules/proxypanel/internal/remnawave"
	"panel/modules/proxypanel/proxypanelapi"
	"panel/platform/database"
)

// adoptedNodes is proxypanelapi.Nodes.
type adoptedNodes struct{ db *database.DB }

func exportNodes(db *database.DB) proxypanelapi.Nodes { return adoptedNodes{db} }

// States gives how adopted nodes are, by what was read last. What was read too long ago says nothing.
func (a adoptedNodes) States(ctx context.Context) (found []proxypanelapi.NodeState, err error) {
	err = a.db.In(ctx).NewRaw(`select m.connection_id::text, m.node_id::text, case
			when s.objects_at is null or s.objects_at < now() - interval '5 minutes' then ?
			when o.external_id is null or o.gone_at is not null then ?
			when (o.fields ->> 'disabled')::boolean then ?
			when (o.fields ->> 'connected')::boolean then ?
			when (o.fields ->> 'connecting')::boolean then ? else ? end as state
		from proxypanel_mappings m left join proxypanel_sync_states s on s.connection_id = m.connection_id
		left join proxypanel_objects o on o.connection_id = m.connection_id and o.kind = ?
			and o.external_id = m.panel_node_id order by 1, 2`, proxypanelapi.NodeUnread, proxypanelapi.NodeGone,
		proxypanelapi.NodeDisabled, proxypanelapi.NodeConnected, proxypanelapi.NodeConnecting,
		proxypanelapi.NodeDisconnected, remnawave.KindNode).Scan(ctx, &found)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read how nodes of proxy panels are: %w", err), nil)
	}
	return found, nil
}

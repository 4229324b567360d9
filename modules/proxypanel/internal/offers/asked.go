package offers

import (
	"context"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/flows/flowsapi"
	"panel/modules/proxypanel/internal/remnawave"
)

// PanelNodes gives what is known of the adopted ones among some nodes, by our ids of them.
func (e *Engine) PanelNodes(
	ctx context.Context, connectionID string, nodeIDs []string,
) (map[string]flowsapi.PanelNode, error) {
	at, err := e.Mappings.On(ctx, connectionID, nodeIDs)
	if err != nil || len(at) == 0 {
		return nil, err
	}
	label, _, err := e.Usable(ctx, connectionID)
	if err != nil {
		return nil, err
	}
	squads, err := e.Shadow.Objects(ctx, connectionID, remnawave.KindSquad)
	if err != nil {
		return nil, err
	}
	found := map[string]flowsapi.PanelNode{}
	for nodeID, m := range at {
		if m.GoneAt != nil {
			continue
		}
		node := flowsapi.PanelNode{ID: m.PanelNodeID, Name: m.Name, Connection: label, Core: m.Core}
		parts, err := e.rows.ofMapping(ctx, m.ID)
		if err != nil {
			return nil, err
		}
		for _, r := range parts {
			node.Ports = append(node.Ports, flowsapi.PanelPort{Port: r.Port, L4: r.L4, Tag: r.Tag})
		}
		for _, squad := range squads {
			node.Squads = append(node.Squads, squad.ExternalID)
		}
		found[nodeID] = node
	}
	return found, nil
}

// FlowsOn gives the flows that a node of ours is needed for by entries that a proxy panel serves there.
func (e *Engine) FlowsOn(ctx context.Context, nodeID string) (ids []string, err error) {
	err = e.DB.In(ctx).NewRaw(`select distinct p.flow_id::text from proxypanel_parts p
		join proxypanel_mappings m on m.id = p.mapping_id where m.node_id::text = ? order by 1`, nodeID).Scan(ctx, &ids)
	return ids, kept(err)
}

// FlowsAt gives the flows that each of some mappings serves.
func (e *Engine) FlowsAt(ctx context.Context, mappingIDs ...string) (map[string][]string, error) {
	var found []struct{ MappingID, FlowID string }
	err := e.DB.In(ctx).NewRaw(`select distinct mapping_id::text, flow_id::text from proxypanel_parts
		where mapping_id = any(?::uuid[]) order by 1, 2`, pgdialect.Array(mappingIDs)).Scan(ctx, &found)
	ids := map[string][]string{}
	for _, one := range found {
		ids[one.MappingID] = append(ids[one.MappingID], one.FlowID)
	}
	return ids, kept(err)
}

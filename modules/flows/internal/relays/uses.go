package relays

import (
	"context"
	"slices"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
	"panel/platform/database"
)

// poolUserRow is a flow that uses a pool, with its drawings.
type poolUserRow struct {
	ID, Name  string
	Draft     graph.Graph  `bun:",type:jsonb"`
	Installed *graph.Graph `bun:",type:jsonb"`
}

// Uses gives the flows that use one of the pools, by their names.
func Uses(ctx context.Context, db *database.DB, poolIDs ...string) ([]flowsapi.PoolUse, error) {
	if len(poolIDs) == 0 {
		return nil, nil
	}
	var rows []poolUserRow
	ids := pgdialect.Array(poolIDs)
	err := db.In(ctx).NewRaw(`with using_pools as (
			select id from flows where jsonb_path_query_array(graph, '$.nodes[*].pool_id') \?| ?::text[]
			union select f.id from flow_versions v join flows f on f.installed_version_id = v.id
			where jsonb_path_query_array(v.graph, '$.nodes[*].pool_id') \?| ?::text[])
		select f.id, f.name, f.graph as draft, v.graph as installed from flows f join using_pools u on u.id = f.id
		left join flow_versions v on v.id = f.installed_version_id and f.enabled
		where not f.deleting order by f.name, f.id`, ids, ids).Scan(ctx, &rows)
	var out []flowsapi.PoolUse
	for _, row := range rows {
		for _, id := range poolIDs {
			if use, uses := row.use(id); uses {
				out = append(out, use)
			}
		}
	}
	return out, database.Fault(err, nil)
}

func (r poolUserRow) use(poolID string) (flowsapi.PoolUse, bool) {
	use := flowsapi.PoolUse{PoolID: poolID, FlowID: r.ID, FlowName: r.Name}
	use.Draft = sendersOf(r.Draft, poolID, &use)
	if r.Installed != nil {
		use.Installed = sendersOf(*r.Installed, poolID, &use)
	}
	return use, use.Draft || use.Installed
}

// sendersOf adds who forwards to a pool in a drawing, and says whether the drawing has it at all.
func sendersOf(g graph.Graph, poolID string, use *flowsapi.PoolUse) (uses bool) {
	for _, b := range g.Nodes {
		if b.Kind != graph.TransitPool || b.PoolID != poolID {
			continue
		}
		uses = true
		for _, edge := range g.Edges {
			if at := g.Find(edge.From); edge.To == b.Key && at >= 0 {
				use.Senders = withID(use.Senders, g.Nodes[at].NodeID)
				use.SenderPools = withID(use.SenderPools, g.Nodes[at].PoolID)
			}
		}
	}
	return uses
}

func withID(ids []string, id string) []string {
	if id == "" || slices.Contains(ids, id) {
		return ids
	}
	return append(ids, id)
}

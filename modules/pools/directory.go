package pools

import (
	"context"
	"fmt"
	"slices"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/flows/flowsapi"
	"panel/modules/pools/poolsapi"
	"panel/platform/agentapi"
	"panel/platform/database"
)

func exportDirectory(p *pools) poolsapi.Directory { return &directory{p.store} }

type directory struct{ store *store }

// Pools gives pools with their members, at the cost of two statements.
func (d *directory) Pools(ctx context.Context, ids ...string) ([]poolsapi.Pool, error) {
	known := database.OnlyIDs(ids)
	if len(ids) > 0 && len(known) == 0 {
		return nil, nil
	}
	var rows []poolRow
	q := d.store.db.In(ctx).NewSelect().Model(&rows).Column("id", "name").OrderExpr(`p.name_key collate "C", p.id`)
	if len(known) > 0 {
		q = q.Where("p.id = any(?::uuid[])", pgdialect.Array(known))
	}
	if err := q.Scan(ctx); err != nil {
		return nil, database.Fault(fmt.Errorf("read the pools: %w", err), nil)
	}
	members, err := d.store.members(ctx, known...)
	out := make([]poolsapi.Pool, len(rows))
	for i := range rows {
		out[i] = poolsapi.Pool{ID: rows[i].ID, Name: rows[i].Name}
		for _, m := range members[rows[i].ID] {
			switch {
			case !m.Enabled:
			case m.FlowID != "":
				out[i].FlowIDs = append(out[i].FlowIDs, m.FlowID)
			default:
				out[i].NodeIDs = append(out[i].NodeIDs, m.NodeID)
			}
		}
	}
	return out, err
}

// Blocked gives the flows of which a pool blocks traffic, by what agents have reported last.
func (d *directory) Blocked(ctx context.Context) (flowIDs []string, err error) {
	var groups []string
	err = d.store.db.In(ctx).NewRaw(`select distinct c.group_name from transit_pool_choices c
		join transit_pools p on p.id = c.pool_id where c.serves = ? and p.fallback_kind = ? order by 1`,
		agentapi.PoolServesFallback, flowsapi.FallbackBlock).Scan(ctx, &groups)
	for _, group := range groups {
		if id := flowOf(group); database.IsID(id) && !slices.Contains(flowIDs, id) {
			flowIDs = append(flowIDs, id)
		}
	}
	return flowIDs, database.Fault(err, nil)
}

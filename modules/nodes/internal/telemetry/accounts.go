package telemetry

import (
	"context"
	"fmt"

	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
)

// Since gives what clients carried in the samples of all transactions that have ended since the mark. It is
// nodesapi.Accounts. Marks are transactions, as in the roll-up: one that is still open is taken the next time, with all
// that have begun after it. In a database that was restored elsewhere the marks begin again lower down.
func (t *Telemetry) Since(ctx context.Context, mark int64) (carried nodesapi.ClientUse, next int64, err error) {
	db := t.db.In(ctx)
	if err = db.NewRaw("select pg_snapshot_xmin(pg_current_snapshot())::text::bigint").Scan(ctx, &next); err != nil {
		return carried, 0, database.Fault(fmt.Errorf("read how far samples are stored: %w", err), nil)
	}
	if next <= mark {
		return carried, next, nil
	}
	// No client carries a petabyte in a minute: what an agent makes up must not stop the counting of all.
	err = db.NewRaw(`select e ->> 'name' as email, least(sum((e ->> 'up')::bigint), 1e15)::bigint as up,
			least(sum((e ->> 'down')::bigint), 1e15)::bigint as down, max(s.observed_at) as last_at
		from node_samples s cross join lateral jsonb_array_elements(s.traffic) e
		where s.xact >= ? and s.xact < ? and e ->> 'kind' = ? group by 1 order by 1`, mark, next,
		agentapi.TrafficClient).Scan(ctx, &carried.Traffic)
	if err == nil {
		err = db.NewRaw(`select s.node_id::text, e ->> 'name' as client_id, max((e ->> 'up')::bigint) as bytes
			from node_samples s cross join lateral jsonb_array_elements(s.traffic) e
			where s.xact >= ? and s.xact < ? and e ->> 'kind' = ? group by 1, 2 order by 1, 2`, mark, next,
			agentapi.TrafficShare).Scan(ctx, &carried.Counts)
	}
	if err != nil {
		return carried, 0, database.Fault(fmt.Errorf("read what clients carried: %w", err), nil)
	}
	return carried, next, nil
}

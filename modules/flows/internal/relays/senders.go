package relays

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"panel/modules/flows/flowsapi"
	"panel/platform/database"
)

// Senders gives the flows that, as they are installed, send traffic into some flows by pools that have these as members
// or fall back on such pools: at once or through more flows. Sorted, without the flows that were asked about.
func Senders(ctx context.Context, db *database.DB, ask Ask, flowIDs ...string) ([]string, error) {
	if len(flowIDs) == 0 {
		return nil, nil
	}
	drawn, err := installedPools(ctx, db)
	if err != nil || len(drawn) == 0 {
		return nil, err
	}
	var poolIDs []string
	for _, ids := range drawn {
		poolIDs = append(poolIDs, ids...)
	}
	slices.Sort(poolIDs)
	pools, err := ask.Pools(ctx, slices.Compact(poolIDs))
	if err != nil {
		return nil, err
	}
	into := make(map[string][]string, len(drawn))
	for id, ids := range drawn {
		into[id] = reached(pools, ids)
	}
	return against(into, flowIDs), nil
}

// reached are the flows among the members of pools and of those that they fall back on.
func reached(pools map[string]flowsapi.Pool, ids []string) []string {
	there := map[string]flowsapi.Pool{}
	for left := slices.Clone(ids); len(left) > 0; left = left[1:] {
		pool, known := pools[left[0]]
		if _, seen := there[pool.ID]; !known || seen {
			continue
		}
		there[pool.ID] = pool
		left = append(left, pool.Fallback.PoolID)
	}
	return members(there)
}

// against goes from flows to those that send to them, to those that send to these, and so on.
func against(into map[string][]string, flowIDs []string) []string {
	found := map[string]bool{}
	for at := flowIDs; len(at) > 0; {
		var next []string
		for id, targets := range into {
			sends := slices.ContainsFunc(at, func(one string) bool { return slices.Contains(targets, one) })
			if sends && !found[id] && !slices.Contains(flowIDs, id) {
				found[id] = true
				next = append(next, id)
			}
		}
		at = next
	}
	return slices.Sorted(maps.Keys(found))
}

// installedPools gives the pools of what is installed, by flow.
func installedPools(ctx context.Context, db *database.DB) (map[string][]string, error) {
	var rows []struct{ FlowID, PoolID string }
	err := db.In(ctx).NewRaw(`select distinct f.id as flow_id, b ->> 'pool_id' as pool_id
		from flows f join flow_versions v on v.id = f.installed_version_id
		cross join lateral jsonb_array_elements(v.graph -> 'nodes') b
		where f.enabled and not f.deleting and b ->> 'pool_id' <> ''`).Scan(ctx, &rows)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read the pools of what is installed: %w", err), nil)
	}
	out := map[string][]string{}
	for _, r := range rows {
		out[r.FlowID] = append(out[r.FlowID], r.PoolID)
	}
	return out, nil
}

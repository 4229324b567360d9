// Package relays knows flows as members of transit pools: which entry of them can be dialled, and whether pools lead
// traffic in a circle.
package relays

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/platform/database"
)

// members are the flows among the members of pools, sorted.
func members(pools map[string]flowsapi.Pool) []string {
	var ids []string
	for _, pool := range pools {
		for _, m := range pool.Members {
			if m.FlowID != "" {
				ids = append(ids, m.FlowID)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

type row struct {
	ID, Name string
	Version  string
	Hosts    []plan.Host  `bun:",type:jsonb"`
	Graph    *graph.Graph `bun:",type:jsonb"`
}

// Find gives the flows among the members of pools, with the entry by which each can be reached. One that is gone is
// left out.
func Find(ctx context.Context, db *database.DB, pools map[string]flowsapi.Pool) (map[string]plan.Relay, error) {
	rows, err := read(ctx, db, members(pools))
	out := make(map[string]plan.Relay, len(rows))
	for _, r := range rows {
		out[r.ID], _ = r.relay()
	}
	return out, err
}

func read(ctx context.Context, db *database.DB, flowIDs []string) (rows []row, err error) {
	if len(flowIDs) == 0 {
		return nil, nil
	}
	err = db.In(ctx).NewRaw(`select f.id, f.name, coalesce(f.installed_version_id::text, '') as version,
			f.installed_hosts as hosts, v.graph
		from flows f left join flow_versions v on v.id = f.installed_version_id
		where f.id = any(?::uuid[]) and not f.deleting`, pgdialect.Array(flowIDs)).Scan(ctx, &rows)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read the flows of pools: %w", err), nil)
	}
	return rows, nil
}

// relay is a flow with its entry; nil where nothing of it can be dialled.
func (r row) relay() (plan.Relay, *graph.Node) {
	relay := plan.Relay{FlowID: r.ID, Name: r.Name}
	if r.Graph == nil {
		return relay, nil
	}
	at := plan.RelayEntry(*r.Graph)
	if at < 0 {
		return relay, nil
	}
	entry := &r.Graph.Nodes[at]
	host := slices.IndexFunc(r.Hosts, func(h plan.Host) bool {
		return h.Block == entry.Key && h.NodeID == entry.NodeID
	})
	if host < 0 {
		return relay, nil
	}
	relay.Version, relay.Block, relay.Host = r.Version, entry.Key, r.Hosts[host].Host
	return relay, entry
}

// Secrets opens what is secret of a flow: its root, and the listener of an installed drawing with its own secret.
type Secrets func(ctx context.Context, flowID string, g graph.Graph, l graph.Listener) ([]byte, graph.Listener, error)

// Open adds what is needed to dial relays.
func Open(ctx context.Context, db *database.DB, relays map[string]plan.Relay, secrets Secrets) error {
	rows, err := read(ctx, db, slices.Sorted(maps.Keys(relays)))
	if err != nil {
		return err
	}
	for _, r := range rows {
		relay, entry := r.relay()
		if entry == nil {
			continue
		}
		root, listener, err := secrets(ctx, r.ID, *r.Graph, *entry.Params.Listener)
		if err != nil {
			return fmt.Errorf("open the entry of the flow %s: %w", r.ID, err)
		}
		relays[r.ID] = relay.Opened(root, relay.Host, listener)
	}
	return nil
}

// PoolsOf gives the pools that flows send traffic to, sorted: with what is installed and being installed, and with
// their drafts.
func PoolsOf(ctx context.Context, db *database.DB, drafts bool, flowIDs ...string) (map[string][]string, error) {
	out := map[string][]string{}
	if len(flowIDs) == 0 {
		return out, nil
	}
	var rows []struct{ FlowID, PoolID string }
	err := db.In(ctx).NewRaw(`with wanted as (select id from unnest(?::uuid[]) w(id)), drawn as (
			select f.id as flow_id, f.graph from flows f join wanted w on w.id = f.id where ? and not f.deleting
			union all select f.id, v.graph from flows f join wanted w on w.id = f.id
				join flow_versions v on v.id = f.installed_version_id where not f.deleting
			union all select a.flow_id, a.graph from flow_applies a join wanted w on w.id = a.flow_id
				where a.finished_at is null and a.graph is not null)
		select distinct d.flow_id, b ->> 'pool_id' as pool_id from drawn d
		cross join lateral jsonb_array_elements(d.graph -> 'nodes') b where b ->> 'pool_id' <> '' order by 1, 2`,
		pgdialect.Array(flowIDs), drafts).Scan(ctx, &rows)
	for _, r := range rows {
		out[r.FlowID] = append(out[r.FlowID], r.PoolID)
	}
	return out, database.Fault(err, nil)
}

// Hold gives the names of flows and keeps them from being deleted until the transaction ends. Those that are not there,
// or are being deleted, are left out.
func Hold(ctx context.Context, db *database.DB, flowIDs ...string) (map[string]string, error) {
	out := map[string]string{}
	if len(flowIDs) == 0 {
		return out, nil
	}
	var rows []struct{ ID, Name string }
	err := db.In(ctx).NewRaw(`select f.id, f.name from flows f where f.id = any(?::uuid[]) and not f.deleting
			and not exists (select from flow_applies a
				where a.flow_id = f.id and a.kind = 'delete' and a.finished_at is null)
		order by f.id for key share of f`, pgdialect.Array(flowIDs)).Scan(ctx, &rows)
	for _, r := range rows {
		out[r.ID] = r.Name
	}
	return out, database.Fault(err, nil)
}

// Ask gives pools and those that they fall back on, and the pools that flows send traffic to.
type Ask struct {
	Pools   func(ctx context.Context, poolIDs []string) (map[string]flowsapi.Pool, error)
	PoolsOf func(ctx context.Context, flowIDs ...string) (map[string][]string, error)
}

// Circles lists the pools of a drawing that lead back into the flow itself, and those from which traffic would go
// through more flows, one behind the other, than pools may be chained.
func Circles(
	ctx context.Context, flowID string, g graph.Graph, pools map[string]flowsapi.Pool, ask Ask,
) ([]graph.Problem, error) {
	if len(members(pools)) == 0 {
		return nil, nil
	}
	var out []graph.Problem
	for i, b := range g.Nodes {
		if b.Kind != graph.TransitPool || b.PoolID == "" {
			continue
		}
		code, err := ask.follow(ctx, flowID, b.PoolID)
		if err != nil {
			return nil, err
		}
		if code != "" {
			out = append(out, graph.Problem{Code: code, Path: fmt.Sprintf("nodes[%d].pool_id", i), Message: problems[code]})
		}
	}
	return out, nil
}

const (
	circle  = "pool_flow_circle"
	tooDeep = "pool_flows_too_deep"
)

var problems = map[string]string{
	circle:  "a flow in this pool sends its traffic to a pool that leads back into this flow",
	tooDeep: "the flows in this pool send their traffic to further pools of flows, and so on, at most four deep",
}

// follow goes from a pool to the flows in it, to their pools, and so on.
func (a Ask) follow(ctx context.Context, flowID, poolID string) (string, error) {
	at := []string{poolID}
	for range plan.MaxPoolDepth {
		pools, err := a.Pools(ctx, at)
		if err != nil {
			return "", err
		}
		flows := members(pools)
		if slices.Contains(flows, flowID) {
			return circle, nil
		}
		behind, err := a.PoolsOf(ctx, flows...)
		if err != nil {
			return "", err
		}
		at = nil
		for _, ids := range behind {
			at = append(at, ids...)
		}
		slices.Sort(at)
		if at = slices.Compact(at); len(at) == 0 {
			return "", nil
		}
	}
	return tooDeep, nil
}

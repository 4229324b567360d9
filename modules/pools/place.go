package pools

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/flows/flowsapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
)

// What may change of a pool without another configuration goes to the agents of the nodes that forward to it, as a
// document. Who forwards follows from the flows: their drafts too, so that a node knows a pool before it uses it.

const document = string(agentapi.DocumentPools)

// place brings the documents of agents up to date, those that speak of these pools and those of nodes that have begun
// or ceased to forward to any. It takes part in the context's transaction.
func (p *pools) place(ctx context.Context, changed ...string) error {
	if _, err := p.store.db.In(ctx).ExecContext(ctx,
		"lock table transit_pool_places in share row exclusive mode"); err != nil {
		return database.Fault(fmt.Errorf("lock the places of pools: %w", err), nil)
	}
	rows, err := p.store.all(ctx)
	if err != nil {
		return err
	}
	members, err := p.store.members(ctx)
	if err != nil {
		return err
	}
	wanted, err := p.senders(ctx, rows, members)
	if err != nil {
		return err
	}
	nodes, err := p.move(ctx, wanted, changed)
	if err != nil || len(nodes) == 0 {
		return err
	}
	resting, err := p.resting(ctx, members)
	if err != nil {
		return err
	}
	documents := make([]nodesapi.Document, 0, len(nodes))
	for _, node := range nodes {
		content := agentapi.Pools{Pools: []agentapi.Pool{}}
		for i := range rows {
			if wanted[rows[i].ID][node] {
				content.Pools = append(content.Pools, p.said(&rows[i], members[rows[i].ID], resting))
			}
		}
		documents = append(documents, nodesapi.Document{NodeID: node, Name: document, Content: content})
	}
	if err := p.documents.Set(ctx, documents...); err != nil {
		return fmt.Errorf("tell agents of pools: %w", err)
	}
	return nil
}

// senders gives by pool the nodes that forward to it: those of flows, and those that forward to a pool which falls back
// on it.
func (p *pools) senders(
	ctx context.Context, rows []poolRow, members map[string][]memberRow,
) (map[string]map[string]bool, error) {
	out, ids := map[string]map[string]bool{}, make([]string, len(rows))
	for i, row := range rows {
		out[row.ID], ids[i] = map[string]bool{}, row.ID
	}
	uses, err := p.flows.PoolUses(ctx, ids...)
	if err != nil {
		return nil, fmt.Errorf("ask who uses pools: %w", err)
	}
	fallback := map[string]string{}
	for _, row := range rows {
		fallback[row.ID] = text(row.FallbackPoolID)
	}
	for _, use := range uses {
		for at, depth := use.PoolID, 0; at != "" && depth < maxDepth; at, depth = fallback[at], depth+1 {
			forward(out[at], use, members, fallback)
		}
	}
	return out, nil
}

func forward(to map[string]bool, use flowsapi.PoolUse, members map[string][]memberRow, fallback map[string]string) {
	for _, node := range use.Senders {
		if database.IsID(node) {
			to[node] = true
		}
	}
	for _, pool := range use.SenderPools {
		for depth := 0; pool != "" && depth < maxDepth; pool, depth = fallback[pool], depth+1 {
			for _, node := range nodesOf(members[pool]) { // a flow sends on by its own drawing
				to[node] = true
			}
		}
	}
}

// move notes who forwards to which pool now, forgets what nodes have said that do so no more, and gives the nodes whose
// documents may change.
func (p *pools) move(ctx context.Context, wanted map[string]map[string]bool, changed []string) ([]string, error) {
	all := map[string]bool{}
	for _, to := range wanted {
		maps.Copy(all, to)
	}
	missing, err := p.fleet.Hold(ctx, sorted(all)...)
	if err != nil {
		return nil, fmt.Errorf("hold the nodes that forward to pools: %w", err)
	}
	var pools, nodes []string
	for _, id := range slices.Sorted(maps.Keys(wanted)) {
		for _, node := range slices.Sorted(maps.Keys(wanted[id])) {
			if !slices.Contains(missing, node) {
				pools, nodes = append(pools, id), append(nodes, node)
			}
		}
	}
	var moved []string
	err = p.store.db.In(ctx).NewRaw(`with wanted as (
			select w.pool_id, w.node_id from unnest(?::uuid[], ?::uuid[]) w(pool_id, node_id)),
		gone as (delete from transit_pool_places p where not exists (
			select from wanted w where w.pool_id = p.pool_id and w.node_id = p.node_id) returning p.pool_id, p.node_id),
		come as (insert into transit_pool_places (pool_id, node_id) select pool_id, node_id from wanted
			on conflict do nothing returning node_id),
		silent as (delete from transit_pool_choices c using gone g where c.pool_id = g.pool_id and c.node_id = g.node_id),
		forgotten as (delete from transit_pool_states s using gone g, transit_pool_members m
			where m.id = s.member_id and m.pool_id = g.pool_id and s.node_id = g.node_id)
		select node_id from gone union select node_id from come
		union select node_id from wanted where pool_id = any(?::uuid[]) order by 1`,
		pgdialect.Array(pools), pgdialect.Array(nodes), pgdialect.Array(changed)).Scan(ctx, &moved)
	return moved, database.Fault(err, nil)
}

// resting gives the nodes in maintenance: they get no new traffic.
func (p *pools) resting(ctx context.Context, members map[string][]memberRow) (map[string]bool, error) {
	ids := map[string]bool{}
	for _, all := range members {
		for _, node := range nodesOf(all) {
			ids[node] = true
		}
	}
	out := map[string]bool{}
	if len(ids) == 0 {
		return out, nil
	}
	nodes, err := p.fleet.Nodes(ctx, slices.Sorted(maps.Keys(ids))...)
	if err != nil {
		return nil, fmt.Errorf("read the nodes of pools: %w", err)
	}
	for _, n := range nodes {
		out[n.ID] = n.State == "maintenance" || n.State == "disabled"
	}
	return out, nil
}

// said is a pool as agents hear of it.
func (p *pools) said(row *poolRow, members []memberRow, resting map[string]bool) agentapi.Pool {
	pool := agentapi.Pool{
		ID: row.ID, Revision: row.Revision, Health: row.Health.agents(),
		Members: make([]agentapi.PoolMember, len(members)),
	}
	for i, m := range members {
		pool.Members[i] = agentapi.PoolMember{
			ID: m.ID, Weight: m.Weight, Priority: m.Priority, Disabled: !m.Enabled,
			Drain: m.Drain || m.Withdrawn != "" || resting[m.NodeID],
		}
	}
	if o := row.overridden(p.now()); o != nil {
		pool.Override = &agentapi.PoolOverride{MemberID: o.MemberID, Until: o.Until}
	}
	return pool
}

package pools

import (
	"context"
	"maps"
	"slices"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/pools/poolsapi"
	"panel/platform/agentapi"
	"panel/platform/database"
)

func exportMembers(p *pools) poolsapi.Members { return &withdrawals{p} }

// withdrawals keep new traffic from members whose nodes somebody sees down. Pools themselves never judge.
type withdrawals struct{ *pools }

// Places gives the places of nodes in pools that are used.
func (w *withdrawals) Places(ctx context.Context, nodeIDs ...string) (map[string][]poolsapi.Place, error) {
	out := map[string][]poolsapi.Place{}
	if len(nodeIDs) == 0 {
		return out, nil
	}
	var ids []string
	err := w.store.db.In(ctx).NewRaw(`select distinct m.pool_id from transit_pool_members m where m.node_id = any(?::uuid[])
		and exists (select from transit_pool_places p where p.pool_id = m.pool_id) order by 1`, pgdialect.Array(nodeIDs)).
		Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return out, database.Fault(err, nil)
	}
	members, err := w.store.members(ctx, ids...)
	if err != nil {
		return nil, err
	}
	seen, err := w.sightings(ctx, ids...)
	if err != nil {
		return nil, err
	}
	resting, err := w.resting(ctx, members)
	if err != nil {
		return nil, err
	}
	names, err := w.poolNames(ctx, ids...)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		open := func(m *memberRow) bool { return m.Enabled && !m.Drain && m.Withdrawn == "" && !resting[m.NodeID] }
		for i := range members[id] {
			m := &members[id][i]
			if !slices.Contains(nodeIDs, m.NodeID) || !open(m) {
				continue
			}
			place := poolsapi.Place{PoolID: id, Pool: names[id], MemberID: m.ID}
			for j := range members[id] {
				other := &members[id][j]
				if !other.Enabled {
					continue
				}
				place.Members++
				if other.Withdrawn != "" {
					place.Withdrawn++
				}
				if other.ID != m.ID && open(other) && statesOf(seen[other.ID]) != agentapi.PoolDown {
					place.Usable++
				}
			}
			out[m.NodeID] = append(out[m.NodeID], place)
		}
	}
	return out, nil
}

func (w *withdrawals) poolNames(ctx context.Context, ids ...string) (map[string]string, error) {
	var rows []poolRow
	err := w.store.db.In(ctx).NewSelect().Model(&rows).Column("id", "name").Where("p.id = any(?::uuid[])",
		pgdialect.Array(ids)).Scan(ctx)
	out := map[string]string{}
	for i := range rows {
		out[rows[i].ID] = rows[i].Name
	}
	return out, database.Fault(err, nil)
}

// Withdraw keeps new traffic from members until they are returned.
func (w *withdrawals) Withdraw(ctx context.Context, why string, memberIDs ...string) error {
	return w.set(ctx, poolsapi.EventWithdrawn, why, `m.withdrawn = '' and m.id = any(?::uuid[])`, pgdialect.Array(memberIDs))
}

// Return gives new traffic again to what was withdrawn with this id.
func (w *withdrawals) Return(ctx context.Context, why string) error {
	if why == "" {
		return nil
	}
	return w.set(ctx, poolsapi.EventReturned, "", "m.withdrawn = ?", why)
}

// set says of members who keeps new traffic from them, with the journal's lines and the events, and tells the agents.
func (w *withdrawals) set(ctx context.Context, kind, why, which string, arg any) error {
	return w.store.db.InTx(ctx, func(ctx context.Context) error {
		if err := w.lockPools(ctx, which, arg); err != nil {
			return err
		}
		var rows []memberRow
		err := w.store.db.In(ctx).NewSelect().Model(&rows).Where(which, arg).OrderExpr("m.pool_id, m.id").Scan(ctx)
		if err != nil || len(rows) == 0 {
			return database.Fault(err, nil)
		}
		changed := map[string]bool{}
		for i := range rows {
			m := &rows[i]
			m.Withdrawn = why
			if err := w.store.updateMember(ctx, m, "withdrawn"); err != nil {
				return err
			}
			if err := w.say(ctx, kind, m); err != nil {
				return err
			}
			changed[m.PoolID] = true
		}
		ids := slices.Sorted(maps.Keys(changed))
		if err := w.store.revise(ctx, ids...); err != nil {
			return err
		}
		return w.place(ctx, ids...)
	})
}

// lockPools lets nobody else change the pools of members, as who changes a pool does.
func (w *withdrawals) lockPools(ctx context.Context, which string, arg any) error {
	var ids []string
	err := w.store.db.In(ctx).NewSelect().Model((*memberRow)(nil)).ColumnExpr("distinct m.pool_id").Where(which, arg).
		OrderExpr("m.pool_id").Scan(ctx, &ids)
	if err != nil {
		return database.Fault(err, nil)
	}
	for _, id := range ids {
		if _, err := w.store.lock(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

func (w *withdrawals) say(ctx context.Context, kind string, m *memberRow) error {
	row, err := w.store.get(ctx, m.PoolID)
	if err != nil {
		return err
	}
	name, err := w.memberName(ctx, *m)
	if err != nil {
		return err
	}
	news := poolsapi.MemberNews{Name: row.Name, MemberID: m.ID, Member: name}
	changes := changesOf(&row, news)
	delete(changes, "until")
	return w.publish(ctx, kind, &row, changes, news)
}

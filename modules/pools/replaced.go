package pools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"panel/modules/pools/poolsapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
)

func exportReplacements(p *pools) poolsapi.Replacements { return &replacements{p} }

// replacements put a node in the place of another.
type replacements struct{ *pools }

// With gives the pools that a node is a member of.
func (r *replacements) With(ctx context.Context, nodeID string) ([]poolsapi.Named, error) {
	ids, err := r.store.onNode(ctx, nodeID)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	names, err := (&withdrawals{r.pools}).poolNames(ctx, ids...)
	return byName(names), err
}

func byName(names map[string]string) []poolsapi.Named {
	list := make([]poolsapi.Named, 0, len(names))
	for id, name := range names {
		list = append(list, poolsapi.Named{ID: id, Name: name})
	}
	slices.SortFunc(list, func(a, b poolsapi.Named) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// Replace makes a node the member that another one is, in all pools.
func (r *replacements) Replace(ctx context.Context, nodeID, byNodeID string) (done []poolsapi.Named, err error) {
	err = r.store.db.InTx(ctx, func(ctx context.Context) error {
		ids, err := r.store.onNode(ctx, nodeID)
		if err != nil || len(ids) == 0 {
			return err
		}
		news, err := r.news(ctx, nodeID, byNodeID)
		if err != nil {
			return err
		}
		changed := map[string]string{}
		for _, id := range ids {
			row, err := r.swap(ctx, id, nodeID, byNodeID, news)
			if err != nil {
				return fmt.Errorf("replace a member of the pool %s: %w", id, err)
			}
			changed[id] = row.Name
		}
		done = byName(changed)
		return r.place(ctx, ids...)
	})
	return done, err
}

// news is what the journal says, with the names of both nodes, which stay until the transaction ends. Fault: not_found
// (404).
func (r *replacements) news(ctx context.Context, nodeID, byNodeID string) (audit.Change, error) {
	missing, err := r.fleet.Hold(ctx, byNodeID)
	switch {
	case err != nil:
		return audit.Change{}, fmt.Errorf("hold the new member of pools: %w", err)
	case len(missing) > 0:
		return audit.Change{}, fault.Missing("there is no such node")
	}
	names, err := r.nodeNames(ctx, nodeID, byNodeID)
	return audit.Change{From: names[nodeID], To: names[byNodeID]}, err
}

// swap is Replace in one pool.
func (r *replacements) swap(ctx context.Context, id, nodeID, byNodeID string, news audit.Change) (poolRow, error) {
	row, err := r.store.lock(ctx, id)
	if err != nil {
		return row, err
	}
	all, err := r.store.members(ctx, id)
	if err != nil {
		return row, err
	}
	before, was := all[id], row
	members := row.swapped(before, nodeID, byNodeID)
	row.Revision++
	row.UpdatedAt = r.now()
	if err := errors.Join(r.store.update(ctx, &row), r.store.putMembers(ctx, id, members)); err != nil {
		return row, err
	}
	changes := differences(was, row, before, members)
	delete(changes, "members")
	changes["member"] = news
	if err := r.publish(ctx, poolsapi.EventUpdated, &row, changes, poolsapi.News{Name: row.Name}); err != nil {
		return row, err
	}
	flows, err := r.running(ctx, &row, before, members)
	if err != nil || len(flows) == 0 {
		return row, err
	}
	return row, r.flows.RerenderFlows(ctx, "pool "+row.Name, flows...)
}

// swapped gives the members of a pool with a node in the place of another one, and has the pool fall back on it, and
// overridden by it, where it was by the other one. A new member has an id of its own: what agents have seen of the
// other one is not said of it.
func (r *poolRow) swapped(members []memberRow, nodeID, byNodeID string) []memberRow {
	at := slices.IndexFunc(members, func(m memberRow) bool { return m.NodeID == nodeID })
	if at < 0 {
		return members
	}
	gone, out := members[at], slices.Clone(members)
	by := memberRow{
		ID: database.NewID(), PoolID: gone.PoolID, NodeID: byNodeID, Position: gone.Position, Weight: gone.Weight,
		Priority: gone.Priority, Enabled: gone.Enabled,
	}
	if there := slices.IndexFunc(members, func(m memberRow) bool { return m.NodeID == byNodeID }); there >= 0 {
		by, out = members[there], slices.Delete(out, at, at+1)
		r.MinHealthy = min(r.MinHealthy, len(out))
	} else {
		out[at] = by
	}
	for _, choice := range []**string{&r.FallbackMemberID, &r.OverrideMemberID} {
		if text(*choice) == gone.ID {
			*choice = &by.ID
		}
	}
	return out
}

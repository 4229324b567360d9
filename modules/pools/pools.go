package pools

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/modules/flows/flowsapi"
	"panel/modules/nodes/nodesapi"
	"panel/modules/pools/poolsapi"
	"panel/platform/access"
	"panel/platform/agentapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/httpapi"
)

// pools are the rules about pools: each change, its line in the journal, its event and what agents are told of it
// commit together.
type pools struct {
	store     *store
	fleet     nodesapi.Fleet
	documents nodesapi.Documents
	flows     flowsapi.Flows
	journal   audit.Journal
	bus       *events.Bus
	clock     clockwork.Clock
	evidence  *evidence
}

func newPools(
	db *database.DB, f nodesapi.Fleet, d nodesapi.Documents, flows flowsapi.Flows, j audit.Journal, b *events.Bus,
	c clockwork.Clock, e *evidence,
) *pools {
	return &pools{
		store: &store{db}, fleet: f, documents: d, flows: flows, journal: j, bus: b, clock: c, evidence: e,
	}
}

func (p *pools) now() time.Time { return p.clock.Now().UTC() }

// create makes a pool. Faults: name_taken (409), invalid_value (422).
func (p *pools) create(ctx context.Context, in NewPool) (string, error) {
	row := poolRow{ID: database.NewID(), Strategy: in.Strategy, MinHealthy: 1, CreatedAt: p.now(), Revision: 1}
	err := p.store.db.InTx(ctx, func(ctx context.Context) error {
		to := PoolChange{
			Name: &in.Name, Strategy: &in.Strategy, Stickiness: &in.Stickiness, Members: &in.Members, Health: in.Health,
			Fallback: in.Fallback, MinHealthy: in.MinHealthy,
		}
		if to.Health == nil {
			to.Health = &Health{Tolerance: agentapi.PoolTolerance}
		}
		if to.Fallback == nil {
			to.Fallback = &Fallback{Kind: flowsapi.FallbackBlock}
		}
		members, err := p.changed(ctx, &row, nil, to)
		if err != nil {
			return err
		}
		if err := p.store.insert(ctx, &row, members); err != nil {
			return err
		}
		if err := p.publish(ctx, poolsapi.EventCreated, &row, nil, poolsapi.News{Name: row.Name}); err != nil {
			return err
		}
		return p.rerender(ctx, &row, nil, members)
	})
	return row.ID, err
}

// change alters what is given. What a configuration holds is rendered again in the flows that use the pool; everything
// else acts at once. Faults: not_found (404), permission_denied (403), revision_conflict, name_taken (409),
// invalid_value (422).
func (p *pools) change(ctx context.Context, id string, revision int64, to PoolChange) error {
	if !database.IsID(id) {
		return fault.Missing(fault.NoSuchThing)
	}
	return p.store.db.InTx(ctx, func(ctx context.Context) error {
		row, err := p.store.lock(ctx, id)
		if err != nil {
			return err
		}
		if row.Revision != revision {
			return httpapi.ErrRevision
		}
		all, err := p.store.members(ctx, id)
		if err != nil {
			return err
		}
		before, was := all[id], row
		row.Revision++
		members, err := p.changed(ctx, &row, before, to)
		if err != nil {
			return err
		}
		if err := errors.Join(p.store.update(ctx, &row), p.store.putMembers(ctx, id, members)); err != nil {
			return err
		}
		changes := differences(was, row, before, members)
		if err := p.publish(ctx, poolsapi.EventUpdated, &row, changes, poolsapi.News{Name: row.Name}); err != nil {
			return err
		}
		if !sameShape(was.shape(before), row.shape(members)) {
			if err := p.rerender(ctx, &row, before, members); err != nil {
				return err
			}
		}
		return p.place(ctx, id)
	})
}

// uses gives who uses a pool, directly or by pools that fall back on it.
func (p *pools) uses(ctx context.Context, id string) ([]flowsapi.PoolUse, error) {
	family := []string{id}
	for next := family; len(next) > 0; {
		found, err := p.store.fallingBack(ctx, next...)
		if err != nil {
			return nil, err
		}
		next = slices.DeleteFunc(found, func(one string) bool { return slices.Contains(family, one) })
		family = append(family, next...)
	}
	uses, err := p.flows.PoolUses(ctx, family...)
	if err != nil {
		return nil, fmt.Errorf("ask who uses a pool: %w", err)
	}
	return uses, nil
}

// remove deletes a pool. Faults: not_found (404), pool_in_use (409).
func (p *pools) remove(ctx context.Context, id string) error {
	if !database.IsID(id) {
		return fault.Missing(fault.NoSuchThing)
	}
	return p.store.db.InTx(ctx, func(ctx context.Context) error {
		row, err := p.store.lock(ctx, id)
		if err != nil {
			return err
		}
		uses, err := p.flows.PoolUses(ctx, id)
		if err != nil {
			return fmt.Errorf("ask who uses a pool: %w", err)
		}
		if len(uses) > 0 {
			flows := map[string]bool{}
			for _, use := range uses {
				flows[use.FlowID] = true
			}
			return naming(ctx, fault.Conflict("pool_in_use", "flows use this pool; take it out of them first"), "flow_ids",
				sorted(flows))
		}
		if pools, err := p.store.fallingBack(ctx, id); err != nil || len(pools) > 0 {
			if err == nil {
				err = naming(ctx, fault.Conflict("pool_in_use", "other pools fall back on this one; change them first"),
					"pool_ids", pools)
			}
			return err
		}
		members, err := p.store.members(ctx, id)
		if err != nil {
			return err
		}
		if err := p.rerender(ctx, &row, members[id], nil); err != nil {
			return err
		}
		if err := p.store.delete(ctx, id); err != nil {
			return err
		}
		return p.publish(ctx, poolsapi.EventDeleted, &row, nil, poolsapi.News{Name: row.Name})
	})
}

// override leads all new traffic to one member for a while. Faults: not_found (404), invalid_value (422).
func (p *pools) override(ctx context.Context, id string, in NewOverride) error {
	const hour = 3600
	return p.acted(ctx, id, func(ctx context.Context, row *poolRow, members []memberRow) (string, any, error) {
		until := p.now().Add(time.Duration(in.TTLS) * time.Second)
		if in.TTLS == 0 {
			until = p.now().Add(hour * time.Second)
		}
		news := poolsapi.MemberNews{Name: row.Name, MemberID: in.MemberID}
		row.OverrideMemberID, row.OverrideUntil, row.OverrideBy = orNil(in.MemberID), &until, access.From(ctx).Username
		if in.MemberID == "" {
			row.OverrideUntil, row.OverrideBy = nil, ""
			return poolsapi.EventOverridden, news, p.store.update(ctx, row)
		}
		at := memberAt(members, in.MemberID)
		if at < 0 {
			return "", nil, fault.InvalidValue("member_id", "the pool has no such member")
		}
		var err error
		news.Member, err = p.memberName(ctx, members[at])
		return poolsapi.EventOverridden, news, errors.Join(err, p.store.update(ctx, row))
	})
}

func memberAt(members []memberRow, id string) int {
	return slices.IndexFunc(members, func(m memberRow) bool { return m.ID == id })
}

// drain gives a member no new traffic, or some again. Fault: not_found (404).
func (p *pools) drain(ctx context.Context, id, memberID string, drain bool) error {
	return p.acted(ctx, id, func(ctx context.Context, row *poolRow, members []memberRow) (string, any, error) {
		at := memberAt(members, memberID)
		if at < 0 {
			return "", nil, fault.Missing(fault.NoSuchThing)
		}
		m := members[at]
		name, err := p.memberName(ctx, m)
		if err != nil || m.Drain == drain {
			return "", nil, err
		}
		m.Drain = drain
		row.Revision++
		news := poolsapi.MemberNews{Name: row.Name, MemberID: m.ID, Member: name, Reason: "drain"}
		if !drain {
			news.Reason = "no_drain"
		}
		return poolsapi.EventDrained, news, errors.Join(p.store.updateMember(ctx, &m, "drain"), p.store.update(ctx, row))
	})
}

// acted does something about a pool that acts at once. No kind means that nothing was to be done.
func (p *pools) acted(
	ctx context.Context, id string,
	do func(ctx context.Context, row *poolRow, members []memberRow) (kind string, news any, err error),
) error {
	if !database.IsID(id) {
		return fault.Missing(fault.NoSuchThing)
	}
	return p.store.db.InTx(ctx, func(ctx context.Context) error {
		row, err := p.store.lock(ctx, id)
		if err != nil {
			return err
		}
		members, err := p.store.members(ctx, id)
		if err != nil {
			return err
		}
		row.UpdatedAt = p.now()
		kind, news, err := do(ctx, &row, members[id])
		if err != nil || kind == "" {
			return err
		}
		if err := p.publish(ctx, kind, &row, changesOf(&row, news), news); err != nil {
			return err
		}
		return p.place(ctx, id)
	})
}

func changesOf(row *poolRow, news any) map[string]audit.Change {
	about, is := news.(poolsapi.MemberNews)
	if !is {
		return nil
	}
	changes := map[string]audit.Change{"member": {To: about.Member}}
	if about.Reason != "" {
		changes["drain"] = audit.Change{To: about.Reason == "drain"}
	} else if row.OverrideUntil != nil {
		changes["until"] = audit.Change{To: row.OverrideUntil.UTC()}
	}
	return changes
}

// publish writes the journal's line and emits the event of the same name, in the transaction of the change.
func (p *pools) publish(
	ctx context.Context, kind string, row *poolRow, changes map[string]audit.Change, data any,
) error {
	entry := audit.Entry{Action: kind, Object: row.object(), Changes: changes}
	recorded := p.journal.Record(ctx, p.store.db.In(ctx), entry)
	emitted := p.bus.Emit(ctx, events.Event{Kind: kind, SubjectID: row.ID, At: p.now(), Data: data})
	if err := errors.Join(recorded, emitted); err != nil {
		return fmt.Errorf("publish what happened to a pool: %w", err)
	}
	return nil
}

func (p *pools) nodeNames(ctx context.Context, ids ...string) (map[string]string, error) {
	out := map[string]string{}
	if len(ids) == 0 {
		return out, nil
	}
	nodes, err := p.fleet.Nodes(ctx, ids...)
	if err != nil {
		return nil, fmt.Errorf("read the nodes of a pool: %w", err)
	}
	for _, n := range nodes {
		out[n.ID] = n.Name
	}
	return out, nil
}

func differences(was, is poolRow, before, after []memberRow) map[string]audit.Change {
	changes := map[string]audit.Change{}
	put := func(field string, from, to any, same bool) {
		if !same {
			changes[field] = audit.Change{From: from, To: to}
		}
	}
	put("name", was.Name, is.Name, was.Name == is.Name)
	put("strategy", was.Strategy, is.Strategy, was.Strategy == is.Strategy)
	put("stickiness", was.Stickiness, is.Stickiness, was.Stickiness == is.Stickiness)
	put("health", was.Health, is.Health, was.Health == is.Health)
	put("fallback", was.FallbackKind, is.FallbackKind, was.FallbackKind == is.FallbackKind)
	put("min_healthy", was.MinHealthy, is.MinHealthy, was.MinHealthy == is.MinHealthy)
	put("members", len(before), len(after), slices.EqualFunc(before, after, func(a, b memberRow) bool {
		return a.ID == b.ID && a.Weight == b.Weight && a.Priority == b.Priority && a.Enabled == b.Enabled &&
			a.Drain == b.Drain
	}))
	return changes
}

func validProbe(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil &&
		u.Fragment == ""
}

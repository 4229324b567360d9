package pools

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"panel/modules/flows/flowsapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/fault"
)

// changed puts a change into a row and gives its members afterwards. Fault: invalid_value (422).
func (p *pools) changed(
	ctx context.Context, row *poolRow, members []memberRow, to PoolChange,
) ([]memberRow, error) {
	row.UpdatedAt = p.now()
	if to.Name != nil {
		if row.named(*to.Name); row.Name == "" {
			return nil, fault.InvalidValue("name", "give the pool a name")
		}
	}
	row.Strategy = given(row.Strategy, to.Strategy)
	row.Stickiness = given(row.Stickiness, to.Stickiness)
	row.MinHealthy = given(row.MinHealthy, to.MinHealthy)
	if err := stick(row, to.Stickiness != nil && *to.Stickiness != ""); err != nil {
		return nil, err
	}
	if to.Health != nil {
		if row.Health = to.Health.filled(); row.Health.TimeoutS > row.Health.IntervalS {
			return nil, fault.InvalidValue("health.timeout_s", "must not be longer than the interval")
		}
		if !validProbe(row.Health.ProbeURL) {
			return nil, fault.InvalidValue("health.probe_url", "must be a URL of http or https with a host, without a password")
		}
	}
	if to.Members != nil {
		var err error
		if members, err = p.withMembers(ctx, row.ID, members, *to.Members); err != nil {
			return nil, err
		}
	}
	if row.MinHealthy > max(1, len(members)) {
		return nil, fault.InvalidValue("min_healthy", "the pool has fewer members than that")
	}
	if err := p.fallBack(ctx, row, members, to.Fallback); err != nil {
		return nil, err
	}
	if to.Members == nil && to.Fallback == nil {
		return members, nil
	}
	return members, p.checkFlows(ctx, row, members)
}

func given[T any](is T, to *T) T {
	if to == nil {
		return is
	}
	return *to
}

// stick fits the stickiness to the strategy.
func stick(row *poolRow, asked bool) error {
	switch {
	case row.Strategy != agentapi.PoolSticky && asked && row.Stickiness != agentapi.StickToNone:
		return fault.InvalidValue("stickiness", "only the strategy sticky keeps clients with one member")
	case row.Strategy != agentapi.PoolSticky:
		row.Stickiness = agentapi.StickToNone
	case asked && row.Stickiness == agentapi.StickToNone:
		return fault.InvalidValue("stickiness", "the strategy sticky knows clients by their user or source")
	case row.Stickiness == "" || row.Stickiness == agentapi.StickToNone:
		row.Stickiness = agentapi.StickToUser
	}
	return nil
}

// fallBack puts in who takes over when no member is usable, and refuses circles and long chains.
func (p *pools) fallBack(ctx context.Context, row *poolRow, members []memberRow, to *Fallback) error {
	if to != nil {
		row.FallbackKind, row.FallbackMemberID, row.FallbackPoolID = to.Kind, nil, nil
		switch to.Kind {
		case flowsapi.FallbackMember:
			at := slices.IndexFunc(members, func(m memberRow) bool { return strings.EqualFold(m.of(), to.member()) })
			if at < 0 {
				return fault.InvalidValue(to.field(), "the fallback must be a member of the pool")
			}
			row.FallbackMemberID = &members[at].ID
		case flowsapi.FallbackPool:
			row.FallbackPoolID = orNil(strings.ToLower(to.PoolID))
			return p.checkChain(ctx, row)
		}
	}
	if row.FallbackMemberID != nil && memberAt(members, *row.FallbackMemberID) < 0 {
		return fault.InvalidValue("fallback.node_id", "the pool falls back on this member; choose another fallback first")
	}
	return nil
}

// maxDepth is how many pools may fall back on one another.
const maxDepth = 4

// checkChain follows the fallbacks from a pool, and to it. All pools are locked, so that two changes cannot close a
// circle together.
func (p *pools) checkChain(ctx context.Context, row *poolRow) error {
	field := "fallback.pool_id"
	if !database.IsID(text(row.FallbackPoolID)) {
		return fault.InvalidValue(field, "there is no such pool")
	}
	if _, err := p.store.db.In(ctx).ExecContext(ctx, "lock table transit_pools in share row exclusive mode"); err != nil {
		return database.Fault(fmt.Errorf("lock the pools: %w", err), nil)
	}
	all, err := p.store.all(ctx)
	if err != nil {
		return err
	}
	next := map[string]string{}
	for _, one := range all {
		next[one.ID] = text(one.FallbackPoolID)
	}
	if _, known := next[*row.FallbackPoolID]; !known {
		return fault.InvalidValue(field, "there is no such pool")
	}
	next[row.ID] = *row.FallbackPoolID
	// From the pool itself first: a circle is told as one also where it makes another chain too long.
	for _, start := range slices.Concat([]string{row.ID}, slices.Sorted(maps.Keys(next))) {
		depth := 1
		for at := next[start]; at != ""; at = next[at] {
			if depth++; at == start {
				return fault.InvalidValue(field, "the pools would fall back on each other in a circle")
			}
			if depth > maxDepth {
				return fault.InvalidValue(field, "at most four pools may fall back on one another")
			}
		}
	}
	return nil
}

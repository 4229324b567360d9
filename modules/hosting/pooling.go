package hosting

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"panel/modules/flows/flowsapi"
	"panel/modules/pools/poolsapi"
)

// askAgain is how long flows may take to begin to be installed anew.
const askAgain = 20 * time.Second

// HitPool is a transit pool that a replacement changes.
type HitPool struct {
	PoolID string `json:"pool_id" format:"uuid"`
	Name   string `json:"name"`
}

func hitPools(pools []poolsapi.Named) []HitPool {
	list := make([]HitPool, len(pools))
	for i, pool := range pools {
		list[i] = HitPool{PoolID: pool.ID, Name: pool.Name}
	}
	return list
}

// pool gives the new node the place of the old one in transit pools and waits until the flows that use these are
// installed anew, and nothing is on the old node any more.
func (m *moving) pool(ctx context.Context) (wait time.Duration, err error) {
	if m.row.NodeID == nil || m.row.ByNodeID == nil {
		return 0, m.fail(ctx, nodeGone)
	}
	if err := m.progress(ctx, nil); err != nil {
		return 0, err
	}
	if m.row.PooledAt == nil {
		return 0, m.swap(ctx)
	}
	uses, err := m.moves.UsesOf(ctx, *m.row.NodeID)
	switch {
	case err != nil:
		return 0, err
	case slices.ContainsFunc(uses, func(u flowsapi.NodeUse) bool { return u.Drawn || u.Placed }):
		return 0, m.becomes(ctx, replaceMoving) // somebody has drawn it meanwhile
	case len(uses) == 0:
		return 0, m.becomes(ctx, replaceDraining)
	case slices.ContainsFunc(uses, underWay):
		return lookAgain / 4, nil
	case m.now().Sub(*m.row.PooledAt) >= readyWithin:
		return 0, m.fail(ctx, "these flows use transit pools and could not be installed anew within five minutes: "+
			strings.Join(namesOf(uses), ", "))
	case m.row.AskedAt == nil || m.now().Sub(*m.row.AskedAt) >= askAgain:
		return 0, m.write(ctx, func(ctx context.Context) error { return m.installAnew(ctx, uses) })
	}
	return lookAgain / 4, nil
}

func underWay(u flowsapi.NodeUse) bool { return u.Applying }

func namesOf(uses []flowsapi.NodeUse) (names []string) {
	for _, use := range uses {
		names = append(names, use.Name)
	}
	return names
}

// swap changes the members of all pools, which have their flows installed anew, and notes it in the same transaction.
func (m *moving) swap(ctx context.Context) error {
	err := m.write(ctx, func(ctx context.Context) error {
		changed, err := m.pools.Replace(ctx, *m.row.NodeID, *m.row.ByNodeID)
		if err != nil {
			return fmt.Errorf("put a node in the place of another in pools: %w", err)
		}
		m.row.Pools = append(m.row.Pools, hitPools(changed)...)
		m.row.PooledAt, m.row.AskedAt = m.moment(), nil
		if len(changed) > 0 { // the pools have their flows installed anew
			m.row.AskedAt = m.row.PooledAt
		}
		return nil
	})
	if refused := refusal(ctx, err); refused != nil {
		return m.fail(ctx, "the transit pools could not be changed: "+refused.Code+": "+refused.Detail)
	}
	return err
}

// installAnew asks once more for what was asked for when the pools were changed and has not come about: the panel that
// was at it may have died.
func (m *moving) installAnew(ctx context.Context, uses []flowsapi.NodeUse) error {
	m.row.AskedAt = m.moment()
	ids := make([]string, len(uses))
	for i, use := range uses {
		ids[i] = use.FlowID
	}
	return m.flows.RerenderFlows(ctx, "replaced by "+m.row.ByName, ids...)
}

// becomes brings the replacement into a state and writes it.
func (m *moving) becomes(ctx context.Context, state string) error {
	return m.write(ctx, func(context.Context) error {
		m.enter(state)
		return nil
	})
}

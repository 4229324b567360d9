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
	case m.now().Sub(*m.row.PooledAt) < readyWithin || slices.ContainsFunc(uses, underWay):
		return lookAgain / 4, nil
	}
	return 0, m.fail(ctx, "these flows use transit pools and could not be installed anew within five minutes: "+
		strings.Join(namesOf(uses), ", "))
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
		m.row.PooledAt = m.moment()
		if len(changed) > 0 {
			return nil // the pools have their flows installed anew
		}
		return m.installAnew(ctx)
	})
	if refused := refusal(ctx, err); refused != nil {
		return m.fail(ctx, "the transit pools could not be changed: "+refused.Code+": "+refused.Detail)
	}
	return err
}

// installAnew asks once more for what was asked for when the pools were changed and has not come about.
func (m *moving) installAnew(ctx context.Context) error {
	uses, err := m.moves.UsesOf(ctx, *m.row.NodeID)
	if err != nil || len(uses) == 0 {
		return err
	}
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

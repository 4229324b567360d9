package pools

import (
	"context"
	"slices"

	"panel/modules/flows/flowsapi"
)

// chains gives pools and those that they fall back on, in this order.
func (p *pools) chains(ctx context.Context, ids []string) (map[string]*poolRow, []string, error) {
	rows, err := p.store.all(ctx)
	if err != nil {
		return nil, nil, err
	}
	byID, wanted := map[string]*poolRow{}, []string{}
	for i := range rows {
		byID[rows[i].ID] = &rows[i]
	}
	for _, id := range ids {
		for depth := 0; byID[id] != nil && depth <= maxDepth; depth++ {
			if !slices.Contains(wanted, id) {
				wanted = append(wanted, id)
			}
			id = text(byID[id].FallbackPoolID)
		}
	}
	return byID, wanted, nil
}

// shapes gives the compiler pools and those that they fall back on.
func (p *pools) shapes(ctx context.Context, ids []string) ([]flowsapi.Pool, error) {
	byID, wanted, err := p.chains(ctx, ids)
	if err != nil || len(wanted) == 0 {
		return nil, err
	}
	members, err := p.store.members(ctx, wanted...)
	out := make([]flowsapi.Pool, len(wanted))
	for i, id := range wanted {
		out[i] = byID[id].shape(members[id])
	}
	return out, err
}

// views gives what became of pools in a flow, and of those that they fall back on.
func (p *pools) views(ctx context.Context, flowID string, ids []string) ([]flowsapi.PoolView, error) {
	byID, wanted, err := p.chains(ctx, ids)
	if err != nil || len(wanted) == 0 {
		return nil, err
	}
	members, err := p.store.members(ctx, wanted...)
	if err != nil {
		return nil, err
	}
	seen, err := p.sightings(ctx, wanted...)
	if err != nil {
		return nil, err
	}
	choices, err := p.choices(ctx, wanted...)
	out := make([]flowsapi.PoolView, len(wanted))
	for i, id := range wanted {
		out[i] = flowsapi.PoolView{Pool: byID[id].shape(members[id])}
		for _, m := range members[id] {
			out[i].Members = append(out[i].Members, m.view(flowID, seen[m.ID]))
		}
		for _, c := range choices[id] {
			if flowOf(c.GroupName) == flowID {
				out[i].Choices = append(out[i].Choices, flowsapi.PoolChoice{
					NodeID: c.NodeID, Way: c.GroupName, Serves: c.Serves, MemberID: text(c.ActiveMemberID),
					Usable: c.Usable, Reason: c.Reason, At: c.At.UTC(),
				})
			}
		}
	}
	return out, err
}

func (r *memberRow) view(flowID string, seen []sighting) flowsapi.MemberView {
	view := flowsapi.MemberView{
		PoolMember: r.shape(), Enabled: r.Enabled, Drain: r.Drain || r.Withdrawn != "",
	}
	for _, s := range seen {
		if flowOf(s.GroupName) == flowID {
			view.Seen = append(view.Seen, flowsapi.Sighting{
				NodeID: s.NodeID, Way: s.GroupName, State: s.State, RTTMs: s.RTTMs, Reason: s.Reason, Error: s.Error,
				Held: s.Held, Since: s.Since.UTC(), At: s.At.UTC(),
			})
		}
	}
	return view
}

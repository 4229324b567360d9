package offers

import (
	"context"
	"errors"
	"slices"

	"panel/modules/proxypanel/internal/mapping"
	"panel/modules/proxypanel/internal/profile"
	"panel/modules/proxypanel/internal/remnawave"
)

// pass is one writer at work at one proxy panel. What was read there is kept up to date with what the pass writes.
type pass struct {
	*Engine
	at       Connection
	held     fence
	profiles []remnawave.ProfileState
	nodes    []remnawave.NodeState
	squads   []remnawave.SquadState
	hosts    []remnawave.HostState
	// force overwrites what others have changed of the objects that were named.
	force map[string]bool
}

// pass reads what stands at a proxy panel as its only writer, and calls do. Errors: errBusy, errLost.
func (e *Engine) pass(ctx context.Context, connectionID string, do func(ctx context.Context, p *pass) error) error {
	at, err := e.Open(ctx, connectionID)
	if err != nil {
		return err
	}
	defer at.Client.Close()
	return e.writing(ctx, connectionID, func(ctx context.Context, held fence) error {
		p := &pass{Engine: e, at: at, held: held, force: map[string]bool{}}
		if err := p.read(ctx); err != nil {
			return err
		}
		return do(ctx, p)
	})
}

// read asks for all that a pass compares with.
func (p *pass) read(ctx context.Context) error {
	var failed [4]error
	p.profiles, failed[0] = p.at.Client.Profiles(ctx)
	if failed[0] == nil {
		p.nodes, failed[1] = p.at.Client.NodeStates(ctx)
	}
	if errors.Join(failed[:2]...) == nil {
		p.squads, failed[2] = p.at.Client.SquadStates(ctx)
	}
	if errors.Join(failed[:3]...) == nil {
		p.hosts, failed[3] = p.at.Client.HostStates(ctx)
	}
	return p.met(errors.Join(failed[:]...), "read what stands")
}

// write makes one change there, as long as nobody else has become the writer.
func (p *pass) write(ctx context.Context, doing string, change func() error) error {
	if err := p.held(ctx); err != nil {
		return err
	}
	return p.met(change(), doing)
}

func (p *pass) profile(id string) *remnawave.ProfileState {
	i := slices.IndexFunc(p.profiles, func(one remnawave.ProfileState) bool { return one.ID == id })
	if id == "" || i < 0 {
		return nil
	}
	return &p.profiles[i]
}

func (p *pass) node(id string) *remnawave.NodeState {
	i := slices.IndexFunc(p.nodes, func(one remnawave.NodeState) bool { return one.ID == id })
	if i < 0 {
		return nil
	}
	return &p.nodes[i]
}

func (p *pass) squad(id string) *remnawave.SquadState {
	i := slices.IndexFunc(p.squads, func(one remnawave.SquadState) bool { return one.ID == id })
	if i < 0 {
		return nil
	}
	return &p.squads[i]
}

// host finds the host of a row by its mark, as what was noted of it may have been lost; by its id where somebody has
// taken the mark away.
func (p *pass) host(r *row) *remnawave.HostState {
	tag := markOf(r.Mark)
	i := slices.IndexFunc(p.hosts, func(one remnawave.HostState) bool { return one.Bears(tag) })
	if i < 0 {
		i = slices.IndexFunc(p.hosts, func(one remnawave.HostState) bool { return one.ID == r.HostID })
	}
	if i < 0 {
		return nil
	}
	return &p.hosts[i]
}

// bring makes what stands for a node there as the rows say: without those that go, and with the others that are not
// held. What goes is taken away in the reverse of the order that it was made in.
func (p *pass) bring(ctx context.Context, m *mapping.Mapping, all []row, goes func(r *row) bool, flowID string) error {
	var stay, gone []*row
	for i := range all {
		switch r := &all[i]; {
		case goes(r):
			gone = append(gone, r)
		case r.Phase != phaseHeld:
			stay = append(stay, r)
		}
	}
	if err := p.withdraw(ctx, gone); err != nil {
		return err
	}
	if len(stay) == 0 {
		return p.putBack(ctx, m)
	}
	if err := p.stand(ctx, m, stay, len(gone) > 0); err != nil {
		return err
	}
	for _, r := range stay {
		if r.FlowID != flowID && !r.renewed {
			continue
		}
		if err := p.follow(ctx, m, r, flowID); err != nil {
			return err
		}
	}
	return nil
}

// follow brings squads and the host after the inbound of a row. That of another flow is followed only where its inbound
// had to be made anew.
func (p *pass) follow(ctx context.Context, m *mapping.Mapping, r *row, flowID string) error {
	if err := p.admit(ctx, r); err != nil {
		return err
	}
	if r.FlowID != flowID {
		_, err := p.lead(ctx, m, r)
		return err
	}
	if r.Phase == phaseUndoing {
		return nil
	}
	return p.raise(ctx, m, r)
}

// withdraw removes the hosts of rows and takes their inbounds from the squads that were given them.
func (p *pass) withdraw(ctx context.Context, gone []*row) error {
	for _, r := range gone {
		if err := p.lower(ctx, r); err != nil {
			return err
		}
		for _, id := range r.squads() {
			if err := p.changeSquad(ctx, id, nil, []string{r.InboundID}); err != nil {
				return err
			}
		}
	}
	return nil
}

// stand sees to it that the node runs the inbounds of the rows. What no longer runs leaves the node before its profile.
func (p *pass) stand(ctx context.Context, m *mapping.Mapping, stay []*row, shrinks bool) error {
	if there := p.profile(m.ProfileID); there != nil && shrinks {
		if err := p.run(ctx, m, known(stay, there.IDs())); err != nil && !p.without(m, stay, err) {
			return err
		}
	}
	ids, err := p.writeProfile(ctx, m, stay)
	if err != nil {
		return err
	}
	for _, r := range stay {
		id := ids[r.Tag]
		if id == "" {
			return &Missing{p.at.Label, "inbound", r.Tag}
		}
		if r.InboundID != id {
			r.renewed, r.InboundID = r.InboundID != "", id
			if err := p.rows.put(ctx, r); err != nil {
				return err
			}
		}
	}
	if err := p.run(ctx, m, known(stay, ids)); err != nil && !p.without(m, stay, err) {
		return err
	}
	return nil
}

// without says whether an error is only that the node is gone, which hinders nobody from leaving it or going back.
func (p *pass) without(m *mapping.Mapping, stay []*row, err error) bool {
	var missing *Missing
	comes := func(r *row) bool { return r.Phase == phaseOffered }
	return errors.As(err, &missing) && p.node(m.PanelNodeID) == nil && !slices.ContainsFunc(stay, comes)
}

// known are the ids of the rows' inbounds that are there, sorted.
func known(stay []*row, ids map[string]string) (found []string) {
	for _, r := range stay {
		if id := ids[r.Tag]; id != "" {
			found = append(found, id)
		}
	}
	slices.Sort(found)
	return found
}

func partsOf(stay []*row) []profile.Part {
	parts := make([]profile.Part, 0, len(stay))
	for _, r := range stay {
		parts = append(parts, r.content.Part)
	}
	return parts
}

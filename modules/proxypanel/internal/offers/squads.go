package offers

import (
	"context"
	"slices"

	"panel/modules/proxypanel/internal/remnawave"
)

// admit gives the inbound of a row to its squads, and takes it from squads that we gave it and that are drawn no more.
// Error: *Missing where a squad that is drawn is not there.
func (p *pass) admit(ctx context.Context, r *row) error {
	for _, id := range r.content.Squads {
		squad := p.squad(id)
		switch {
		case squad == nil && r.Phase == phaseOffered:
			return &Missing{p.at.Label, "squad", id}
		case squad == nil, holds(squad, []string{r.InboundID}, nil) && slices.Contains(r.squads(), id):
			continue
		}
		r.giveSquads(append(r.squads(), id))
		if err := p.rows.put(ctx, r); err != nil {
			return err
		}
		if err := p.changeSquad(ctx, id, []string{r.InboundID}, nil); err != nil {
			return err
		}
	}
	return p.expel(ctx, r)
}

func (p *pass) expel(ctx context.Context, r *row) error {
	left := []string{}
	for _, id := range r.squads() {
		if slices.Contains(r.content.Squads, id) {
			left = append(left, id)
		} else if err := p.changeSquad(ctx, id, nil, []string{r.InboundID}); err != nil {
			return err
		}
	}
	if len(left) == len(r.squads()) {
		return nil
	}
	r.giveSquads(left)
	return p.rows.put(ctx, r)
}

// changeSquad gives inbounds to a squad and takes others from it. The list is replaced whole, so it is read right
// before and once more after it. A squad that is gone needs nothing.
func (p *pass) changeSquad(ctx context.Context, id string, give, take []string) error {
	squad := p.squad(id)
	if squad == nil || holds(squad, give, take) {
		return nil
	}
	for range tries {
		now, err := p.at.Client.SquadState(ctx, id)
		if remnawave.Gone(err) {
			return nil
		}
		if err != nil {
			return p.met(err, "read the squad "+squad.Name)
		}
		if *squad = now; holds(squad, give, take) {
			return nil
		}
		err = p.write(ctx, "change the inbounds of the squad "+squad.Name, func() error {
			return p.at.Client.SetSquad(ctx, id, changed(now.InboundIDs(), give, take))
		})
		if err != nil {
			return err
		}
	}
	return &Changed{p.at.Label, "squad", squad.Name, "loses its inbounds as soon as they are written"}
}

func changed(ids, give, take []string) []string {
	left := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return slices.Contains(take, id) })
	for _, id := range give {
		if !slices.Contains(left, id) {
			left = append(left, id)
		}
	}
	return left
}

// holds says whether a squad has all of some inbounds and none of others.
func holds(squad *remnawave.SquadState, give, take []string) bool {
	ids := squad.InboundIDs()
	for _, id := range give {
		if !slices.Contains(ids, id) {
			return false
		}
	}
	return !slices.ContainsFunc(take, func(id string) bool { return slices.Contains(ids, id) })
}

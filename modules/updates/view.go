package updates

import (
	"time"
)

func (b *build) shown() *Build {
	return &Build{
		Version: b.Version, Channel: b.Channel, ReleasedAt: b.ReleasedAt.UTC(), Notes: b.Notes, Breaking: b.Breaking,
		Platforms: b.platforms(),
	}
}

func (o *rolloutRow) shown(counts []tally) Rollout {
	r := Rollout{
		ID: o.ID, Kind: o.Kind, Version: o.Version, State: o.State, Ring: o.Ring, Through: o.Through, Detail: o.Detail,
		PauseSeconds: o.PauseSeconds,
		Stopping: o.StoppedBy != "" &&
			o.FinishedAt == nil, StartedBy: o.StartedBy, StoppedBy: o.StoppedBy, StartedAt: o.StartedAt.UTC(),
		FinishedAt: utc(o.FinishedAt), Rings: []RolloutRing{}, Counts: map[string]int{},
	}
	if o.RestedAt != nil && o.FinishedAt == nil {
		until := o.restUntil().UTC()
		r.RestUntil = &until
	}
	for _, c := range counts {
		if c.RolloutID != o.ID {
			continue
		}
		if n := len(r.Rings); n == 0 || r.Rings[n-1].Ring != c.Ring {
			r.Rings = append(r.Rings, RolloutRing{Ring: c.Ring, Counts: map[string]int{}})
		}
		ring := &r.Rings[len(r.Rings)-1]
		ring.Total += c.Nodes
		ring.Counts[plain(c.State)] += c.Nodes
		r.Counts[plain(c.State)] += c.Nodes
	}
	return r
}

// plain hides the moment between deciding on an order and knowing its number.
func plain(state string) string {
	if state == ordering {
		return updating
	}
	return state
}

func (t *targetRow) shown() RolloutNode {
	return RolloutNode{
		NodeID: t.NodeID, Name: t.Name, Ring: t.Ring, State: plain(t.State), From: t.FromVersion, Stage: t.Stage,
		Error: t.Error, Tail: t.Tail,
		OrderedAt: utc(t.OrderedAt), EndedAt: utc(t.EndedAt),
	}
}

func utc(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	moved := at.UTC()
	return &moved
}

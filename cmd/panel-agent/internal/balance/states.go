package balance

import (
	"time"

	"panel/platform/agentapi"
)

// State is what the next core must know of a member, so that a dead one does not get traffic only because the core was
// exchanged.
type State struct {
	Group    string      `json:"group"`
	PoolID   string      `json:"pool_id"`
	MemberID string      `json:"member_id"`
	State    string      `json:"state"`
	Proven   bool        `json:"proven,omitempty"`
	Held     bool        `json:"held,omitempty"`
	Switches []time.Time `json:"switches,omitempty"`
}

// States gives what is known of the members, and whether any of it has changed since the last time.
func (p *Pools) States() (states []State, changed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	changed, p.changed = p.changed, false
	states = []State{}
	for _, g := range p.groups {
		for _, m := range g.members {
			if m.state != "" {
				states = append(states, State{g.of.Group, g.of.PoolID, m.id, m.state, m.proven, m.held, m.switches})
			}
		}
	}
	return states, changed
}

// Recall begins with what an earlier core knew: who was down stays so until it has answered often enough.
func (p *Pools) Recall(states []State) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range states {
		g, known := p.groups[groupKey(agentapi.PoolOf{Group: s.Group, PoolID: s.PoolID})]
		if !known || s.State != agentapi.PoolDown {
			continue
		}
		for _, m := range g.members {
			if m.id == s.MemberID {
				m.state, m.proven, m.held, m.switches = s.State, s.Proven, s.Held, s.Switches
			}
		}
		g.choose(agentapi.PoolReasonStarted)
	}
}

// Package balance knows the members of transit pools: which of them are alive, and which one carries the next stream.
package balance

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/platform/agentapi"
)

// Pools are all pools that a core forwards to.
type Pools struct {
	clock clockwork.Clock
	core  string

	mu       sync.Mutex
	settings map[string]agentapi.Pool
	groups   map[string]*group
	reports  []agentapi.PoolReport
	seq      int64
	changed  bool // since States was asked last
}

// mostReports is how many reports are kept for an agent that is away; the oldest go first.
const mostReports = 2000

// New makes pools for a core by its id. Nothing is known of any member.
func New(core string, clock clockwork.Clock) *Pools {
	return &Pools{clock: clock, core: core, settings: map[string]agentapi.Pool{}, groups: map[string]*group{}}
}

// group are the ways of one edge into one pool; its choosers share what is known of the members.
type group struct {
	pools   *Pools
	of      agentapi.PoolOf
	pool    agentapi.Pool
	members []*member
	byTag   map[string]*member

	usable []*member // that the strategy chooses among
	serves string
	active string
	count  int // of members that could carry traffic
	turn   []int
}

func groupKey(of agentapi.PoolOf) string { return of.Group + " " + of.PoolID }

// Chooser chooses for one outbound.
type Chooser struct {
	group    *group
	tags     map[*member]string
	fallback string
}

// Add makes the chooser of an outbound. The first one of a group has the tags that are probed.
func (p *Pools) Add(of agentapi.PoolOf) *Chooser {
	p.mu.Lock()
	defer p.mu.Unlock()
	g, known := p.groups[groupKey(of)]
	if !known {
		g = &group{pools: p, of: of, byTag: map[string]*member{}}
		for i, way := range of.Members {
			g.members = append(g.members, &member{id: way.ID, tag: way.Tag, at: i, users: map[string]int{}})
		}
		p.groups[groupKey(of)] = g
	}
	c := &Chooser{group: g, tags: map[*member]string{}, fallback: of.Fallback}
	for _, way := range of.Members {
		if at := slices.IndexFunc(g.members, func(m *member) bool { return m.id == way.ID }); at >= 0 {
			c.tags[g.members[at]], g.byTag[way.Tag] = way.Tag, g.members[at]
		}
	}
	g.set(p.settings[of.PoolID])
	g.choose(agentapi.PoolReasonStarted)
	return c
}

// Set takes what the panel says about pools now. Of one that it does not name everything stays.
func (p *Pools) Set(to agentapi.Pools) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, pool := range to.Pools {
		p.settings[pool.ID] = pool
	}
	for _, g := range p.groups {
		g.set(p.settings[g.of.PoolID])
		g.choose(agentapi.PoolReasonChanged)
	}
}

// set gives each member what the pool says about it; one that the pool does not name any more gets nothing new.
func (g *group) set(pool agentapi.Pool) {
	named := map[string]int{}
	for i, m := range pool.Members {
		named[m.ID] = i
	}
	for _, m := range g.members {
		at, is := named[m.id]
		said := agentapi.PoolMember{}
		if is {
			said = pool.Members[at]
		}
		m.place = at
		m.weight, m.priority = max(1, said.Weight), said.Priority
		m.disabled = said.Disabled || pool.ID != "" && !is
		m.drain = said.Drain
	}
	pool.Health = pool.Health.Filled()
	g.pool = pool
}

// choose finds out which members the strategy chooses among. Whatever has changed is reported with its reason.
func (g *group) choose(reason string) {
	serves, active, before, usable := g.serves, g.active, g.count, g.usable
	candidates := g.candidates()
	g.count, g.usable, g.serves, g.active = len(candidates), candidates, agentapi.PoolServesMembers, ""
	if chosen := g.overridden(); chosen != nil {
		g.usable, g.serves, g.count = []*member{chosen}, agentapi.PoolServesOverride, max(1, g.count)
	} else if len(candidates) == 0 {
		g.serves = agentapi.PoolServesFallback
	} else {
		g.usable = g.narrowed(candidates)
	}
	if len(g.usable) == 1 && (g.serves == agentapi.PoolServesOverride || g.of.Strategy == agentapi.PoolOrdered) {
		g.active = g.usable[0].id
	}
	if !slices.Equal(g.usable, usable) {
		g.turn = make([]int, len(g.usable))
	}
	if g.serves == serves && g.active == active && g.count == before {
		return
	}
	switch {
	case g.serves == agentapi.PoolServesFallback && reason == agentapi.PoolReasonMemberDown:
		reason = agentapi.PoolReasonAllDown
	case reason != agentapi.PoolReasonChanged:
	case g.serves == agentapi.PoolServesOverride && (serves != g.serves || active != g.active):
		reason = agentapi.PoolReasonOverride
	case serves == agentapi.PoolServesOverride && g.serves != serves:
		reason = agentapi.PoolReasonOverrideOver
	}
	g.report(agentapi.PoolReport{Serves: g.serves, Active: g.active, Usable: g.count, Reason: reason})
}

// candidates are the members that may carry traffic. While there is no other one, a member that is kept out for coming
// and going is better than none, as long as it answers.
func (g *group) candidates() []*member {
	var out, kept []*member
	for _, m := range g.members {
		switch {
		case m.disabled || m.drain:
		case m.state != agentapi.PoolDown:
			out = append(out, m)
		case m.held && m.oks >= g.pool.Health.SuccessThreshold:
			kept = append(kept, m)
		}
	}
	if len(out) == 0 {
		return kept
	}
	return out
}

// overridden is the member that somebody chose, as long as it is alive and the choice lasts.
func (g *group) overridden() *member {
	o := g.pool.Override
	if o == nil || !g.pools.clock.Now().Before(o.Until) {
		return nil
	}
	at := slices.IndexFunc(g.members, func(m *member) bool { return m.id == o.MemberID })
	if at < 0 || g.members[at].state == agentapi.PoolDown {
		return nil
	}
	return g.members[at]
}

// narrowed leaves the members of the lowest priority number, without slow ones where there are others, and what the
// strategy makes of them.
func (g *group) narrowed(from []*member) []*member {
	best := slices.MinFunc(from, func(a, b *member) int { return cmp.Compare(a.priority, b.priority) }).priority
	kept := slices.DeleteFunc(slices.Clone(from), func(m *member) bool { return m.priority != best })
	quick := slices.DeleteFunc(slices.Clone(kept), func(m *member) bool { return m.slow })
	if len(quick) > 0 {
		kept = quick
	}
	switch g.of.Strategy {
	case agentapi.PoolOrdered:
		return []*member{slices.MinFunc(kept, func(a, b *member) int { return cmp.Compare(a.place, b.place) })}
	case agentapi.PoolLeastPing:
		return g.nearest(kept)
	}
	return kept
}

// nearest leaves the members whose delay is within the tolerance of the shortest one.
func (g *group) nearest(from []*member) []*member {
	shortest := time.Duration(0)
	for _, m := range from {
		if rtt := m.rtt(); rtt > 0 && (shortest == 0 || rtt < shortest) {
			shortest = rtt
		}
	}
	if shortest == 0 {
		return from
	}
	most := shortest + shortest*time.Duration(g.pool.Health.Tolerance)/100
	return slices.DeleteFunc(slices.Clone(from), func(m *member) bool { return m.rtt() == 0 || m.rtt() > most })
}

// report numbers a report and keeps it until an agent takes it.
func (g *group) report(r agentapi.PoolReport) {
	p := g.pools
	p.seq++
	r.Core, r.Seq, r.At, r.PoolID = p.core, p.seq, p.clock.Now().UTC(), g.of.PoolID
	r.Group = g.of.Group
	p.reports = append(p.reports, r)
	if len(p.reports) > mostReports {
		p.reports = slices.Clone(p.reports[len(p.reports)-mostReports:])
	}
	p.changed = true
}

// Reports gives those after a number, oldest first, at most so many.
func (p *Pools) Reports(after int64, most int) []agentapi.PoolReport {
	p.mu.Lock()
	defer p.mu.Unlock()
	at, _ := slices.BinarySearchFunc(p.reports, after+1, func(r agentapi.PoolReport, seq int64) int {
		return cmp.Compare(r.Seq, seq)
	})
	return slices.Clone(p.reports[at:min(len(p.reports), at+most)])
}

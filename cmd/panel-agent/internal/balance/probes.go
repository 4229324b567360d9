package balance

import (
	"context"
	"sync"
	"time"

	"panel/platform/agentapi"
)

const (
	probeLook    = 100 * time.Millisecond
	mostParallel = 128 // probes at one time
)

// Probe asks a URL through an outbound, within the time of the context.
type Probe func(ctx context.Context, tag, url string) Result

// due is a probe to be made.
type due struct {
	group  *group
	member *member
	tag    string
	health agentapi.PoolHealth
}

// Run probes the members until the context ends. The members of a pool have their turns spread over the interval.
func (p *Pools) Run(ctx context.Context, probe Probe) {
	tick := p.clock.NewTicker(probeLook)
	defer tick.Stop()
	var running sync.WaitGroup
	defer running.Wait()
	slots := make(chan struct{}, mostParallel)
	for {
		for _, d := range p.due() {
			running.Go(func() {
				slots <- struct{}{}
				defer func() { <-slots }()
				p.probe(ctx, d, probe)
			})
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.Chan():
		}
	}
}

func (p *Pools) probe(ctx context.Context, d due, probe Probe) {
	limited, cancel := context.WithTimeout(ctx, time.Duration(d.health.TimeoutSeconds)*time.Second)
	defer cancel()
	result := probe(limited, d.tag, d.health.ProbeURL)
	p.mu.Lock()
	defer p.mu.Unlock()
	d.member.probing = false
	if ctx.Err() == nil && !d.member.disabled {
		d.group.take(d.member, result)
	}
}

// due gives the probes whose time has come, and lets overrides end.
func (p *Pools) due() []due {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	var out []due
	for _, g := range p.groups {
		if g.serves == agentapi.PoolServesOverride && g.overridden() == nil {
			g.choose(agentapi.PoolReasonOverrideOver)
		}
		every := time.Duration(g.pool.Health.IntervalSeconds) * time.Second
		for _, m := range g.members {
			if m.disabled || m.probing {
				continue
			}
			if m.next.IsZero() {
				m.next = now.Add(every / 2 * time.Duration(m.at) / time.Duration(len(g.members)))
			}
			if soonest := now.Add(every); m.next.After(soonest) { // the interval has become shorter
				m.next = soonest
			}
			if now.Before(m.next) {
				continue
			}
			m.next, m.probing = now.Add(every), true
			out = append(out, due{g, m, m.tag, g.pool.Health})
		}
	}
	return out
}

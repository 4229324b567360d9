package balance

import (
	"slices"
	"time"

	"panel/platform/agentapi"
)

// A member that comes and goes is kept out: it leaves and returns at most three times in flapWindow in all. What
// happens before its first answers does not count: its node may still be putting in what this one forwards to.
const (
	flapWindow   = 10 * time.Minute
	mostSwitches = 3
)

// Refused dials of traffic count as failures, and the attempts of one stream as one.
const dialPause = 250 * time.Millisecond

// A delay is reported again when it has changed by a quarter, and not more often than this.
const rttPause = 5 * time.Minute

// member is one outbound of a group with what is known of the node behind it.
type member struct {
	id, tag  string
	at       int // in the configuration
	place    int // that people have given it
	weight   int
	priority int
	disabled bool
	drain    bool

	state    string // empty: unknown
	proven   bool   // it has answered once
	slow     bool
	held     bool
	fails    int
	oks      int
	delays   []time.Duration
	switches []time.Time
	dialled  time.Time // last failure of traffic that counted
	next     time.Time // probe
	probing  bool

	told   time.Duration // delay as it was reported last
	toldAt time.Time

	streams int
	users   map[string]int
}

func (m *member) begin(who string) {
	m.streams++
	if who != "" {
		m.users[who]++
	}
}

func (m *member) end(who string) {
	m.streams--
	if m.users[who]--; m.users[who] <= 0 {
		delete(m.users, who)
	}
}

// rtt is the mean of the last probes that were answered; zero before the first.
func (m *member) rtt() time.Duration {
	if len(m.delays) == 0 {
		return 0
	}
	sum := time.Duration(0)
	for _, d := range m.delays {
		sum += d
	}
	return sum / time.Duration(len(m.delays))
}

// Result is how a probe ended: the delay, or why there is none.
type Result struct {
	RTT    time.Duration
	Reason string // empty: it was answered
	Error  string
}

// take learns from a probe.
func (g *group) take(m *member, r Result) {
	if r.Reason != "" {
		g.fail(m, r)
		return
	}
	m.fails = 0
	m.proven = m.proven || m.state != agentapi.PoolDown
	m.delays = append(m.delays, r.RTT)
	if more := len(m.delays) - g.pool.Health.Sampling; more > 0 {
		m.delays = slices.Clone(m.delays[more:])
	}
	if m.state == agentapi.PoolDown {
		g.rise(m)
		return
	}
	g.answered(m, agentapi.PoolReasonProbe)
}

// answered gives a living member its state by its delay.
func (g *group) answered(m *member, reason string) {
	most := time.Duration(g.pool.Health.MaxRTTMillis) * time.Millisecond
	m.slow = most > 0 && m.rtt() > most
	state := agentapi.PoolHealthy
	if m.slow {
		state, reason = agentapi.PoolDegraded, agentapi.PoolReasonSlow
	}
	now := g.pools.clock.Now()
	moved := 4*(m.rtt()-m.told).Abs() > m.told && now.Sub(m.toldAt) >= rttPause
	if state != m.state || moved {
		m.state = state
		g.tell(m, reason, "")
	}
	g.choose(agentapi.PoolReasonMemberUp)
}

// rise takes a member in again that has answered often enough, unless it comes and goes too often.
func (g *group) rise(m *member) {
	if m.oks++; m.oks < g.pool.Health.SuccessThreshold {
		return
	}
	now := g.pools.clock.Now()
	m.switches = slices.DeleteFunc(m.switches, func(at time.Time) bool { return now.Sub(at) >= flapWindow })
	if len(m.switches)+2 > mostSwitches { // it must be able to leave once more
		if !m.held {
			m.held = true
			g.tell(m, agentapi.PoolReasonProbe, "")
		}
		g.choose(agentapi.PoolReasonMemberUp)
		return
	}
	m.switched(now)
	m.proven, m.held, m.oks = true, false, 0
	g.answered(m, agentapi.PoolReasonProbe)
}

// switched notes that the member has left or come back.
func (m *member) switched(at time.Time) {
	if m.proven {
		m.switches = append(m.switches, at)
	}
}

// fail counts a failure; as many in a row as the threshold says take the member out.
func (g *group) fail(m *member, r Result) {
	m.oks = 0
	if m.state == agentapi.PoolDown {
		if m.held {
			g.choose(agentapi.PoolReasonMemberDown)
		}
		return
	}
	if m.fails++; m.fails < g.pool.Health.FailureThreshold {
		if m.state != agentapi.PoolDegraded {
			m.state = agentapi.PoolDegraded
			g.tell(m, r.Reason, r.Error)
		}
		return
	}
	m.state, m.delays, m.slow = agentapi.PoolDown, nil, false
	m.switched(g.pools.clock.Now())
	g.tell(m, r.Reason, r.Error)
	g.choose(agentapi.PoolReasonMemberDown)
}

// tell reports the state of a member.
func (g *group) tell(m *member, reason, words string) {
	m.told, m.toldAt = m.rtt(), g.pools.clock.Now()
	g.report(agentapi.PoolReport{
		MemberID: m.id, State: m.state, RTTMs: m.told.Milliseconds(), Reason: reason, Error: words, Held: m.held,
	})
}

// DialFailed learns that traffic could not reach a member: a refused connection counts as a failed probe, and of
// anything else a probe finds out more at once.
func (p *Pools) DialFailed(tag string, r Result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	for _, g := range p.groups {
		m, ours := g.byTag[tag]
		if !ours || now.Sub(m.dialled) < dialPause {
			continue
		}
		m.dialled = now
		if m.state != agentapi.PoolDown {
			m.next = now
		}
		if r.Reason == agentapi.PoolReasonRefused {
			g.fail(m, r)
		}
	}
}

package balance

import (
	"hash/fnv"
	"math"
	"math/rand/v2"

	"panel/platform/agentapi"
)

// Stream is what is known of a stream that wants to begin. Both are empty where nobody knows.
type Stream struct {
	User   string // a client; not the service of another node, which stands for many
	Source string // address
}

// who is the client of a stream, as well as it is known.
func (s Stream) who() string {
	if s.User != "" {
		return s.User
	}
	return s.Source
}

// Choose gives the tag of the outbound that carries the stream. Done is called when the stream has ended.
func (c *Chooser) Choose(s Stream) (tag string, done func()) {
	p := c.group.pools
	p.mu.Lock()
	defer p.mu.Unlock()
	m := c.group.pick(s)
	if m == nil {
		return c.fallback, func() {}
	}
	who := s.who()
	m.begin(who)
	return c.tags[m], func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		m.end(who)
	}
}

// pick chooses among the usable members; nil leaves the stream to the fallback.
func (g *group) pick(s Stream) *member {
	if g.serves == agentapi.PoolServesOverride && g.overridden() == nil {
		g.choose(agentapi.PoolReasonOverrideOver)
	}
	if g.serves == agentapi.PoolServesFallback || len(g.usable) == 0 {
		return nil
	}
	if len(g.usable) == 1 {
		return g.usable[0]
	}
	switch g.of.Strategy {
	case agentapi.PoolRoundRobin:
		return g.next()
	case agentapi.PoolLeastLoad:
		return g.least(func(m *member) int { return m.streams })
	case agentapi.PoolLeastUsers:
		return g.least(func(m *member) int { return len(m.users) })
	case agentapi.PoolSticky:
		if key := g.key(s); key != "" {
			return g.stuck(key)
		}
	}
	return g.random()
}

// random chooses by weight.
func (g *group) random() *member {
	total := 0
	for _, m := range g.usable {
		total += m.weight
	}
	at := rand.IntN(total)
	for _, m := range g.usable {
		if at -= m.weight; at < 0 {
			return m
		}
	}
	return g.usable[0]
}

// next takes turns, smoothly by weight: each gains its weight, and the richest one pays for all.
func (g *group) next() *member {
	total, best := 0, 0
	for i, m := range g.usable {
		total += m.weight
		g.turn[i] += m.weight
		if g.turn[i] > g.turn[best] {
			best = i
		}
	}
	g.turn[best] -= total
	return g.usable[best]
}

// least chooses the member with the least of something for its weight; of several equal ones any.
func (g *group) least(of func(*member) int) *member {
	lowest, equal := g.usable[0], 1
	for _, m := range g.usable[1:] {
		switch a, b := of(m)*lowest.weight, of(lowest)*m.weight; {
		case a < b:
			lowest, equal = m, 1
		case a == b:
			if equal++; rand.IntN(equal) == 0 {
				lowest = m
			}
		}
	}
	return lowest
}

func (g *group) key(s Stream) string {
	if g.of.Stickiness == agentapi.StickToSource {
		return s.Source
	}
	return s.User
}

// stuck gives the same member for the same key, by weight. When a member goes, only its keys move, and they come back
// with it.
func (g *group) stuck(key string) *member {
	best, highest := g.usable[0], math.Inf(-1)
	for _, m := range g.usable {
		sum := fnv.New64a()
		_, _ = sum.Write([]byte(m.id + "\x00" + key))
		if score := -float64(m.weight) / math.Log(unit(sum.Sum64())); score > highest {
			best, highest = m, score
		}
	}
	return best
}

// unit spreads a hash evenly between 0 and 1, without either.
func unit(hash uint64) float64 {
	hash ^= hash >> 33
	hash *= 0xff51afd7ed558ccd
	hash ^= hash >> 33
	hash *= 0xc4ceb9fe1a85ec53
	hash ^= hash >> 33
	return (float64(hash>>11) + 0.5) / (1 << 53)
}

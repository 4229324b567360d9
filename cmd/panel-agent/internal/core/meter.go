package core

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/xtls/xray-core/app/stats"
	featstats "github.com/xtls/xray-core/features/stats"

	"panel/platform/agentapi"
)

// meterPause is how long a client may carry on beyond its limit before that is seen.
const meterPause = 50 * time.Millisecond

// meter knows what clients have carried in this core, and the limits of those who have a quota: each is a count of this
// core alone, over all flows of the client. It looks at those who have come since the core began.
type meter struct {
	counters *stats.Manager

	mu      sync.Mutex
	limits  map[string]int64 // by the id of a client
	seen    map[string]*tally
	watched map[string]*tally // those of seen who have a limit
}

// tally is what one client carries.
type tally struct {
	emails   []string
	names    []string // of counters that nothing has counted yet
	counters []featstats.Counter
	limit    int64
	over     bool
}

func newMeter(limits map[string]int64) *meter {
	if limits == nil {
		limits = map[string]int64{}
	}
	return &meter{limits: limits, seen: map[string]*tally{}, watched: map[string]*tally{}}
}

// enter notes that a user begins a stream. Limited says that its bytes must be counted as they pass; over, that it has
// reached its limit.
func (m *meter) enter(email string) (limited, over bool) {
	_, clientID := agentapi.ClientOfEmail(email)
	if clientID == "" {
		return false, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	of := m.seen[clientID]
	if of == nil {
		of = &tally{}
		m.seen[clientID] = of
	}
	if !slices.Contains(of.emails, email) {
		of.emails = append(of.emails, email)
		of.names = append(of.names, "user>>>"+email+">>>traffic>>>uplink", "user>>>"+email+">>>traffic>>>downlink")
	}
	if of.limit, limited = m.limits[clientID]; !limited {
		return false, false
	}
	m.watched[clientID] = of
	return true, m.count(of) >= of.limit
}

// count sums what a client has carried.
func (m *meter) count(of *tally) (bytes int64) {
	if m.counters != nil && len(of.names) > 0 {
		of.names = slices.DeleteFunc(of.names, func(name string) bool {
			counter := m.counters.GetCounter(name)
			if counter != nil {
				of.counters = append(of.counters, counter)
			}
			return counter != nil
		})
	}
	for _, counter := range of.counters {
		bytes += counter.Value()
	}
	return bytes
}

// look gives those who have reached their limits since the last look.
func (m *meter) look() (reached []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for clientID, of := range m.watched {
		if !of.over && m.count(of) >= of.limit {
			of.over = true
			reached = append(reached, clientID)
		}
	}
	return reached
}

// isOver says whether a client has reached its limit.
func (m *meter) isOver(clientID string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	limit, limited := m.limits[clientID]
	if !limited {
		return false
	}
	of := m.seen[clientID]
	if of == nil {
		return limit <= 0
	}
	of.over = m.count(of) >= limit
	return of.over
}

// set takes limits: those that change, or all of them. It gives whose limits are others, and who has one now and had
// none before.
func (m *meter) set(to *limitsRequest) (changed, fresh []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	next := maps.Clone(m.limits)
	if to.All {
		clear(next)
	}
	for _, clientID := range to.Gone {
		delete(next, clientID)
	}
	maps.Copy(next, to.Limits)
	for clientID, limit := range next {
		before, had := m.limits[clientID]
		if !had {
			fresh = append(fresh, clientID)
		}
		if !had || before != limit {
			changed = append(changed, clientID)
		}
		if of := m.seen[clientID]; of != nil {
			of.limit, m.watched[clientID] = limit, of
		}
	}
	for clientID := range m.limits {
		if _, has := next[clientID]; !has {
			delete(m.watched, clientID)
			changed = append(changed, clientID)
		}
	}
	m.limits = next
	return changed, fresh
}

// emailsOf gives what a client is called on its flows, as far as it has come.
func (m *meter) emailsOf(clientID string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if of := m.seen[clientID]; of != nil {
		return slices.Clone(of.emails)
	}
	return nil
}

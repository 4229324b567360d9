package nodes

import (
	"sync"
	"time"
)

// totals remembers for a second how many nodes match, because counting is the one part of the list whose cost grows
// with the fleet. Evidence reaches the database once a second, so that a fresher count of a state would not be truer;
// who changes a node here sees it counted at once, and what another panel changed a second later.
type totals struct {
	mu      sync.Mutex
	known   map[listFilter]total
	changes int
}

// listFilter is what a count depends on.
type listFilter struct{ state, tag, role, country, query string }

type total struct {
	n  int
	at time.Time
}

const (
	totalTTL   = time.Second
	mostTotals = 1000
)

func (t *totals) recall(f listFilter, now time.Time) (n int, known bool, changes int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	found, known := t.known[f]
	return found.n, known && now.Sub(found.at) < totalTTL && !now.Before(found.at), t.changes
}

// forget is called after a change of nodes has been committed.
func (t *totals) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.changes++
	clear(t.known)
}

// keep remembers a count, unless something has changed since the count began.
func (t *totals) keep(f listFilter, n int, now time.Time, changes int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if changes != t.changes {
		return
	}
	if t.known == nil || len(t.known) >= mostTotals {
		t.known = map[listFilter]total{}
	}
	t.known[f] = total{n: n, at: now}
}

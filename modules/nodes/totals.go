package nodes

import (
	"sync"
	"time"
)

// totals remembers for a second how many nodes are in a state. Evidence reaches the database once a second, so a fresher count
// would not be truer, and it is the one part of the list whose cost grows with the fleet.
type totals struct {
	mu    sync.Mutex
	known map[listFilter]total
}

// listFilter is what a count depends on.
type listFilter struct{ state, tag, role, country, query string }

type total struct {
	n  int
	at time.Time
}

const (
	totalHolds = time.Second
	mostTotals = 1000
)

func (t *totals) recall(f listFilter, now time.Time) (int, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	found, known := t.known[f]
	return found.n, known && now.Sub(found.at) < totalHolds && !now.Before(found.at)
}

func (t *totals) keep(f listFilter, n int, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known == nil || len(t.known) >= mostTotals {
		t.known = map[listFilter]total{}
	}
	t.known[f] = total{n: n, at: now}
}

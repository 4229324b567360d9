package keyset

import (
	"sync"
	"time"
)

// Totals remembers for a second how many rows match a filter, because counting is the one part of a page whose cost
// grows with the list. A count below Least is cheap, and not remembered.
type Totals[F comparable] struct {
	Least int

	mu      sync.Mutex
	known   map[F]total
	changes int
}

type total struct {
	n  int
	at time.Time
}

const (
	totalTTL   = time.Second
	mostTotals = 1000
)

// Of is how many rows match: what is remembered, else what count says.
func (t *Totals[F]) Of(filter F, now time.Time, count func() (int, error)) (int, error) {
	n, known, changes := t.recall(filter, now)
	if known {
		return n, nil
	}
	n, err := count()
	if err == nil && n >= t.Least {
		t.keep(filter, n, now, changes)
	}
	return n, err
}

func (t *Totals[F]) recall(filter F, now time.Time) (n int, known bool, changes int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	found, known := t.known[filter]
	return found.n, known && now.Sub(found.at) < totalTTL && !now.Before(found.at), t.changes
}

// Forget is called after a change of the list has been committed.
func (t *Totals[F]) Forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.changes++
	clear(t.known)
}

// keep remembers a count, unless something has changed since the count began.
func (t *Totals[F]) keep(filter F, n int, now time.Time, changes int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if changes != t.changes {
		return
	}
	if t.known == nil || len(t.known) >= mostTotals {
		t.known = map[F]total{}
	}
	t.known[filter] = total{n: n, at: now}
}

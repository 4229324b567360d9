package jobs

import (
	"fmt"
	"maps"
	"slices"
	"sync"
)

// kinds knows the workers of this build and how many of each kind run on this panel.
type kinds struct {
	mu      sync.Mutex
	workers map[string]Worker
	running map[string]int
	runs    map[string]float64
	failed  map[string]float64
	full    map[string]bool // the last fetch filled the limit, so more may wait
}

func newKinds() *kinds {
	return &kinds{
		workers: map[string]Worker{}, running: map[string]int{}, runs: map[string]float64{},
		failed: map[string]float64{},
		full:   map[string]bool{},
	}
}

func (k *kinds) add(w Worker) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, taken := k.workers[w.Kind]; taken {
		return fmt.Errorf("add the worker of the kind %s: this kind has one already", w.Kind)
	}
	w.Limit = max(w.Limit, 1)
	if w.Timeout == 0 {
		w.Timeout = DefaultTimeout
	}
	if w.Attempts == 0 {
		w.Attempts = DefaultAttempts
	}
	k.workers[w.Kind], k.runs[w.Kind], k.failed[w.Kind] = w, 0, 0
	return nil
}

func (k *kinds) get(kind string) (Worker, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	w, known := k.workers[kind]
	return w, known
}

// all lists the workers.
func (k *kinds) all() []Worker {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Collect(maps.Values(k.workers))
}

// slots is how many jobs run at once on one panel when every kind is at its limit.
func (k *kinds) slots() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	sum := 0
	for _, w := range k.workers {
		sum += w.Limit
	}
	return sum
}

// free lists the kinds that may start more jobs, and how many.
func (k *kinds) free() (names []string, counts []int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for kind, w := range k.workers {
		k.full[kind] = w.Limit <= k.running[kind]
		if n := w.Limit - k.running[kind]; n > 0 {
			names, counts = append(names, kind), append(counts, n)
		}
	}
	return names, counts
}

func (k *kinds) began(kind string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.running[kind]++
	k.runs[kind]++
	k.full[kind] = k.running[kind] >= k.workers[kind].Limit
}

// ended tells whether others of the kind may wait for the place.
func (k *kinds) ended(kind string, failed bool) (more bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.running[kind]--
	if failed {
		k.failed[kind]++
	}
	return k.full[kind]
}

// counted gives a copy of one of the counts.
func (k *kinds) counted(counts map[string]float64) func() map[string]float64 {
	return func() map[string]float64 {
		k.mu.Lock()
		defer k.mu.Unlock()
		return maps.Clone(counts)
	}
}

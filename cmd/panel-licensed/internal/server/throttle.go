package server

import (
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
)

const (
	window       = time.Minute
	maxGuesses   = 10
	maxAddresses = 100_000
)

// throttle stops the guessing of keys: an address may name so many unknown keys in a
// window. Its memory is bounded.
type throttle struct {
	clock   clockwork.Clock
	mu      sync.Mutex
	started time.Time
	unknown map[string]int
}

func newThrottle(clock clockwork.Clock) *throttle {
	return &throttle{clock: clock, unknown: map[string]int{}}
}

func (t *throttle) exhausted(address string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.roll()
	return t.unknown[address] >= maxGuesses
}

func (t *throttle) count(address string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.roll()
	if len(t.unknown) < maxAddresses || t.unknown[address] > 0 {
		t.unknown[address]++
	}
}

func (t *throttle) roll() {
	if now := t.clock.Now(); now.Sub(t.started) >= window {
		t.started, t.unknown = now, map[string]int{}
	}
}

package link

import (
	"math/rand/v2"
	"time"
)

// Backoff gives rising pauses, each at a random point, so that a fleet does not come back at one moment.
type Backoff struct {
	First, Longest time.Duration
	failures       int
}

// NewBackoff suits calls to a panel across the internet.
func NewBackoff() Backoff { return Backoff{First: time.Second, Longest: time.Minute} }

// Next is the pause after one more failure: between a half of and the whole of First, 2*First, 4*First... up to
// Longest.
func (b *Backoff) Next() time.Duration {
	ceiling := b.Longest
	if b.failures < 30 && b.First<<b.failures < ceiling {
		ceiling = b.First << b.failures
	}
	b.failures++
	return ceiling/2 + rand.N(ceiling/2+1)
}

// Reset is called after a success.
func (b *Backoff) Reset() { b.failures = 0 }

package license

import (
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
)

// trustedClock is a time that setting the machine's clock back does not slow. It runs
// on elapsed time, follows the wall clock forward, starts from the latest time ever
// noted, and only a fresh signed answer of the authority may put it right.
type trustedClock struct {
	wall   clockwork.Clock
	steady clockwork.Clock

	mu      sync.Mutex
	base    time.Time // trusted time at the moment started
	started time.Time // on the steady clock
	ahead   time.Duration
}

// newTrustedClock takes the machine's clock and one whose elapsed time nobody can set;
// in production both are the same, because Go measures elapsed time apart.
func newTrustedClock(wall, steady clockwork.Clock) *trustedClock {
	return &trustedClock{wall: wall, steady: steady, base: stamp(wall.Now()), started: steady.Now()}
}

// Now never goes back, except through Anchor.
func (c *trustedClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance(stamp(c.wall.Now().Add(-c.ahead)))
	return c.base
}

// AtLeast raises the time to one that is known to have passed.
func (c *trustedClock) AtLeast(known time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance(known.UTC())
}

// Anchor sets the time to what the authority has just signed: it puts right a clock
// that was wrong, ahead or behind.
func (c *trustedClock) Anchor(signed time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.base, c.started = signed.UTC(), c.steady.Now()
	c.ahead = c.wall.Now().Sub(signed)
}

// advance moves to whatever is latest: the elapsed time or the given one.
func (c *trustedClock) advance(seen time.Time) {
	elapsed := c.steady.Since(c.started)
	if now := stamp(c.base.Add(max(elapsed, 0))); now.After(c.base) {
		c.base, c.started = now, c.started.Add(now.Sub(c.base))
	}
	if seen.After(c.base) {
		c.base, c.started = seen, c.steady.Now()
	}
}

// stamp is a time as documents and the database keep it.
func stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

package database

import (
	"context"
	"sync"
	"time"
)

// catchUps are those who wait until everything told before they asked is handled. Who asks while the database is being
// asked waits for the next answer, so that many who ask at once cost one question.
type catchUps struct {
	mu      sync.Mutex
	next    *catchUp // that nobody has begun yet
	wake    context.CancelFunc
	closing bool // nobody listens, or not any more
}

// catchUp is one question to the database, and everybody who waits for its answer.
type catchUp struct {
	done    chan struct{}
	reached bool // written before done is closed
}

const longestCatchUp = 2 * time.Second

// CatchUp waits until everything that was told before the call has been handled. It reports false when that cannot be
// said, because the listener does not listen at this moment: who keeps a copy in memory must read the database instead.
func (l *Listener) CatchUp(ctx context.Context) bool {
	if !l.healthy.Load() {
		return false
	}
	asked := l.catchUps.ask()
	if asked == nil {
		return false
	}
	late := time.NewTimer(longestCatchUp)
	defer late.Stop()
	select {
	case <-asked.done:
		return asked.reached
	case <-late.C:
	case <-ctx.Done():
	}
	return false
}

// ask joins the next question and has the listener ask it at once.
func (c *catchUps) ask() *catchUp {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing {
		return nil
	}
	if c.next == nil {
		c.next = &catchUp{done: make(chan struct{})}
		if c.wake != nil {
			c.wake()
		}
	}
	return c.next
}

// wait lets the next who asks interrupt what waits with this context. It reports whether somebody has asked already.
func (c *catchUps) wait(ctx context.Context, longest time.Duration) (waiting context.Context, stop func(), asked bool) {
	waiting, cancel := context.WithTimeout(ctx, longest)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wake = cancel
	return waiting, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.wake = nil
		cancel()
	}, c.next != nil
}

// begin takes those who have asked so far: what is asked of the database from now on answers them.
func (c *catchUps) begin() *catchUp {
	c.mu.Lock()
	defer c.mu.Unlock()
	begun := c.next
	c.next = nil
	return begun
}

func (c *catchUp) end(reached bool) {
	if c != nil {
		c.reached = reached
		close(c.done)
	}
}

func (c *catchUps) open() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closing = false
}

// close answers those who wait that nothing can be said.
func (c *catchUps) close() {
	c.mu.Lock()
	c.closing = true
	c.mu.Unlock()
	c.begin().end(false)
}

package httpapi

import (
	"context"
	"sync"
	"time"
)

// bounded is context.WithTimeout that sets its timer only when somebody waits on it: most requests are answered from
// memory and never do.
type bounded struct {
	context.Context
	until time.Time

	mu     sync.Mutex
	timed  context.Context
	cancel context.CancelFunc
	ended  bool
}

// within bounds the context from a moment of the real clock on; end must be called at the end of the request.
func within(parent context.Context, from time.Time, limit time.Duration) *bounded {
	return &bounded{Context: parent, until: from.Add(limit)}
}

// Deadline is when the request must have ended.
func (b *bounded) Deadline() (time.Time, bool) { return b.until, true }

// Done begins to watch the clock.
func (b *bounded) Done() <-chan struct{} { return b.watched().Done() }

// Err tells whether the time is over or the request has ended.
func (b *bounded) Err() error { return b.watched().Err() }

func (b *bounded) watched() context.Context {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.timed == nil {
		b.timed, b.cancel = context.WithDeadline(b.Context, b.until)
		if b.ended {
			b.cancel()
		}
	}
	return b.timed
}

func (b *bounded) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	if b.cancel != nil {
		b.cancel()
	}
}

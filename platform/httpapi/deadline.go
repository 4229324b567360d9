package httpapi

import (
	"context"
	"sync"
	"time"

	"panel/platform/access"
)

// bounded is context.WithTimeout that sets its timer only when somebody waits on it: most requests are answered from
// memory and never do.
type bounded struct {
	context.Context
	until time.Time
	ip    string
	// caller is nil until he is proved.
	caller *access.Caller

	mu     sync.Mutex
	timed  context.Context
	cancel context.CancelFunc
	ended  bool
	spent  bool // its time was taken away
}

// within bounds the context from a moment of the real clock on; end must be called at the end of the request.
func within(parent context.Context, from time.Time, limit time.Duration) *bounded {
	return &bounded{Context: parent, until: from.Add(limit)}
}

// Value tells where the request comes from, for who proves its caller, and then the caller; contexts of their own for
// that would cost every request.
func (b *bounded) Value(key any) any {
	switch key.(type) {
	case access.AddressKey:
		return b.ip
	case access.CallerKey:
		if b.caller != nil {
			return b.caller
		}
	}
	return b.Context.Value(key)
}

// Deadline is when the request must have ended.
func (b *bounded) Deadline() (time.Time, bool) { return b.until, true }

// Done begins to watch the clock.
func (b *bounded) Done() <-chan struct{} { return b.watched().Done() }

// Err tells whether the time is over or the request has ended.
func (b *bounded) Err() error {
	err := b.watched().Err()
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil && b.spent {
		return context.DeadlineExceeded
	}
	return err
}

// spend ends the time of the request now.
func (b *bounded) spend() {
	ctx := b.watched()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spent = ctx.Err() == nil
	b.cancel()
}

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

// Database says whether the panel's database answers at present, without asking it.
type Database interface{ Answers() bool }

const (
	databaseLook = 250 * time.Millisecond
	databaseWait = 2 * time.Second // a database that is silent for longer ends those who have time for other things
)

// watchDatabase ends a request with a long deadline early when the database has not answered for a while.
func (s *Server) watchDatabase(request *bounded) (stop func()) {
	if s.opts.Database == nil {
		return func() {}
	}
	ended := make(chan struct{})
	go func() {
		ticker := time.NewTicker(databaseLook)
		defer ticker.Stop()
		for silent := time.Duration(0); silent < databaseWait; silent += databaseLook {
			if s.opts.Database.Answers() {
				silent = 0
			}
			select {
			case <-ticker.C:
			case <-ended:
				return
			}
		}
		request.spend()
	}()
	return func() { close(ended) }
}

package jobs

import (
	"context"
	"sync"
	"time"

	"panel/platform/database"
)

// announcer wakes the panels after insertions. PostgreSQL commits transactions with a notification one after another,
// so a notification in each of them would make insertions wait for each other: one in a while is sent with its
// transaction, the others are covered by one that follows shortly after. What even that comes too early for is found
// by the poll.
type announcer struct {
	db   *database.DB
	wake *waker

	mu      sync.Mutex
	sent    time.Time // when a transaction was given a notification last
	pending bool
}

const (
	announceEvery = 50 * time.Millisecond
	announceAfter = 20 * time.Millisecond
)

// within tells whether the insertion shall notify with its own transaction.
func (a *announcer) within(ctx context.Context) bool {
	if !database.InTransaction(ctx) {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now() //nolint:forbidigo // spares notifications, decides nothing
	if now.Sub(a.sent) < announceEvery {
		return false
	}
	a.sent = now
	return true
}

// inserted wakes this panel when the insertion has committed already, and all panels a moment later.
func (a *announcer) inserted(ctx context.Context) {
	if !database.InTransaction(ctx) {
		a.wake.wake()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.pending {
		a.pending = true
		time.AfterFunc(announceAfter, a.notify)
	}
}

// notify is best effort: every panel polls as well.
func (a *announcer) notify() {
	a.mu.Lock()
	a.pending = false
	a.mu.Unlock()
	ctx, stop := context.WithTimeout(context.Background(), callWithin)
	defer stop()
	_, _ = a.db.Pool.Exec(ctx, "select pg_notify('jobs.river_insert', $1)", inserted.Payload)
}

package accounts

import (
	"context"
	"maps"
	"sync"
	"time"
)

// uses collects when tokens were last used, to store them in batches.
type uses struct {
	store func(ctx context.Context, seen map[string]time.Time) error

	mu   sync.RWMutex
	seen map[string]time.Time // by the id of the token's row; not stored yet
}

func newUses(store func(context.Context, map[string]time.Time) error) *uses {
	return &uses{store: store, seen: map[string]time.Time{}}
}

func (u *uses) note(id string, at time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.seen[id] = at
}

// latest is the later of the stored use and of one that this panel has not stored yet.
func (u *uses) latest(id string, stored time.Time) time.Time {
	u.mu.RLock()
	defer u.mu.RUnlock()
	if at := u.seen[id]; at.After(stored) {
		return at
	}
	return stored
}

const writeWithin = 5 * time.Second

// flush stores what was noted; what cannot be stored waits for the next time.
func (u *uses) flush(ctx context.Context) error {
	u.mu.RLock()
	batch := maps.Clone(u.seen)
	u.mu.RUnlock()
	if len(batch) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, writeWithin)
	defer cancel()
	if err := u.store(ctx, batch); err != nil {
		return err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	maps.DeleteFunc(u.seen, func(id string, at time.Time) bool { return at.Equal(batch[id]) })
	return nil
}

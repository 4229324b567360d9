package ingest

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
)

// Collector gathers what nobody waits for and passes it on together, a moment after the first came. What has become
// pointless until then can be dropped. A crash loses what it holds, so it suits notices and marks, never results.
type Collector struct {
	clock clockwork.Clock
	pause time.Duration
	pass  func(ctx context.Context, items []string)
	wake  chan struct{}

	mu    sync.Mutex
	items map[string]struct{}
}

// NewCollector makes a collector that waits for the pause after the first item.
func NewCollector(clock clockwork.Clock, pause time.Duration, pass func(ctx context.Context,
	items []string),
) *Collector {
	return &Collector{
		clock: clock, pause: pause, pass: pass, wake: make(chan struct{}, 1),
		items: map[string]struct{}{},
	}
}

// Add notes items; one that is noted already is passed on once.
func (c *Collector) Add(items ...string) {
	c.mu.Lock()
	for _, item := range items {
		c.items[item] = struct{}{}
	}
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// Drop takes an item back.
func (c *Collector) Drop(item string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.items, item)
}

// Run passes items on until the context ends; what it holds by then is still passed on.
func (c *Collector) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			c.flush(ctx)
			return nil
		case <-c.wake:
		}
		select {
		case <-ctx.Done():
		case <-c.clock.After(c.pause):
		}
		c.flush(ctx)
	}
}

func (c *Collector) flush(ctx context.Context) {
	c.mu.Lock()
	items := slices.Collect(maps.Keys(c.items))
	clear(c.items)
	c.mu.Unlock()
	if len(items) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeLimit)
	defer cancel()
	c.pass(ctx, items)
}

package nodes

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
)

// collector gathers what nobody waits for and passes it on together, a moment after the first came. What has become
// pointless until then can be taken back. A crash loses what it holds, so that it suits news and notes, never results.
type collector struct {
	clock clockwork.Clock
	pause time.Duration
	pass  func(ctx context.Context, items []string)
	kick  chan struct{}

	mu    sync.Mutex
	items map[string]struct{}
}

func newCollector(clock clockwork.Clock, pause time.Duration, pass func(ctx context.Context, items []string)) *collector {
	return &collector{clock: clock, pause: pause, pass: pass, kick: make(chan struct{}, 1), items: map[string]struct{}{}}
}

func (c *collector) add(items ...string) {
	c.mu.Lock()
	for _, item := range items {
		c.items[item] = struct{}{}
	}
	c.mu.Unlock()
	select {
	case c.kick <- struct{}{}:
	default:
	}
}

func (c *collector) drop(item string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.items, item)
}

// run passes on until the context ends; what it holds by then is still passed on.
func (c *collector) run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			c.flush(ctx)
			return nil
		case <-c.kick:
		}
		select {
		case <-ctx.Done():
		case <-c.clock.After(c.pause):
		}
		c.flush(ctx)
	}
}

func (c *collector) flush(ctx context.Context) {
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

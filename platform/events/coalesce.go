package events

import (
	"sync"
	"time"
)

// within is how long news of one kind about one subject are gathered: those who watch get the first at once and then
// the newest of each while.
const within = 500 * time.Millisecond

// coalescer passes events on, at most one of a kind and subject in each while.
type coalescer struct {
	show func(Event)

	mu     sync.Mutex
	recent map[about]*Event // passed on a moment ago, with the newest that came since
}

type about struct{ kind, subject string }

func (c *coalescer) add(event Event) {
	key := about{kind: event.Kind, subject: event.SubjectID}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, waits := c.recent[key]; waits {
		c.recent[key] = &event
		return
	}
	if c.recent == nil {
		c.recent = map[about]*Event{}
	}
	c.pass(key, event)
}

// pass shows an event and gathers those that follow it. The lock is held, so that they keep their order.
func (c *coalescer) pass(key about, event Event) {
	c.recent[key] = nil
	c.show(event)
	time.AfterFunc(within, func() { c.flush(key) })
}

func (c *coalescer) flush(key about) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if newest := c.recent[key]; newest != nil {
		c.pass(key, *newest)
		return
	}
	delete(c.recent, key)
}

package events

import "context"

type subscriber struct{ events chan Event }

// Subscribe follows all events until the context ends. The channel is closed then, and also when the receiver falls too far
// behind: a stalled browser is dropped rather than waited for.
func (b *Bus) Subscribe(ctx context.Context) <-chan Event {
	s := &subscriber{events: make(chan Event, mostWaiting)}
	b.mu.Lock()
	b.subscribers[s] = struct{}{}
	b.mu.Unlock()
	context.AfterFunc(ctx, func() { b.drop(s) })
	return s.events
}

// Followers counts those who follow at this moment.
func (b *Bus) Followers() int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return len(b.subscribers)
}

func (b *Bus) tellSubscribers(event Event) {
	for _, stalled := range b.offer(event) {
		b.drop(stalled)
	}
}

// offer holds the lock while it sends, so that no channel is closed under it; sending never blocks.
func (b *Bus) offer(event Event) (stalled []*subscriber) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for s := range b.subscribers {
		select {
		case s.events <- event:
		default:
			stalled = append(stalled, s)
		}
	}
	return stalled
}

func (b *Bus) drop(s *subscriber) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, there := b.subscribers[s]; there {
		delete(b.subscribers, s)
		close(s.events)
	}
}

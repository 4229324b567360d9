package events

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"panel/platform/fault"
)

const mostWaiting = 256 // events that a subscriber may fall behind

// Topic chooses events by the type of their subject, and by its id where it has one.
type Topic struct{ Subject, ID string }

type subscriber struct {
	events chan Event
	topics []Topic
}

// ParseTopics reads "node,flow:ID"; empty means everything. Fault: bad_parameter (400) for a topic that no kind has.
func (b *Bus) ParseTopics(text string) (topics []Topic, err error) {
	if text == "" {
		return nil, nil
	}
	known := b.Topics()
	for word := range strings.SplitSeq(text, ",") {
		subject, id, _ := strings.Cut(word, ":")
		if !slices.Contains(known, subject) {
			return nil, fault.Malformed("bad_parameter", "a topic is not known").
				Field("topics", "unknown", fmt.Sprintf("must be among %s, each alone or with a colon and an id",
					strings.Join(known, ", ")))
		}
		topics = append(topics, Topic{Subject: subject, ID: id})
	}
	return topics, nil
}

// Topics lists what those who watch can choose.
func (b *Bus) Topics() (all []string) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for _, kind := range b.kinds {
		if kind.Live {
			all = append(all, kind.Topic())
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Subscribe follows live events of the topics, or all, until the context ends. The channel is closed then, and also
// when the receiver falls too far behind: a stalled browser is dropped rather than waited for.
func (b *Bus) Subscribe(ctx context.Context, topics ...Topic) <-chan Event {
	s := &subscriber{events: make(chan Event, mostWaiting), topics: topics}
	b.mu.Lock()
	b.subscribers[s] = struct{}{}
	b.mu.Unlock()
	context.AfterFunc(ctx, func() { b.drop(s) })
	return s.events
}

func (s *subscriber) wants(event Event) bool {
	return len(s.topics) == 0 || event.Kind == Resync || slices.ContainsFunc(s.topics, func(t Topic) bool {
		return t.Subject == event.SubjectType && (t.ID == "" || t.ID == event.SubjectID)
	})
}

// Followers counts those who follow at this moment.
func (b *Bus) Followers() int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return len(b.subscribers)
}

func (b *Bus) show(event Event) {
	for _, stalled := range b.offer(event) {
		b.drop(stalled)
	}
}

// offer holds the lock while it sends, so that no channel is closed under it; sending never blocks.
func (b *Bus) offer(event Event) (stalled []*subscriber) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for s := range b.subscribers {
		if !s.wants(event) {
			continue
		}
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

package events

import (
	"context"
	"fmt"
)

// Feed is a transient kind whose frames are made for each who watches, because each sees another part of it: figures of
// the nodes on a screen. It comes only to those who name its topic, and knows no backlog: whoever reads slowly gets the
// newest frame when he is ready for it.
type Feed interface {
	// Watch begins to watch what the topic names after its colon. Wake is called when a frame can be had, and may be
	// called too often. The watch ends with the context. Fault: bad_parameter (400).
	Watch(ctx context.Context, what string, wake func()) (Frames, error)
}

// Frames are what one who watches gets from a feed.
type Frames interface {
	// Next gives what is new since the last frame, as one line of JSON, or nothing.
	Next() []byte
}

// Watching is all that one viewer gets from feeds.
type Watching struct {
	ready chan struct{}
	parts []watched
}

type watched struct {
	kind   Kind
	frames Frames
}

// Offer makes frames of a declared transient kind available to those who name its topic; before anything is emitted.
func (b *Bus) Offer(kind string, feed Feed) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if declared, known := b.kinds[kind]; !known || !declared.Transient {
		return fmt.Errorf("offer frames of %s: no module declares it as a transient kind", kind)
	}
	if b.feeds == nil {
		b.feeds = map[string]Feed{}
	}
	b.feeds[kind] = feed
	return nil
}

// Watch begins to watch the feeds among the topics that the caller of allowed may see. Fault: bad_parameter (400).
func (b *Bus) Watch(ctx context.Context, topics []Topic, allowed func(Kind) bool) (*Watching, error) {
	w := &Watching{ready: make(chan struct{}, 1)}
	for _, topic := range topics {
		kind, feed := b.feedOf(topic.Subject)
		if feed == nil || !allowed(kind) {
			continue
		}
		frames, err := feed.Watch(ctx, topic.ID, w.wake)
		if err != nil {
			return nil, err
		}
		w.parts = append(w.parts, watched{kind, frames})
	}
	return w, nil
}

func (b *Bus) feedOf(subject string) (Kind, Feed) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for name, feed := range b.feeds {
		if kind := b.kinds[name]; kind.Topic() == subject {
			return kind, feed
		}
	}
	return Kind{}, nil
}

func (w *Watching) wake() {
	select {
	case w.ready <- struct{}{}:
	default:
	}
}

// Ready says that a feed may have a frame.
func (w *Watching) Ready() <-chan struct{} { return w.ready }

// Each gives the frames that are new and that the caller may still see.
func (w *Watching) Each(allowed func(Kind) bool, give func(kind string, frame []byte) error) error {
	for _, part := range w.parts {
		if !allowed(part.kind) {
			continue
		}
		if frame := part.frames.Next(); frame != nil {
			if err := give(part.kind.Name, frame); err != nil {
				return err
			}
		}
	}
	return nil
}

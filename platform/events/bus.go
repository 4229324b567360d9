package events

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"

	"panel/platform/access"
	"panel/platform/database"
)

const (
	channel     = "panel_events"
	mostQueued  = 4096 // events on their way to other panels
	mostWaiting = 256  // events that a subscriber may fall behind
	handleLimit = 5 * time.Second
	sendLimit   = 5 * time.Second
)

// Bus delivers events. Publish never waits for the database, for other panels or for browsers.
type Bus struct {
	db     *database.DB
	log    *zap.Logger
	origin string
	out    chan []byte

	mu          sync.RWMutex
	listeners   []Listener
	subscribers map[*subscriber]struct{}
	heard       bool
}

// parcel is an event on its way between panels.
type parcel struct {
	Origin string          `json:"o"`
	Event  json.RawMessage `json:"e"`
}

// New makes a bus; Run connects it with the other panels on the database.
func New(db *database.DB, listener *database.Listener, log *zap.Logger) *Bus {
	b := &Bus{
		db: db, log: log, origin: database.NewID(), out: make(chan []byte, mostQueued), subscribers: map[*subscriber]struct{}{},
	}
	if listener != nil {
		listener.On(channel, b.receive)
		listener.OnReady(b.resume)
	}
	return b
}

// Listen adds listeners.
func (b *Bus) Listen(listeners ...Listener) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.listeners = append(b.listeners, listeners...)
}

// Publish tells listeners one after another, each guarded from the others' errors and panics, then everybody who follows
// live, here and on other panels. Call it after the change has committed; a listener must be quick and postpone real work.
func (b *Bus) Publish(ctx context.Context, event Event) {
	if event.At.IsZero() {
		event.At = time.Now().UTC() //nolint:forbidigo // news carry the real time unless the publisher has its own
	}
	if !b.encode(&event) {
		return
	}
	b.tellListeners(ctx, event, false)
	b.tellSubscribers(event)
	b.queue(event)
}

func (b *Bus) encode(event *Event) bool {
	text, err := json.Marshal(event)
	if err != nil {
		b.log.Error("an event could not be encoded", zap.String("kind", event.Kind), zap.Error(err))
		return false
	}
	event.encoded = text
	return true
}

func (b *Bus) tellListeners(ctx context.Context, event Event, foreign bool) {
	b.mu.RLock()
	listeners := b.listeners
	b.mu.RUnlock()
	for _, l := range listeners {
		if l.wants(event.Kind) && (l.Everywhere || !foreign) {
			b.tell(ctx, l, event)
		}
	}
}

func (b *Bus) tell(ctx context.Context, l Listener, event Event) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), handleLimit)
	defer cancel()
	if err := guarded(ctx, l, event); err != nil {
		b.log.Error("a listener failed", zap.String("listener", l.Name), zap.String("kind", event.Kind), access.Logged(ctx), zap.Error(err))
	}
}

func guarded(ctx context.Context, l Listener, event Event) (err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("panic: %v", broken)
		}
	}()
	return l.Handle(ctx, event)
}

func (b *Bus) queue(event Event) {
	text, err := json.Marshal(parcel{Origin: b.origin, Event: event.encoded})
	if err == nil && len(text)+len(channel) > database.MaxNotice {
		event.Data = nil
		short, shortErr := json.Marshal(event)
		text, err = json.Marshal(parcel{Origin: b.origin, Event: short})
		if shortErr != nil {
			err = shortErr
		}
	}
	if err != nil {
		b.log.Error("an event could not be encoded", zap.String("kind", event.Kind), zap.Error(err))
		return
	}
	select {
	case b.out <- text:
	default:
		b.log.Warn("an event did not reach the other panels: too many wait", zap.String("kind", event.Kind))
	}
}

// Run sends events to the other panels until the context ends.
func (b *Bus) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case first := <-b.out:
			if err := b.send(ctx, b.gather(first)); err != nil && ctx.Err() == nil {
				b.log.Warn("events did not reach the other panels", zap.Error(err))
			}
		}
	}
}

// gather takes what waits, so that a storm of events costs few statements.
func (b *Bus) gather(first []byte) []string {
	const most = 200
	batch := []string{channel + " " + string(first)}
	for len(batch) < most {
		select {
		case next := <-b.out:
			batch = append(batch, channel+" "+string(next))
		default:
			return batch
		}
	}
	return batch
}

func (b *Bus) send(ctx context.Context, batch []string) error {
	ctx, cancel := context.WithTimeout(ctx, sendLimit)
	defer cancel()
	return database.NotifyAll(ctx, b.db.Pool, batch)
}

func (b *Bus) receive(payload string) {
	var got parcel
	var event Event
	err := json.Unmarshal([]byte(payload), &got)
	if err == nil && got.Origin == b.origin {
		return
	}
	if err == nil {
		err = json.Unmarshal(got.Event, &event)
	}
	if err != nil {
		b.log.Warn("another panel sent an event that cannot be read", zap.Error(err))
		return
	}
	event.encoded = got.Event
	b.tellListeners(context.Background(), event, true)
	b.tellSubscribers(event)
}

// resume tells followers to read again after a gap; at the first connection there was none.
func (b *Bus) resume() {
	b.mu.Lock()
	again := b.heard
	b.heard = true
	b.mu.Unlock()
	event := Event{Kind: Resync, At: time.Now().UTC()} //nolint:forbidigo // as in Publish
	if again && b.encode(&event) {
		b.tellSubscribers(event)
	}
}

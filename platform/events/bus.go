package events

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"panel/platform/database"
)

// Bus takes what happened and gives it to listeners and to those who watch.
type Bus struct {
	db     *database.DB
	log    *zap.Logger
	origin string
	out    chan []byte

	mu          sync.RWMutex
	kinds       map[string]Kind
	listeners   map[string][]string // names of listeners by kind
	backlog     Backlog
	subscribers map[*subscriber]struct{}
	connected   bool // to the other panels, once before
	feeds       map[string]Feed

	latest coalescer
}

// New makes a bus; Declare and Listen say what it carries, and Run connects it with the other panels on the database.
func New(db *database.DB, listener *database.Listener, log *zap.Logger) *Bus {
	b := &Bus{
		db: db, log: log, origin: database.NewID(), out: make(chan []byte, mostQueued),
		kinds: map[string]Kind{}, listeners: map[string][]string{}, subscribers: map[*subscriber]struct{}{},
	}
	b.latest.show = b.deliver
	if listener != nil {
		listener.On(channel, b.receive)
		listener.OnReady(b.resume)
	}
	return b
}

// Emit takes events of one change. With the context's transaction its listeners get them exactly if it commits, and
// those who watch see them after that; without one it opens its own. Call it in the transaction of the change. It fails
// for a kind that no manifest declares, and for data of another type than declared.
func (b *Bus) Emit(ctx context.Context, news ...Event) error {
	news = slices.Clone(news)
	for i := range news {
		if err := b.complete(&news[i]); err != nil {
			return err
		}
	}
	if err := b.keep(ctx, news); err != nil {
		return err
	}
	database.AfterCommit(ctx, func() { b.showAll(news) })
	return nil
}

func (b *Bus) kind(name string) (Kind, bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	kind, declared := b.kinds[name]
	return kind, declared
}

func (b *Bus) complete(event *Event) error {
	kind, declared := b.kind(event.Kind)
	if !declared {
		return fmt.Errorf("emit the event %s: no module declares it; add it to Events in a manifest", event.Kind)
	}
	if err := kind.carries(event.Data); err != nil {
		return err
	}
	event.ID, event.SubjectType, event.Permission = database.NewID(), kind.Topic(), kind.Needs
	return event.encode()
}

func (e *Event) encode() (err error) {
	if e.At.IsZero() {
		e.At = time.Now().UTC() //nolint:forbidigo // news carry the real time unless the emitter has its own
	}
	if e.encoded, err = json.Marshal(e); err != nil {
		return fmt.Errorf("encode the event %s: %w", e.Kind, err)
	}
	return nil
}

// keep puts the events into the backlogs of their listeners.
func (b *Bus) keep(ctx context.Context, news []Event) error {
	backlogs := map[string][][]byte{}
	b.mu.RLock()
	for _, event := range news {
		for _, listener := range b.listeners[event.Kind] {
			backlogs[listener] = append(backlogs[listener], event.encoded)
		}
	}
	b.mu.RUnlock()
	if len(backlogs) == 0 {
		return nil
	}
	return b.db.InTx(ctx, func(ctx context.Context) error {
		for listener, waiting := range backlogs {
			if err := b.backlog.Add(ctx, listener, waiting); err != nil {
				return fmt.Errorf("keep events for the listener %s: %w", listener, err)
			}
		}
		return nil
	})
}

func (b *Bus) showAll(news []Event) {
	for _, event := range news {
		if kind, _ := b.kind(event.Kind); kind.Live {
			b.latest.add(event)
		}
	}
}

// deliver shows an event to those who watch, here and on other panels.
func (b *Bus) deliver(event Event) {
	b.show(event)
	b.queue(event)
}

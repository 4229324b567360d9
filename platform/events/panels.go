package events

import (
	"context"
	"encoding/json"
	"time"

	"go.uber.org/zap"

	"panel/platform/database"
)

const (
	channel    = "panel_events"
	mostQueued = 4096 // events on their way to other panels
	sendLimit  = 5 * time.Second
)

// envelope is an event on its way between panels.
type envelope struct {
	Origin string          `json:"o"`
	Event  json.RawMessage `json:"e"`
}

func (b *Bus) queue(event Event) {
	text, err := b.seal(event)
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

// seal leaves the data behind where they do not fit.
func (b *Bus) seal(event Event) ([]byte, error) {
	text, err := json.Marshal(envelope{Origin: b.origin, Event: event.encoded})
	if err != nil || len(text)+len(channel) <= database.MaxNotice {
		return text, err
	}
	event.Data = nil
	short, err := json.Marshal(event)
	if err != nil {
		return nil, err
	}
	return json.Marshal(envelope{Origin: b.origin, Event: short})
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
	var got envelope
	err := json.Unmarshal([]byte(payload), &got)
	if err == nil && got.Origin == b.origin {
		return
	}
	var event Event
	if err == nil {
		event, err = Read(got.Event)
	}
	if err != nil {
		b.log.Warn("another panel sent an event that cannot be read", zap.Error(err))
		return
	}
	b.show(event)
}

// resume lets those who watch read again after a gap; at the first connection there was none.
func (b *Bus) resume() {
	b.mu.Lock()
	again := b.connected
	b.connected = true
	b.mu.Unlock()
	event := Event{Kind: Resync}
	if again && event.encode() == nil {
		b.show(event)
	}
}

// Package batches delivers what the agent finds out by itself: in numbered batches, from disk, until the panel has
// stored each of them.
package batches

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/buffer"
	"panel/cmd/panel-agent/internal/link"
	"panel/platform/agentapi"
)

// longestPause bounds what a panel may ask for, so that a wrong answer does not silence an agent for days.
const longestPause = time.Hour

// Send delivers one batch and returns the number up to which the panel has stored the stream.
type Send func(ctx context.Context, batch buffer.Batch) (acked int64, err error)

// Options of a Stream.
type Options struct {
	Dir   string
	Send  Send
	Clock clockwork.Clock
	Log   *zap.Logger
}

// Stream is one sort of results on its way to the panel. It is safe for concurrent use.
type Stream struct {
	Options
	buffer *buffer.Buffer
	added  chan struct{}
}

// Open goes on with what an earlier agent did not deliver.
func Open(o Options) (*Stream, error) {
	opened, err := buffer.Open(o.Dir)
	if err != nil {
		return nil, err
	}
	return &Stream{Options: o, buffer: opened, added: make(chan struct{}, 1)}, nil
}

// OverLink sends batches of a kind to the panel.
func OverLink(client *link.Client, kind agentapi.BatchKind) Send {
	return func(ctx context.Context, b buffer.Batch) (int64, error) {
		reply, err := client.Batch(ctx, agentapi.Batch{
			Kind: kind, StreamID: b.StreamID, Seq: b.Seq, Dropped: b.Dropped,
			Items: b.Items,
		})
		return reply.AckedSeq, err
	}
}

// Add returns when the items are on disk; they are delivered once, sooner or later.
func (s *Stream) Add(items ...any) error { return s.AddAt(nil, items...) }

// AddAt is Add with the counters that the next difference is taken from; both become durable together.
func (s *Stream) AddAt(bases json.RawMessage, items ...any) error {
	encoded := make([]json.RawMessage, len(items))
	for i, item := range items {
		raw, err := json.Marshal(item)
		if err != nil {
			return fmt.Errorf("encode a result: %w", err)
		}
		encoded[i] = raw
	}
	if err := s.buffer.Add(bases, encoded...); err != nil {
		return err
	}
	select {
	case s.added <- struct{}{}:
	default:
	}
	return nil
}

// Cut has what is added from here on come in other batches than what was added before.
func (s *Stream) Cut() error { return s.buffer.Cut() }

// Empty lets go of everything that is not delivered.
func (s *Stream) Empty() error { return s.buffer.Empty() }

// Bases is what the last successful AddAt was given.
func (s *Stream) Bases() json.RawMessage { return s.buffer.Bases() }

// Run delivers until the context ends.
func (s *Stream) Run(ctx context.Context) {
	backoff := link.NewBackoff()
	for ctx.Err() == nil {
		delivered, pause := s.deliver(ctx)
		if delivered {
			backoff.Reset()
			continue
		}
		var again <-chan time.Time
		added := s.added
		if s.buffer.Held() > 0 { // what is added meanwhile waits as well: the panel is away, or asked for a pause
			again, added = s.Clock.After(max(backoff.Next(), pause)), nil
		}
		select {
		case <-ctx.Done():
		case <-again:
		case <-added:
		}
	}
}

// Flush delivers what it can before the context ends.
func (s *Stream) Flush(ctx context.Context) {
	for delivered := true; delivered && ctx.Err() == nil; {
		delivered, _ = s.deliver(ctx)
	}
}

// deliver sends the oldest batch; false when there is none or it was not acknowledged, with the pause that the panel
// asked for.
func (s *Stream) deliver(ctx context.Context) (delivered bool, pause time.Duration) {
	batch, found, err := s.buffer.Next()
	if err != nil {
		s.Log.Error("a batch cannot be read", zap.Error(err))
		return false, 0
	}
	if !found {
		return false, 0
	}
	acked, err := s.Send(ctx, batch)
	if err != nil && link.Refused(err) { // it will never be taken, and must not block what follows
		s.Log.Error("the panel refuses a batch; it is dropped", zap.Int64("seq", batch.Seq), zap.Error(err))
		acked, err = batch.Seq, nil
	}
	if err != nil {
		link.LogFailure(s.Log, "batches", err)
		return false, min(longestPause, link.RetryAfter(err))
	}
	if acked < batch.Seq {
		return false, 0
	}
	if err := s.buffer.Ack(acked); err != nil {
		s.Log.Error("an acknowledgement could not be written down", zap.Error(err))
		return false, 0
	}
	return true, 0
}

// Close releases the files; everything is on disk already.
func (s *Stream) Close() error { return s.buffer.Close() }

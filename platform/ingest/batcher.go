package ingest

import (
	"context"
	"time"

	"github.com/jonboulle/clockwork"
)

// Batcher lets many callers share one write: it takes what waits, writes it together and answers each caller after
// that. The busier it is, the larger its batches become, so its cost per item falls under load.
type Batcher[T any] struct {
	in    chan waiting[T]
	most  int
	write func(ctx context.Context, items []T) []error

	clock clockwork.Clock
	pace  time.Duration // a writer begins a batch of few at most so often; 0: at once
}

type waiting[T any] struct {
	item T
	done chan error
}

// NewBatcher makes a batcher of at most so many items per write. The write answers each item, or all of them with one
// answer.
func NewBatcher[T any](most int, write func(ctx context.Context, items []T) []error) *Batcher[T] {
	return &Batcher[T]{in: make(chan waiting[T]), most: most, write: write}
}

// few callers wait for others; a batch of more is written at once.
const few = 16

// Paced lets few callers wait a moment for each other, because a write costs the same for one and for many.
func (b *Batcher[T]) Paced(clock clockwork.Clock, pace time.Duration) *Batcher[T] {
	b.clock, b.pace = clock, pace
	return b
}

// Submit returns after the item is written, with the answer that is the item's. Fault: unavailable (503).
func (b *Batcher[T]) Submit(ctx context.Context, item T) error {
	w := waiting[T]{item: item, done: make(chan error, 1)}
	select {
	case b.in <- w:
	case <-ctx.Done():
		return ErrBusy.Wrap(ctx.Err())
	}
	select {
	case err := <-w.done:
		return err
	case <-ctx.Done():
		return ErrBusy.Wrap(ctx.Err())
	}
}

// Run writes until the context ends; what it took by then is still written and answered.
func (b *Batcher[T]) Run(ctx context.Context) error {
	var began time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case first := <-b.in:
			batch := b.gather([]waiting[T]{first}, b.moment(began))
			if b.pace > 0 {
				began = b.clock.Now()
			}
			b.flush(context.WithoutCancel(ctx), batch)
		}
	}
}

// moment ends when the pace allows the next batch; nil when it does already.
func (b *Batcher[T]) moment(began time.Time) <-chan time.Time {
	if b.pace == 0 {
		return nil
	}
	if left := b.pace - b.clock.Since(began); left > 0 {
		return b.clock.After(left)
	}
	return nil
}

func (b *Batcher[T]) gather(batch []waiting[T], moment <-chan time.Time) []waiting[T] {
	for moment != nil && len(batch) < few {
		select {
		case next := <-b.in:
			batch = append(batch, next)
		case <-moment:
			moment = nil
		}
	}
	for len(batch) < b.most {
		select {
		case next := <-b.in:
			batch = append(batch, next)
		default:
			return batch
		}
	}
	return batch
}

func (b *Batcher[T]) flush(ctx context.Context, batch []waiting[T]) {
	ctx, cancel := context.WithTimeout(ctx, writeLimit)
	defer cancel()
	items := make([]T, len(batch))
	for i, w := range batch {
		items[i] = w.item
	}
	answers := b.write(ctx, items)
	for i, w := range batch {
		if len(answers) == 1 {
			w.done <- answers[0]
			continue
		}
		w.done <- answers[i]
	}
}

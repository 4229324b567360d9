package ingest

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
)

// Batcher lets many callers share one write: it takes what waits, writes it together and answers each caller after
// that. The busier it is, the larger its batches become, so its cost per item falls under load. A caller wakes a writer
// only with the first item and with the one that fills a batch: thousands of agents that come one by one must not cost
// a change of goroutines each.
type Batcher[T any] struct {
	most  int
	write func(ctx context.Context, items []T) []error
	some  chan struct{} // holds a sign while items wait that no writer has gone for; sent and taken back under mu
	many  chan struct{} // holds a sign when a writer need not wait for more; as above

	mu    sync.Mutex
	queue []*waiting[T]

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
	return &Batcher[T]{most: most, write: write, some: make(chan struct{}, 1), many: make(chan struct{}, 1)}
}

// few callers wait for others; a batch of more is written at once.
const few = 64

// Paced lets few callers wait a moment for each other, because a write costs the same for one and for many.
func (b *Batcher[T]) Paced(clock clockwork.Clock, pace time.Duration) *Batcher[T] {
	b.clock, b.pace = clock, pace
	return b
}

// Submit returns after the item is written, with the answer that is the item's. An item whose caller leaves before a
// writer has taken it is not written. Fault: unavailable (503).
func (b *Batcher[T]) Submit(ctx context.Context, item T) error {
	if err := ctx.Err(); err != nil {
		return ErrBusy.Wrap(err)
	}
	w := &waiting[T]{item: item, done: make(chan error, 1)}
	b.add(w)
	select {
	case err := <-w.done:
		return err
	case <-ctx.Done():
		b.remove(w)
		return ErrBusy.Wrap(ctx.Err())
	}
}

func (b *Batcher[T]) add(w *waiting[T]) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.queue = append(b.queue, w)
	switch len(b.queue) {
	case 1:
		show(b.some, true)
	case few:
		show(b.some, true)
		show(b.many, true)
	}
}

func (b *Batcher[T]) remove(w *waiting[T]) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if at := slices.Index(b.queue, w); at >= 0 {
		b.queue = slices.Delete(b.queue, at, at+1)
	}
}

// Run writes until the context ends; what it took by then is still written and answered.
func (b *Batcher[T]) Run(ctx context.Context) error {
	var began time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-b.some:
		}
		b.await(ctx, began)
		if b.pace > 0 {
			began = b.clock.Now()
		}
		if batch := b.take(); len(batch) > 0 {
			b.flush(context.WithoutCancel(ctx), batch)
		}
	}
}

// await waits until the pace allows the next batch or many wait for it.
func (b *Batcher[T]) await(ctx context.Context, began time.Time) {
	if b.pace == 0 {
		return
	}
	left := b.pace - b.clock.Since(began)
	if left <= 0 {
		return
	}
	moment := b.clock.NewTimer(left)
	defer moment.Stop()
	select {
	case <-moment.Chan():
	case <-b.many:
	case <-ctx.Done():
	}
}

// take gives what waits, oldest first. The signs say afterwards what is left.
func (b *Batcher[T]) take() []*waiting[T] {
	b.mu.Lock()
	defer b.mu.Unlock()
	batch := b.queue
	b.queue = nil
	if len(batch) > b.most {
		batch, b.queue = batch[:b.most:b.most], slices.Clone(batch[b.most:])
	}
	show(b.some, len(b.queue) > 0)
	show(b.many, len(b.queue) >= few)
	return batch
}

// show leaves the sign or takes it back. Only the holder of mu does, so that a sign that is wanted finds room.
func show(sign chan struct{}, wanted bool) {
	select {
	case <-sign:
	default:
	}
	if wanted {
		sign <- struct{}{}
	}
}

func (b *Batcher[T]) flush(ctx context.Context, batch []*waiting[T]) {
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

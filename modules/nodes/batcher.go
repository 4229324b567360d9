package nodes

import (
	"context"

	"panel/platform/fault"
)

// batcher lets many callers share one write: it takes what waits, writes it together and answers each caller after that.
// The busier it is, the larger its batches become, so its cost per item falls under load.
type batcher[T any] struct {
	in    chan waiting[T]
	most  int
	write func(ctx context.Context, items []T) []error // one answer per item, or one for all
}

type waiting[T any] struct {
	item T
	done chan error
}

func newBatcher[T any](most int, write func(ctx context.Context, items []T) []error) *batcher[T] {
	return &batcher[T]{in: make(chan waiting[T]), most: most, write: write}
}

var errBusy = fault.Unavailable("the panel is too busy to store this now; send it again")

// submit returns after the item is written, with the answer that is the item's.
func (b *batcher[T]) submit(ctx context.Context, item T) error {
	w := waiting[T]{item: item, done: make(chan error, 1)}
	select {
	case b.in <- w:
	case <-ctx.Done():
		return errBusy.Wrap(ctx.Err())
	}
	select {
	case err := <-w.done:
		return err
	case <-ctx.Done():
		return errBusy.Wrap(ctx.Err())
	}
}

// run writes until the context ends; what it took by then is still written and answered.
func (b *batcher[T]) run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case first := <-b.in:
			b.flush(context.WithoutCancel(ctx), b.gather(first))
		}
	}
}

func (b *batcher[T]) gather(first waiting[T]) []waiting[T] {
	batch := []waiting[T]{first}
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

func (b *batcher[T]) flush(ctx context.Context, batch []waiting[T]) {
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

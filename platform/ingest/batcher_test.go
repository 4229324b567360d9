package ingest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
)

// written collects the sizes of writes, each of which may be held.
type written struct {
	mu    sync.Mutex
	items []int
	sizes []int
	held  chan struct{} // nil: writes go through
	begun chan struct{} // nil, or told of each write that begins
}

func (w *written) write(_ context.Context, items []int) []error {
	if w.begun != nil {
		w.begun <- struct{}{}
	}
	if w.held != nil {
		<-w.held
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.items, w.sizes = append(w.items, items...), append(w.sizes, len(items))
	answers := make([]error, len(items))
	for i, item := range items {
		if item < 0 {
			answers[i] = fmt.Errorf("refused %d", item)
		}
	}
	return answers
}

func (w *written) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.items)
}

func runs(t *testing.T, b *Batcher[int], writers int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range writers {
		all.Go(func() { _ = b.Run(ctx) })
	}
	t.Cleanup(func() { cancel(); all.Wait() })
}

func (b *Batcher[T]) waits() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.queue)
}

func TestEachCallerGetsTheAnswerOfItsItem(t *testing.T) {
	t.Parallel()
	w := &written{}
	b := NewBatcher(7, w.write)
	runs(t, b, 2)
	var all sync.WaitGroup
	for caller := range 500 {
		all.Go(func() {
			item := caller
			if caller%3 == 0 {
				item = -1 - caller
			}
			err := b.Submit(t.Context(), item)
			if item < 0 {
				require.EqualError(t, err, fmt.Sprintf("refused %d", item))
				return
			}
			require.NoError(t, err)
		})
	}
	all.Wait()
	require.Len(t, w.items, 500)
	for _, size := range w.sizes {
		require.LessOrEqual(t, size, 7)
	}
}

// What comes while a write is under way is written together by the next one.
func TestWhatWaitsIsWrittenTogether(t *testing.T) {
	t.Parallel()
	w := &written{held: make(chan struct{}), begun: make(chan struct{}, 4)}
	b := NewBatcher(100, w.write)
	runs(t, b, 1)
	var all sync.WaitGroup
	all.Go(func() { require.NoError(t, b.Submit(t.Context(), 0)) })
	<-w.begun
	for range 250 {
		all.Go(func() { require.NoError(t, b.Submit(t.Context(), 2)) })
	}
	require.Eventually(t, func() bool { return b.waits() == 250 }, time.Minute, time.Millisecond)
	close(w.held)
	all.Wait()
	require.Equal(t, []int{1, 100, 100, 50}, w.sizes)
}

func TestAnItemWhoseCallerLeftIsNotWritten(t *testing.T) {
	t.Parallel()
	w := &written{}
	b := NewBatcher(100, w.write)
	gone, leave := context.WithCancelCause(t.Context())
	leave(errors.New("gone"))
	require.ErrorIs(t, b.Submit(gone, 1), ErrBusy)
	require.Zero(t, b.waits())
	runs(t, b, 1)
	require.NoError(t, b.Submit(t.Context(), 2))
	require.Equal(t, []int{2}, w.items)
}

// Few callers wait for the writer's pace, as many as make a good batch do not.
func TestFewWaitForThePaceManyDoNot(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClock()
	w := &written{}
	b := NewBatcher(100, w.write).Paced(clock, time.Second)
	runs(t, b, 1)
	require.NoError(t, b.Submit(t.Context(), 0), "after a rest the first is written at once")

	var all sync.WaitGroup
	for item := range few - 1 {
		all.Go(func() { require.NoError(t, b.Submit(t.Context(), item)) })
	}
	require.Eventually(t, func() bool { return b.waits() == few-1 }, time.Minute, time.Millisecond)
	require.NoError(t, clock.BlockUntilContext(t.Context(), 1))
	require.Equal(t, 1, w.count())
	require.NoError(t, b.Submit(t.Context(), few), "the one that makes a good batch")
	all.Wait()
	require.Equal(t, []int{1, few}, w.sizes)

	all.Go(func() { require.NoError(t, b.Submit(t.Context(), 1)) })
	require.Eventually(t, func() bool { return b.waits() == 1 }, time.Minute, time.Millisecond)
	require.NoError(t, clock.BlockUntilContext(t.Context(), 1))
	require.Equal(t, few+1, w.count())
	clock.Advance(time.Second)
	all.Wait()
	require.Equal(t, []int{1, few, 1}, w.sizes)
}

// What a writer took before its end is written and answered.
func TestAWriterThatEndsAnswersWhatItTook(t *testing.T) {
	t.Parallel()
	w := &written{held: make(chan struct{})}
	b := NewBatcher(100, w.write)
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() { require.NoError(t, b.Submit(t.Context(), 1)) })
	require.Eventually(t, func() bool { return b.waits() == 1 }, time.Minute, time.Millisecond)
	all.Go(func() { require.NoError(t, b.Run(ctx)) })
	require.Eventually(t, func() bool { return b.waits() == 0 }, time.Minute, time.Millisecond)
	cancel()
	close(w.held)
	all.Wait()
	require.Equal(t, []int{1}, w.items)
}

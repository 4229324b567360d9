package tokens

import (
	"context"
	"sync"

	"panel/platform/database"
)

// Image is the copy of a table of tokens in memory: what each token proves, by its digest. It is used while changes of
// other panels can be heard; while they cannot, every proof reads the database. A change is announced on the image's
// channel with the owner of the token, so that a revocation holds at the next request in both cases.
type Image[T any] struct {
	options  Options[T]
	listener *database.Listener

	mu      sync.RWMutex
	held    map[Digest]T
	changes uint64 // announced so far, so that a slow reader remembers nothing old
}

// Options say where an image reads and when it forgets. Channel, Read and Owner are required.
type Options[T any] struct {
	// Channel is announced with the owner of the tokens that changed.
	Channel string
	// Read gives what a token proves from the database, or the fault of a token that proves nothing.
	Read func(ctx context.Context, digest Digest) (T, error)
	// Owner names whom an announcement of Channel means.
	Owner func(T) string
	// Most bounds the memory; beyond it the image starts anew. 0 means 100,000.
	Most int
}

const usualMost = 100_000

// NewImage makes an empty image that follows the announcements of its channel.
func NewImage[T any](listener *database.Listener, o Options[T]) *Image[T] {
	if o.Most == 0 {
		o.Most = usualMost
	}
	i := &Image[T]{options: o, listener: listener, held: map[Digest]T{}}
	listener.On(o.Channel, i.Forget)
	listener.OnReady(func() { i.Forget("") })
	return i
}

// Prove gives what the token of the digest proves, from memory where that is sure. The faults are those of Read.
func (i *Image[T]) Prove(ctx context.Context, digest Digest) (T, error) {
	if found, known := i.Remembered(digest); known {
		return found, nil
	}
	return i.Read(ctx, digest)
}

// Remembered gives what is in memory, and nothing while changes of other panels cannot be heard.
func (i *Image[T]) Remembered(digest Digest) (found T, known bool) {
	if !i.listener.Healthy() {
		return found, false
	}
	i.mu.RLock()
	defer i.mu.RUnlock()
	found, known = i.held[digest]
	return found, known
}

// Read asks the database and remembers the answer.
func (i *Image[T]) Read(ctx context.Context, digest Digest) (T, error) {
	i.mu.RLock()
	before := i.changes
	i.mu.RUnlock()
	found, err := i.options.Read(ctx, digest)
	if err == nil {
		i.remember(digest, found, before)
	}
	return found, err
}

// remember keeps nothing that was read before a change was announced.
func (i *Image[T]) remember(digest Digest, found T, before uint64) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.changes != before {
		return
	}
	if len(i.held) >= i.options.Most {
		clear(i.held)
	}
	i.held[digest] = found
}

// Forget drops what is remembered of an owner; an empty one, after a gap in the announcements, drops everything.
func (i *Image[T]) Forget(owner string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.changes++
	if owner == "" {
		clear(i.held)
		return
	}
	for digest, found := range i.held {
		if i.options.Owner(found) == owner {
			delete(i.held, digest)
		}
	}
}

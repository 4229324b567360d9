package httpapi

import (
	"context"

	"panel/platform/access"
)

// Streams tells long-lived answers when the panel stops: they end themselves then, because nothing waits for them.
type Streams struct {
	ctx  context.Context
	stop context.CancelFunc
}

// NewStreams makes the one that the server and all streaming operations share.
func NewStreams() *Streams {
	ctx, stop := context.WithCancel(context.Background())
	return &Streams{ctx: ctx, stop: stop}
}

// Detach gives a context that outlives the request, carries its caller and ends when the panel stops.
func (s *Streams) Detach(ctx context.Context) context.Context {
	return access.With(s.ctx, access.From(ctx))
}

// Stopping is closed when the panel begins to stop.
func (s *Streams) Stopping() <-chan struct{} { return s.ctx.Done() }

// Stop ends all of them.
func (s *Streams) Stop() { s.stop() }

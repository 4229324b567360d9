package httpapi

import (
	"context"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"panel/platform/access"
	"panel/platform/fault"
	"panel/platform/httpapi/internal/connections"
)

// A browser opens one live stream per window. The bounds are far above what people do and far below what a machine has.
const (
	streamsOfOne = 64
	streamsInAll = 4096
	streamRetry  = 30 * time.Second
)

// Streams tells long-lived answers when the panel stops: they end themselves then, because nothing waits for them.
type Streams struct {
	ctx  context.Context
	stop context.CancelFunc

	mu   sync.Mutex
	all  int
	open map[string]int // by account
}

// NewStreams makes the one that the server and all streaming operations share.
func NewStreams() *Streams {
	ctx, stop := context.WithCancel(context.Background())
	return &Streams{ctx: ctx, stop: stop, open: map[string]int{}}
}

// Open counts a live stream of an account; leave must be called once, at its end. Fault: throttled (429).
func (s *Streams) Open(account string) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all >= streamsInAll || s.open[account] >= streamsOfOne {
		return nil, fault.Throttled(streamRetry)
	}
	s.all++
	s.open[account]++
	return func() { s.left(account) }, nil
}

func (s *Streams) left(account string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all--
	if s.open[account]--; s.open[account] == 0 {
		delete(s.open, account)
	}
}

// Detach gives a context that outlives the request, carries its caller and ends when the panel stops.
func (s *Streams) Detach(ctx context.Context) context.Context {
	return access.With(s.ctx, access.From(ctx))
}

// Stopping is closed when the panel begins to stop.
func (s *Streams) Stopping() <-chan struct{} { return s.ctx.Done() }

// Stop ends all of them.
func (s *Streams) Stop() { s.stop() }

// Left gives a question that a stream asks while it lasts: has the client of this request gone away? It is true at
// once, where a failing write shows it only after the second sign of life.
func Left(c *fiber.Ctx) func() bool {
	if conn, ours := c.Context().Conn().(*connections.Client); ours {
		return conn.Gone
	}
	return func() bool { return false }
}

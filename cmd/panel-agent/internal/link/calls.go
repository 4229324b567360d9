package link

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/coder/websocket"

	"panel/platform/agentapi"
)

// calls are the questions that wait for their replies on one stream, from the first attempt to open it to its end.
type calls struct {
	conn  *websocket.Conn
	ready chan struct{} // closed when the panel has said what it takes, or the stream has ended
	ended chan struct{}
	until time.Time // nobody waits for ready any longer
	once  sync.Once

	mu      sync.Mutex
	takes   []agentapi.FrameType
	last    int64
	waiting map[int64]chan *agentapi.Reply
}

func newCalls() *calls {
	return &calls{
		ready: make(chan struct{}), ended: make(chan struct{}), waiting: map[int64]chan *agentapi.Reply{},
		until: time.Now().Add(openLimit), //nolint:forbidigo // the deadline of a real connection
	}
}

// offered keeps what the panel says that it takes here; an older one says nothing.
func (c *calls) offered(takes []agentapi.FrameType) {
	c.once.Do(func() {
		c.mu.Lock()
		c.takes = takes
		c.mu.Unlock()
		close(c.ready)
	})
}

// end lets nobody wait any longer.
func (c *calls) end() {
	close(c.ended)
	c.offered(nil)
}

// begin numbers a call of a type that the panel takes.
func (c *calls) begin(kind agentapi.FrameType) (number int64, reply chan *agentapi.Reply, taken bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.takes, kind) {
		return 0, nil, false
	}
	c.last++
	reply = make(chan *agentapi.Reply, 1)
	c.waiting[c.last] = reply
	return c.last, reply, true
}

func (c *calls) giveUp(number int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, number)
}

// replied hands a reply to who waits for it; a late one is dropped.
func (c *calls) replied(frame agentapi.Frame) {
	c.mu.Lock()
	waiting, known := c.waiting[frame.Call]
	delete(c.waiting, frame.Call)
	c.mu.Unlock()
	if known && frame.Reply != nil {
		waiting <- frame.Reply
	}
}

// overStream makes a call on the open stream. Answered is false where there is no stream, the panel does not take such
// calls, or the stream ended before the reply: then the caller POSTs, which is safe, because both ways take the same
// thing twice.
func (c *Client) overStream(ctx context.Context, frame agentapi.Frame) (reply *agentapi.Reply, answered bool) {
	open := c.stream.Load()
	if open == nil || !open.opened(ctx) {
		return nil, false
	}
	number, replies, taken := open.begin(frame.Type)
	if !taken {
		return nil, false
	}
	defer open.giveUp(number)
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	if frame.Call = number; write(ctx, open.conn, frame) != nil {
		return nil, false
	}
	select {
	case reply = <-replies:
		return reply, true
	case <-open.ended:
	case <-ctx.Done():
		_ = open.conn.CloseNow() // a stream on which nothing comes back is dead, whatever the network says
	}
	return nil, false
}

// openLimit is how long calls wait for a stream that is just being opened, so that they need no second connection.
const openLimit = 3 * time.Second

// ExpectStream says that a Receiver is about to open the stream, so that calls made at the start wait for it, too.
func (c *Client) ExpectStream() { c.stream.CompareAndSwap(nil, newCalls()) }

// opening is the stream that is expected, or a new one.
func (c *Client) opening() *calls {
	if expected := c.stream.Load(); expected != nil && !expected.isReady() {
		return expected
	}
	open := newCalls()
	c.stream.Store(open)
	return open
}

// opened waits for the panel's offer until the stream has had its time to open.
func (c *calls) opened(ctx context.Context) bool {
	ctx, cancel := context.WithDeadline(ctx, c.until)
	defer cancel()
	select {
	case <-c.ready:
	case <-ctx.Done():
	}
	return c.isReady()
}

func (c *calls) isReady() bool {
	select {
	case <-c.ready:
		return true
	default:
		return false
	}
}

// failure is the error that the POST would have given.
func failure(r *agentapi.Reply) error {
	if r.Status == http.StatusOK {
		return nil
	}
	return &StatusError{
		Status: r.Status, Code: r.Code, Detail: r.Detail,
		RetryAfter: time.Duration(r.RetrySeconds) * time.Second,
	}
}

func valueOf[T any](given *T) (value T) {
	if given != nil {
		value = *given
	}
	return value
}

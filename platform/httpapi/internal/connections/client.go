package connections

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Client is the connection of one client. It closes without a word when nobody ever asked anything on it: browsers and
// load balancers open some in advance, and would take an unasked answer for that of their first request. It also ends
// when nobody reads what is written to it, and tells how long it has waited for its client.
type Client struct {
	net.Conn
	of     *Set
	peer   netip.Addr
	from   netip.Addr // the peer as the bound per address counts it
	began  bool       // something was read from it
	within time.Duration
	until  time.Time // what writes are bounded by at present
	ends   readEnds

	reads    atomic.Int64 // how often it was read from
	answered int64        // reads when the last request was answered

	waits  atomic.Int64 // since when it waits for its client, as Unix nanoseconds; 0 while it does not
	proved atomic.Bool  // a caller on it has proved who he is
	unread atomic.Bool  // the client may still be sending what nobody will read
	closed sync.Once
}

// Proved says that a caller on the connection has proved who he is: it is not closed to make room.
func (c *Client) Proved() { c.proved.Store(true) }

// LeaveUnread says that the client may still be sending what nobody will read.
func (c *Client) LeaveUnread() { c.unread.Store(true) }

// writePiece is how much a client must take within the time limit of a write: slow ones may take long for a large
// answer.
const writePiece = 64 << 10

// Write gives up on a client that does not read. The limit moves with every piece, so that streams may last.
func (c *Client) Write(text []byte) (written int, err error) {
	for err == nil {
		if err = c.bound(); err != nil {
			return written, err
		}
		n := 0
		n, err = c.Conn.Write(text[written:min(written+writePiece, len(text))])
		if written += n; written == len(text) {
			return written, err
		}
	}
	return written, err
}

// ReadFrom has the system copy a file to the client by itself, in the pieces of Write and within the same limit.
func (c *Client) ReadFrom(file io.Reader) (written int64, err error) {
	to, copies := c.Conn.(io.ReaderFrom)
	if !copies {
		return io.Copy(struct{ io.Writer }{c}, file)
	}
	for {
		if err = c.bound(); err != nil {
			return written, err
		}
		n, err := to.ReadFrom(io.LimitReader(file, writePiece))
		if written += n; err != nil || n < writePiece {
			return written, err
		}
	}
}

// bound moves the limit on once a good part of it is over; busy connections need not pay for it with every answer.
func (c *Client) bound() error {
	now := time.Now() //nolint:forbidigo // deadlines of connections are times of the machine
	if left := c.until.Sub(now); left > c.within-c.within/8 {
		return nil
	}
	c.until = now.Add(c.within)
	return c.SetWriteDeadline(c.until)
}

// Read turns the end of waiting for the very first byte into the end of the connection.
func (c *Client) Read(into []byte) (int, error) {
	now := time.Now() //nolint:forbidigo // as above
	if err := c.ends.hold(c.Conn, now); err != nil {
		return 0, err
	}
	c.waits.Store(now.UnixNano())
	n, err := c.Conn.Read(into)
	c.waits.Store(0)
	c.reads.Add(1)
	if n > 0 {
		c.began = true
	} else if !c.began && errors.Is(err, os.ErrDeadlineExceeded) {
		return 0, io.EOF
	}
	return n, err
}

// SetReadDeadline bounds the reads to come. One that has begun is ended at once by a moment that is over.
func (c *Client) SetReadDeadline(until time.Time) error { return c.ends.set(c.Conn, until) }

// SetDeadline bounds reads and writes.
func (c *Client) SetDeadline(until time.Time) error {
	if err := c.SetReadDeadline(until); err != nil {
		return err
	}
	return c.SetWriteDeadline(until)
}

// Hurries tells, once per request and after its handling, whether a caller who has not proved who he is sent it without
// waiting for the answer to the one before. Nothing else makes a connection rest between two requests, so that a few
// thousand that were sent at once would keep all processors from everybody else.
func (c *Client) Hurries() bool {
	before := c.answered
	c.answered = c.reads.Load()
	return c.answered == before && !c.proved.Load()
}

// waitsSince tells since when the connection has waited for a client who has not proved who he is.
func (c *Client) waitsSince() (at int64, waits bool) {
	at = c.waits.Load()
	return at, at != 0 && !c.proved.Load()
}

// Gone looks, without taking anything that was sent, whether the client has closed the connection. A long answer asks,
// because writing into a connection that was closed fails only at the second write.
func (c *Client) Gone() (gone bool) {
	socket, ok := c.Conn.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return true
	}
	err = raw.Control(func(fd uintptr) {
		var next [1]byte
		read, _, err := unix.Recvfrom(int(fd), next[:], unix.MSG_PEEK|unix.MSG_DONTWAIT) //nolint:gosec // a descriptor
		waits := errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR)
		gone = !waits && (err != nil || read == 0)
	})
	return gone || err != nil
}

// Close ends the connection and makes room for another one.
func (c *Client) Close() error {
	if c.unread.Load() && c.of.drains.TryAcquire(1) {
		c.drain()
		c.of.drains.Release(1)
	}
	c.ends.close()
	err := c.Conn.Close()
	c.closed.Do(func() { c.of.left(c) })
	return err
}

// A system that closes a connection with unread bytes takes back what was written last: the answer that says why.
const (
	drainWithin = 2 * time.Second
	drainMost   = 4 << 20
)

func (c *Client) drain() {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite() // a connection that is gone already needs no end
	}
	if c.SetReadDeadline(time.Now().Add(drainWithin)) == nil { //nolint:forbidigo // as above
		_, _ = io.CopyN(io.Discard, c.Conn, drainMost) // what comes does not matter
	}
}

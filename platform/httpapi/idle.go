package httpapi

import (
	"errors"
	"io"
	"net"
	"os"
	"time"
)

// idleListener closes connections without a word on which nobody ever asked anything: browsers and load balancers open some in
// advance, and would take an unasked answer for that of their first request. It also ends those on which nobody reads.
type idleListener struct {
	net.Listener
	writeWithin time.Duration
}

// Accept gives the next connection.
func (l idleListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &idleConn{Conn: conn, within: l.writeWithin}, nil
}

type idleConn struct {
	net.Conn
	heard  bool
	within time.Duration
	until  time.Time // what writes are bounded by at present
}

// writePiece is how much a client must take within the time limit of a write: slow ones may take long for a large answer.
const writePiece = 64 << 10

// Write gives up on a client that does not read. The limit moves with every piece, so that streams may last.
func (c *idleConn) Write(text []byte) (written int, err error) {
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

// bound moves the limit on once a good part of it is over; busy connections need not pay for it with every answer.
func (c *idleConn) bound() error {
	now := time.Now() //nolint:forbidigo // deadlines of connections are times of the machine
	if left := c.until.Sub(now); left > c.within-c.within/8 {
		return nil
	}
	c.until = now.Add(c.within)
	return c.SetWriteDeadline(c.until)
}

// Read turns the end of waiting for the very first byte into the end of the connection.
func (c *idleConn) Read(into []byte) (int, error) {
	n, err := c.Conn.Read(into)
	if n > 0 {
		c.heard = true
	} else if !c.heard && errors.Is(err, os.ErrDeadlineExceeded) {
		return 0, io.EOF
	}
	return n, err
}

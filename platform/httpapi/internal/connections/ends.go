package connections

import (
	"net"
	"sync"
	"time"
)

// readEnds moves the timer of a connection only when a read needs it. The HTTP library sets two deadlines for every
// request, that of its headers and that of the rest before the next one; most requests are read in one piece, so that
// nothing ever waits for the first, and the second is about as far away as the one before.
type readEnds struct {
	mu      sync.Mutex
	wanted  time.Time // zero when it is held already
	holding time.Time
	closed  bool
}

// close makes every later set fail, as on a bare connection: the HTTP library handles no request whose connection was
// closed while it came.
func (e *readEnds) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
}

// set remembers a moment in the future for the next read; any other holds at once. Error: net.ErrClosed.
func (e *readEnds) set(conn net.Conn, until time.Time) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return net.ErrClosed
	}
	if !until.IsZero() && time.Until(until) > 0 { //nolint:forbidigo // deadlines of connections are times of the machine
		e.wanted = until
		return nil
	}
	e.wanted, e.holding = time.Time{}, until
	return conn.SetReadDeadline(until)
}

// hold sees to it before a read that it ends when it shall, or earlier by an eighth of the time at most.
func (e *readEnds) hold(conn net.Conn, now time.Time) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.wanted.IsZero() {
		return nil
	}
	early := e.wanted.Sub(e.holding)
	if early >= 0 && early <= e.wanted.Sub(now)/8 {
		return nil
	}
	e.holding = e.wanted
	return conn.SetReadDeadline(e.wanted)
}

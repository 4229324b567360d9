package httpapi

import (
	"errors"
	"io"
	"net"
	"os"
)

// idleListener closes connections without a word on which nobody ever asked anything: browsers and load balancers open some in
// advance, and would take an unasked answer for that of their first request.
type idleListener struct{ net.Listener }

// Accept gives the next connection.
func (l idleListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &idleConn{Conn: conn}, nil
}

type idleConn struct {
	net.Conn
	heard bool
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

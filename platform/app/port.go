package app

import (
	"errors"
	"net"
	"sync"
)

// port is the panel's address for as long as the process lives: the panel and what answers in its place while it is
// stopped take connections from it in turn.
type port struct {
	net.Listener

	came chan arrival
	done chan struct{}
}

type arrival struct {
	conn net.Conn
	err  error
}

func newPort(on net.Listener) *port {
	p := &port{Listener: on, came: make(chan arrival), done: make(chan struct{})}
	go p.take()
	return p
}

func (p *port) take() {
	defer close(p.done)
	for {
		conn, err := p.Listener.Accept()
		p.came <- arrival{conn, err}
		if errors.Is(err, net.ErrClosed) {
			return
		}
	}
}

// door is one turn at the port; closing it leaves the port open.
type door struct {
	*port

	closed chan struct{}
	once   sync.Once
}

func (p *port) open() *door { return &door{port: p, closed: make(chan struct{})} }

// Accept gives the next connection that came to the port.
func (d *door) Accept() (net.Conn, error) {
	select {
	case <-d.closed:
		return nil, net.ErrClosed
	case <-d.done:
		return nil, net.ErrClosed
	case a := <-d.came:
		return a.conn, a.err
	}
}

// Close ends the turn.
func (d *door) Close() error {
	d.once.Do(func() { close(d.closed) })
	return nil
}

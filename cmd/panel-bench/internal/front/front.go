// Package front stands between the panel and the server that it asks for its license.
package front

import (
	"fmt"
	"io"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
)

// Front stands before the license server: it passes connections on, or takes them and never answers.
type Front struct {
	listener net.Listener
	target   string
	Hangs    atomic.Bool
	Calls    atomic.Int64 // taken while hanging

	mu   sync.Mutex
	open []net.Conn
}

// Open listens on an address of its own.
func Open() (*Front, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen before the license server: %w", err)
	}
	f := &Front{listener: listener}
	go f.accept()
	return f, nil
}

// Before gives the front's own address in place of the authority's.
func (f *Front) Before(authority string) string {
	address, err := url.Parse(authority)
	if err != nil || address.Host == "" {
		f.target = authority
		return f.listener.Addr().String()
	}
	f.target, address.Host = address.Host, f.listener.Addr().String()
	return address.String()
}

func (f *Front) accept() {
	for {
		client, err := f.listener.Accept()
		if err != nil {
			return
		}
		f.mu.Lock()
		f.open = append(f.open, client)
		f.mu.Unlock()
		if f.Hangs.Load() {
			f.Calls.Add(1)
			continue
		}
		go f.pass(client)
	}
}

func (f *Front) pass(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", f.target)
	if err != nil {
		return
	}
	defer server.Close()
	go func() { _, _ = io.Copy(server, client) }() // either side may leave at any moment
	_, _ = io.Copy(client, server)
}

// Cut ends all connections, so that none is kept from before.
func (f *Front) Cut() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.open {
		c.Close()
	}
	f.open = nil
}

// Close ends everything.
func (f *Front) Close() error {
	f.Cut()
	return f.listener.Close()
}

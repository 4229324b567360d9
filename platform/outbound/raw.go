package outbound

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"

	"panel/platform/database"
)

// Dial opens a plain connection, for protocols that are not HTTP: SSH above all. The address is judged as for every
// other call. A proxy is not used: it is one for HTTP.
func (n *Network) Dial(ctx context.Context, address string, reach Reach) (net.Conn, error) {
	return n.dial(ctx, "tcp", address, reach)
}

// DialUDP is Dial for UDP, which name servers are asked by.
func (n *Network) DialUDP(ctx context.Context, address string, reach Reach) (net.Conn, error) {
	return n.dial(ctx, "udp", address, reach)
}

func (n *Network) dial(ctx context.Context, network, address string, reach Reach) (net.Conn, error) {
	if database.InTransaction(ctx) {
		return nil, ErrInTransaction
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("%w: it names no host and port", ErrForbidden)
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		if err := n.permits(addr, reach); err != nil {
			return nil, err
		}
	}
	dialer := net.Dialer{Timeout: defaultTimeout, Resolver: n.resolver, Control: n.guard(reach)}
	conn, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", short(err))
	}
	return conn, nil
}

// short leaves out the address, which an error of net repeats.
func short(err error) error {
	var operation *net.OpError
	if errors.As(err, &operation) {
		return operation.Err
	}
	return err
}

// RoundTripper judges each request of a library that brings its own client, as Do does for ours. The library sets the
// deadlines, follows no redirects out of it that are not judged again, and says itself what went wrong.
func (n *Network) RoundTripper(o Options) http.RoundTripper {
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	c := &Client{network: n, options: o}
	return roundTripper{client: c, next: n.transport(o)}
}

type roundTripper struct {
	client *Client
	next   *http.Transport
}

// RoundTrip judges the request and hands it on.
func (r roundTripper) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := r.client.prepare(request.Context(), request); err != nil {
		return nil, err
	}
	return r.next.RoundTrip(request)
}

// CloseIdleConnections is what http.Client.CloseIdleConnections looks for.
func (r roundTripper) CloseIdleConnections() { r.next.CloseIdleConnections() }

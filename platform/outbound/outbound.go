// Package outbound is the panel's one client for calls to other services: the license server, release servers, DNS
// providers, webhooks, an external proxy panel.
//
// Every call has a deadline, a bounded answer and bounded redirects, goes through the proxy of PANEL_HTTP_PROXY, may
// not be made while a database transaction is open, and reaches only the addresses that its Reach allows. Failures are
// faults with the codes <name>_error (502) and <name>_timeout (504); no address, header or body is part of their text.
package outbound

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/platform/config"
	"panel/platform/database"
)

// Defaults of Options.
const (
	defaultTimeout = 15 * time.Second
	defaultAnswer  = 1 << 20
)

// Network is what all clients of a panel share: the proxy and the internal networks that the operator allows.
type Network struct {
	proxy    *url.URL
	allowed  []netip.Prefix
	resolver *net.Resolver
	clock    clockwork.Clock
}

// NewNetwork reads PANEL_HTTP_PROXY and PANEL_OUTBOUND_ALLOW.
func NewNetwork(cfg *config.Config) (*Network, error) {
	n, err := Through(cfg.Secret(config.HTTPProxy).Reveal())
	if err != nil {
		return nil, err
	}
	for _, text := range cfg.List(config.OutboundAllow) {
		prefix, err := config.Network(text)
		if err != nil {
			return nil, fmt.Errorf("PANEL_OUTBOUND_ALLOW is not usable: %q is no address or network", text)
		}
		n.allowed = append(n.allowed, prefix)
	}
	return n, nil
}

// Through is the network of a program that has no configuration, as the command line: the proxy of PANEL_HTTP_PROXY, or
// none if it is empty, and no internal networks.
func Through(proxy string) (*Network, error) {
	n := &Network{resolver: net.DefaultResolver, clock: clockwork.NewRealClock()}
	if proxy == "" {
		return n, nil
	}
	address, err := url.Parse(proxy)
	if err != nil {
		return nil, errors.New("PANEL_HTTP_PROXY is not usable: it must begin with http:// or https://")
	}
	n.proxy = address
	return n, nil
}

// Options say what a client is for and what bounds its calls. Name and Service are required.
type Options struct {
	// Name is the first part of the fault codes, for example "license_server".
	Name string
	// Service is the other side in a sentence, for example "the license server".
	Service string
	// Reach says which addresses may be called; the zero value is the strictest.
	Reach Reach
	// Timeout bounds one call with all its redirects, its repetitions and its answer; 0 means 15 s.
	Timeout time.Duration
	// MaxAnswer is the largest answer in bytes, after decompression; 0 means 1 MiB.
	MaxAnswer int64
	// Redirects is how many redirects are followed; 0 means none: the answer of the redirect is given back.
	Redirects int
	// Retries is how often an idempotent call is repeated after a lost connection, 429, 502, 503 or 504.
	Retries int
	// Headers are sent to the host that was asked and to no other; their values are secret.
	Headers map[string]config.Secret
	// Roots replaces the system's certificate authorities.
	Roots *x509.CertPool
	// Certificate proves the panel to the other side.
	Certificate *tls.Certificate
	// Proxy is used instead of the one of PANEL_HTTP_PROXY; it resolves names by itself. The schemes are http, https
	// and socks5, and its own address must lie within the reach.
	Proxy *url.URL
}

// Client calls one service. It is safe for concurrent use.
type Client struct {
	network *Network
	options Options
	http    *http.Client
	pause   func(attempt int) time.Duration
}

// New makes a client.
func (n *Network) New(o Options) *Client {
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	if o.MaxAnswer == 0 {
		o.MaxAnswer = defaultAnswer
	}
	c := &Client{network: n, options: o, pause: doubling}
	c.http = &http.Client{Transport: n.transport(o), CheckRedirect: c.redirect}
	return c
}

func (n *Network) transport(o Options) *http.Transport {
	dialer := &net.Dialer{Timeout: o.Timeout, Resolver: n.resolver}
	t := &http.Transport{
		TLSClientConfig:        &tls.Config{RootCAs: o.Roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    o.Timeout,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           4,
		IdleConnTimeout:        time.Minute,
		MaxResponseHeaderBytes: 64 << 10,
	}
	if o.Certificate != nil {
		t.TLSClientConfig.Certificates = []tls.Certificate{*o.Certificate}
	}
	switch {
	case o.Proxy != nil:
		dialer.Control = n.guard(o.Reach)
		t.Proxy = http.ProxyURL(o.Proxy)
	case n.proxy == nil:
		dialer.Control = n.guard(o.Reach)
	default:
		// The proxy is the operator's own and dials for us; check looks at the target before each request.
		t.Proxy = http.ProxyURL(n.proxy)
	}
	t.DialContext = dialer.DialContext
	return t
}

// Close ends idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// ErrInTransaction is returned for a call that is made while its context holds a database transaction: the transaction
// would stay open, with its locks and its connection, for as long as the other side likes.
var ErrInTransaction = errors.New("an outgoing call was made inside a database transaction; make it before or after")

func (c *Client) prepare(ctx context.Context, request *http.Request) error {
	if database.InTransaction(ctx) {
		return ErrInTransaction
	}
	for name, value := range c.options.Headers {
		request.Header.Set(name, value.Reveal())
	}
	return c.check(ctx, request.URL)
}

// check looks at a target before a request. A proxy of the client's own resolves names where the panel may not be able
// to, so that only what is written in the address can be judged.
func (c *Client) check(ctx context.Context, target *url.URL) error {
	if c.options.Proxy != nil {
		_, err := c.network.Address(target.String(), c.options.Reach)
		return err
	}
	return c.network.check(ctx, target, c.options.Reach)
}

// redirect follows what Options allow, never from https to http, and checks each target anew.
func (c *Client) redirect(next *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case len(via) > c.options.Redirects:
		return http.ErrUseLastResponse
	case first.URL.Scheme == "https" && next.URL.Scheme != "https":
		return errDowngrade
	}
	if next.URL.Host != first.URL.Host {
		if next.Method != http.MethodGet && next.Method != http.MethodHead {
			return errForeignBody
		}
		for name := range c.options.Headers {
			next.Header.Del(name)
		}
	}
	return c.check(next.Context(), next.URL)
}

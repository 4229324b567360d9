// Package probing looks at one thing once: does a port answer, does a handshake succeed, is a page or a name there. The
// panel and agents look alike, so that what they say can be compared.
package probing

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
	"time"

	"panel/platform/agentapi"
)

// Dial connects, within whatever reach the caller is allowed.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// Prober looks. A nil DialPublic or Lookup means that it does not look at pages or names.
type Prober struct {
	Dial       Dial
	DialPublic Dial // for pages: public addresses alone
	Lookup     func(ctx context.Context, name string) ([]string, error)
	Now        func() time.Time
	// Forbidden says of an error that the address was not to be dialled at all.
	Forbidden func(error) bool
}

// errMute says that nothing can be concluded.
var errMute = errors.New("nothing can be said")

// NotAllowed is the reason of a look that was not made, because the address must not be dialled from here.
const NotAllowed = "address_forbidden"

// Look gives the result, or false where nothing can be concluded: the address must not be dialled, which is then the
// reason of the result, or nobody answers where nobody has to. It returns within the time of the watch.
func (p *Prober) Look(ctx context.Context, w agentapi.Watch) (agentapi.CheckResult, bool) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(w.TimeoutSeconds)*time.Second)
	defer cancel()
	began := p.Now()
	result := agentapi.CheckResult{WatchID: w.ID, At: began.UTC()}
	err := p.look(ctx, w, &result)
	took := p.Now().Sub(began)
	switch {
	case errors.Is(err, errMute):
		return result, false
	case err != nil && p.Forbidden != nil && p.Forbidden(err):
		result.Reason = NotAllowed
		return result, false
	}
	result.At = result.At.Add(took)
	if result.OK = err == nil; result.OK {
		result.LatencyMillis = float64(took.Microseconds()) / 1000
	} else {
		result.Reason, result.Error = reasonOf(err), err.Error()
	}
	result.Clean()
	return result, true
}

func (p *Prober) look(ctx context.Context, w agentapi.Watch, result *agentapi.CheckResult) error {
	switch {
	case w.Type == agentapi.WatchTCP:
		conn, err := p.Dial(ctx, "tcp", w.Address)
		if err != nil {
			return err
		}
		return conn.Close()
	case w.Type == agentapi.WatchUDP:
		return p.datagram(ctx, w)
	case w.Type == agentapi.WatchTLS:
		return p.handshake(ctx, w, result)
	case w.Type == agentapi.WatchHTTP && p.DialPublic != nil:
		return p.page(ctx, w.URL)
	case w.Type == agentapi.WatchDNS && p.Lookup != nil:
		found, err := p.Lookup(ctx, w.Name)
		if err == nil && len(found) == 0 {
			err = &Fault{agentapi.CheckUnresolved, "the name has no address"}
		}
		return err
	}
	return errMute
}

// Fault is a result that is not well for a reason of its own.
type Fault struct{ Reason, Text string }

func (f *Fault) Error() string { return f.Text }

// handshake judges the certificate by its name and its time. Who signed it does not matter here: clients may trust
// an authority that this host does not.
func (p *Prober) handshake(ctx context.Context, w agentapi.Watch, result *agentapi.CheckResult) error {
	raw, err := p.Dial(ctx, "tcp", w.Address)
	if err != nil {
		return err
	}
	defer raw.Close()
	conn := tls.Client(raw, &tls.Config{
		ServerName: w.ServerName, NextProtos: []string{"h2", "http/1.1"},
		InsecureSkipVerify: true, //nolint:gosec // the certificate is judged below
	})
	if err := conn.HandshakeContext(ctx); err != nil {
		if reason := reasonOf(err); reason != agentapi.CheckFailed {
			return err
		}
		return &Fault{agentapi.CheckNoTLS, err.Error()}
	}
	leaf := conn.ConnectionState().PeerCertificates[0]
	until := leaf.NotAfter.UTC()
	result.CertExpires = &until
	switch {
	case p.Now().After(until):
		return &Fault{agentapi.CheckCertExpired, "the certificate has ended at " + until.Format(time.RFC3339)}
	case leaf.VerifyHostname(w.ServerName) != nil:
		return &Fault{agentapi.CheckCertName, "the certificate is not of " + w.ServerName}
	}
	return nil
}

// mostRead bounds what is read of a page, whatever it sends.
const mostRead = 16 << 10

// page asks for a page and follows nothing. Each look has a connection of its own.
func (p *Prober) page(ctx context.Context, address string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return err
	}
	transport := &http.Transport{
		DialContext: p.DialPublic, DisableKeepAlives: true, DisableCompression: true,
		MaxResponseHeaderBytes: mostRead,
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, _ = io.CopyN(io.Discard, response.Body, mostRead)
	if response.StatusCode >= http.StatusBadRequest {
		return &Fault{agentapi.CheckHTTPStatus, fmt.Sprintf("the page answers with status %d", response.StatusCode)}
	}
	return nil
}

// reasonOf names what went wrong in one word.
func reasonOf(err error) string {
	var fault *Fault
	var name *net.DNSError
	var timeout net.Error
	switch {
	case errors.As(err, &fault):
		return fault.Reason
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return agentapi.CheckTimeout
	case errors.As(err, &name) && !name.IsTimeout:
		return agentapi.CheckUnresolved
	case errors.As(err, &timeout) && timeout.Timeout():
		return agentapi.CheckTimeout
	case errors.Is(err, syscall.ECONNREFUSED):
		return agentapi.CheckRefused
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return agentapi.CheckNoRoute
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return agentapi.CheckReset
	}
	return agentapi.CheckFailed
}

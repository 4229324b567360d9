package outbound

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"syscall"

	"panel/platform/fault"
)

// ErrTooLarge means that an answer was larger than the client allows.
var ErrTooLarge = errors.New("the answer is too large")

var (
	errDowngrade   = errors.New("a redirect leaves https")
	errForeignBody = errors.New("a redirect would send the request's body to another host")
	errUnreadable  = errors.New("the answer cannot be read")
)

// StatusError is an answer that is no success. Body is for the caller to look into; it is never part of a text.
type StatusError struct {
	Status int
	Body   []byte
}

func (e *StatusError) Error() string { return fmt.Sprintf("HTTP %d", e.Status) }

// fault gives an error the client's codes and a sentence without addresses.
func (c *Client) fault(err error) error {
	if err == nil || errors.Is(err, ErrInTransaction) || errors.Is(err, context.Canceled) {
		return err
	}
	if _, known := fault.As(err); known {
		return err
	}
	reason, late := Explain(err)
	if late {
		return fault.UpstreamTimeout(c.options.Name+"_timeout", c.options.Service+" did not answer in time").
			Wrap(bare(err))
	}
	return fault.Upstream(c.options.Name+"_error", c.options.Service+" could not be used: "+reason).Wrap(bare(err))
}

// bare takes the address off an error of net/http: paths and queries may hold tokens, and causes are logged.
func bare(err error) error {
	var addressed *url.Error
	if errors.As(err, &addressed) {
		return addressed.Err
	}
	return err
}

// Explain says in a few words, without an address and without a secret, why a call failed, and whether it was late.
func Explain(err error) (reason string, late bool) {
	var status *StatusError
	var lookup *net.DNSError
	var network net.Error
	switch {
	case errors.As(err, &status):
		return status.Error(), false
	case errors.Is(err, ErrForbidden):
		return ErrForbidden.Error(), false
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return "timeout", true
	case errors.As(err, &lookup):
		return "the name is not found", false
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused", false
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return "the connection broke off", false
	}
	for _, known := range []error{ErrTooLarge, errDowngrade, errForeignBody, errUnreadable} {
		if errors.Is(err, known) {
			return known.Error(), false
		}
	}
	if text := err.Error(); strings.Contains(text, "tls:") || strings.Contains(text, "x509:") {
		return "TLS failed", false
	}
	return "no connection", false
}

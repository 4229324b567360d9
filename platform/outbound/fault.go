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

// Cause is why a call failed: a stable code for programs, and the same in a few English words, without an address and
// without a secret. Late says that no answer came in time.
type Cause struct {
	Code, Text string
	Late       bool
}

// causes are the errors that are recognized as they are, in the order in which they are looked for.
var causes = []struct {
	err  error
	code string
	text string
}{
	{ErrForbidden, "address_forbidden", ErrForbidden.Error()},
	{context.DeadlineExceeded, timeoutCause.Code, timeoutCause.Text},
	{syscall.ECONNREFUSED, "connection_refused", "connection refused"},
	{io.EOF, "connection_broken", brokenOff},
	{io.ErrUnexpectedEOF, "connection_broken", brokenOff},
	{syscall.ECONNRESET, "connection_broken", brokenOff},
	{ErrTooLarge, "answer_too_large", ErrTooLarge.Error()},
	{errDowngrade, "redirect_refused", errDowngrade.Error()},
	{errForeignBody, "redirect_refused", errForeignBody.Error()},
	{errUnreadable, "answer_unreadable", errUnreadable.Error()},
}

var timeoutCause = Cause{Code: "timeout", Text: "timeout", Late: true}

const brokenOff = "the connection broke off"

// CauseOf finds out why a call failed.
func CauseOf(err error) Cause {
	var status *StatusError
	var lookup *net.DNSError
	var network net.Error
	if errors.As(err, &status) {
		return Cause{Code: "status", Text: status.Error()}
	}
	if !errors.Is(err, ErrForbidden) && errors.As(err, &network) && network.Timeout() {
		return timeoutCause
	}
	if errors.As(err, &lookup) {
		return Cause{Code: "name_not_found", Text: "the name is not found"}
	}
	for _, known := range causes {
		if errors.Is(err, known.err) {
			return Cause{Code: known.code, Text: known.text, Late: known.code == timeoutCause.Code}
		}
	}
	text := err.Error()
	for _, sign := range []string{"tls:", "x509:", "HTTP response to HTTPS client"} {
		if strings.Contains(text, sign) {
			return Cause{Code: "tls_failed", Text: "TLS failed"}
		}
	}
	return Cause{Code: "no_connection", Text: "no connection"}
}

// Explain says in a few words, without an address and without a secret, why a call failed, and whether it was late.
func Explain(err error) (reason string, late bool) {
	cause := CauseOf(err)
	return cause.Text, cause.Late
}

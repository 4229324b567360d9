package outbound

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// Answer is a whole answer.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// OK reports a status of 200 to 299.
func (a Answer) OK() bool {
	return a.Status >= http.StatusOK && a.Status < http.StatusMultipleChoices
}

// Do sends a request and reads the answer whole, whatever its status is. A request with a body must be made by
// http.NewRequest from bytes or a string, so that it can be repeated.
// Faults: <name>_error, <name>_timeout.
func (c *Client) Do(ctx context.Context, request *http.Request) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	for attempt := 0; ; attempt++ {
		answer, err := c.once(ctx, request)
		pause, again := c.again(request, attempt, answer, err)
		if !again || !c.wait(ctx, pause) {
			return answer, c.fault(err)
		}
		if request.GetBody != nil {
			if request.Body, err = request.GetBody(); err != nil {
				return Answer{}, c.fault(err)
			}
		}
	}
}

func (c *Client) once(ctx context.Context, request *http.Request) (Answer, error) {
	response, err := c.open(ctx, request)
	if err != nil {
		return Answer{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return Answer{}, err
	}
	return Answer{Status: response.StatusCode, Header: response.Header, Body: body}, nil
}

func (c *Client) open(ctx context.Context, request *http.Request) (*http.Response, error) {
	request = request.Clone(ctx)
	if err := c.prepare(ctx, request); err != nil {
		return nil, err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	response.Body = &bounded{ReadCloser: response.Body, left: c.options.MaxAnswer}
	return response, nil
}

// Stream sends a request and gives the answer's body to read, for what is too large for memory. Only 200 and 206 are
// answers here. The deadline of the client bounds the reading too; MaxAnswer still holds. The caller closes the body.
// Faults: <name>_error, <name>_timeout.
func (c *Client) Stream(ctx context.Context, request *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, c.options.Timeout)
	response, err := c.open(ctx, request)
	if err != nil {
		cancel()
		return nil, c.fault(err)
	}
	response.Body = &cancelled{ReadCloser: response.Body, cancel: cancel, fault: c.fault}
	if response.StatusCode != http.StatusOK && response.StatusCode != http.StatusPartialContent {
		response.Body.Close()
		return nil, c.fault(&StatusError{Status: response.StatusCode})
	}
	return response, nil
}

// JSON sends in as JSON, if it is not nil, and reads the answer into out, if it is not nil.
// Faults: <name>_error, which wraps *StatusError when the answer's status is not 2xx, and <name>_timeout.
func (c *Client) JSON(ctx context.Context, method, address string, in, out any) error {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("encode the question for %s: %w", c.options.Service, err)
		}
		body = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return c.fault(ErrForbidden)
	}
	request.Header.Set("Accept", "application/json")
	if in != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	answer, err := c.Do(ctx, request)
	switch {
	case err != nil:
		return err
	case !answer.OK():
		return c.fault(&StatusError{Status: answer.Status, Body: answer.Body})
	case out == nil:
		return nil
	}
	if err := json.Unmarshal(answer.Body, out); err != nil {
		return c.fault(fmt.Errorf("%w: %w", errUnreadable, err))
	}
	return nil
}

// again decides whether a call is repeated and after which pause. What is not idempotent is sent once.
func (c *Client) again(request *http.Request, attempt int, answer Answer, err error) (time.Duration, bool) {
	if attempt >= c.options.Retries || !idempotent(request) {
		return 0, false
	}
	if err != nil {
		return c.pause(attempt), transient(err)
	}
	switch answer.Status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return max(c.pause(attempt), retryAfter(answer.Header)), true
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		return c.pause(attempt), true
	}
	return 0, false
}

func idempotent(request *http.Request) bool {
	switch request.Method {
	case http.MethodGet, http.MethodHead, http.MethodPut, http.MethodDelete, http.MethodOptions:
		return true
	}
	return request.Header.Get("Idempotency-Key") != ""
}

func transient(err error) bool {
	return !errors.Is(err, ErrForbidden) && !errors.Is(err, ErrInTransaction) && !errors.Is(err, ErrTooLarge) &&
		!errors.Is(err, errDowngrade) && !errors.Is(err, errForeignBody) && !errors.Is(err, context.Canceled)
}

// doubling is half a second, one, two, four, at most thirty, each up to a quarter longer by chance.
func doubling(attempt int) time.Duration {
	pause := min(500*time.Millisecond<<min(attempt, 6), 30*time.Second)
	return pause + time.Duration(rand.Int64N(int64(pause/4)))
}

func retryAfter(header http.Header) time.Duration {
	seconds, err := strconv.Atoi(header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

// wait reports false when the deadline of the call comes before the end of the pause.
func (c *Client) wait(ctx context.Context, pause time.Duration) bool {
	if end, ok := ctx.Deadline(); ok && end.Before(c.network.clock.Now().Add(pause)) {
		return false
	}
	timer := c.network.clock.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.Chan():
		return true
	}
}

// bounded ends an answer that is larger than its limit with ErrTooLarge.
type bounded struct {
	io.ReadCloser
	left int64
}

func (b *bounded) Read(into []byte) (int, error) {
	if int64(len(into)) > b.left+1 {
		into = into[:b.left+1]
	}
	n, err := b.ReadCloser.Read(into)
	if b.left -= int64(n); b.left < 0 {
		return 0, ErrTooLarge
	}
	return n, err
}

// cancelled ends the context of a streamed answer with its body and turns failures of reading into faults.
type cancelled struct {
	io.ReadCloser
	cancel context.CancelFunc
	fault  func(error) error
}

func (c *cancelled) Read(into []byte) (int, error) {
	n, err := c.ReadCloser.Read(into)
	if err == nil || errors.Is(err, io.EOF) {
		return n, err
	}
	return n, c.fault(err)
}

func (c *cancelled) Close() error {
	defer c.cancel()
	return c.ReadCloser.Close()
}

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"
)

const (
	deadline    = 10 * time.Second
	answerLimit = 16 << 20
)

// Client asks the API of a panel with a deadline of ten seconds per request.
type Client struct {
	env   Env
	base  string
	token string
	http  *http.Client
}

// Client follows --api and --token, else the environment, else the session that was stored. A wrong address is a usage
// failure.
func (env Env) Client() (*Client, error) {
	base, err := env.apiURL()
	if err != nil {
		return nil, err
	}
	return &Client{
		env: env, base: base, token: env.apiToken(base),
		http: &http.Client{Timeout: deadline, CheckRedirect: stay, Transport: direct},
	}, nil
}

// within is the client with another deadline.
func (c *Client) within(limit time.Duration) *Client {
	other := *c
	other.http = &http.Client{Timeout: limit, CheckRedirect: stay, Transport: direct}
	return &other
}

// direct uses no proxy: HTTP_PROXY and the like are not settings of the panel, and a token goes to the named host
// alone.
var direct = &http.Transport{TLSHandshakeTimeout: deadline}

// stay keeps a token with the host that the operator named.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Get reads path into out. An unreachable panel is exit 3, 401 and 403 are exit 4, 409 is exit 5.
func (c *Client) Get(ctx context.Context, path string, out any) error {
	return c.Do(ctx, http.MethodGet, path, nil, out)
}

// Post sends body to path and reads the answer into out; the failures are those of Get.
func (c *Client) Post(ctx context.Context, path string, body, out any) error {
	return c.Do(ctx, http.MethodPost, path, body, out)
}

// Once is Post for what must not be done twice: with the same key the panel gives its first answer again.
func (c *Client) Once(ctx context.Context, key, path string, body, out any) error {
	request, err := c.request(ctx, http.MethodPost, path, body)
	if err != nil {
		return err
	}
	request.Header.Set("Idempotency-Key", key)
	status, answer, err := c.perform(ctx, request)
	if err != nil {
		return err
	}
	return c.read(status, answer, out)
}

// Do performs one request; out may be nil.
func (c *Client) Do(ctx context.Context, method, path string, body, out any) error {
	status, answer, err := c.exchange(ctx, method, path, body)
	if err != nil {
		return err
	}
	return c.read(status, answer, out)
}

// exchange answers whatever the panel answered; only silence is an error.
func (c *Client) exchange(ctx context.Context, method, path string, body any) (int, []byte, error) {
	request, err := c.request(ctx, method, path, body)
	if err != nil {
		return 0, nil, err
	}
	return c.perform(ctx, request)
}

func (c *Client) perform(ctx context.Context, request *http.Request) (int, []byte, error) {
	c.trace(request)
	started := time.Now()
	response, err := c.http.Do(request)
	if err != nil {
		return 0, nil, c.unreachable(ctx, err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, answerLimit))
	if err != nil {
		return 0, nil, c.unreachable(ctx, err)
	}
	c.traceAnswer(request, response, time.Since(started))
	return response.StatusCode, answer, nil
}

func (c *Client) request(ctx context.Context, method, path string, body any) (*http.Request, error) {
	var reader io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("encode the request: %w", err)
		}
		reader = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, reader)
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	c.dress(request, body != nil)
	return request, nil
}

func (c *Client) dress(request *http.Request, body bool) {
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "panelctl/"+c.env.Version)
	if body {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
}

func (c *Client) read(status int, answer []byte, out any) error {
	if status >= 300 {
		return c.refusal(status, answer)
	}
	if out == nil || len(answer) == 0 {
		return nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return c.stranger()
	}
	return nil
}

func (c *Client) stranger() error {
	return Failed(Say("the answer of %s is not that of a panel", c.base)).
		Because(Say("no readable JSON")).Advise(Plain("--api"), Plain("PANEL_API_URL"))
}

func (c *Client) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("ask the panel: %w", ctx.Err())
	}
	return Unreachable(Say("cannot reach the panel at %s", c.base)).Because(causeOfSilence(err)).
		Advise(Plain("systemctl status panel"), Plain("panelctl doctor"))
}

func causeOfSilence(err error) Message {
	var name *net.DNSError
	var wrapped *url.Error
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return Say("connection refused")
	case errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &wrapped) && wrapped.Timeout():
		return Say("no answer within %d s", int(deadline.Seconds()))
	case errors.As(err, &name):
		return Say("the name %s does not resolve", name.Name)
	case errors.As(err, &wrapped):
		return English(wrapped.Err.Error())
	}
	return English(err.Error())
}

func (c *Client) trace(request *http.Request) {
	if !c.env.flags.debug {
		return
	}
	fmt.Fprintf(c.env.Err, "> %s %s\n", request.Method, request.URL)
	for _, name := range []string{"Accept", "User-Agent", "Content-Type", "Authorization"} {
		if value := request.Header.Get(name); value != "" {
			fmt.Fprintf(c.env.Err, "> %s: %s\n", name, maskHeader(name, value))
		}
	}
}

func maskHeader(name, value string) string {
	if name == "Authorization" {
		return strings.SplitN(value, " ", 2)[0] + " ***"
	}
	return value
}

func (c *Client) traceAnswer(request *http.Request, response *http.Response, took time.Duration) {
	if c.env.flags.debug || c.env.flags.verbose {
		fmt.Fprintf(c.env.Err, "< %s %s: %s, %d ms\n", request.Method, request.URL.Path, response.Status,
			took.Milliseconds())
	}
}

// Package link is the agent's side of the connection to the panel: it dials out, over HTTP for reports and over a
// WebSocket, or a long-poll in its place, for commands and changes.
package link

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"panel/platform/agentapi"
)

const (
	callLimit  = 15 * time.Second
	replyLimit = 16 << 20
	errorLimit = 4 << 10
)

// Client calls the panel as one node. It is safe for concurrent use.
type Client struct {
	base  string
	token atomic.Pointer[string]
	http  *http.Client

	former atomic.Pointer[former]

	stream atomic.Pointer[calls] // the one that is open or being opened
}

// StatusError is an answer of the panel other than success.
type StatusError struct {
	Status     int
	Code       string
	Detail     string
	RetryAfter time.Duration
}

func (e *StatusError) Error() string {
	return strings.TrimSpace(fmt.Sprintf("the panel answered %d %s: %s", e.Status, e.Code, e.Detail))
}

// Refused says whether the panel will give the same answer to the same call again, so that repeating it is useless.
// Only the panel's own problem documents count: a proxy before it may be wrong for an hour.
func Refused(err error) bool {
	var status *StatusError
	if !errors.As(err, &status) || status.Code == "" {
		return false
	}
	switch status.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusConflict, http.StatusGone,
		http.StatusRequestEntityTooLarge,
		http.StatusUnprocessableEntity:
		return true
	}
	return false
}

// TokenInvalid says whether the panel does not accept this agent's token.
func TokenInvalid(err error) bool {
	var status *StatusError
	return errors.As(err, &status) && status.Status == http.StatusUnauthorized
}

// LogFailure says what a failed call means for whoever reads the agent's log.
func LogFailure(log *zap.Logger, call string, err error) {
	if TokenInvalid(err) {
		log.Error("the panel does not know this agent's token; traffic goes on, enrol again to manage the node",
			zap.String("call", call))
		return
	}
	log.Info("the panel was not reached; it is tried again", zap.String("call", call), zap.Error(err))
}

// NewHTTP makes the HTTP client that Clients share. caFile, when given, names a PEM file with further trusted roots.
func NewHTTP(caFile string) (*http.Client, error) {
	roots, err := trusted(caFile)
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{
		DialContext:           (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSClientConfig:       &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:   10 * time.Second,
		ResponseHeaderTimeout: (agentapi.MaxLongPollSeconds + 10) * time.Second,
		MaxIdleConnsPerHost:   2,
		IdleConnTimeout:       30 * time.Second, // two heartbeats, where they are POSTed
	}
	return &http.Client{Transport: transport, CheckRedirect: noRedirect}, nil
}

// A redirect would carry the token to another place.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func trusted(caFile string) (*x509.CertPool, error) {
	if caFile == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(caFile)
	if err != nil {
		return nil, fmt.Errorf("read the file of trusted roots: %w", err)
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	if !roots.AppendCertsFromPEM(pem) {
		return nil, errors.New("read the file of trusted roots: it holds no certificate in PEM form")
	}
	return roots, nil
}

// NewClient makes a client for the panel at base. An empty token is fine for Enroll only.
func NewClient(base, token string, shared *http.Client) *Client {
	c := &Client{base: base, http: shared}
	c.token.Store(&token)
	return c
}

// Enroll trades an enrolment token for an identity.
func (c *Client) Enroll(ctx context.Context, req agentapi.EnrollRequest) (agentapi.EnrollReply, error) {
	var reply agentapi.EnrollReply
	err := c.call(ctx, http.MethodPost, agentapi.PathEnroll, req, &reply)
	return reply, err
}

// Heartbeat reports the agent's state, on the open stream or by POST.
func (c *Client) Heartbeat(ctx context.Context, beat agentapi.Heartbeat) (agentapi.HeartbeatReply, error) {
	if r, answered := c.overStream(ctx, agentapi.Frame{Type: agentapi.FrameHeartbeat, Heartbeat: &beat}); answered {
		return valueOf(r.Heartbeat), failure(r)
	}
	var reply agentapi.HeartbeatReply
	err := c.call(ctx, http.MethodPost, agentapi.PathHeartbeat, beat, &reply)
	return reply, err
}

// Metrics delivers one numbered batch, on the open stream or by POST.
func (c *Client) Metrics(ctx context.Context, batch agentapi.MetricsBatch) (agentapi.MetricsReply, error) {
	if r, answered := c.overStream(ctx, agentapi.Frame{Type: agentapi.FrameMetrics, Metrics: &batch}); answered {
		return valueOf(r.Metrics), failure(r)
	}
	var reply agentapi.MetricsReply
	err := c.call(ctx, http.MethodPost, agentapi.PathMetrics, batch, &reply)
	return reply, err
}

// Config fetches one revision of this node's configuration, on the open stream or by GET, and checks its hash.
func (c *Client) Config(ctx context.Context, revision int64) (agentapi.NodeConfig, error) {
	config, err := c.fetch(ctx, revision)
	if err != nil {
		return config, err
	}
	hash, err := config.ContentHash()
	if err != nil {
		return config, err
	}
	if config.Revision != revision || config.Hash != hash {
		return config, fmt.Errorf("fetch configuration %d: the content is not what its revision or hash say", revision)
	}
	return config, nil
}

func (c *Client) fetch(ctx context.Context, revision int64) (config agentapi.NodeConfig, err error) {
	r, answered := c.overStream(ctx, agentapi.Frame{Type: agentapi.FrameConfig, Revision: revision})
	if answered && r.Status != http.StatusRequestEntityTooLarge {
		return valueOf(r.Config), failure(r)
	}
	path := agentapi.PathConfig + "?revision=" + strconv.FormatInt(revision, 10)
	err = c.call(ctx, http.MethodGet, path, nil, &config)
	return config, err
}

// Document fetches the newest revision of a document, on the open stream or by GET, and checks its hash.
func (c *Client) Document(ctx context.Context, name agentapi.DocumentName) (agentapi.Document, error) {
	document, err := c.fetchDocument(ctx, name)
	if err != nil {
		return document, err
	}
	if document.Name != name {
		return document, fmt.Errorf("fetch the document %s: the panel answered with another one", name)
	}
	return document, document.Verify()
}

func (c *Client) fetchDocument(ctx context.Context, name agentapi.DocumentName) (agentapi.Document, error) {
	var document agentapi.Document
	r, answered := c.overStream(ctx, agentapi.Frame{Type: agentapi.FrameDocument, Document: name})
	if answered && r.Status != http.StatusRequestEntityTooLarge {
		return valueOf(r.Document), failure(r)
	}
	path := strings.Replace(agentapi.PathDesired, "{name}", url.PathEscape(string(name)), 1)
	err := c.call(ctx, http.MethodGet, path, nil, &document)
	return document, err
}

// ClientChanges asks what has changed on the list of a flow.
func (c *Client) ClientChanges(
	ctx context.Context, flowID string, from agentapi.ListPosition,
) (changes agentapi.ClientChanges, err error) {
	path := strings.Replace(agentapi.PathClientChanges, "{id}", url.PathEscape(flowID), 1)
	query := url.Values{
		"epoch": {from.Epoch}, "since": {strconv.FormatInt(from.Since, 10)}, "after": {from.After},
		"known": {strconv.FormatInt(from.Known, 10)},
	}
	err = c.call(ctx, http.MethodGet, path+"?"+query.Encode(), nil, &changes)
	return changes, err
}

// Batch delivers one numbered batch of results, on the open stream or by POST.
func (c *Client) Batch(ctx context.Context, batch agentapi.Batch) (agentapi.BatchReply, error) {
	if r, answered := c.overStream(ctx, agentapi.Frame{Type: agentapi.FrameBatch, Batch: &batch}); answered {
		return valueOf(r.Batch), failure(r)
	}
	var reply agentapi.BatchReply
	path := strings.Replace(agentapi.PathBatches, "{kind}", url.PathEscape(string(batch.Kind)), 1)
	err := c.call(ctx, http.MethodPost, path, batch, &reply)
	return reply, err
}

// AbuseSignals delivers one numbered batch of what users seem to do.
func (c *Client) AbuseSignals(ctx context.Context, batch agentapi.AbuseBatch) (reply agentapi.BatchReply, err error) {
	err = c.call(ctx, http.MethodPost, agentapi.PathAbuseSignals, batch, &reply)
	return reply, err
}

// SessionDiversity delivers one numbered batch of from where users were connected.
func (c *Client) SessionDiversity(
	ctx context.Context, batch agentapi.DiversityBatch,
) (reply agentapi.BatchReply, err error) {
	err = c.call(ctx, http.MethodPost, agentapi.PathSessionDiversity, batch, &reply)
	return reply, err
}

// ConfigResult reports what became of a configuration.
func (c *Client) ConfigResult(ctx context.Context, result agentapi.ConfigResult) error {
	return c.call(ctx, http.MethodPost, agentapi.PathConfigResult, result, nil)
}

// CommandResult reports what became of a command, on the open stream or by POST.
func (c *Client) CommandResult(ctx context.Context, result agentapi.CommandResult) error {
	if r, answered := c.overStream(ctx, agentapi.Frame{Type: agentapi.FrameResult, Result: &result}); answered {
		return failure(r)
	}
	path := strings.Replace(agentapi.PathCommandResult, "{id}", url.PathEscape(result.ID), 1)
	return c.call(ctx, http.MethodPost, path, result, nil)
}

// Pending is the long-poll: it answers when something waits, or after wait.
func (c *Client) Pending(ctx context.Context, wait time.Duration) (agentapi.Pending, error) {
	seconds := min(agentapi.MaxLongPollSeconds, max(0, int(wait/time.Second)))
	ctx, cancel := context.WithTimeout(ctx, time.Duration(seconds)*time.Second+callLimit)
	defer cancel()
	var pending agentapi.Pending
	err := c.do(ctx, http.MethodGet, agentapi.PathCommands+"?wait="+strconv.Itoa(seconds), nil, &pending)
	return pending, err
}

// Base is the address by which this agent dials the panel.
func (c *Client) Base() string { return c.base }

// ReflectURL and Token let a client core ask, through a flow, for the source address that the panel sees.
func (c *Client) ReflectURL() string { return c.base + agentapi.PathReflect }

// Token is the agent token of this client.
func (c *Client) Token() string { return *c.token.Load() }

// Rotate asks for a new token and hands it to keep, which must make it durable; only then the client uses it. When the
// answer is lost or keep fails, the token before goes on working and the next rotation gives another one.
func (c *Client) Rotate(ctx context.Context, keep func(token string) error) (agentapi.TokenReply, error) {
	var reply agentapi.TokenReply
	if err := c.call(ctx, http.MethodPost, agentapi.PathToken, struct{}{}, &reply); err != nil {
		return reply, err
	}
	if reply.AgentToken == "" {
		return reply, errors.New("take a new token: the panel's answer holds none")
	}
	if err := keep(reply.AgentToken); err != nil {
		return reply, err
	}
	before := c.token.Swap(&reply.AgentToken)
	if f := c.former.Load(); f != nil {
		c.former.Store(&former{token: *before, keep: f.keep})
	}
	return reply, nil
}

func (c *Client) call(ctx context.Context, method, path string, body, into any) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	return c.do(ctx, method, path, body, into)
}

// do makes a call. A panel that does not know the token is asked once more with the one before it.
func (c *Client) do(ctx context.Context, method, path string, body, into any) error {
	err := c.once(ctx, c.Token(), method, path, body, into)
	if f := c.former.Load(); TokenInvalid(err) && f != nil && f.token != "" {
		if again := c.once(ctx, f.token, method, path, body, into); !TokenInvalid(again) {
			return errors.Join(again, c.goBack(f, again == nil))
		}
	}
	return err
}

func (c *Client) once(ctx context.Context, token, method, path string, body, into any) error {
	req, err := c.request(ctx, method, path, body)
	if err != nil {
		return err
	}
	bearer(req.Header, token)
	resp, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("call the panel: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return statusError(resp)
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, replyLimit))
	if err != nil {
		return fmt.Errorf("read the panel's answer: %w", err)
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("read the panel's answer: %w", err)
	}
	return nil
}

func (c *Client) request(ctx context.Context, method, path string, body any) (*http.Request, error) {
	var content io.Reader
	if body != nil {
		raw, err := encode(body)
		if err != nil {
			return nil, fmt.Errorf("encode a call to the panel: %w", err)
		}
		content = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, content)
	if err != nil {
		return nil, fmt.Errorf("make a call to the panel: %w", err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

func (c *Client) sign(header http.Header) { bearer(header, c.Token()) }

func bearer(header http.Header, token string) {
	if token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
}

func statusError(resp *http.Response) error {
	raw, _ := io.ReadAll(io.LimitReader(resp.Body, errorLimit))
	var problem struct{ Code, Detail string }
	_ = json.Unmarshal(raw, &problem)
	failed := &StatusError{Status: resp.StatusCode, Code: problem.Code, Detail: problem.Detail}
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds > 0 {
		failed.RetryAfter = time.Duration(seconds) * time.Second
	}
	return failed
}

// RetryAfter is the pause that the panel asked for with an answer; 0 when it asked for none.
func RetryAfter(err error) time.Duration {
	var status *StatusError
	if errors.As(err, &status) {
		return status.RetryAfter
	}
	return 0
}

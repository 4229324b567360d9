package remnawave

import (
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"time"

	"panel/platform/fault"
	"panel/platform/outbound"
)

// Causes that a panel cannot be used or not fully, beside those of outbound.CauseOf (connection_refused,
// name_not_found, tls_failed, timeout and others).
const (
	NoReverseProxy     = "no_reverse_proxy"
	GatePage           = "gate_page"
	TokenRefused       = "token_refused"
	TokenExpired       = "token_expired"
	TokenExpiring      = "token_expiring"
	ScopeMissing       = "scope_missing"
	VersionUnsupported = "version_unsupported"
	ProcessSilent      = "process_silent"
	NodesDown          = "nodes_down"
	SlowDown           = "slow_down"
	PanelFailed        = "panel_failed"
	AnswerUnreadable   = "answer_unreadable"
)

// Problem is a call that gave no answer to work with. Status is 0 where none came.
type Problem struct {
	Cause  string
	Status int
	// Code is the panel's own, "A063"; codes are not unique: look at Status as well.
	Code string
	// Detail is what the panel says, cut and without control characters; it may be shown.
	Detail string
	// Wait is how long the panel wants to be left alone.
	Wait time.Duration
	late bool
	err  error
}

func (p *Problem) Error() string {
	text := "the proxy panel: " + p.Cause
	if p.Status != 0 {
		text += fmt.Sprintf(" (HTTP %d %s)", p.Status, p.Code)
	}
	return text
}

func (p *Problem) Unwrap() error { return p.err }

// Fault is the problem as the API answers it: proxypanel_timeout (504) or proxypanel_error (502), with its cause.
func (p *Problem) Fault() error {
	made := fault.Upstream("proxypanel_error", "the proxy panel could not be used: "+p.Cause)
	if p.late {
		made = fault.UpstreamTimeout("proxypanel_timeout", "the proxy panel did not answer in time")
	}
	return made.With("cause", p.Cause).After(p.Wait).Wrap(p)
}

// reached says whether the panel's own code has answered, and past the question who asks.
func (p *Problem) reached() bool {
	return p.Cause == PanelFailed && p.Status != http.StatusBadGateway && p.Status != http.StatusGatewayTimeout &&
		p.Status != http.StatusServiceUnavailable
}

// Passing says whether the same question may well be answered in a moment: the connection broke, the panel was not
// there, or it wants to be left alone for no longer than this.
func (p *Problem) Passing(within time.Duration) bool {
	switch p.Cause {
	case SlowDown:
		return p.Wait < within
	case NoReverseProxy, "connection_broken", "timeout":
		return true
	}
	return p.Status == http.StatusBadGateway || p.Status == http.StatusServiceUnavailable ||
		p.Status == http.StatusGatewayTimeout
}

// Is says whether an error is a refusal with this status and code.
func Is(err error, status int, code string) bool {
	var p *Problem
	return errors.As(err, &p) && p.Status == status && p.Code == code
}

// CauseOf is the cause of an error of this package.
func CauseOf(err error) string {
	var p *Problem
	if errors.As(err, &p) {
		return p.Cause
	}
	return PanelFailed
}

// lost is the problem of a call that no answer came to. A socket that is closed without a byte is what the panel does
// when it is reached without a reverse proxy.
func (c *Client) lost(err error) error {
	cause := outbound.CauseOf(err)
	if cause.Code == "connection_broken" && !c.access.Direct {
		cause.Code = NoReverseProxy
	}
	return &Problem{Cause: cause.Code, late: cause.Late, err: err}
}

// mostDetail is how much of what the panel says is kept.
const mostDetail = 300

// refusal is the problem in an answer that is no success, or whose form is not the API's: HTML is a gate's.
func (c *Client) refusal(answer outbound.Answer) *Problem {
	p := &Problem{Status: answer.Status, Wait: retryAfter(answer.Header, c.now())}
	var said struct {
		Message   any    `json:"message"`
		ErrorCode string `json:"errorCode"`
	}
	kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	isJSON := kind == "application/json" && json.Unmarshal(answer.Body, &said) == nil
	p.Code = said.ErrorCode
	if text, is := said.Message.(string); is {
		p.Detail = plain(text)
	}
	switch status := answer.Status; {
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable && p.Wait > 0:
		p.Cause, p.Wait = SlowDown, max(p.Wait, time.Second)
	case status == http.StatusBadGateway, status == http.StatusGatewayTimeout, status == http.StatusServiceUnavailable:
		p.Cause = PanelFailed
	case !isJSON:
		p.Cause = GatePage
	case status == http.StatusUnauthorized:
		p.Cause = TokenRefused
	case status == http.StatusForbidden:
		p.Cause = ScopeMissing
	default:
		p.Cause = PanelFailed
	}
	return p
}

// plain cuts a text and takes what is no letter of one line out of it.
func plain(text string) string {
	runes := []rune(text)
	for i, r := range runes {
		if r < ' ' || r == 0x7f {
			runes[i] = ' '
		}
	}
	return string(runes[:min(len(runes), mostDetail)])
}

// retryAfter reads both forms of the header: seconds, and a moment.
func retryAfter(header http.Header, now time.Time) time.Duration {
	text := header.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil && seconds >= 0 {
		return time.Duration(min(seconds, int(longestWait/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(at.Sub(now), 0), longestWait)
	}
	return 0
}

// longestWait bounds how long a panel can ask to be left alone.
const longestWait = time.Hour

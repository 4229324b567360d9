// Package bscheck speaks to the service of bsbord.com, which looks at addresses from the networks of Russian mobile
// operators, with and without their white lists.
//
// A probe answers after up to two minutes; scans and tunnels wait in a queue of the service. A leg that says ok has
// only run: whether the address was reached is in what ICMP and TCP say.
package bscheck

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"panel/modules/health/internal/external/checker"
	"panel/platform/fault"
	"panel/platform/outbound"
)

// Name is what reports call the service.
const Name = "bscheck"

// Address is where the service answers.
const Address = "https://bsbord.com/v1"

const (
	usual  = 15 * time.Second
	slow   = 150 * time.Second // a probe answers within 120 s
	answer = 4 << 20
	every  = 1100 * time.Millisecond // the service takes one call a second
)

// Client is the adapter. It is safe for concurrent use.
type Client struct{ quick, patient *outbound.Client }

// New makes the adapter. The address is one that an administrator names, so that it may be in a private network.
func New(network *outbound.Network) *Client {
	client := func(limit time.Duration) *outbound.Client {
		return network.New(outbound.Options{
			Name: "checker", Service: "the service for external checks", Reach: outbound.Private, Timeout: limit,
			MaxAnswer: answer,
		})
	}
	return &Client{quick: client(usual), patient: client(slow)}
}

// Name is stored with each report.
func (*Client) Name() string { return Name }

// Every is how long the service wants between two calls.
func (*Client) Every() time.Duration { return every }

// call is one request and where its answer goes.
type call struct {
	method, path string
	key          string // Idempotency-Key
	body, out    any
	patient      bool
	paid         bool // without an answer it cannot be known whether it was carried out
}

func (c *Client) do(ctx context.Context, access checker.Access, one call) error {
	request, err := one.request(ctx, access)
	if err != nil {
		return err
	}
	client := c.quick
	if one.patient {
		client = c.patient
	}
	got, err := client.Do(ctx, request)
	if err != nil {
		return one.unanswered(err)
	}
	return one.read(got)
}

func (one call) request(ctx context.Context, access checker.Access) (*http.Request, error) {
	var text []byte
	if one.body != nil {
		var err error
		if text, err = json.Marshal(one.body); err != nil {
			return nil, fmt.Errorf("encode a question for the service for external checks: %w", err)
		}
	}
	address := strings.TrimSuffix(access.Address, "/") + one.path
	request, err := http.NewRequestWithContext(ctx, one.method, address, bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("ask the service for external checks: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+access.Key)
	request.Header.Set("Accept", "application/json")
	if one.body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if one.key != "" {
		request.Header.Set("Idempotency-Key", one.key)
	}
	return request, nil
}

// unanswered tells a call that was refused here from one whose answer was lost.
func (one call) unanswered(err error) error {
	switch {
	case errors.Is(err, outbound.ErrInTransaction), errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, outbound.ErrForbidden):
		return &checker.Refusal{Code: checker.Unreachable, Detail: outbound.CauseOf(err).Text}
	}
	code := checker.Unreachable
	if fault.KindOf(err) == fault.KindUpstreamTimeout {
		code = checker.TimedOut
	}
	if errors.Is(err, outbound.ErrTooLarge) {
		code = checker.AnswerUnusable
	}
	return one.lost(code, err)
}

func (one call) lost(code string, err error) error {
	if one.paid {
		return &checker.Lost{Code: code, Err: err}
	}
	return &checker.Refusal{Code: code, Detail: outbound.CauseOf(err).Text, Repeat: true}
}

// envelope is the form of every error of the service.
type envelope struct {
	Error *struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Details struct {
			Retryable  bool    `json:"retryable"`
			RetryAfter float64 `json:"retry_after"`
		} `json:"details"`
	} `json:"error"`
}

// read takes an answer. One of an intermediary has no envelope: what became of the call is not known then.
func (one call) read(got outbound.Answer) error {
	var wrapped envelope
	err := json.Unmarshal(got.Body, &wrapped)
	if err == nil && wrapped.Error != nil {
		refused := refusal(got, wrapped)
		if got.Status < http.StatusInternalServerError || refused.Code != checker.Refused {
			return refused
		}
		return one.lost(checker.Unreachable, &outbound.StatusError{Status: got.Status})
	}
	switch {
	case got.OK() && err == nil:
		if err = json.Unmarshal(got.Body, one.out); err == nil || one.out == nil {
			return nil
		}
		return one.lost(checker.AnswerUnusable, err)
	case got.OK():
		return one.lost(checker.AnswerUnusable, err)
	case got.Status == http.StatusUnauthorized || got.Status == http.StatusForbidden:
		return &checker.Refusal{Code: checker.KeyRefused, Detail: "HTTP " + strconv.Itoa(got.Status)}
	case got.Status == http.StatusTooManyRequests:
		return &checker.Refusal{Code: checker.TooFast, After: after(got, 0), Repeat: true}
	case got.Status < http.StatusInternalServerError:
		return &checker.Refusal{Code: checker.Refused, Detail: "HTTP " + strconv.Itoa(got.Status)}
	}
	return one.lost(checker.Unreachable, &outbound.StatusError{Status: got.Status})
}

// refusal puts an error of the service into the words that all services share.
func refusal(got outbound.Answer, wrapped envelope) *checker.Refusal {
	said := wrapped.Error
	refused := &checker.Refusal{
		Code: checker.Refused, Detail: brief(said.Code + ": " + said.Message), Repeat: said.Details.Retryable,
		After: after(got, said.Details.RetryAfter),
	}
	switch {
	case said.Code == "request_in_progress":
		refused.Code, refused.Repeat = checker.StillRunning, true
	case said.Code == "no_dpi_on" || said.Code == "unknown_operator":
		refused.Code = checker.NothingToAsk
	case got.Status == http.StatusUnauthorized || got.Status == http.StatusForbidden:
		refused.Code, refused.Repeat = checker.KeyRefused, false
	case got.Status == http.StatusPaymentRequired:
		refused.Code, refused.Repeat = checker.BalanceLow, false
	case got.Status == http.StatusTooManyRequests:
		refused.Code, refused.Repeat = checker.TooFast, true
	case got.Status == http.StatusServiceUnavailable:
		refused.Code, refused.Repeat = checker.Unreachable, true
	}
	return refused
}

const (
	soonest = time.Second
	latest  = 15 * time.Minute
)

// after is how long the service asks to wait; zero when it says nothing.
func after(got outbound.Answer, seconds float64) time.Duration {
	if seconds <= 0 {
		seconds, _ = strconv.ParseFloat(got.Header.Get("Retry-After"), 64)
	}
	if seconds <= 0 {
		return 0
	}
	return time.Duration(min(max(seconds, soonest.Seconds()), latest.Seconds()) * float64(time.Second))
}

const longest = 200

// brief keeps a text of the service short and printable.
func brief(text string) string {
	clean := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	runes := []rune(strings.TrimSpace(clean))
	return string(runes[:min(len(runes), longest)])
}

// Account asks what the panel has with the service.
func (c *Client) Account(ctx context.Context, access checker.Access) (checker.Account, error) {
	var got struct {
		Total     *float64 `json:"balance_total"`
		Credits   float64  `json:"balance_credits"`
		Tier      string   `json:"tier"`
		ExpiresAt string   `json:"tier_expires_at"`
	}
	err := c.do(ctx, access, call{method: http.MethodGet, path: "/account", out: &got})
	account := checker.Account{Balance: int64(got.Credits), Tier: brief(got.Tier)}
	if got.Total != nil {
		account.Balance = int64(*got.Total)
	}
	if at, bad := time.Parse(time.RFC3339, got.ExpiresAt); bad == nil {
		account.ExpiresAt = &at
	}
	return account, err
}

// Operators asks which units there are.
func (c *Client) Operators(ctx context.Context, access checker.Access) ([]checker.Operator, error) {
	var got struct {
		Units     []unit `json:"units"`
		Operators []unit `json:"operators"`
	}
	if err := c.do(ctx, access, call{method: http.MethodGet, path: "/operators", out: &got}); err != nil {
		return nil, err
	}
	all := []checker.Operator{}
	for _, one := range append(got.Units, got.Operators...) {
		if one.Key != "" && len(all) < mostUnits {
			all = append(all, one.operator())
		}
	}
	return all, nil
}

// pathOf is where a check that goes on is asked for.
func pathOf(order checker.Order, ref string) string {
	if order.Kind == checker.Scan {
		return "/scans/" + url.PathEscape(ref)
	}
	return "/vless/" + url.PathEscape(ref)
}

// Cancel ends a check. The service knows a probe by its key; one that has ended already is none to it.
func (c *Client) Cancel(ctx context.Context, access checker.Access, order checker.Order, key, ref string) error {
	one := call{method: http.MethodPost, path: "/probe/cancel", key: key}
	if order.Kind != checker.Probe {
		one = call{method: http.MethodPost, path: pathOf(order, ref) + "/cancel"}
	}
	err := c.do(ctx, access, one)
	if refused, is := checker.RefusalOf(err); is && refused.Code == checker.Refused {
		return nil
	}
	return err
}

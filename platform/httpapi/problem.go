package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"
	fast "github.com/segmentio/encoding/json"
	"go.uber.org/zap"

	"panel/platform/access"
	"panel/platform/database"
	"panel/platform/fault"
)

// Problem is the body of every refusal (RFC 9457). Clients test Code, never Detail.
type Problem struct {
	Type      string             `json:"type" doc:"Always about:blank; the code names the problem"`
	Title     string             `json:"title"`
	Status    int                `json:"status"`
	Detail    string             `json:"detail"`
	Code      string             `json:"code" doc:"Stable word that clients test"`
	RequestID string             `json:"request_id"`
	Errors    []fault.FieldError `json:"errors,omitempty"`

	extra      map[string]any
	retryAfter time.Duration
}

func (p *Problem) Error() string { return p.Code }

// GetStatus is the HTTP status of the problem.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType names the media type of problem documents.
func (p *Problem) ContentType(string) string { return "application/problem+json" }

// GetHeaders carries Retry-After where the fault names a time.
func (p *Problem) GetHeaders() http.Header {
	if p.retryAfter <= 0 {
		return nil
	}
	return http.Header{fiber.HeaderRetryAfter: {retrySeconds(p.retryAfter)}}
}

// MarshalJSON adds the fault's extra members beside the standard ones.
func (p *Problem) MarshalJSON() ([]byte, error) { return p.appended(nil) }

func (p *Problem) appended(into []byte) ([]byte, error) {
	type plain Problem
	switch {
	case len(p.extra) == 0 && len(p.Errors) == 0:
		return p.short(into), nil
	case len(p.extra) == 0:
		return fast.Append(into, (*plain)(p), fast.SortMapKeys)
	}
	body, err := json.Marshal((*plain)(p))
	if err != nil {
		return into, err
	}
	members := map[string]any{}
	maps.Copy(members, p.extra)
	if err := json.Unmarshal(body, &members); err != nil {
		return into, err
	}
	body, err = json.Marshal(members)
	return append(into, body...), err
}

// short writes a document of nothing but texts, which is what a flood of refusals gets.
func (p *Problem) short(into []byte) []byte {
	text := func(before, value string) {
		into = fast.AppendEscape(append(into, before...), value, 0)
	}
	text(`{"type":`, p.Type)
	text(`,"title":`, p.Title)
	into = strconv.AppendInt(append(into, `,"status":`...), int64(p.Status), 10)
	text(`,"detail":`, p.Detail)
	text(`,"code":`, p.Code)
	text(`,"request_id":`, p.RequestID)
	return append(into, '}')
}

func retrySeconds(d time.Duration) string {
	return strconv.Itoa(int(math.Max(1, math.Ceil(d.Seconds()))))
}

var statuses = map[fault.Kind]int{
	fault.Internal:            http.StatusInternalServerError,
	fault.KindMalformed:       http.StatusBadRequest,
	fault.KindUnauthenticated: http.StatusUnauthorized,
	fault.KindForbidden:       http.StatusForbidden,
	fault.KindMissing:         http.StatusNotFound,
	fault.KindMethod:          http.StatusMethodNotAllowed,
	fault.KindSlow:            http.StatusRequestTimeout,
	fault.KindConflict:        http.StatusConflict,
	fault.KindTooLarge:        http.StatusRequestEntityTooLarge,
	fault.KindHeadersTooLarge: http.StatusRequestHeaderFieldsTooLarge,
	fault.KindInvalid:         http.StatusUnprocessableEntity,
	fault.KindThrottled:       http.StatusTooManyRequests,
	fault.KindUpstream:        http.StatusBadGateway,
	fault.KindUnavailable:     http.StatusServiceUnavailable,
	fault.KindUpstreamTimeout: http.StatusGatewayTimeout,
}

// StatusOf is the status that faults of a kind have.
func StatusOf(kind fault.Kind) int { return statuses[kind] }

var internal = &fault.Fault{Code: "internal", Detail: "the panel failed to answer; read its log for this request id"}

// problem turns any error into the document that the caller sees, and logs what the caller must not see.
func (s *Server) problem(ctx context.Context, err error) *Problem {
	return s.problemOf(access.From(ctx).RequestID, err)
}

func (s *Server) problemOf(requestID string, err error) *Problem {
	f, known := fault.As(err)
	if !known {
		f = s.unknown(err)
	}
	return s.problemOfFault(requestID, f, err)
}

// problemOfFault makes the document of a fault and logs what is the panel's own failure.
func (s *Server) problemOfFault(requestID string, f *fault.Fault, err error) *Problem {
	p := document(requestID, f)
	s.noteFailure(p, err)
	return p
}

func (s *Server) noteFailure(p *Problem, err error) {
	if p.Status >= http.StatusInternalServerError {
		s.log.Error("request failed", zap.String("request_id", p.RequestID), zap.String("code", p.Code), zap.Error(err))
	}
}

// unknown gives a request that ran out of time, or that the database could not serve now, its own word.
func (s *Server) unknown(err error) *fault.Fault {
	if errors.Is(err, context.DeadlineExceeded) || database.Unreachable(err) {
		return fault.Unavailable("the panel could not answer in time; try again")
	}
	return internal
}

func document(requestID string, f *fault.Fault) *Problem {
	p := problemFrom(requestID, f)
	return &p
}

func problemFrom(requestID string, f *fault.Fault) Problem {
	status := statuses[f.Kind]
	return Problem{
		Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: f.Detail, Code: f.Code,
		RequestID: requestID, Errors: listed(f.Fields), extra: f.Extra, retryAfter: f.RetryAfter,
	}
}

// Bounds of the errors in one answer, so that a small request never gets a large one. Names that a caller invents are
// cut.
const (
	mostListed     = 20
	mostListedSize = 5 << 10 // bytes of names and messages; JSON writes some bytes as two
	longestKey     = 64
	longestField   = 200
	longestMessage = 300
)

// listed are the first errors, as many as an answer has room for.
func listed(all []fault.FieldError) []fault.FieldError {
	room := mostListedSize
	all = all[:min(len(all), mostListed)]
	for i, one := range all {
		one.Field, one.Message = shortened(one.Field, longestField), shortened(one.Message, longestMessage)
		if room -= len(one.Field) + len(one.Message); room < 0 {
			return all[:i]
		}
		if one != all[i] {
			all = slices.Clone(all) // it may belong to a fault that everybody shares
			all[i] = one
		}
	}
	return all
}

// shortened cuts a text to so many bytes, between characters.
func shortened(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

// write answers a plain fiber request with the problem of err.
func (s *Server) write(c *fiber.Ctx, err error) error {
	return s.send(c, s.problemOf(visited(c).caller.RequestID, fromFiber(err)))
}

func (s *Server) send(c *fiber.Ctx, p *Problem) (err error) {
	b := borrow()
	defer b.back()
	if b.text, err = p.appended(b.text); err != nil {
		return err
	}
	if p.retryAfter > 0 {
		c.Response().Header.SetCanonical(canonicalRetryAfter, []byte(retrySeconds(p.retryAfter)))
	}
	c.Response().Header.SetContentType(p.ContentType(""))
	// copies, unlike fiber's own way, which would keep what is given back here
	c.Status(p.Status).Response().SetBody(b.text)
	return nil
}

var canonicalRetryAfter = []byte(fiber.HeaderRetryAfter)

// fromFiber gives the faults of the HTTP layer itself their words.
func fromFiber(err error) error {
	var fe *fiber.Error
	if !errors.As(err, &fe) {
		return err
	}
	switch fe.Code {
	case http.StatusNotFound:
		return fault.Missing("there is nothing at this address")
	case http.StatusMethodNotAllowed:
		return errMethod
	case http.StatusRequestEntityTooLarge:
		return fault.TooLarge("the body is larger than any operation takes")
	case http.StatusInternalServerError:
		return err
	default:
		return fault.Malformed("bad_parameter", "the request could not be read")
	}
}

// bare is a whole answer for a connection that no request is read from.
func bare(f *fault.Fault) []byte {
	id := requestID(time.Now()) //nolint:forbidigo // no request has a time yet
	p := document(string(id[:]), f)
	text, err := p.appended(nil)
	if err != nil {
		return nil
	}
	head := fmt.Appendf(nil, "HTTP/1.1 %d %s\r\nConnection: close\r\nContent-Type: %s\r\nContent-Length: %d\r\nRetry-After: %s\r\n%s: %s\r\n",
		p.Status, http.StatusText(p.Status), p.ContentType(""), len(text), retrySeconds(p.retryAfter),
		canonicalRequestID, id)
	for _, header := range constantHeaders {
		head = fmt.Appendf(head, "%s: %s\r\n", header[0], header[1])
	}
	return append(append(head, "\r\n"...), text...)
}

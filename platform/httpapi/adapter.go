package httpapi

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"
)

// adapter lets the typed layer run on fiber; a request's own context travels as fiber's user context.
type adapter struct{ server *Server }

// Handle mounts one described operation behind the guard.
func (a *adapter) Handle(op *huma.Operation, handler func(huma.Context)) {
	at := a.server.ops[op.Method+" "+op.Path]
	at.described, at.query, at.handle = op, parametersOf(op), handler
	a.server.mount(op.Method, op.Path, func(c *fiber.Ctx) error {
		if made := at.made.Load(); made != nil {
			c.Response().Header.SetContentType(fiber.MIMEApplicationJSON)
			return c.Send(*made)
		}
		e := &exchange{op: op, fiber: c, ctx: c.UserContext()}
		if at.body != nil {
			if err := e.read(at); err != nil {
				return err
			}
		}
		if at.op.Repeatable() && a.server.opts.Idempotency != nil && c.Get(idempotencyKey) != "" {
			return a.server.once(e, at, handler)
		}
		if at.op.Keyed && c.Get(idempotencyKey) == "" {
			return errKeyMissing
		}
		handler(e)
		at.keep(c)
		return nil
	})
}

// keep remembers the answer of an unchanging operation.
func (at *mounted) keep(c *fiber.Ctx) {
	if answer := c.Response(); at.op.Unchanging && answer.StatusCode() == http.StatusOK && len(answer.Body()) > 0 {
		made := bytes.Clone(answer.Body())
		at.made.Store(&made)
	}
}

// ServeHTTP is never used: requests arrive through fiber.
func (a *adapter) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.WriteHeader(http.StatusNotFound)
}

// route turns {id} of the description into fiber's :id.
func route(path string) string {
	return strings.NewReplacer("{", ":", "}", "").Replace(path)
}

// exchange is one request and its answer as the typed layer wants to see them. Strings are cloned, because fiber
// reuses their memory for the next request.
type exchange struct {
	op     *huma.Operation
	fiber  *fiber.Ctx
	ctx    context.Context
	body   []byte
	status int
}

func (e *exchange) Operation() *huma.Operation { return e.op }
func (e *exchange) Context() context.Context   { return e.ctx }
func (e *exchange) Method() string             { return strings.Clone(e.fiber.Method()) }
func (e *exchange) Host() string               { return strings.Clone(e.fiber.Hostname()) }
func (e *exchange) RemoteAddr() string         { return e.fiber.Context().RemoteAddr().String() }
func (e *exchange) Query(name string) string   { return strings.Clone(e.fiber.Query(name)) }
func (e *exchange) Header(name string) string  { return strings.Clone(e.fiber.Get(name)) }

// Param gives the decoded path parameter; an undecodable one is passed on as it is and found nowhere.
func (e *exchange) Param(name string) string {
	raw := strings.Clone(e.fiber.Params(name))
	if text, err := url.PathUnescape(raw); err == nil {
		return text
	}
	return raw
}

func (e *exchange) URL() url.URL {
	u, err := url.Parse(string(e.fiber.Request().RequestURI()))
	if err != nil {
		return url.URL{}
	}
	return *u
}

func (e *exchange) EachHeader(visit func(name, value string)) {
	for name, value := range e.fiber.Request().Header.All() {
		visit(string(name), string(value))
	}
}

// read takes the body in, inflated and within the operation's limit, and judges it.
func (e *exchange) read(at *mounted) (err error) {
	e.body = e.fiber.Request().Body()
	if e.fiber.Get(fiber.HeaderContentEncoding) == "gzip" {
		if e.body, err = inflated(e.body, at.op.BodyLimit); err != nil {
			return err
		}
	}
	switch {
	case int64(len(e.body)) > at.op.BodyLimit:
		return tooLarge(at.op.BodyLimit)
	case len(e.body) == 0:
		return nil // the typed layer knows whether there must be one
	}
	return judged(at.registry, e.body, at.body)
}

// inflated reads one byte more than the limit, which tells that there is more.
func inflated(body []byte, limit int64) ([]byte, error) {
	reader, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, errSyntax.Field("", errSyntax.Code, "not gzip")
	}
	text, err := io.ReadAll(io.LimitReader(reader, limit+1))
	if err != nil {
		return nil, errSyntax.Field("", errSyntax.Code, "not gzip")
	}
	return text, nil
}

// BodyReader gives the body that was judged.
func (e *exchange) BodyReader() io.Reader { return bytes.NewReader(e.body) }

func (e *exchange) GetMultipartForm() (*multipart.Form, error) { return e.fiber.MultipartForm() }

// SetReadDeadline has nothing to do: a request arrives whole, under the deadlines of the connection.
func (e *exchange) SetReadDeadline(time.Time) error { return nil }

func (e *exchange) SetStatus(code int) {
	e.status = code
	e.fiber.Status(code)
}

func (e *exchange) Status() int                     { return e.status }
func (e *exchange) AppendHeader(name, value string) { e.fiber.Append(name, value) }
func (e *exchange) BodyWriter() io.Writer           { return e.fiber.Context() }

// SetHeader knows the one header that every answer has, so that its name is not brought into form each time.
func (e *exchange) SetHeader(name, value string) {
	if name == fiber.HeaderContentType {
		e.fiber.Response().Header.SetContentType(value)
		return
	}
	e.fiber.Set(name, value)
}

func (e *exchange) TLS() *tls.ConnectionState { return e.fiber.Context().TLSConnectionState() }

func (e *exchange) Version() huma.ProtoVersion { return huma.ProtoVersion{Proto: e.fiber.Protocol()} }

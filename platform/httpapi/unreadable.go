package httpapi

import (
	"errors"
	"net"
	"net/http"
	"net/netip"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"panel/platform/access"
	"panel/platform/fault"
	"panel/platform/limits"
)

// What the HTTP library refuses by itself, before any layer of the panel has seen a request. The words are stable like
// all others.
var (
	errUnreadable = fault.Malformed("bad_request", "the request is not valid HTTP")
	errAmbiguous  = fault.Malformed("bad_request",
		"the headers of the request can be read in two ways, as proxies and servers "+
			"then do; send one Content-Length or Transfer-Encoding, no spaces around names, and lines that end in CR LF")
	errSlow = &fault.Fault{
		Kind: fault.KindSlow, Code: "request_timeout",
		Detail: "the request did not arrive in time; send it again",
	}
	errHeaders = &fault.Fault{
		Kind: fault.KindHeadersTooLarge, Code: "headers_too_large",
		Detail: "the headers of the request are larger than 4 KiB",
	}
	errMethod = &fault.Fault{
		Kind: fault.KindMethod, Code: "method_not_allowed",
		Detail: "this address does not take this method",
	}
)

// unread answers for the HTTP library: the same headers and document as every other answer.
func (s *Server) unread(c *fiber.Ctx, err error) error {
	if _, entered := c.Locals(visitKey{}).(*visit); entered {
		return s.write(c, err)
	}
	s.opts.Meter.Began()
	began := s.opts.Clock.Now()
	id := requestID(began)
	c.Response().Reset()
	secure(c.Context(), id[:])
	s.hangUp(c.Context())
	refused := s.send(c, document(string(id[:]), wordOf(err)))
	s.unmatched.answered(c.Response().StatusCode(), s.opts.Clock.Since(began))
	return refused
}

// wordOf gives a failure to read a request its word.
func wordOf(err error) *fault.Fault {
	var broken *fiber.Error
	if errors.As(err, &broken) {
		switch broken.Code {
		case http.StatusRequestHeaderFieldsTooLarge:
			return errHeaders
		case http.StatusRequestTimeout:
			return errSlow
		case http.StatusMethodNotAllowed:
			return errMethod
		}
	}
	return errUnreadable
}

// known refuses methods that the HTTP library would answer in its own words.
func (s *Server) known(next fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		switch string(ctx.Method()) {
		case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
			http.MethodOptions, http.MethodTrace, http.MethodConnect:
			next(ctx)
			return
		}
		c := s.app.AcquireCtx(ctx)
		defer s.app.ReleaseCtx(c)
		_ = s.unread(c, fiber.ErrMethodNotAllowed) // writes into memory
	}
}

// isTimeout tells a client that was too slow from one that broke off.
func isTimeout(err error) bool {
	var network net.Error
	return errors.As(err, &network) && network.Timeout()
}

// stranger is the caller of a request until he has proved who he is, and his network.
func (s *Server) stranger(ctx *fasthttp.RequestCtx, requestID string) (access.Caller, netip.Addr) {
	addr, text := s.address(ctx)
	return access.Caller{Kind: access.Nobody, IP: text, UserAgent: agent(ctx), RequestID: requestID}, limits.Of(addr)
}

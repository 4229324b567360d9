package httpapi

import (
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"panel/platform/access"
	"panel/platform/fault"
	"panel/platform/httpapi/internal/framing"
	"panel/platform/limits"
)

// shedding refuses whoever goes on asking a throttled route beyond its limit, with the same answer as the route, before
// the library and the layers have spent on the request what they spend on one that may pass. The first refusal of a
// kind takes the long way, where it is logged.
type shedding struct {
	routes  map[string]*mounted // by path
	code    string
	headers *fasthttp.ResponseHeader
	body    []byte // up to the request id
}

func newShedding() shedding {
	refusal := problemFrom("", fault.Throttled(time.Second))
	const end = `"}`
	body := refusal.short(nil)
	s := shedding{
		routes: map[string]*mounted{}, code: refusal.Code,
		headers: new(fasthttp.ResponseHeader), body: body[:len(body)-len(end)],
	}
	usualHeaders.CopyTo(s.headers)
	s.headers.SetStatusCode(refusal.Status)
	s.headers.SetContentType(refusal.ContentType(""))
	return s
}

// add takes in a route whose limit is the first thing that may refuse its requests.
func (s shedding) add(at *mounted) {
	op := at.op
	if op.Rule.Kind == access.KindThrottled && op.Method == fiber.MethodGet && op.Feature == "" && !at.parameters {
		s.routes[op.Path] = at
	}
}

// sheds answers what it can itself and hands on all else.
func (s *Server) sheds(next fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		at := s.shed.routes[string(ctx.URI().PathOriginal())]
		if at == nil || !ctx.IsGet() || !s.shedsFrom(at, ctx) {
			next(ctx)
		}
	}
}

// shedsFrom answers a request that the limit refuses, not as the first of its kind; it counts none that may pass.
func (s *Server) shedsFrom(at *mounted, ctx *fasthttp.RequestCtx) bool {
	began := s.opts.Clock.Now()
	addr, _ := s.address(ctx)
	from := limits.Of(addr)
	wait := s.limits.Wait(limits.Key{Route: at, From: from}, at.op.Rule.Limit, began)
	if wait == 0 || framing.Ambiguous(ctx.Request.Header.RawHeaders()) ||
		!s.refused.again(refusalKey{from: from, status: fiber.StatusTooManyRequests, code: s.shed.code}) {
		return false
	}
	s.opts.Meter.Began()
	id := requestID(began)
	headed(ctx, s.shed.headers, id[:])
	ctx.Response.Header.SetCanonical(canonicalRetryAfter, []byte(retrySeconds(wait)))
	ctx.Response.SetBody(s.shed.body)
	ctx.Response.AppendBody(id[:])
	ctx.Response.AppendBodyString(`"}`)
	s.settle(ctx)
	at.answered(fiber.StatusTooManyRequests, s.opts.Clock.Since(began))
	return true
}

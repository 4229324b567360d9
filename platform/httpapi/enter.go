package httpapi

import (
	"bytes"
	"fmt"
	"net/netip"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
	"go.uber.org/zap"

	"panel/platform/httpapi/internal/framing"
)

// enter is the first and last thing of every request: request id, caller's address, headers, log line, count, panic.
func (s *Server) enter(c *fiber.Ctx) (err error) {
	began := s.opts.Clock.Now()
	id := requestID(began)
	v := comes(c)
	v.began = began
	v.caller, v.from = s.stranger(c.Context(), string(id[:]))
	s.opts.Meter.Began()
	secure(c.Context(), id[:])
	defer func() {
		if cause := recover(); cause != nil {
			err = s.write(c, fmt.Errorf("panic: %v\n%s", cause, debug.Stack()))
		}
		s.settle(c.Context())
		s.left(c, v)
		v.goes(c)
	}()
	if framing.Ambiguous(c.Request().Header.RawHeaders()) {
		s.hangUp(c.Context())
		return s.write(c, errAmbiguous)
	}
	if err = s.dispatch(c); err != nil {
		err = s.write(c, err)
	}
	return err
}

const longestUserAgent = 256

func agent(ctx *fasthttp.RequestCtx) string {
	text := ctx.Request.Header.UserAgent()
	return string(text[:min(len(text), longestUserAgent)])
}

// address is the client's: the peer, or what trusted proxies say in front of it. Some proxies add to the line that
// came, some add a line; either way what they say stands last, and what stands before it is the client's own word.
// Where they say nothing that can be read, the last address that is known counts: every limit per address needs one. It
// is read once and handed on with its text.
func (s *Server) address(ctx *fasthttp.RequestCtx) (netip.Addr, string) {
	peer, ok := netip.AddrFromSlice(ctx.RemoteIP())
	if !ok {
		return netip.Addr{}, ""
	}
	if peer = peer.Unmap(); !s.believed(peer) {
		return peer, peer.String()
	}
	for _, line := range slices.Backward(ctx.Request.Header.PeekAll(fiber.HeaderXForwardedFor)) {
		for rest := true; rest; {
			var hop []byte
			line, hop, rest = lastHop(line)
			text := string(hop)
			next, readable := hopAddress(text)
			if !readable {
				return peer, peer.String()
			}
			if peer = next; !s.believed(peer) {
				return peer, written(peer, text)
			}
		}
	}
	return peer, peer.String()
}

// lastHop takes the last of the addresses in a line, which commas part.
func lastHop(line []byte) (before, hop []byte, more bool) {
	at := bytes.LastIndexByte(line, ',')
	return line[:max(at, 0)], bytes.TrimSpace(line[at+1:]), at >= 0
}

// written is the address in its one form; a text that has it already is not made anew.
func written(addr netip.Addr, text string) string {
	var room [48]byte
	if form := addr.AppendTo(room[:0]); string(form) != text {
		return string(form)
	}
	return text
}

// hopAddress reads an address as proxies write it: alone, in brackets, or with the port of the client.
func hopAddress(text string) (netip.Addr, bool) {
	addr, err := netip.ParseAddr(strings.Trim(text, "[]"))
	if err != nil {
		var port netip.AddrPort
		port, err = netip.ParseAddrPort(text)
		addr = port.Addr()
	}
	return addr.Unmap().WithZone(""), err == nil
}

// believed says whether the peer is a proxy whose X-Forwarded-For counts.
func (s *Server) believed(peer netip.Addr) bool {
	for _, proxy := range s.opts.TrustedProxies {
		if proxy.Contains(peer) {
			return true
		}
	}
	return false
}

// constantHeaders are that every answer carries, in the canonical spelling, so that nothing is computed for them.
var constantHeaders = [][2][]byte{
	{[]byte(fiber.HeaderContentSecurityPolicy), []byte("default-src 'none'; frame-ancestors 'none'")},
	{[]byte(fiber.HeaderXContentTypeOptions), []byte("nosniff")},
	{[]byte(fiber.HeaderReferrerPolicy), []byte("no-referrer")},
	{[]byte(fiber.HeaderCacheControl), []byte("no-store")},
	{[]byte("Cross-Origin-Resource-Policy"), []byte("same-origin")},
}

var canonicalRequestID = []byte("X-Request-Id")

// usualHeaders are the headers of an answer before anything is known of it; copying them costs a third of setting each.
var usualHeaders = func() *fasthttp.ResponseHeader {
	h := new(fasthttp.ResponseHeader)
	h.SetCanonical(canonicalRequestID, make([]byte, requestIDLength))
	for _, header := range constantHeaders {
		h.SetCanonical(header[0], header[1])
	}
	return h
}()

// secure sets the headers that every answer carries, in place of all that it has; the web interface replaces the policy
// for its page.
func secure(ctx *fasthttp.RequestCtx, requestID []byte) {
	headed(ctx, usualHeaders, requestID)
}

// headed gives an answer prepared headers with what depends on its request.
func headed(ctx *fasthttp.RequestCtx, prepared *fasthttp.ResponseHeader, requestID []byte) {
	h := &ctx.Response.Header
	prepared.CopyTo(h)
	h.SetCanonical(canonicalRequestID, requestID)
	if encrypted(ctx) {
		h.Set(fiber.HeaderStrictTransportSecurity, "max-age=31536000")
	}
}

// encrypted says whether the client came over TLS, to the panel or to the proxy before it.
func encrypted(ctx *fasthttp.RequestCtx) bool {
	proto, _, _ := bytes.Cut(ctx.Request.Header.Peek(fiber.HeaderXForwardedProto), []byte(","))
	return ctx.IsTLS() || string(proto) == "https"
}

// left counts and logs the answer. Of a flood of refused strangers the log gets the first and the sums.
func (s *Server) left(c *fiber.Ctx, v *visit) {
	at, status, took := v.at, c.Response().StatusCode(), s.opts.Clock.Since(v.began)
	if at == nil {
		at = s.unmatched
	}
	at.answered(status, took)
	if !s.refused.logged(v, status) {
		return
	}
	if entry := at.log.Check(zap.InfoLevel, "request"); entry != nil {
		v.line = [...]zap.Field{
			zap.Int("status", status), v.code(), zap.Duration("took", took), zap.String("ip", v.caller.IP),
			zap.String("request_id", v.caller.RequestID),
		}
		entry.Write(v.line[:]...)
	}
}

type noMeter struct{}

// Began does nothing.
func (noMeter) Began() {}

// Route counts nothing.
func (noMeter) Route(string, string) func(int, time.Duration) { return func(int, time.Duration) {} }

// code is the word of the guard's refusal, if it refused.
func (v *visit) code() zap.Field {
	if v.refusal == nil {
		return zap.Skip()
	}
	return zap.String("code", v.refusal.Code)
}

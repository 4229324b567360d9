package httpapi

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/google/uuid"
	"go.uber.org/zap"

	"panel/platform/access"
)

// enter is the first and last thing of every request: request id, caller's address, headers, log line, panic.
func (s *Server) enter(c *fiber.Ctx) (err error) {
	began := s.opts.Clock.Now()
	caller := access.Caller{Kind: access.Nobody, IP: s.address(c), UserAgent: agent(c), RequestID: requestID()}
	c.SetUserContext(access.With(context.Background(), caller))
	c.Set(fiber.HeaderXRequestID, caller.RequestID)
	secure(c)
	defer func() {
		if cause := recover(); cause != nil {
			err = s.write(c, fmt.Errorf("panic: %v\n%s", cause, debug.Stack()))
		}
		s.logged(c, caller, began)
	}()
	if err = c.Next(); err != nil {
		err = s.write(c, err)
	}
	return err
}

// requestID is no secret, so that it needs no random bytes from the kernel.
func requestID() string {
	id, err := uuid.NewV7FromReader(quickRandom{})
	if err != nil {
		return uuid.NewString()
	}
	return id.String()
}

type quickRandom struct{}

// Read fills the whole slice.
func (quickRandom) Read(into []byte) (int, error) {
	for i := 0; i < len(into); i += 8 {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], rand.Uint64()) //nolint:gosec // see requestID
		copy(into[i:], word[:])
	}
	return len(into), nil
}

const longestUserAgent = 256

func agent(c *fiber.Ctx) string {
	text := c.Get(fiber.HeaderUserAgent)
	return strings.Clone(text[:min(len(text), longestUserAgent)])
}

// address is the client's: the peer, or what trusted proxies say in front of it, read from the right.
func (s *Server) address(c *fiber.Ctx) string {
	peer := c.Context().RemoteIP().String()
	if len(s.opts.TrustedProxies) == 0 || !s.believed(peer) {
		return peer
	}
	hops := strings.Split(c.Get(fiber.HeaderXForwardedFor), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop := strings.TrimSpace(hops[i])
		if hop == "" {
			break
		}
		if peer = strings.Clone(hop); !s.believed(hop) {
			break
		}
	}
	return peer
}

// standing are the headers that every answer carries, in the canonical spelling, so that nothing is computed for them.
var standing = [][2][]byte{
	{[]byte(fiber.HeaderContentSecurityPolicy), []byte("default-src 'none'; frame-ancestors 'none'")},
	{[]byte(fiber.HeaderXContentTypeOptions), []byte("nosniff")},
	{[]byte(fiber.HeaderReferrerPolicy), []byte("no-referrer")},
	{[]byte(fiber.HeaderCacheControl), []byte("no-store")},
	{[]byte("Cross-Origin-Resource-Policy"), []byte("same-origin")},
}

// secure sets the headers that every answer carries; the web interface replaces the policy for its page.
func secure(c *fiber.Ctx) {
	h := &c.Response().Header
	for _, header := range standing {
		h.SetCanonical(header[0], header[1])
	}
	if c.Secure() {
		h.Set(fiber.HeaderStrictTransportSecurity, "max-age=31536000")
	}
}

func (s *Server) logged(c *fiber.Ctx, caller access.Caller, began time.Time) {
	if entry := s.log.Check(zap.InfoLevel, "request"); entry != nil {
		entry.Write(
			zap.String("method", c.Method()), zap.String("route", c.Route().Path), zap.Int("status", c.Response().StatusCode()),
			zap.Duration("took", s.opts.Clock.Since(began)), zap.String("ip", caller.IP), zap.String("request_id", caller.RequestID),
		)
	}
}

package httpapi

import (
	"crypto/sha256"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"
	"go.uber.org/zap"

	"panel/platform/fault"
	"panel/platform/idempotency"
)

const (
	idempotencyKey = "Idempotency-Key"
	replayed       = "Idempotency-Replayed" // true on an answer that was given before
	longestIdemKey = 128
)

// Idempotent lets clients repeat the operation with an Idempotency-Key: the same key with the same request gets the same answer, for
// at least a day, and the work is done once. Its changes must be made in transactions, which mark the key.
func Idempotent() Option { return func(o *Operation) { o.Idempotent = true } }

var errIdempotencyKey = fault.Malformed("bad_parameter", "an Idempotency-Key has 1 to 128 visible ASCII characters").
	Field("header."+idempotencyKey, "bad_parameter", "not usable as a key")

func usableKey(key string) bool {
	invisible := func(r rune) bool { return r <= ' ' || r > '~' }
	return len(key) <= longestIdemKey && !strings.ContainsFunc(key, invisible)
}

// once does the work of a request whose key is new, and repeats the answer of one whose key is not.
func (s *Server) once(e *exchange, at *mounted, handler func(huma.Context)) error {
	key := e.Header(idempotencyKey)
	if !usableKey(key) {
		return errIdempotencyKey
	}
	run, answer, err := s.opts.Idempotency.Begin(e.ctx, idempotency.Request{
		AccountID: visited(e.fiber).caller.AccountID, Operation: at.op.Method + " " + at.op.Path, Key: key,
		Digest: digestOf(e), Within: at.op.Deadline,
	})
	switch {
	case err != nil:
		return err
	case answer != nil:
		e.fiber.Set(replayed, "true")
		e.fiber.Set(fiber.HeaderContentType, answer.ContentType)
		return e.fiber.Status(answer.Status).Send(answer.Body)
	}
	e.ctx = run.Context(e.ctx)
	handler(e)
	response := e.fiber.Response()
	given := idempotency.Answer{
		Status: response.StatusCode(), ContentType: string(response.Header.ContentType()), Body: response.Body(),
	}
	if err := run.End(e.ctx, given); err != nil {
		at.log.Warn("the answer of a request with an Idempotency-Key could not be stored", zap.Error(err))
	}
	return nil
}

// digestOf tells requests apart: by their address, the revision they start from and their body.
func digestOf(e *exchange) [sha256.Size]byte {
	hash := sha256.New()
	for _, part := range [][]byte{e.fiber.Request().RequestURI(), []byte(e.Header(fiber.HeaderIfMatch)), e.body} {
		_, _ = hash.Write(part) // never fails
		_, _ = hash.Write([]byte{0})
	}
	return [sha256.Size]byte(hash.Sum(nil))
}

package httpapi

import (
	"crypto/sha256"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"
	"go.uber.org/zap"

	"panel/platform/access"
	"panel/platform/fault"
	"panel/platform/idempotency"
)

const (
	idempotencyKey = "Idempotency-Key"
	replayed       = "Idempotency-Replayed" // true on an answer that was given before
	longestIdemKey = 128
)

// Anew is for a POST of a session that must not be answered from what is stored: its answer shows a secret this once,
// it changes nothing, or it ends what would prove the repeated request. It ignores an Idempotency-Key. Every other one
// takes a key: the same key with the same request gets the same answer, for at least a day, and the work is done once.
// Its changes must be made in transactions, which mark the key.
func Anew() Option { return func(o *Operation) { o.Anew = true } }

// Keyed is for a POST whose work must not be done twice by mistake, because it costs money: it is refused without an
// Idempotency-Key.
func Keyed() Option { return func(o *Operation) { o.Keyed = true } }

// checkAnew refuses what could not be answered again with what is stored of an answer: its status, its type and its
// body.
func checkAnew(op *Operation) error {
	switch posted := op.Method == fiber.MethodPost && op.Rule.Kind == access.KindSession; {
	case op.Anew && !posted:
		return errors.New("says Anew, which only a POST of a session may; no other takes an Idempotency-Key")
	case posted && op.raw != nil && !op.Anew:
		return errors.New("writes its answer itself, so that it cannot be stored; say Anew")
	case op.Keyed && !op.Repeatable():
		return errors.New("demands an Idempotency-Key, which only a POST of a session takes that is not Anew")
	case op.Repeatable() && givesHeader(op.answer):
		return errors.New("its answer has a header, which is not stored; say Anew, or put it into the body")
	}
	return nil
}

func givesHeader(answer reflect.Type) bool {
	named := func(field reflect.StructField) bool { return field.Tag.Get("header") != "" }
	return slices.ContainsFunc(reflect.VisibleFields(answer), named)
}

var errIdempotencyKey = fault.Malformed("bad_parameter", "an Idempotency-Key has 1 to 128 visible ASCII characters").
	Field("header."+idempotencyKey, "bad_parameter", "not usable as a key")

var errKeyMissing = fault.Malformed("bad_parameter", "this needs an Idempotency-Key, by which a repeated request is known").
	Field("header."+idempotencyKey, "bad_parameter", "is missing")

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
		if len(answer.Body) > 0 {
			e.fiber.Set(fiber.HeaderContentType, answer.ContentType)
		}
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

package httpapi

import (
	"bytes"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"panel/platform/access"
)

// leastCompressed is the size below which an answer fits a packet as it is.
const leastCompressed = 1 << 10

// Reveals says that the answer carries a secret. It is never compressed, because the length of a compressed text tells
// a listener how much of the secret he has guessed right in what he made the panel repeat beside it.
func Reveals() Option { return func(o *Operation) { o.Reveals = true } }

// Compressed says whether answers are compressed for who accepts it: what people read with a session. Everything that
// changes something, and with it all that is shown once, is sent as it is, and so is what needs no session, for agents,
// and what lasts.
func (o Operation) Compressed() bool {
	return !o.Writes() && o.Rule.Kind == access.KindSession && !o.Reveals && !o.Lasting
}

var (
	canonicalVary  = []byte(fiber.HeaderVary)
	acceptEncoding = []byte(fiber.HeaderAcceptEncoding)
)

// varies tells caches that the answer depends on what its reader can unpack.
func varies(c *fiber.Ctx) {
	if h := &c.Response().Header; len(h.PeekBytes(canonicalVary)) == 0 {
		h.SetCanonical(canonicalVary, acceptEncoding)
		return
	}
	c.Vary(fiber.HeaderAcceptEncoding)
}

// Compress packs the whole answer of a request that accepts gzip. A piece of something, a stream, what is encoded
// already and what is small stay. Its tag becomes a weak one: the same content has other bytes.
func Compress(c *fiber.Ctx) {
	answer := c.Response()
	varies(c)
	switch {
	case answer.StatusCode() != fiber.StatusOK, answer.IsBodyStream(), len(answer.Body()) < leastCompressed,
		len(answer.Header.ContentEncoding()) > 0, !c.Request().Header.HasAcceptEncoding("gzip"):
		return
	}
	b := borrow()
	defer b.back()
	b.text = fasthttp.AppendGzipBytesLevel(b.text, answer.Body(), fasthttp.CompressDefaultCompression)
	answer.SetBody(b.text)
	answer.Header.SetContentEncoding("gzip")
	if tag := answer.Header.Peek(fiber.HeaderETag); len(tag) > 0 && !bytes.HasPrefix(tag, []byte("W/")) {
		answer.Header.Set(fiber.HeaderETag, "W/"+string(tag))
	}
}

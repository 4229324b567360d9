package httpapi

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
	"golang.org/x/sync/semaphore"

	"panel/platform/access"
	"panel/platform/fault"
	"panel/platform/httpapi/internal/connections"
)

const (
	// PublicBodyLimit is the largest body that an operation may declare whose caller need not prove who he is, in
	// bytes.
	PublicBodyLimit = 16 << 10
	// SmallBodyLimit is enough for a name, a password and a second factor, in bytes.
	SmallBodyLimit = 4 << 10
	// unusedBodyLimit is what an operation that takes no body reads and throws away, to keep the connection.
	unusedBodyLimit = 4 << 10
)

// Bodies that are being read and worked on take at most so much memory in sum, one share for callers who have proved
// who they are and one for all others, so that strangers cannot take the place of agents and administrators.
const (
	knownBodies    = 32 << 20
	strangerBodies = 16 << 20
)

const (
	bodyWait    = 2 * time.Second  // for room for a body; then the caller is told to come again
	knownBody   = 60 * time.Second // for a body of a caller who has proved who he is
	anyBody     = 10 * time.Second // for a body of anybody else
	leastBuffer = 512
)

// bodyRoom bounds the bodies in flight.
type bodyRoom struct{ known, strangers *semaphore.Weighted }

func newBodyRoom() bodyRoom {
	return bodyRoom{known: semaphore.NewWeighted(knownBodies), strangers: semaphore.NewWeighted(strangerBodies)}
}

// body is what one request holds of the room; leave gives it back.
type body struct {
	room *semaphore.Weighted
	size int64
	text *buffer
}

func (b *body) leave(c *fiber.Ctx) {
	if b.room == nil {
		return
	}
	c.Request().ResetBody() // its text goes back to where others take it from
	b.text.back()
	b.room.Release(b.size)
	*b = body{}
}

// receive reads the body of a request that was let in. How large it may be is known before its first byte is read.
func (s *Server) receive(ctx context.Context, c *fiber.Ctx, v *visit) error {
	if !c.Request().IsBodyStream() {
		return nil
	}
	if v.at.op.upload > 0 {
		return s.store(c, v)
	}
	limit, claimed := v.at.op.BodyLimit, int64(c.Request().Header.ContentLength())
	if claimed > limit {
		return tooLarge(limit)
	}
	if claimed < 0 || len(c.Request().Header.ContentEncoding()) > 0 {
		claimed = limit // the end is not known before it is there
	}
	if err := s.enterRoom(ctx, v, claimed); err != nil {
		return err
	}
	if conn := c.Context().Conn(); conn != nil {
		_ = conn.SetReadDeadline(time.Now().Add(bodyWithin(v.caller))) //nolint:forbidigo // deadlines of connections are times of the machine
	}
	text, err := readBody(c, v.body.text.text, limit)
	if err != nil {
		return err
	}
	v.body.text.text = text
	c.Request().SetBodyRaw(text)
	return nil
}

func (s *Server) enterRoom(ctx context.Context, v *visit, size int64) error {
	room := s.bodies.known
	if v.caller.Kind == access.Nobody {
		room = s.bodies.strangers
	}
	if !room.TryAcquire(size) {
		waiting, stop := context.WithTimeout(ctx, bodyWait)
		defer stop()
		if room.Acquire(waiting, size) != nil {
			return fault.Unavailable("the panel is reading as many bodies as it has memory for; try again").
				After(bodyWait)
		}
	}
	v.body = body{room: room, size: size, text: borrow()}
	return nil
}

func bodyWithin(caller access.Caller) time.Duration {
	if caller.Kind == access.Nobody {
		return anyBody
	}
	return knownBody
}

func tooLarge(limit int64) error {
	return fault.TooLarge(fmt.Sprintf("the body is larger than the %d bytes that this operation takes", limit))
}

// readBody takes memory as the body arrives, not as its headers announce it.
func readBody(c *fiber.Ctx, into []byte, limit int64) ([]byte, error) {
	from, announced := c.Request().BodyStream(), c.Request().Header.ContentLength()
	for {
		if int64(len(into)) > limit {
			return nil, tooLarge(limit)
		}
		if len(into) == cap(into) {
			into = slices.Grow(into, leastBuffer)
		}
		n, err := from.Read(into[len(into):cap(into)])
		into = into[:len(into)+n]
		switch {
		case errors.Is(err, io.EOF) && (announced < 0 || len(into) == announced):
			if int64(len(into)) > limit {
				return nil, tooLarge(limit)
			}
			return into, nil
		case err != nil && isTimeout(err):
			return nil, errSlow
		case err != nil:
			return nil, errUnreadable
		}
	}
}

// settle deals with a body that nobody wanted, because the request was refused or takes none: a small one is thrown
// away, a large one costs the connection, so that the next request is not looked for inside it. A stranger who does not
// wait for answers loses the connection, too.
func (s *Server) settle(ctx *fasthttp.RequestCtx) {
	if conn, ours := ctx.Conn().(*connections.Client); ours && conn.Hurries() {
		s.hangUp(ctx)
	}
	if !ctx.Request.IsBodyStream() {
		return
	}
	length := int64(ctx.Request.Header.ContentLength())
	if length < 0 || length > unusedBodyLimit {
		s.hangUp(ctx)
		return
	}
	if left, err := io.Copy(io.Discard, ctx.Request.BodyStream()); err != nil || left != length {
		s.hangUp(ctx)
	}
}

// hangUp ends the connection after the answer, in a way that lets a client read it that is still sending.
func (s *Server) hangUp(ctx *fasthttp.RequestCtx) {
	ctx.Response.SetConnectionClose()
	if conn, ours := ctx.Conn().(*connections.Client); ours {
		conn.LeaveUnread()
	}
}

const (
	// MaxUpload is the largest file that an operation may take, in bytes.
	MaxUpload = 64 << 20
	// uploadWithin is how long a file may take to arrive.
	uploadWithin = 5 * time.Minute
	// uploadRead is how long it may take to read a file that has arrived.
	uploadRead = 30 * time.Second
	// uploadsAtOnce bounds what files that are arriving or being read take of the disk.
	uploadsAtOnce = 2
)

// Uploaded is a file that came as the body of a request. It is gone when the request has been answered, or with the
// process.
type Uploaded struct {
	*os.File
	Size int64
}

// Upload declares a POST whose body is a file of any type. The file is written to the disk while it arrives, so that
// its size costs no memory; limit is that of this operation alone. Faults besides those of h: missing_field (400),
// body_too_large (413), unavailable (503).
func Upload[I, O any](
	path, summary string, rule access.Rule, limit int64, h func(ctx context.Context, in *I, file *Uploaded) (*O, error),
	opts ...Option,
) Operation {
	received := func(ctx context.Context, in *I) (*O, error) {
		file, _ := ctx.Value(uploadKey{}).(*Uploaded)
		if file == nil || file.Size == 0 {
			return nil, fault.Malformed("missing_field", "send the file as the body of the request")
		}
		ctx, stop := context.WithTimeout(ctx, uploadRead)
		defer stop()
		return h(ctx, in, file)
	}
	takes := func(o *Operation) { o.upload, o.Anew, o.Lasting, o.BodyLimit = limit, true, true, limit }
	op := Post(path, summary, rule, received, append([]Option{takes}, opts...)...)
	register := op.register
	op.register = func(api huma.API, described huma.Operation, s *Server) {
		binary := &huma.Schema{Type: huma.TypeString, Format: "binary"}
		described.RequestBody = &huma.RequestBody{
			Required: true, Content: map[string]*huma.MediaType{"application/octet-stream": {Schema: binary}},
		}
		register(api, described, s)
	}
	return op
}

type uploadKey struct{}

// store writes the body of a request to a file that has no name any more, so that nothing is left of it whatever
// happens.
func (s *Server) store(c *fiber.Ctx, v *visit) (err error) {
	limit, claimed := v.at.op.upload, int64(c.Request().Header.ContentLength())
	if claimed > limit {
		return tooLarge(limit)
	}
	if !s.uploads.TryAcquire(1) {
		return fault.Unavailable("the panel is reading as many files as it may; try again").After(bodyWait)
	}
	v.upload = &Uploaded{}
	if v.upload.File, err = os.CreateTemp("", "panel-upload-"); err != nil {
		return fmt.Errorf("make room for an upload: %w", err)
	}
	if err := os.Remove(v.upload.Name()); err != nil {
		return fmt.Errorf("take the name from an upload: %w", err)
	}
	if conn := c.Context().Conn(); conn != nil {
		_ = conn.SetReadDeadline(time.Now().Add(uploadWithin)) //nolint:forbidigo // deadlines of connections are times of the machine
	}
	v.upload.Size, err = io.Copy(sink{v.upload.File}, io.LimitReader(c.Request().BodyStream(), limit+1))
	var full *storageError
	switch {
	case errors.As(err, &full):
		return fault.Unavailable("the panel has no room on its disk for the file").After(time.Minute)
	case err != nil && isTimeout(err):
		return errSlow
	case err != nil || claimed >= 0 && v.upload.Size != claimed:
		return errUnreadable
	case v.upload.Size > limit:
		return tooLarge(limit)
	}
	_, err = v.upload.Seek(0, io.SeekStart)
	return err
}

// sink tells the failures of the disk from those of the connection.
type sink struct{ file *os.File }

func (s sink) Write(p []byte) (int, error) {
	n, err := s.file.Write(p)
	if err != nil {
		return n, &storageError{err}
	}
	return n, nil
}

type storageError struct{ error }

// drop gives back what an upload has taken.
func (s *Server) drop(v *visit) {
	if v.upload == nil {
		return
	}
	if v.upload.File != nil {
		_ = v.upload.Close() // nobody reads it again
	}
	v.upload = nil
	s.uploads.Release(1)
}

// mostBody is the largest limit that an operation may declare.
func mostBody(op *Operation) int64 { return cmp.Or(op.upload, MaxBodyLimit) }

// Inflated is the body of a raw operation that takes gzip as well, up to a limit in bytes that counts what comes out of
// it. Faults: bad_json (400), body_too_large (413).
func Inflated(c *fiber.Ctx, most int) ([]byte, error) {
	text := c.Request().Body()
	if c.Get(fiber.HeaderContentEncoding) == "gzip" {
		reader, err := gzip.NewReader(bytes.NewReader(text))
		if err != nil {
			return nil, errGzip
		}
		if text, err = io.ReadAll(io.LimitReader(reader, int64(most)+1)); err != nil {
			return nil, errGzip
		}
	}
	if len(text) > most {
		return nil, fault.TooLarge(fmt.Sprintf("this body may have %d bytes", most))
	}
	return text, nil
}

var errGzip = fault.Malformed("bad_json", "the body is not gzip")

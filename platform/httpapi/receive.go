package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"
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
func (s *Server) settle(c *fiber.Ctx) {
	if conn, ours := c.Context().Conn().(*connections.Client); ours && conn.Hurries() {
		s.hangUp(c)
	}
	if !c.Request().IsBodyStream() {
		return
	}
	length := int64(c.Request().Header.ContentLength())
	if length < 0 || length > unusedBodyLimit {
		s.hangUp(c)
		return
	}
	if left, err := io.Copy(io.Discard, c.Request().BodyStream()); err != nil || left != length {
		s.hangUp(c)
	}
}

// hangUp ends the connection after the answer, in a way that lets a client read it that is still sending.
func (s *Server) hangUp(c *fiber.Ctx) {
	c.Response().SetConnectionClose()
	if conn, ours := c.Context().Conn().(*connections.Client); ours {
		conn.LeaveUnread()
	}
}

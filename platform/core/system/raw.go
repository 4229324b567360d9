package system

import (
	"bufio"
	"context"
	"fmt"
	"time"

	"github.com/gofiber/fiber/v2"

	"panel/platform/access"
	"panel/platform/events"
	"panel/platform/httpapi"
	"panel/ui"
)

const (
	keepAlive = 15 * time.Second
	recheck   = time.Second
	// recheckWithin ends a look at the session that the database does not answer; the client comes again.
	recheckWithin = 5 * time.Second
	retryAfter    = 2 * time.Second
)

// stream sends live changes that the caller may read until he leaves, his session ends or the panel stops.
func (h *handlers) stream(c *fiber.Ctx) error {
	topics, err := h.bus.ParseTopics(c.Query("topics"))
	if err != nil {
		return err
	}
	leave, err := h.streams.Open(access.From(c.UserContext()).AccountID)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(h.streams.Detach(c.UserContext()))
	watching, err := h.bus.Watch(ctx, topics, visibleTo(access.From(ctx)))
	if err != nil {
		cancel()
		leave()
		return err
	}
	token, left := httpapi.Token(c), httpapi.Left(c)
	feed := h.bus.Subscribe(ctx, topics...)
	c.Set(fiber.HeaderContentType, "text/event-stream")
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set("X-Accel-Buffering", "no")
	c.Context().SetBodyStreamWriter(func(w *bufio.Writer) {
		defer leave()
		defer cancel()
		h.send(ctx, w, feed, watching, session{token, left})
	})
	return nil
}

// session is the one that a stream belongs to, and the question whether its window is closed.
type session struct {
	token string
	left  func() bool
}

// send ends when the client has left or a write fails.
func (h *handlers) send(
	ctx context.Context, w *bufio.Writer, feed <-chan events.Event, watching *events.Watching, of session,
) {
	alive, check := h.clock.NewTicker(keepAlive), h.clock.NewTicker(recheck)
	defer alive.Stop()
	defer check.Stop()
	caller := access.From(ctx)
	err := write(w, fmt.Sprintf("retry: %d\n\n", retryAfter.Milliseconds()))
	for err == nil {
		select {
		case event, open := <-feed:
			if !open {
				return
			}
			err = news(w, caller, event, feed)
		case <-watching.Ready():
			err = watching.Each(visibleTo(caller), func(kind string, frame []byte) error {
				return message(w, kind,
					frame)
			})
			if err == nil {
				err = w.Flush()
			}
		case <-check.Chan():
			if of.left() {
				return
			}
			caller, err = h.recognised(ctx, of.token)
		case <-alive.Chan():
			err = write(w, ": still here\n\n")
		case <-ctx.Done():
			return
		}
	}
}

// recognised asks who the caller is now, because permissions change and sessions end while the stream is open.
func (h *handlers) recognised(ctx context.Context, token string) (access.Caller, error) {
	ctx, cancel := context.WithTimeout(ctx, recheckWithin)
	defer cancel()
	return h.sessions.Recognise(ctx, token)
}

// news sends an event and those that came with it in one piece: what many nodes do at once costs every viewer one
// write.
func news(w *bufio.Writer, caller access.Caller, first events.Event, feed <-chan events.Event) error {
	event := first
	for waiting := len(feed); ; waiting-- {
		if mayRead(caller, event) {
			if err := message(w, event.Kind, event.JSON()); err != nil {
				return err
			}
		}
		if waiting == 0 {
			return w.Flush()
		}
		event = <-feed
	}
}

func mayRead(caller access.Caller, event events.Event) bool {
	return event.Permission == "" || caller.Permissions.Has(event.Permission)
}

// visibleTo asks for the permission of kinds.
func visibleTo(caller access.Caller) func(events.Kind) bool {
	return func(kind events.Kind) bool { return kind.Needs == "" || caller.Permissions.Has(kind.Needs) }
}

// message leaves the flush to its caller. A writer that has failed fails again at its next write.
func message(w *bufio.Writer, kind string, data []byte) error {
	_, _ = w.WriteString("event: ")
	_, _ = w.WriteString(kind)
	_, _ = w.WriteString("\ndata: ")
	_, _ = w.Write(data)
	_, err := w.WriteString("\n\n")
	return err
}

func write(w *bufio.Writer, text string) error {
	if _, err := w.WriteString(text); err != nil {
		return err
	}
	return w.Flush()
}

// description sends the checked-in OpenAPI document of this build.
func description(c *fiber.Ctx) error {
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	return c.Send(ui.OpenAPI)
}

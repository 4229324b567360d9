package assistant

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/gofiber/fiber/v2"
	"go.uber.org/zap"

	"panel/platform/access"
	"panel/platform/httpapi"
)

const (
	aliveEvery = 10 * time.Second
	lookEvery  = 500 * time.Millisecond
)

var errLeft = errors.New("the caller has left")

// stream follows the answer of a model. The first who follows has it made, and it ends when they leave; whoever comes
// later hears its end.
func (h *handlers) stream(c *fiber.Ctx) error {
	id := c.Params("id")
	row, first, err := h.questions.claim(c.UserContext(), id)
	if err != nil {
		return err
	}
	leave, err := h.streams.Open(row.AccountID)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(h.streams.Detach(c.UserContext()))
	token, left := httpapi.Token(c), httpapi.Left(c)
	c.Set(fiber.HeaderContentType, "text/event-stream")
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set("X-Accel-Buffering", "no")
	c.Context().SetBodyStreamWriter(func(w *bufio.Writer) {
		defer leave()
		defer cancel()
		s := &listener{w: w, left: left}
		to := following{tell: s.tell, caller: func(ctx context.Context) (access.Caller, error) {
			if left() {
				return access.Caller{}, errLeft
			}
			return h.sessions.Recognise(ctx, token)
		}}
		question, err := h.followed(ctx, row, first, s, to)
		if err != nil {
			h.log.Warn("the answer of a model could not be kept", zap.Error(err))
			return
		}
		_ = s.tell("question", question)
	})
	return nil
}

func (h *handlers) followed(
	ctx context.Context, row *questionRow, first bool, s *listener, to following,
) (Question, error) {
	if first {
		return h.answering.answer(ctx, row, to)
	}
	ticker := h.clock.NewTicker(lookEvery)
	defer ticker.Stop()
	for waited := time.Duration(0); ; waited += lookEvery {
		question, err := h.questions.get(ctx, row.ID)
		if err != nil || question.State != running {
			return question, err
		}
		if waited%aliveEvery == 0 && s.comment() != nil {
			return question, errLeft
		}
		select {
		case <-ctx.Done():
			return question, ctx.Err()
		case <-ticker.Chan():
		}
	}
}

// listener writes server-sent events.
type listener struct {
	w    *bufio.Writer
	left func() bool
}

// tell sends one event.
func (l *listener) tell(event string, data any) error {
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	_, _ = l.w.WriteString("event: " + event + "\ndata: ")
	_, _ = l.w.Write(text)
	_, _ = l.w.WriteString("\n\n")
	return l.w.Flush()
}

// comment is a sign of life.
func (l *listener) comment() error {
	if l.left() {
		return errLeft
	}
	_, _ = l.w.WriteString(": still here\n\n")
	return l.w.Flush()
}

package httpapi

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/platform/access"
	"panel/platform/entitlement"
)

func TestABoundedContextEndsWithItsTimeItsRequestAndItsParent(t *testing.T) {
	t.Parallel()
	late := within(t.Context(), time.Now(), time.Millisecond)
	defer late.end()
	<-late.Done()
	require.ErrorIs(t, late.Err(), context.DeadlineExceeded)

	done := within(t.Context(), time.Now(), time.Hour)
	require.NoError(t, done.Err())
	done.end()
	<-done.Done()
	require.ErrorIs(t, done.Err(), context.Canceled)

	unwatched := within(t.Context(), time.Now(), time.Hour)
	unwatched.end()
	require.ErrorIs(t, unwatched.Err(), context.Canceled, "also when nobody waited before the end")

	parent, stop := context.WithCancel(t.Context())
	child := within(parent, time.Now(), time.Hour)
	defer child.end()
	stop()
	<-child.Done()
	require.ErrorIs(t, child.Err(), context.Canceled)
}

// Every request is let in or turned away in time, also one whose answer may last.
func TestTheGuardOfARawOperationIsBounded(t *testing.T) {
	t.Parallel()
	asked := make(boundedSession, 1)
	s, err := New(Options{
		Clock: clockwork.NewRealClock(), Streams: NewStreams(), Sessions: asked,
		License: entitlement.Fixed{State: entitlement.Active, Reason: "ok"},
	}, Routes{Raw(http.MethodGet, "/api/v1/stream", "Follow", access.Session(), func(c *fiber.Ctx) error {
		_, limited := c.UserContext().Deadline()
		return c.SendString(strconv.FormatBool(limited))
	})})
	require.NoError(t, err)
	request := httptest.NewRequest(http.MethodGet, "/api/v1/stream", nil)
	request.Header.Set("Authorization", "Bearer x")
	answer, err := s.App().Test(request)
	require.NoError(t, err)
	defer answer.Body.Close()
	require.True(t, <-asked, "the caller is identified within a deadline")
	said, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Equal(t, "false", string(said), "the answer is not")
}

// boundedSession notes whether it was asked within a deadline.
type boundedSession chan bool

func (b boundedSession) Authenticate(ctx context.Context, _ string) (access.Caller, error) {
	_, limited := ctx.Deadline()
	b <- limited
	return access.Caller{Kind: access.Admin}, nil
}

func (b boundedSession) Recognise(ctx context.Context, token string) (access.Caller, error) {
	return b.Authenticate(ctx, token)
}

package httpapi

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
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
	asked := make(boundedSession, 2)
	tells := func(c *fiber.Ctx) error {
		_, limited := c.UserContext().Deadline()
		return c.SendString(strconv.FormatBool(limited))
	}
	s, err := New(Options{
		Clock: clockwork.NewRealClock(), Streams: NewStreams(), Sessions: asked,
		License: entitlement.Fixed{State: entitlement.Active, Reason: "ok"},
	}, Routes{
		Raw(http.MethodGet, "/api/v1/stream", "Follow", access.Session(), tells, Lasts()),
		Raw(http.MethodGet, "/api/v1/file", "Fetch", access.Session(), tells),
	})
	require.NoError(t, err)
	for path, limited := range map[string]string{"/api/v1/stream": "false", "/api/v1/file": "true"} {
		request := httptest.NewRequest(http.MethodGet, path, nil)
		request.Header.Set("Authorization", "Bearer x")
		answer, err := s.App().Test(request)
		require.NoError(t, err)
		require.True(t, <-asked, "the caller is identified within a deadline")
		said, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		require.Equal(t, limited, string(said), "only an answer that lasts has none: %s", path)
	}
}

// answering is a database that answers or does not.
type answering struct{ atomic.Bool }

func (a *answering) Answers() bool { return a.Load() }

// An operation with more time than others ends early when the database is silent, with the answer of a database that is
// away; one whose caller asked it to wait goes on, and so does every one while the database answers.
func TestALongRequestEndsWhenTheDatabaseIsSilent(t *testing.T) {
	t.Parallel()
	database, goOn := &answering{}, make(chan struct{})
	waits := func(ctx context.Context, _ *struct{}) (*struct{}, error) {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-goOn:
			return &struct{}{}, nil
		}
	}
	_, addr := listening(t, Routes{
		Get("/long", "x", access.Public(), waits, Deadline(time.Hour)), Get("/asked", "x", access.Public(), waits,
			Waits(time.Hour)),
	}, func(o *Options) { o.Database = database })
	ask := func(path string) string {
		return answered(t, addr, "GET "+path+" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	}
	gone := ask("/long")
	require.Contains(t, gone, "HTTP/1.1 503")
	require.Contains(t, gone, `"code":"unavailable"`)
	asked := make(chan string, 2)
	go func() { asked <- ask("/asked") }()
	require.Contains(t, ask("/long"), "HTTP/1.1 503")
	require.Empty(t, asked)
	database.Store(true)
	go func() { asked <- ask("/long") }()
	require.Never(t, func() bool { return len(asked) > 0 }, databaseWait+time.Second, 50*time.Millisecond)
	close(goOn)
	require.Contains(t, <-asked, "HTTP/1.1 204")
	require.Contains(t, <-asked, "HTTP/1.1 204")
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

package httpapi

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/platform/access"
	"panel/platform/entitlement"
	"panel/platform/fault"
)

// served is a running server with the given operations.
func served(t *testing.T, routes ...Operation) string {
	t.Helper()
	s, err := New(Options{
		Clock: clockwork.NewRealClock(), License: entitlement.Fixed{State: entitlement.Active},
		Streams: NewStreams(),
	}, routes)
	require.NoError(t, err)
	on, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = s.Serve(on) }()
	t.Cleanup(func() {
		ctx, stop := context.WithTimeout(context.Background(), time.Minute)
		defer stop()
		require.NoError(t, s.Stop(ctx))
	})
	return "http://" + on.Addr().String()
}

func fetched(t *testing.T, address string) (*http.Response, string, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	require.NoError(t, err)
	request.Header.Set("Connection", "close")
	answer, err := http.DefaultTransport.RoundTrip(request)
	require.NoError(t, err)
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	return answer, string(text), err
}

func writes(pieces int, end error) Handler[struct{}, File] {
	return func(context.Context, *struct{}) (*File, error) {
		return &File{
			Name: `a "file".csv`, Type: "text/csv", Header: map[string]string{"X-Count": "7"},
			Write: func(_ context.Context, w io.Writer) error {
				for range pieces {
					if _, err := io.WriteString(w, strings.Repeat("x", 1000)); err != nil {
						return err
					}
				}
				return end
			},
		}, nil
	}
}

// A part of a file must never look like the whole: what fails at once is refused, what fails on the way breaks off.
func TestADownloadThatFailsDoesNotEndAsAWhole(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is gone")
	at := served(t,
		Download(http.MethodGet, "/whole", "x", access.Public(), writes(500, nil)),
		Download(http.MethodGet, "/empty", "x", access.Public(), writes(0, nil)),
		Download(http.MethodGet, "/midway", "x", access.Public(), writes(500, broken)),
		Download(http.MethodGet, "/at-once", "x", access.Public(), writes(0, fault.Unavailable("not now"))),
		Download(http.MethodGet, "/panics", "x", access.Public(), func(context.Context, *struct{}) (*File, error) {
			return &File{Write: func(context.Context, io.Writer) error { panic("midway") }}, nil
		}),
	)
	answer, text, err := fetched(t, at+"/whole")
	require.NoError(t, err)
	require.Len(t, text, 500_000)
	require.Equal(t, "text/csv", answer.Header.Get("Content-Type"))
	require.Equal(t, "7", answer.Header.Get("X-Count"))
	require.Equal(t, `attachment; filename="a \"file\".csv"`, answer.Header.Get("Content-Disposition"))
	_, text, err = fetched(t, at+"/empty")
	require.NoError(t, err)
	require.Empty(t, text)
	_, _, err = fetched(t, at+"/midway")
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	answer, text, err = fetched(t, at+"/at-once")
	require.NoError(t, err)
	require.Equal(t, http.StatusServiceUnavailable, answer.StatusCode, text)
	answer, text, err = fetched(t, at+"/panics")
	require.NoError(t, err)
	require.Equal(t, http.StatusInternalServerError, answer.StatusCode, text)
}

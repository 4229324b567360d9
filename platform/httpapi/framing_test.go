package httpapi

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/platform/access"
	"panel/platform/entitlement"
)

// listening is a server on a port of its own; adjust changes its options.
func listening(t *testing.T, routes Routes, adjust ...func(*Options)) (*Server, net.Addr) {
	t.Helper()
	opts := Options{
		Denials: silent{}, Streams: NewStreams(), Clock: clockwork.NewRealClock(),
		License: entitlement.Fixed{State: entitlement.Active},
	}
	for _, change := range adjust {
		change(&opts)
	}
	s, err := New(opts, routes)
	require.NoError(t, err)
	return s, running(t, s)
}

func running(t *testing.T, s *Server) net.Addr {
	t.Helper()
	on, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = s.Serve(on) }()
	t.Cleanup(func() { require.NoError(t, s.Stop(context.WithoutCancel(t.Context()))) })
	return on.Addr()
}

// answered writes and gives all that comes back until the server closes, as it must.
func answered(t *testing.T, to net.Addr, text string) string {
	t.Helper()
	conn, err := net.Dial("tcp", to.String())
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	_, err = io.WriteString(conn, text)
	require.NoError(t, err)
	answer, err := io.ReadAll(conn)
	require.NoError(t, err)
	return string(answer)
}

// silent is a journal that keeps no refusals.
type silent struct{}

func (silent) Denied(context.Context, Operation, string) {}

type named struct {
	Body struct {
		Name string `json:"name"`
	}
}

func takesNames(path string, rule access.Rule, opts ...Option) Operation {
	return Post(path, "x", rule, func(_ context.Context, in *named) (*named, error) { return in, nil }, opts...)
}

// What two programs in a row may read in two ways is refused, and nothing behind it is taken for a request.
func TestAmbiguousRequestsAreRefused(t *testing.T) {
	t.Parallel()
	_, addr := listening(t, Routes{takesNames("/names", access.Public(), BodyLimit(SmallBodyLimit))})
	const start = "POST /names HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
	const hidden = "GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n"
	for what, text := range map[string]string{
		"two lengths": start +
			"Content-Length: 13\r\nTransfer-Encoding: chunked\r\n\r\nd\r\n{\"name\":\"one\"}\r\n0\r\n\r\n" + hidden,
		"two lengths, turned":    start + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n" + hidden,
		"one length twice":       start + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}" + hidden,
		"chunked and more":       start + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n" + hidden,
		"a space before a colon": start + "Content-Length : 2\r\n\r\n{}" + hidden,
		"a tab before a colon":   start + "X\t: 2\r\nContent-Length: 2\r\n\r\n{}" + hidden,
		"a folded line":          start + "X: 1\r\n Content-Length: 2\r\n\r\n{}" + hidden,
		"a bare line feed":       start + "X: 1\nContent-Length: 2\r\n\r\n{}" + hidden,
		"a bare end":             start + "Content-Length: 2\r\n\n{}" + hidden,
		"no colon":               start + "nonsense\r\n\r\n" + hidden,
	} {
		answer := answered(t, addr, text)
		require.True(t, strings.HasPrefix(answer, "HTTP/1.1 400 "), "%s: %s", what, answer)
		require.Contains(t, answer, `"code":"bad_request"`, what)
		require.Equal(t, 1, strings.Count(answer, "HTTP/1.1"), "%s: %s", what, answer)
	}
	whole := start + "Connection: close\r\nContent-Length: 14\r\n\r\n{\"name\":\"one\"}"
	require.Contains(t, answered(t, addr, whole), `{"name":"one"}`)
	chunks := start +
		"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n{\"na\r\na\r\nme\":\"one\"}\r\n0\r\n\r\n"
	require.Contains(t, answered(t, addr, chunks), `{"name":"one"}`)
}

// An address is exactly what it is declared as: rules of proxies and firewalls for it hold for no second spelling.
func TestPathsAreExact(t *testing.T) {
	t.Parallel()
	_, addr := listening(t, Routes{takesNames("/api/v1/names", access.Public(), BodyLimit(SmallBodyLimit))})
	for path, status := range map[string]string{
		"/api/v1/names": "200", "/API/v1/names": "404", "/api/v1/Names": "404", "/api/v1/names/": "404",
		"/api/v1//names": "404", "/api/v1/%6eames": "404",
	} {
		answer := answered(t, addr, "POST "+path+" HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 14\r\n\r\n{\"name\":\"one\"}")
		require.True(t, strings.HasPrefix(answer, "HTTP/1.1 "+status), "%s: %s", path, answer)
	}
}

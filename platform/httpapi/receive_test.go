package httpapi

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/semaphore"

	"panel/platform/access"
	"panel/platform/entitlement"
	"panel/platform/fault"
)

// keyed knows one session token and counts how often it was asked.
type keyed struct {
	token string
	asked *atomic.Int64
}

func (k keyed) Authenticate(_ context.Context, token string) (access.Caller, error) {
	k.asked.Add(1)
	if token != k.token {
		return access.Caller{}, fault.Unauthenticated("no_session", "unknown")
	}
	return access.Caller{Kind: access.Admin, Permissions: access.Set{"*"}}, nil
}

func (k keyed) Recognise(ctx context.Context, token string) (access.Caller, error) {
	return k.Authenticate(ctx, token)
}

func roomy(t *testing.T) *Server {
	t.Helper()
	s, err := New(Options{
		Denials: silent{}, Streams: NewStreams(), Clock: clockwork.NewRealClock(), Sessions: keyed{
			"known",
			new(atomic.Int64),
		},
		License: entitlement.Fixed{State: entitlement.Active},
	}, Routes{
		takesNames("/open", access.Public(), BodyLimit(SmallBodyLimit)),
		takesNames("/closed", access.Session()),
		takesNames("/wide", access.Session(), BodyLimit(2<<20)),
	})
	require.NoError(t, err)
	return s
}

func sized(t *testing.T) net.Addr {
	t.Helper()
	return running(t, roomy(t))
}

func headersOf(path, token string, length int) string {
	framing := fmt.Sprintf("Content-Length: %d", length)
	if length < 0 {
		framing = "Transfer-Encoding: chunked"
	}
	return "POST " + path +
		" HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nAuthorization: Bearer " +
		token + "\r\n" + framing + "\r\n\r\n"
}

// The headers decide: a body over the limit, or of somebody whom the panel does not know, is refused before it was
// sent.
func TestABodyIsRefusedByItsHeaders(t *testing.T) {
	t.Parallel()
	addr := sized(t)
	for _, c := range []struct {
		path, token string
		length      int
		answer      string
	}{
		{"/open", "", SmallBodyLimit + 1, "413"},
		{"/open", "", 8 << 30, "413"},
		{"/closed", "known", DefaultBodyLimit + 1, "413"},
		{"/wide", "known", 2<<20 + 1, "413"},
		{"/closed", "unknown", DefaultBodyLimit, "401"},
		{"/closed", "", 100 << 20, "401"},
		{"/closed", "unknown", -1, "401"},
		{"/none", "", 1 << 20, "404"},
	} {
		answer := answered(t, addr, headersOf(c.path, c.token, c.length)+"1\r\n")
		require.True(t, strings.HasPrefix(answer, "HTTP/1.1 "+c.answer+" "), "%v: %s", c, answer)
	}
}

// Both framings end at the same limit, and at the limit itself a body is taken.
func TestBodiesAreTakenUpToTheirLimit(t *testing.T) {
	t.Parallel()
	addr := sized(t)
	for path, limit := range map[string]int{"/open": SmallBodyLimit, "/closed": DefaultBodyLimit, "/wide": 2 << 20} {
		for _, over := range []int{0, 1} {
			body := documentOf(limit + over)
			status := map[int]string{0: "200", 1: "413"}[over]
			whole := answered(t, addr, headersOf(path, "known", len(body))+body)
			require.True(t, strings.HasPrefix(whole, "HTTP/1.1 "+status), "%s, %d over: %.200s", path, over, whole)
			chunked := answered(t, addr, headersOf(path, "known", -1)+chunks(body))
			require.True(t, strings.HasPrefix(chunked, "HTTP/1.1 "+status), "%s chunked, %d over: %.200s", path, over,
				chunked)
		}
	}
}

// documentOf is a JSON document of exactly so many bytes.
func documentOf(size int) string {
	const text = `{"name":"x"}`
	return text + strings.Repeat(" ", size-len(text))
}

func chunks(body string) string {
	var text strings.Builder
	for len(body) > 0 {
		piece := body[:min(1000, len(body))]
		fmt.Fprintf(&text, "%x\r\n%s\r\n", len(piece), piece)
		body = body[len(piece):]
	}
	return text.String() + "0\r\n\r\n"
}

// A client that is still sending a large body hears why it was refused, instead of a broken connection.
func TestARefusalReachesAClientThatStillSends(t *testing.T) {
	t.Parallel()
	addr := sized(t)
	for range 20 {
		conn, err := net.Dial("tcp", addr.String())
		require.NoError(t, err)
		require.NoError(t, conn.SetDeadline(time.Now().Add(30*time.Second)))
		go func() { _, _ = io.WriteString(conn, headersOf("/open", "", 3<<20)+strings.Repeat("x", 3<<20)) }()
		answer, err := io.ReadAll(conn)
		require.NoError(t, err)
		require.Contains(t, string(answer), "body_too_large")
		require.NoError(t, conn.Close())
	}
}

// A refused request with a small body keeps its connection; the next request on it is read from the right place.
func TestASmallRefusedBodyKeepsTheConnection(t *testing.T) {
	t.Parallel()
	addr := sized(t)
	first := strings.Replace(headersOf("/closed", "unknown", 14), "Connection: close\r\n", "", 1)
	answer := answered(t, addr, first+`{"name":"one"}`+headersOf("/open", "", 14)+`{"name":"two"}`)
	require.Contains(t, answer, "HTTP/1.1 401")
	require.Contains(t, answer, `{"name":"two"}`)
}

// A body that breaks off is no body: what has arrived is not taken for the whole.
func TestABodyThatBreaksOffIsNotTaken(t *testing.T) {
	t.Parallel()
	var came atomic.Int64
	_, addr := listening(t, Routes{Post("/open", "x", access.Public(), func(context.Context, *named) (*named, error) {
		came.Add(1)
		return &named{}, nil
	}, BodyLimit(SmallBodyLimit))})
	conn, err := net.Dial("tcp", addr.String())
	require.NoError(t, err)
	_, err = io.WriteString(conn, headersOf("/open", "", 20)+`{"name":"one"}`)
	require.NoError(t, err)
	require.NoError(t, conn.(*net.TCPConn).CloseWrite())
	answer, err := io.ReadAll(conn)
	require.NoError(t, err)
	require.NotContains(t, string(answer), "HTTP/1.1 200")
	require.Zero(t, came.Load())
	require.NoError(t, conn.Close())
}

// Bodies in flight are bounded in sum: whoever finds no room waits and is then told to come again, and strangers that
// fill their share leave that of agents and administrators alone.
func TestBodiesInFlightAreBoundedInSum(t *testing.T) {
	t.Parallel()
	const places = 8
	s := roomy(t)
	s.bodies.strangers = semaphore.NewWeighted(places * SmallBodyLimit)
	addr := running(t, s)
	var held []net.Conn
	for range places {
		conn, err := net.Dial("tcp", addr.String())
		require.NoError(t, err)
		_, err = io.WriteString(conn, headersOf("/open", "", SmallBodyLimit)+"{")
		require.NoError(t, err)
		held = append(held, conn)
	}
	require.Eventually(t, func() bool { return !s.bodies.strangers.TryAcquire(1) || release(s) }, 30*time.Second,
		time.Millisecond)
	refused := answered(t, addr, headersOf("/open", "", 14)+`{"name":"one"}`)
	require.Contains(t, refused, "HTTP/1.1 503")
	require.Contains(t, refused, "Retry-After: 2")
	require.Contains(t, answered(t, addr, headersOf("/closed", "known", 14)+`{"name":"one"}`), "HTTP/1.1 200")
	for _, conn := range held {
		require.NoError(t, conn.Close())
	}
	require.Eventually(t, func() bool {
		return strings.Contains(answered(t, addr, headersOf("/open", "", 14)+`{"name":"one"}`), "HTTP/1.1 200")
	}, 60*time.Second, 10*time.Millisecond)
}

func release(s *Server) bool {
	s.bodies.strangers.Release(1)
	return false
}

// Anybody's operation says how much it reads; one that does not, or says too much, stops the start.
func TestAnOpenOperationMustDeclareItsBody(t *testing.T) {
	t.Parallel()
	for _, op := range []Operation{
		takesNames("/x", access.Public()), takesNames("/x", access.Throttled(access.PublicLimit)),
		takesNames("/x", access.Setup()),
		takesNames("/x", access.FirstAdmin(access.PublicLimit)), takesNames("/x", access.Public(),
			BodyLimit(PublicBodyLimit+1)),
		takesNames("/x", access.Session(), BodyLimit(MaxBodyLimit+1)),
	} {
		_, err := New(Options{Streams: NewStreams()}, Routes{op})
		require.ErrorContains(t, err, "POST /x")
	}
}

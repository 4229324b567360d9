package httpapi

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/platform/access"
)

// refusedAs is all of an answer but what differs from one request to the next.
type refusedAs struct {
	status  int
	headers http.Header
	body    string
	closes  bool // the connection
}

// wire sends a request as it stands on one connection after the other and gives the answer.
func (p *public) wire(request string) refusedAs {
	p.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
	require.NoError(p.t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, request)
	require.NoError(p.t, err)
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(p.t, err)
	body, err := io.ReadAll(answer.Body)
	require.NoError(p.t, err)
	id := answer.Header.Get("X-Request-Id")
	require.Len(p.t, id, requestIDLength)
	answer.Header.Del("X-Request-Id")
	answer.Header.Del("Date")
	return refusedAs{answer.StatusCode, answer.Header, strings.ReplaceAll(string(body), id, ""), answer.Close}
}

// get is a GET of a path with more header lines.
func get(path string, lines ...string) string {
	return fmt.Sprintf("GET %s HTTP/1.1\r\nHost: panel\r\n%s\r\n", path, strings.Join(lines, ""))
}

// Whoever goes on asking beyond the limit gets the answer of the first refusal, whoever writes it: the same status,
// headers and document, in the clear and behind a proxy that speaks TLS.
func TestAShedRequestIsAnsweredLikeTheFirstRefused(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string][]string{
		"in the clear": {"X-Forwarded-For: 192.0.2.1\r\n"},
		"over TLS":     {"X-Forwarded-For: 192.0.2.2\r\n", "X-Forwarded-Proto: https\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPublic(t, "127.0.0.0/8")
			for range access.PublicLimit.Burst {
				require.Equal(t, http.StatusNoContent, p.wire(get("/open", lines...)).status)
			}
			first := p.wire(get("/open", lines...))
			require.Equal(t, http.StatusTooManyRequests, first.status)
			require.Equal(t, name == "over TLS", first.headers.Get("Strict-Transport-Security") != "")
			for range 3 {
				require.Equal(t, first, p.wire(get("/open", lines...)))
			}
			require.Equal(t, 1, p.logs.FilterField(zap.Int("status", http.StatusTooManyRequests)).Len(), "the rest is only counted")
		})
	}
}

// Only what the limit refuses is shed: other methods, routes, addresses and what cannot be read for sure take the whole
// way, and keep what they would have been told there.
func TestOnlyRefusedReadsAreShed(t *testing.T) {
	t.Parallel()
	p := newPublic(t, "127.0.0.0/8")
	from := "X-Forwarded-For: 192.0.2.1\r\n"
	for range access.PublicLimit.Burst + 3 {
		p.wire(get("/open", from))
	}
	require.Equal(t, http.StatusTooManyRequests, p.wire(get("/open", from)).status)
	require.Equal(t, http.StatusTooManyRequests, p.wire(get("/open?unknown=1", from)).status)
	require.Equal(t, http.StatusNoContent, p.wire(get("/open", "X-Forwarded-For: 192.0.2.9\r\n")).status)
	require.Equal(t, http.StatusNoContent, p.wire(get("/other", from)).status)
	require.Equal(t, http.StatusNotFound, p.wire(get("/open/", from)).status)
	ambiguous := p.wire(get("/open", from, "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"))
	require.Equal(t, http.StatusBadRequest, ambiguous.status)
	require.True(t, ambiguous.closes)
	post := strings.Replace(get("/open", from), "GET", "POST", 1)
	require.Equal(t, http.StatusMethodNotAllowed, p.wire(post).status)
}

// What a shed request brings along is never taken for the next request: a small body is read away, and one of unknown
// length ends the connection.
func TestTheBodyOfAShedRequestIsNotTheNextRequest(t *testing.T) {
	t.Parallel()
	p := newPublic(t, "127.0.0.0/8")
	from := "X-Forwarded-For: 192.0.2.1\r\n"
	for range access.PublicLimit.Burst + 1 {
		p.wire(get("/open", from))
	}
	inside := get("/other", from)
	for name, request := range map[string]string{
		"with a length": get("/open", from, fmt.Sprintf("Content-Length: %d\r\n", len(inside))) + inside,
		"in pieces": get("/open", from, "Transfer-Encoding: chunked\r\n") +
			fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(inside), inside),
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
		require.NoError(t, err)
		_, err = io.WriteString(conn, request+strings.Replace(get("/last", from), "\r\n\r\n",
			"\r\nConnection: close\r\n\r\n", 1))
		require.NoError(t, err)
		all, err := io.ReadAll(conn)
		require.NoError(t, err, name)
		require.NoError(t, conn.Close())
		require.Equal(t, 1, strings.Count(string(all), "HTTP/1.1 429 "), name)
		require.NotContains(t, string(all), "HTTP/1.1 204 ", "%s: what it carries was taken for a request", name)
	}
}

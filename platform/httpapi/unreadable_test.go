package httpapi

import (
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/platform/access"
	"panel/platform/entitlement"
)

// What the HTTP library answers by itself looks like every other answer: a problem document with a stable code,
// security headers and a request id that the document names.
func TestAnswersOfTheLibraryAreAnswersOfThePanel(t *testing.T) {
	t.Parallel()
	s, err := New(Options{
		Denials: silent{}, Streams: NewStreams(), Clock: clockwork.NewRealClock(),
		License: entitlement.Fixed{State: entitlement.Active},
	},
		Routes{takesNames("/names", access.Public(), BodyLimit(SmallBodyLimit))})
	require.NoError(t, err)
	s.app.Server().ReadTimeout = time.Minute
	addr := running(t, s)
	impatient, err := New(Options{Denials: silent{}, Streams: NewStreams(), Clock: clockwork.NewRealClock()}, nil)
	require.NoError(t, err)
	impatient.app.Server().ReadTimeout = 300 * time.Millisecond
	slow := running(t, impatient)
	const json = "Host: x\r\nContent-Type: application/json\r\n"
	for what, c := range map[string]struct{ text, status, code string }{
		"no HTTP":           {"what is this\r\n\r\n", "400", "bad_request"},
		"a foreign version": {"GET / HTTP/2\r\nHost: x\r\n\r\n", "400", "bad_request"},
		"two hosts":         {"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", "400", "bad_request"},
		"a wrong length":    {"POST /names HTTP/1.1\r\n" + json + "Content-Length: -3\r\n\r\n", "400", "bad_request"},
		"large headers": {"GET / HTTP/1.1\r\nHost: x\r\nX-Large: " + strings.Repeat("x", 2*headerLimit) +
			"\r\n\r\n", "431", "headers_too_large"},
		"slow headers": {"GET / HTTP/1.1\r\nHost: x\r\nX-Sl", "408", "request_timeout"},
		"a foreign method": {
			"BREW /names HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "405",
			"method_not_allowed",
		},
		"a wrong method": {
			"PUT /names HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "405",
			"method_not_allowed",
		},
		"no such address": {"GET /none HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "404", "not_found"},
		"a large body": {
			"POST /names HTTP/1.1\r\n" + json + "Content-Length: 99999999\r\n\r\n{", "413",
			"body_too_large",
		},
		"a broken chunk": {
			"POST /names HTTP/1.1\r\n" + json + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", "400",
			"bad_request",
		},
	} {
		to := addr
		if c.code == errSlow.Code {
			to = slow
		}
		answer := answered(t, to, c.text)
		require.True(t, strings.HasPrefix(answer, "HTTP/1.1 "+c.status+" "), "%s: %s", what, answer)
		require.Contains(t, answer, `"code":"`+c.code+`"`, what)
		require.Contains(t, answer, "Content-Type: application/problem+json", what)
		for _, header := range constantHeaders {
			require.Contains(t, answer, string(header[0])+": "+string(header[1]), what)
		}
		id := between(answer, "X-Request-Id: ", "\r\n")
		require.Len(t, id, 36, what)
		require.Contains(t, answer, `"request_id":"`+id+`"`, what)
	}
}

func between(text, before, after string) string {
	_, rest, _ := strings.Cut(text, before)
	found, _, _ := strings.Cut(rest, after)
	return found
}

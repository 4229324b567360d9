package app_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/access"
	"panel/platform/httpapi"
)

// Whatever anybody may call has a limit of its body, of its requests and of its time, all of them declared.
func TestEveryOpenOperationHasLimitsOfItsOwn(t *testing.T) {
	t.Parallel()
	p := everything(t)
	unlimited := map[string]bool{} // by the reasons of testdata/unlimited.csv
	for _, row := range reviewed(t, "testdata/unlimited.csv") {
		unlimited[row[0]] = true
	}
	bodies := map[string]string{} // in bytes, by testdata/open_bodies.csv
	for _, row := range reviewed(t, "testdata/open_bodies.csv") {
		bodies[row[0]] = row[1]
	}
	open, taken := 0, map[string]string{}
	for _, op := range p.App.Server().Routes() {
		if op.Rule.Kind == access.KindSession || op.Rule.Kind == access.KindAgent || op.Rule.Signed {
			continue
		}
		open++
		name := op.Method + " " + op.Path
		require.Positive(t, op.BodyLimit, name)
		require.LessOrEqual(t, op.BodyLimit, int64(httpapi.PublicBodyLimit), name)
		if op.Method != http.MethodGet {
			taken[name] = strconv.FormatInt(op.BodyLimit, 10)
		}
		require.Equal(t, unlimited[name], op.Rule.Limit.PerMinute == 0, "%s: a limit of requests", name)
		answer := refusedByHeaders(t, p.URL, policy{method: op.Method, path: op.Path}, op.BodyLimit+1)
		require.Contains(t, answer, "HTTP/1.1 413 ", name)
		require.Contains(t, answer, `"code":"body_too_large"`, name)
	}
	require.Greater(t, open, len(unlimited))
	require.Equal(t, bodies, taken)
}

// Every operation has a deadline, below five seconds but for those of testdata/longer.csv, which says how they may take
// more: "waits" however the database is, because its caller asks for it, "works" while the database answers, "lasts" as
// a stream or a download that is made on the way.
func TestEveryOperationHasADeadline(t *testing.T) {
	t.Parallel()
	p := everything(t)
	found := map[string]string{}
	for _, op := range p.App.Server().Routes() {
		name := op.Method + " " + op.Path
		require.Positive(t, op.Deadline, name)
		require.LessOrEqual(t, op.Deadline, 35*time.Second, name)
		switch {
		case op.Lasting:
			found[name] = "lasts"
		case op.Waits:
			found[name] = "waits"
		case op.Deadline >= 5*time.Second:
			found[name] = "works"
		}
		if op.Rule.Kind != access.KindSession && op.Rule.Kind != access.KindAgent && !op.Rule.Signed {
			require.Empty(t, found[name], "%s: nobody keeps the panel waiting whom it does not know", name)
		}
	}
	longer := map[string]string{}
	for _, row := range reviewed(t, "testdata/longer.csv") {
		longer[row[0]] = row[1]
	}
	require.Equal(t, longer, found)
}

// A body of anybody whom the panel does not know is refused by its headers, on every operation, however much it may
// take of others.
func TestNobodySendsABodyToWhatIsClosed(t *testing.T) {
	t.Parallel()
	p := everything(t)
	each(t, func(t *testing.T, line policy) {
		answer := refusedByHeaders(t, p.URL, line, httpapi.DefaultBodyLimit)
		require.Contains(t, answer, "HTTP/1.1 401 ")
		require.Contains(t, answer, "Connection: close")
	}, "session", "agent")
}

// refusedByHeaders announces a body, sends one byte of it, and gives the answer that comes all the same.
func refusedByHeaders(t *testing.T, base string, line policy, length int64) string {
	t.Helper()
	address, err := url.Parse(base)
	require.NoError(t, err)
	conn, err := net.Dial("tcp", address.Host)
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(30*time.Second)))
	_, err = fmt.Fprintf(conn,
		"%s %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n{", line.method,
		line.somewhere(), length)
	require.NoError(t, err)
	var answer strings.Builder
	_, err = io.Copy(&answer, conn)
	require.NoError(t, err)
	return answer.String()
}

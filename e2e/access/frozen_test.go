package access

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
)

// A panel that was frozen, as virtual machines are, and goes on after a session was ended through another one does not
// answer a single request of that session, also none that waited for it.
func TestAThawedPanelAnswersNothingFromBeforeItWasFrozen(t *testing.T) {
	t.Parallel()
	p := two(t)
	for range 3 {
		session := login(t, p.stand.Panel.API, rig.Password)
		warm(t, p.through(session))
		require.NoError(t, syscall.Kill(p.other.PID(), syscall.SIGSTOP))
		err := session.Post(t.Context(), "/api/v1/auth/logout", nil, nil)
		var waiting []net.Conn
		for range 15 { // fewer in all than one address may ask with unknown tokens
			waiting = append(waiting, p.asks(session.Token))
		}
		require.NoError(t, syscall.Kill(p.other.PID(), syscall.SIGCONT))
		require.True(t, err == nil || rig.Refused(err, http.StatusServiceUnavailable), "%v", err)
		for _, conn := range waiting {
			require.Equal(t, http.StatusUnauthorized, p.statusOn(conn))
		}
		require.Eventually(
			t,
			func() bool { return p.other.API.Get(t.Context(), "/health", nil) == nil },
			time.Minute,
			10*time.Millisecond,
		)
	}
}

// asks leaves a request with the other panel without waiting for the answer.
func (p *pair) asks(token string) net.Conn {
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.other.URL, "http://"))
	require.NoError(p, err)
	_, err = fmt.Fprintf(
		conn,
		"GET %s HTTP/1.1\r\nHost: panel\r\nAuthorization: Bearer %s\r\nConnection: close\r\n\r\n",
		me,
		token,
	)
	require.NoError(p, err)
	return conn
}

func (p *pair) statusOn(conn net.Conn) int {
	defer conn.Close()
	require.NoError(p, conn.SetDeadline(time.Now().Add(time.Minute)))
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(p, err)
	require.NoError(p, answer.Body.Close())
	return answer.StatusCode
}

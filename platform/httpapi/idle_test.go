package httpapi

import (
	"context"
	"io"
	"net"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
)

// A connection that was opened in advance and never used is closed in silence; one that stalls inside a request is told.
func TestAnUnusedConnectionIsClosedInSilence(t *testing.T) {
	t.Parallel()
	s, err := New(Options{Streams: NewStreams(), Clock: clockwork.NewRealClock()}, nil)
	require.NoError(t, err)
	s.app.Server().ReadTimeout = 100 * time.Millisecond
	on, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = s.Serve(on) }()
	t.Cleanup(func() { require.NoError(t, s.Stop(context.WithoutCancel(t.Context()))) })
	require.Empty(t, said(t, on.Addr(), ""))
	require.Contains(t, said(t, on.Addr(), "GET / HT"), "HTTP/1.1 4")
	require.Contains(t, said(t, on.Addr(), "GET / HTTP/1.1\r\nHost: x\r\n\r\n"), "not_found")
}

// said writes and gives all that comes back until the server closes.
func said(t *testing.T, to net.Addr, text string) string {
	t.Helper()
	conn, err := net.Dial("tcp", to.String())
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(2*time.Second)))
	_, err = io.WriteString(conn, text)
	require.NoError(t, err)
	answer, _ := io.ReadAll(conn) // the time limit ends a connection that stays open
	return string(answer)
}

package httpapi

import (
	"bufio"
	"context"
	"io"
	"net"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
)

// A connection that was opened in advance and never used is closed in silence; one that stalls inside a request is
// told.
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

// A client that never reads what it asked for is let go, whether the answer is one piece or a stream; one that reads
// slowly is not.
func TestAClientThatDoesNotReadIsDisconnected(t *testing.T) {
	t.Parallel()
	const size = 24 << 20
	s, err := New(Options{Streams: NewStreams(), Clock: clockwork.NewRealClock(), Fallback: large(size)}, nil)
	require.NoError(t, err)
	s.writeWithin = 2 * time.Second
	on, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = s.Serve(on) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 30*time.Second)
		defer cancel()
		require.NoError(t, s.Stop(ctx))
	})
	for _, path := range []string{"/piece", "/stream"} {
		disconnected := asked(t, on.Addr(), path)
		require.Eventually(t, func() bool { return s.app.Server().GetOpenConnectionsCount() == 1 }, 30*time.Second,
			time.Millisecond)
		require.Eventually(t, func() bool { return s.app.Server().GetOpenConnectionsCount() == 0 }, 60*time.Second,
			10*time.Millisecond, path)
		require.NoError(t, disconnected.Close())
		require.Greater(t, slowly(t, asked(t, on.Addr(), path), size), size, path)
	}
}

func large(size int) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if c.Path() == "/piece" {
			return c.Send(make([]byte, size))
		}
		c.Context().SetBodyStreamWriter(func(w *bufio.Writer) {
			for sent := 0; sent < size; sent += 1 << 10 {
				if _, err := w.Write(make([]byte, 1<<10)); err != nil {
					return
				}
			}
		})
		return nil
	}
}

func asked(t *testing.T, to net.Addr, path string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", to.String())
	require.NoError(t, err)
	require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	_, err = io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	require.NoError(t, err)
	return conn
}

// slowly reads all, in more time than one write may take.
func slowly(t *testing.T, from net.Conn, size int) (total int) {
	t.Helper()
	defer from.Close()
	piece := make([]byte, size/20)
	pause := time.NewTicker(150 * time.Millisecond)
	defer pause.Stop()
	for {
		n, err := io.ReadFull(from, piece)
		total += n
		if err != nil {
			return total
		}
		<-pause.C
	}
}

// said writes and gives all that comes back until the server closes.
func said(t *testing.T, to net.Addr, text string) string {
	t.Helper()
	conn, err := net.Dial("tcp", to.String())
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(30*time.Second)))
	_, err = io.WriteString(conn, text)
	require.NoError(t, err)
	answer, _ := io.ReadAll(conn) // the time limit ends a connection that stays open
	return string(answer)
}

package httpapi

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"panel/platform/access"
)

// failing is a listener that fails so many times before it accepts.
type failing struct {
	net.Listener
	with error
	left atomic.Int64
}

func (f *failing) Accept() (net.Conn, error) {
	if f.left.Add(-1) >= 0 {
		return nil, &net.OpError{Op: "accept", Net: "tcp", Err: f.with}
	}
	return f.Listener.Accept()
}

// A lack of descriptors or memory, and a client that left while it waited, pass: the server goes on.
func TestTheServerOutlivesALackOfDescriptors(t *testing.T) {
	t.Parallel()
	for _, lack := range []error{
		syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM,
		syscall.ECONNABORTED,
	} {
		core, logs := observer.New(zap.WarnLevel)
		s, err := New(Options{
			Denials: silent{}, Streams: NewStreams(), Clock: clockwork.NewRealClock(),
			Log: zap.New(core),
		}, nil)
		require.NoError(t, err)
		on, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		short := &failing{Listener: on, with: lack}
		short.left.Store(20)
		ended := make(chan error, 1)
		go func() { ended <- s.Serve(short) }()
		require.Contains(t, answered(t, on.Addr(), "GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
			"not_found", lack)
		require.Equal(t, 1, logs.Len(), "a flood is told once")
		require.NoError(t, s.Stop(context.WithoutCancel(t.Context())))
		require.NoError(t, <-ended)
	}
}

// Any other failure of the listener still ends the server, which says so.
func TestABrokenListenerEndsTheServer(t *testing.T) {
	t.Parallel()
	s, err := New(Options{Denials: silent{}, Streams: NewStreams(), Clock: clockwork.NewRealClock()}, nil)
	require.NoError(t, err)
	on, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	broken := &failing{Listener: on, with: syscall.EBADF}
	broken.left.Store(1)
	require.ErrorIs(t, s.Serve(broken), syscall.EBADF)
	require.NoError(t, on.Close())
}

func boundedTo(most, perAddress int) func(*Options) {
	return func(o *Options) {
		o.Connections, o.Sessions = Connections{Most: most, PerAddress: perAddress}, keyed{"known", new(atomic.Int64)}
	}
}

// asks sends one request on a connection that stays open and gives its status; 0 when the server has closed it.
func asks(t *testing.T, conn net.Conn, token string) int {
	t.Helper()
	require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	_, _ = io.WriteString(conn, "GET /who HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+token+"\r\n\r\n")
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	require.NoError(t, err)
	return answer.StatusCode
}

func who() Routes {
	return Routes{Get("/who", "x", access.Session(), func(context.Context, *struct{}) (*struct{},
		error,
	) {
		return &struct{}{}, nil
	})}
}

func dialled(t *testing.T, to net.Addr, from string) net.Conn {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	conn, err := dialer.Dial("tcp", to.String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// A full server closes connections on which a stranger is silent, and never one whose caller has proved who he is. When
// there is nothing to close it says so to the newcomer.
func TestAFullServerMakesRoom(t *testing.T) {
	t.Parallel()
	const most = 8
	_, addr := listening(t, who(), boundedTo(most, 0))
	var members []net.Conn
	for range most / 2 {
		members = append(members, dialled(t, addr, "127.0.0.1"))
		require.Equal(t, http.StatusNoContent, asks(t, members[len(members)-1], "known"))
	}
	for range 3 * most {
		silent := dialled(t, addr, "127.0.0.1")
		_, _ = io.WriteString(silent, "GET / HT")
	}
	for range most {
		require.Eventually(t, func() bool {
			return asks(t, dialled(t, addr, "127.0.0.1"),
				"unknown") == http.StatusUnauthorized
		},
			60*time.Second, 20*time.Millisecond, "strangers that are silent make room")
	}
	for _, member := range members {
		require.Equal(t, http.StatusNoContent, asks(t, member, "known"), "a proved caller keeps the connection")
	}
	for range most / 2 {
		require.Eventually(t, func() bool {
			return asks(t, kept(&members, dialled(t, addr, "127.0.0.1")), "known") == http.StatusNoContent
		},
			60*time.Second, 20*time.Millisecond)
	}
}

func kept(list *[]net.Conn, conn net.Conn) net.Conn {
	*list = append(*list, conn)
	return conn
}

// Requests that a stranger sends in one go would keep the processors from everybody else: the second answer is his
// last. Whoever has proved who he is may do so.
func TestAStrangerWaitsForAnswers(t *testing.T) {
	t.Parallel()
	_, addr := listening(t, who(), boundedTo(10, 10))
	ask := func(token string, times int) string {
		one := "GET /who HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token + "\r\n\r\n"
		last := strings.Replace(one, "Host: x", "Host: x\r\nConnection: close", 1)
		return answered(t, addr, strings.Repeat(one, times-1)+last)
	}
	require.Equal(t, 2, strings.Count(ask("nobody", 20), "HTTP/1.1 401"))
	require.Equal(t, 20, strings.Count(ask("known", 20), "HTTP/1.1 204"))
}

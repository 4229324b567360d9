package app

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
)

// The service manager hears that the panel is ready, that it lives while it answers, and that it stops.
func TestTheServiceManagerHearsReadyAliveAndStopping(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notify")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	require.NoError(t, err)
	t.Cleanup(func() { socket.Close() })
	t.Setenv("NOTIFY_SOCKET", path)
	t.Setenv("WATCHDOG_USEC", "300000")
	var hangs atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if hangs.Load() {
			<-r.Context().Done()
		}
	}))
	t.Cleanup(server.Close)
	ctx, cancel := context.WithCancel(t.Context())
	go supervise(ctx, strings.TrimPrefix(server.URL, "http://"), zap.NewNop())
	require.Equal(t, "READY=1", message(t, socket, 30*time.Second))
	require.Equal(t, "WATCHDOG=1", message(t, socket, 30*time.Second))
	hangs.Store(true)
	require.Eventually(t, func() bool { return message(t, socket, 400*time.Millisecond) == "" }, time.Minute,
		time.Millisecond,
		"a panel that hangs says nothing")
	cancel()
	require.Eventually(t, func() bool { return message(t, socket, time.Second) == "STOPPING=1" }, time.Minute,
		time.Millisecond)
}

func message(t *testing.T, socket *net.UnixConn, within time.Duration) string {
	t.Helper()
	require.NoError(t, socket.SetReadDeadline(time.Now().Add(within)))
	buffer := make([]byte, 256)
	n, err := socket.Read(buffer)
	if err != nil {
		return ""
	}
	return string(buffer[:n])
}

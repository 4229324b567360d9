package load_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/cmd/panel-bench/internal/load"
)

func get(_ int, buffer []byte) []byte {
	return append(buffer, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"...)
}

func TestEveryAnswerIsCountedOnce(t *testing.T) {
	t.Parallel()
	var served atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		served.Add(1)
		w.Write(bytes.Repeat([]byte("x"), 1500))
	}))
	defer server.Close()
	outcome, err := load.Run(t.Context(), load.Plan{Address: server.Listener.Addr().String(), Connections: 4, Request: get, For: 200 * time.Millisecond})
	require.NoError(t, err)
	require.Positive(t, outcome.Requests)
	require.InDelta(t, served.Load(), outcome.Requests, 4)
	require.Len(t, outcome.Latencies, outcome.Requests)
}

func TestLargeRequestsArriveWhole(t *testing.T) {
	t.Parallel()
	const size = 4 << 20
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, _ := io.Copy(io.Discard, r.Body)
		if got != size {
			w.WriteHeader(http.StatusBadRequest)
		}
	}))
	defer server.Close()
	body := bytes.Repeat([]byte("y"), size)
	outcome, err := load.Run(t.Context(), load.Plan{
		Address: server.Listener.Addr().String(), Connections: 2, For: 300 * time.Millisecond,
		Request: func(_ int, buffer []byte) []byte {
			return append(append(buffer, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4194304\r\n\r\n"...), body...)
		},
	})
	require.NoError(t, err)
	require.Positive(t, outcome.Requests)
}

func TestRefusalsAreAnError(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	outcome, err := load.Run(t.Context(), load.Plan{Address: server.Listener.Addr().String(), Connections: 1, Request: get, For: 50 * time.Millisecond})
	require.ErrorContains(t, err, "404")
	require.Equal(t, outcome.Requests, outcome.Refused)
}

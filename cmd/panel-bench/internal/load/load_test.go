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

// patience is for a machine that does other things as well: the loads here end with their requests.
const patience = 5 * time.Minute

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
	outcome, err := load.Run(
		t.Context(),
		load.Plan{Address: server.Listener.Addr().String(), Connections: 4, Request: get, For: patience, Requests: 100},
	)
	require.NoError(t, err)
	require.GreaterOrEqual(t, outcome.Requests, 100)
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
		Address: server.Listener.Addr().String(), Connections: 2, For: patience, Requests: 4,
		Request: func(_ int, buffer []byte) []byte {
			return append(append(buffer, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4194304\r\n\r\n"...), body...)
		},
	})
	require.NoError(t, err)
	require.GreaterOrEqual(t, outcome.Requests, 4)
}

// The time ends a load as well, whatever the server has answered by then.
func TestALoadEndsWithItsTime(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	outcome, err := load.Run(
		t.Context(),
		load.Plan{Address: server.Listener.Addr().String(), Connections: 1, Request: get, For: time.Millisecond},
	)
	require.NoError(t, err)
	require.GreaterOrEqual(t, outcome.Took, time.Millisecond)
}

func TestRefusalsAreAnError(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	outcome, err := load.Run(
		t.Context(),
		load.Plan{Address: server.Listener.Addr().String(), Connections: 1, Request: get, For: patience, Requests: 1},
	)
	require.ErrorContains(t, err, "404")
	require.Equal(t, outcome.Requests, outcome.Refused)
}

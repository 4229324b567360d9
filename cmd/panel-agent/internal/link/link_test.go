package link

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/platform/agentapi"
)

type inbox struct {
	mu        sync.Mutex
	desired   []agentapi.Desired
	documents []agentapi.DocumentRef
	commands  []string
}

func (i *inbox) Desired(d agentapi.Desired, documents []agentapi.DocumentRef) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.desired = append(i.desired, d)
	i.documents = append(i.documents, documents...)
}

func (i *inbox) Command(c agentapi.Command) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.commands = append(i.commands, c.ID)
	return nil
}

func (i *inbox) Hello() agentapi.Hello { return agentapi.Hello{Protocol: agentapi.Protocol} }

func (i *inbox) has(id string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, got := range i.commands {
		if got == id {
			return true
		}
	}
	return false
}

func client(t *testing.T, handler http.Handler) *Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	shared, err := NewHTTP("")
	require.NoError(t, err)
	return NewClient(server.URL, "secret-token", shared)
}

func receive(t *testing.T, c *Client, timing Timing) *inbox {
	t.Helper()
	box := &inbox{}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		(&Receiver{Client: c, Handler: box, Timing: timing, Clock: clockwork.NewRealClock(), Log: zap.NewNop()}).
			Run(ctx)
	}()
	t.Cleanup(func() { cancel(); <-done })
	return box
}

var quick = Timing{
	First: 20 * time.Millisecond, Longest: 50 * time.Millisecond, Spread: 20 * time.Millisecond,
	Silence: 300 * time.Millisecond, Ping: 50 * time.Millisecond,
}

func command(id string) agentapi.Frame {
	return agentapi.Frame{Type: agentapi.FrameCommand, Command: &agentapi.Command{ID: id, Kind: agentapi.CollectLogs}}
}

func writeFrame(ctx context.Context, conn *websocket.Conn, frame agentapi.Frame) {
	raw, _ := json.Marshal(frame)
	_ = conn.Write(ctx, websocket.MessageText, raw)
}

func TestAnOrderIsAcknowledgedAfterItWasKept(t *testing.T) {
	t.Parallel()
	acked := make(chan string, 1)
	box := receive(t, client(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer conn.CloseNow()
		writeFrame(r.Context(), conn, command("a"))
		for {
			_, raw, err := conn.Read(r.Context())
			if err != nil {
				return
			}
			var frame agentapi.Frame
			if json.Unmarshal(raw, &frame) == nil && frame.Type == agentapi.FrameAck {
				acked <- frame.CommandID
			}
		}
	})), quick)
	require.Equal(t, "a", <-acked)
	require.True(t, box.has("a"))
}

// Partition of quality.md R7, half-open: the stream is there and nothing comes on it.
func TestASilentStreamIsGivenUpAndOrdersComeByLongPoll(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc(agentapi.PathStream, func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		_, _, _ = conn.Read(r.Context())
		<-r.Context().Done()
	})
	mux.HandleFunc(agentapi.PathCommands, func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(agentapi.Pending{
			Desired: agentapi.Desired{DesiredRevision: 4}, Commands: []agentapi.Command{{ID: "polled"}},
		})
	})
	box := receive(t, client(t, mux), quick)
	require.Eventually(t, func() bool { return box.has("polled") }, 60*time.Second, 5*time.Millisecond)
}

func TestAStreamThatBreaksComesBack(t *testing.T) {
	t.Parallel()
	var opened atomic.Int64
	receive(t, client(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != agentapi.PathStream {
			http.NotFound(w, r)
			return
		}
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		opened.Add(1)
		writeFrame(r.Context(), conn, agentapi.Frame{Type: agentapi.FrameBye, RetrySeconds: 1})
		_ = conn.CloseNow()
	})), quick)
	require.Eventually(t, func() bool { return opened.Load() >= 3 }, 60*time.Second, 5*time.Millisecond)
}

// Trap 24 of domain.md 4.23, from the agent's side: the token travels in one header and never in an address or an
// error.
func TestTheTokenIsInNoAddressAndNoError(t *testing.T) {
	t.Parallel()
	c := client(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret-token" || r.URL.RawQuery != "" && r.URL.Query().
			Get("wait") == "" {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		w.WriteHeader(http.StatusInternalServerError)
	}))
	_, err := c.Pending(context.Background(), time.Second)
	var status *StatusError
	require.ErrorAs(t, err, &status)
	require.Equal(t, http.StatusInternalServerError, status.Status)
	require.NotContains(t, err.Error(), "secret-token")
	_, err = NewClient("http://127.0.0.1:1", "secret-token", c.http).
		Heartbeat(context.Background(), agentapi.Heartbeat{})
	require.Error(t, err)
	require.NotContains(t, err.Error(), "secret-token")
}

func TestARedirectIsNotFollowedWithTheToken(t *testing.T) {
	t.Parallel()
	var leaked atomic.Bool
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		leaked.Store(r.Header.Get("Authorization") != "")
	}))
	defer other.Close()
	c := client(t, http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	_, err := c.Heartbeat(context.Background(), agentapi.Heartbeat{})
	require.Error(t, err)
	require.False(t, leaked.Load())
}

func TestAConfigurationWithAnotherContentIsRefused(t *testing.T) {
	t.Parallel()
	c := client(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(agentapi.NodeConfig{Revision: 3, Hash: "not it", Core: json.RawMessage(`{}`)})
	}))
	_, err := c.Config(context.Background(), 3)
	require.ErrorContains(t, err, "is not what")
}

// What a program is called and what a core prints may hold anything; the panel takes no control characters.
func TestNoControlCharacterLeavesTheServer(t *testing.T) {
	t.Parallel()
	wild := "a\x00b\x1b[31m\b\f\x7f\u0085 \\u0000 \\\\b line\n\ttab ä"
	data, err := json.Marshal(wild)
	require.NoError(t, err)
	raw, err := encode(agentapi.Frame{
		Heartbeat: &agentapi.Heartbeat{Hostname: wild}, Result: &agentapi.CommandResult{StderrTail: wild, Data: data},
	})
	require.NoError(t, err)
	var frame agentapi.Frame
	require.NoError(t, json.Unmarshal(raw, &frame))
	want := "a\ufffdb\ufffd[31m\t\t \u0085 \\u0000 \\\\b line\n\ttab ä"
	require.Equal(t, want, frame.Heartbeat.Hostname)
	require.Equal(t, want, frame.Result.StderrTail)
	var inside string
	require.NoError(t, json.Unmarshal(frame.Result.Data, &inside))
	require.Equal(t, want, inside)
}

func TestOnlyThePanelsOwnRefusalIsFinal(t *testing.T) {
	t.Parallel()
	require.True(t, Refused(&StatusError{Status: http.StatusNotFound, Code: "not_found"}))
	require.False(t, Refused(&StatusError{Status: http.StatusNotFound}), "a proxy before the panel said this")
	require.False(t, Refused(&StatusError{Status: http.StatusServiceUnavailable, Code: "unavailable"}))
	require.False(t, Refused(&StatusError{Status: http.StatusForbidden, Code: "license_read_only"}))
}

func TestBackoffRisesToItsBoundAndIsSpread(t *testing.T) {
	t.Parallel()
	b := Backoff{First: time.Second, Longest: 8 * time.Second}
	for _, ceiling := range []time.Duration{1, 2, 4, 8, 8, 8} {
		pause := b.Next()
		require.LessOrEqual(t, pause, ceiling*time.Second)
		require.GreaterOrEqual(t, pause, ceiling*time.Second/2)
	}
	b.Reset()
	require.LessOrEqual(t, b.Next(), time.Second)
}

func TestANewTokenIsUsedOnlyAfterItWasKept(t *testing.T) {
	t.Parallel()
	var used []string
	c := client(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		used = append(used, r.Header.Get("Authorization"))
		_, _ = w.Write([]byte(`{"agent_token":"fresh"}`))
	}))
	old := c.Token()
	_, err := c.Rotate(t.Context(), func(string) error { return errors.New("the disk is full") })
	require.Error(t, err)
	require.Equal(t, old, c.Token())
	_, err = c.Rotate(t.Context(), func(string) error { return nil })
	require.NoError(t, err)
	require.Equal(t, "fresh", c.Token())
	require.Equal(t, []string{"Bearer " + old, "Bearer " + old}, used)
}

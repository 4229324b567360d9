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
	require.Eventually(t, func() bool { return box.has("polled") }, 30*time.Second, 5*time.Millisecond)
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
	require.Eventually(t, func() bool { return opened.Load() >= 3 }, 10*time.Second, 5*time.Millisecond)
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

// answering is a panel that answers calls on the stream and counts the POSTs that come beside it.
func answering(
	t *testing.T, takes []agentapi.FrameType, reply func(agentapi.Frame) *agentapi.Reply,
) (*Client, *atomic.Int64) {
	t.Helper()
	posts := new(atomic.Int64)
	mux := http.NewServeMux()
	mux.HandleFunc(agentapi.PathHeartbeat, func(w http.ResponseWriter, _ *http.Request) {
		posts.Add(1)
		_ = json.NewEncoder(w).Encode(agentapi.HeartbeatReply{HeartbeatSeconds: 7})
	})
	mux.HandleFunc(agentapi.PathStream, func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer conn.CloseNow()
		writeFrame(r.Context(), conn, agentapi.Frame{
			Type: agentapi.FrameDesired, Desired: &agentapi.Desired{},
			Takes: takes,
		})
		for {
			_, raw, err := conn.Read(r.Context())
			var frame agentapi.Frame
			if err != nil || json.Unmarshal(raw, &frame) != nil {
				return
			}
			if frame.Call == 0 {
				continue
			}
			answer := reply(frame)
			if answer == nil {
				return
			}
			writeFrame(r.Context(), conn, agentapi.Frame{Type: agentapi.FrameReply, Call: frame.Call, Reply: answer})
		}
	})
	c := client(t, mux)
	receive(t, c, quick)
	require.Eventually(t, func() bool { return c.stream.Load() != nil }, 30*time.Second, time.Millisecond)
	return c, posts
}

func TestACallGoesOverTheOpenStreamAndNeedsNoSecondConnection(t *testing.T) {
	t.Parallel()
	c, posts := answering(t, []agentapi.FrameType{agentapi.FrameHeartbeat, agentapi.FrameMetrics},
		func(f agentapi.Frame) *agentapi.Reply {
			if f.Metrics != nil {
				return &agentapi.Reply{Status: http.StatusServiceUnavailable, Code: "unavailable", RetrySeconds: 2}
			}
			return &agentapi.Reply{Status: http.StatusOK, Heartbeat: &agentapi.HeartbeatReply{HeartbeatSeconds: 11}}
		})
	reply, err := c.Heartbeat(t.Context(), agentapi.Heartbeat{})
	require.NoError(t, err)
	require.Equal(t, 11, reply.HeartbeatSeconds)
	_, err = c.Metrics(t.Context(), agentapi.MetricsBatch{Seq: 1})
	require.Equal(t, 2*time.Second, RetryAfter(err), "a refusal reads like that of the POST: %v", err)
	require.Zero(t, posts.Load())
}

// Compatibility: a panel of before says nothing about calls, and everything is POSTed as ever.
func TestAnOlderPanelGetsPOSTs(t *testing.T) {
	t.Parallel()
	c, posts := answering(t, nil, func(agentapi.Frame) *agentapi.Reply { return nil })
	reply, err := c.Heartbeat(t.Context(), agentapi.Heartbeat{})
	require.NoError(t, err)
	require.Equal(t, 7, reply.HeartbeatSeconds)
	require.EqualValues(t, 1, posts.Load())
}

func TestACallWhoseStreamEndsIsPOSTed(t *testing.T) {
	t.Parallel()
	c, posts := answering(t, []agentapi.FrameType{agentapi.FrameHeartbeat},
		func(agentapi.Frame) *agentapi.Reply { return nil })
	reply, err := c.Heartbeat(t.Context(), agentapi.Heartbeat{})
	require.NoError(t, err)
	require.Equal(t, 7, reply.HeartbeatSeconds)
	require.EqualValues(t, 1, posts.Load())
}

func documentOf(name agentapi.DocumentName, content string) agentapi.Document {
	hash, _ := agentapi.HashContent([]byte(content))
	return agentapi.Document{
		DocumentRef: agentapi.DocumentRef{Name: name, Revision: 3, Hash: hash},
		Content:     []byte(content),
	}
}

func TestDocumentsAndBatchesGoOverTheStreamAndElseByTheirRoutes(t *testing.T) {
	t.Parallel()
	want := documentOf(agentapi.DocumentBlocks, `{"b":[1],"a":"<"}`)
	streamed, _ := answering(t, []agentapi.FrameType{agentapi.FrameDocument, agentapi.FrameBatch},
		func(f agentapi.Frame) *agentapi.Reply {
			if f.Batch != nil {
				return &agentapi.Reply{Status: http.StatusOK, Batch: &agentapi.BatchReply{AckedSeq: f.Batch.Seq}}
			}
			document := want
			document.Name = f.Document
			return &agentapi.Reply{Status: http.StatusOK, Document: &document}
		})
	posted := client(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method + " " + r.URL.Path {
		case "GET /agent/v1/desired/blocks":
			_ = json.NewEncoder(w).Encode(want)
		case "POST /agent/v1/batches/seen":
			var batch agentapi.Batch
			_ = json.NewDecoder(r.Body).Decode(&batch)
			_ = json.NewEncoder(w).Encode(agentapi.BatchReply{AckedSeq: batch.Seq})
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	for _, c := range []*Client{streamed, posted} {
		got, err := c.Document(t.Context(), agentapi.DocumentBlocks)
		require.NoError(t, err)
		require.Equal(t, want.DocumentRef, got.DocumentRef)
		require.JSONEq(t, string(want.Content), string(got.Content))
		reply, err := c.Batch(t.Context(), agentapi.Batch{Kind: "seen", StreamID: "s", Seq: 8})
		require.NoError(t, err)
		require.EqualValues(t, 8, reply.AckedSeq)
	}
}

func TestADocumentThatIsNotWhatItsHashSaysIsNotTaken(t *testing.T) {
	t.Parallel()
	wrong := documentOf(agentapi.DocumentBlocks, `{"a":1}`)
	wrong.Content = []byte(`{"a":2}`)
	other := documentOf(agentapi.DocumentPools, `{"a":1}`)
	for _, document := range []agentapi.Document{wrong, other} {
		c := client(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_ = json.NewEncoder(w).Encode(document)
		}))
		_, err := c.Document(t.Context(), agentapi.DocumentBlocks)
		require.Error(t, err)
	}
}

func TestTheStreamNamesTheDocumentsBesideTheConfiguration(t *testing.T) {
	t.Parallel()
	ref := agentapi.DocumentRef{Name: agentapi.DocumentBlocks, Revision: 2, Hash: "h"}
	c := client(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer conn.CloseNow()
		frame := agentapi.Frame{
			Type: agentapi.FrameDesired, Desired: &agentapi.Desired{},
			Documents: []agentapi.DocumentRef{ref},
		}
		writeFrame(r.Context(), conn, frame)
		_, _, _ = conn.Read(r.Context())
		_, _, _ = conn.Read(r.Context())
	}))
	box := receive(t, c, quick)
	require.Eventually(t, func() bool {
		box.mu.Lock()
		defer box.mu.Unlock()
		return len(box.documents) > 0 && box.documents[0] == ref
	}, 30*time.Second, time.Millisecond)
}

package link

import (
	"encoding/json"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
)

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
	require.Eventually(t, func() bool { return c.stream.Load() != nil }, 60*time.Second, time.Millisecond)
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
	}, 60*time.Second, time.Millisecond)
}

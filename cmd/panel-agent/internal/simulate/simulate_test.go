package simulate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/link"
	"panel/platform/agentapi"
)

// fleetPanel enrols everyone and orders one apply of each.
type fleetPanel struct {
	mu        sync.Mutex
	enrolled  int
	committed map[string]bool
	samples   map[string]bool
}

func (p *fleetPanel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == agentapi.PathEnroll:
		p.mu.Lock()
		defer p.mu.Unlock()
		p.enrolled++
		send(w, agentapi.EnrollReply{
			NodeID: fmt.Sprint(p.enrolled), AgentToken: fmt.Sprint("t", p.enrolled),
			HeartbeatSeconds: 1,
		})
	case r.URL.Path == agentapi.PathHeartbeat:
		send(w, agentapi.HeartbeatReply{HeartbeatSeconds: 1, Documents: []agentapi.DocumentRef{lists().DocumentRef}})
	case strings.HasPrefix(r.URL.Path, "/agent/v1/desired/"):
		send(w, lists())
	case strings.HasPrefix(r.URL.Path, "/agent/v1/client-lists/"):
		send(w, agentapi.ClientChanges{
			FlowID: "f", To: agentapi.ListPosition{Epoch: "e", Since: 7}, Fresh: true, Gone: []string{"anna"},
		})
	case r.URL.Path == agentapi.PathMetrics:
		p.metrics(w, r)
	case r.URL.Path == agentapi.PathConfig:
		send(w, config())
	case r.URL.Path == agentapi.PathStream:
		p.stream(w, r)
	case strings.HasSuffix(r.URL.Path, "/result"):
		p.mu.Lock()
		defer p.mu.Unlock()
		p.committed[r.URL.Path+r.Header.Get("Authorization")] = true
	default:
		http.NotFound(w, r)
	}
}

func config() agentapi.NodeConfig {
	c := agentapi.NodeConfig{Revision: 1, Core: json.RawMessage(`{}`)}
	c.Hash, _ = c.ContentHash()
	return c
}

// lists are what each agent shall hold beside its configuration.
func lists() agentapi.Document {
	document := agentapi.Document{Content: json.RawMessage(`{"flows":[{"epoch":"e","flow_id":"f","revision":7}]}`)}
	document.Name, document.Revision = agentapi.DocumentClientLists, 1
	document.Hash, _ = agentapi.HashContent(document.Content)
	return document
}

func send(w http.ResponseWriter, value any) { _ = json.NewEncoder(w).Encode(value) }

func (p *fleetPanel) metrics(w http.ResponseWriter, r *http.Request) {
	var batch agentapi.MetricsBatch
	if json.NewDecoder(r.Body).Decode(&batch) != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.samples[batch.StreamID] = true
	send(w, agentapi.MetricsReply{AckedSeq: batch.Seq})
}

func (p *fleetPanel) stream(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer conn.CloseNow()
	for _, phase := range []agentapi.ApplyPhase{agentapi.PhasePrepare, agentapi.PhaseSwitch, agentapi.PhaseCommit} {
		args, _ := json.Marshal(agentapi.ApplyConfigArgs{Phase: phase, ApplyID: "a", Revision: 1, Hash: config().Hash})
		command := agentapi.Command{
			ID: string(phase), Kind: agentapi.ApplyConfig, Args: args,
			Deadline: time.Now().Add(time.Minute),
		}
		raw, _ := json.Marshal(agentapi.Frame{Type: agentapi.FrameCommand, Command: &command})
		_ = conn.Write(r.Context(), websocket.MessageText, raw)
	}
	for {
		if _, _, err := conn.Read(r.Context()); err != nil {
			return
		}
	}
}

func TestAFleetEnrolsOnceHeartsBeatsAndAcknowledgesApplies(t *testing.T) {
	t.Parallel()
	panel := &fleetPanel{committed: map[string]bool{}, samples: map[string]bool{}}
	server := httptest.NewServer(panel)
	defer server.Close()
	defer server.CloseClientConnections()
	const count = 20
	var out bytes.Buffer
	o := Options{
		PanelURL: server.URL, Count: count, TokensFile: filepath.Join(t.TempDir(), "fleet.jsonl"), NamePrefix: "sim",
		EnrollToken: func() (string, error) { return "token", nil }, Spread: 10 * time.Millisecond,
		Sampling: 50 * time.Millisecond,
		Timing:   link.DefaultTiming, Clock: clockwork.NewRealClock(), Log: zap.NewNop(), Out: &out,
	}
	for range 2 {
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- Run(ctx, o) }()
		require.Eventually(t, func() bool {
			panel.mu.Lock()
			defer panel.mu.Unlock()
			return len(panel.committed) == 3*count && len(panel.samples) >= count
		}, 60*time.Second, 10*time.Millisecond)
		cancel()
		require.NoError(t, <-done)
	}
	require.Equal(t, count, panel.enrolled, "identities are kept between runs")
	require.Contains(t, out.String(), `"heartbeats":`)
	require.Regexp(t, `"clients":[1-9]`, out.String(), "what has changed on lists of clients")
}

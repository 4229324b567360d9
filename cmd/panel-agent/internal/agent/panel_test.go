package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
)

const testToken = "agent-token-0123456789"

// panel is as much of the panel as an agent sees, in memory.
type panel struct {
	t        *testing.T
	server   *httptest.Server
	noStream bool

	mu       sync.Mutex
	desired  agentapi.Desired
	configs  map[int64]agentapi.NodeConfig
	commands []agentapi.Command
	results  map[string]agentapi.CommandResult
	acked    map[string]bool
	outcomes []agentapi.ConfigResult
	beat     agentapi.Heartbeat
	beats    int
	batches  map[string]agentapi.MetricsBatch
	urls     []string
	busy     int // batches that are still refused for now
	streams  map[chan agentapi.Frame]bool
}

func newPanel(t *testing.T) *panel {
	t.Helper()
	p := &panel{
		t: t, configs: map[int64]agentapi.NodeConfig{}, results: map[string]agentapi.CommandResult{},
		acked:   map[string]bool{},
		batches: map[string]agentapi.MetricsBatch{}, streams: map[chan agentapi.Frame]bool{},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+agentapi.PathHeartbeat, p.heartbeat)
	mux.HandleFunc("POST "+agentapi.PathMetrics, p.metrics)
	mux.HandleFunc("GET "+agentapi.PathConfig, p.config)
	mux.HandleFunc("POST "+agentapi.PathConfigResult, p.configResult)
	mux.HandleFunc("GET "+agentapi.PathCommands, p.poll)
	mux.HandleFunc("POST "+agentapi.PathCommandResult, p.commandResult)
	mux.HandleFunc("GET "+agentapi.PathStream, p.stream)
	mux.HandleFunc("GET "+agentapi.PathReflect, p.reflect)
	p.server = httptest.NewServer(p.guard(mux))
	t.Cleanup(p.close)
	return p
}

// close ends what is open, and checks the rule that holds for every call: no token in an address.
func (p *panel) close() {
	p.server.CloseClientConnections()
	p.server.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, url := range p.urls {
		require.NotContains(p.t, url, testToken)
	}
}

func (p *panel) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.urls = append(p.urls, r.URL.String())
		p.mu.Unlock()
		if r.Header.Get("Authorization") != "Bearer "+testToken {
			http.Error(w, `{"code":"agent_token_invalid"}`, http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (p *panel) read(w http.ResponseWriter, r *http.Request, into any) bool {
	if err := json.NewDecoder(r.Body).Decode(into); err != nil {
		http.Error(w, `{"code":"bad_json"}`, http.StatusBadRequest)
		return false
	}
	return true
}

func send(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value)
}

func (p *panel) heartbeat(w http.ResponseWriter, r *http.Request) {
	var beat agentapi.Heartbeat
	if !p.read(w, r, &beat) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.beat, p.beats = beat, p.beats+1
	send(w, agentapi.HeartbeatReply{Desired: p.desired, HeartbeatSeconds: 1, ServerTime: time.Now().UTC()})
}

func (p *panel) metrics(w http.ResponseWriter, r *http.Request) {
	var batch agentapi.MetricsBatch
	if !p.read(w, r, &batch) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.busy > 0 {
		p.busy--
		w.Header().Set("Retry-After", "2")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"code":"throttled","detail":"too many requests"}`)
		return
	}
	key := fmt.Sprint(batch.StreamID, "/", batch.Seq)
	if _, repeated := p.batches[key]; !repeated {
		p.batches[key] = batch
	}
	send(w, agentapi.MetricsReply{AckedSeq: batch.Seq})
}

func (p *panel) config(w http.ResponseWriter, r *http.Request) {
	revision, _ := strconv.ParseInt(r.URL.Query().Get("revision"), 10, 64)
	p.mu.Lock()
	defer p.mu.Unlock()
	config, found := p.configs[revision]
	if !found {
		http.Error(w, `{"code":"not_found"}`, http.StatusNotFound)
		return
	}
	send(w, config)
}

func (p *panel) configResult(w http.ResponseWriter, r *http.Request) {
	var outcome agentapi.ConfigResult
	if !p.read(w, r, &outcome) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.outcomes = append(p.outcomes, outcome)
	w.WriteHeader(http.StatusNoContent)
}

func (p *panel) commandResult(w http.ResponseWriter, r *http.Request) {
	var result agentapi.CommandResult
	if !p.read(w, r, &result) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.results[r.PathValue("id")] = result
	w.WriteHeader(http.StatusNoContent)
}

func (p *panel) reflect(w http.ResponseWriter, r *http.Request) {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	send(w, agentapi.Reflection{IP: host})
}

func (p *panel) waiting() agentapi.Pending {
	p.mu.Lock()
	defer p.mu.Unlock()
	pending := agentapi.Pending{Desired: p.desired}
	for _, command := range p.commands {
		if _, done := p.results[command.ID]; !done {
			pending.Commands = append(pending.Commands, command)
		}
	}
	return pending
}

func (p *panel) poll(w http.ResponseWriter, r *http.Request) {
	for range 20 {
		if pending := p.waiting(); len(pending.Commands) > 0 || r.Context().Err() != nil {
			send(w, pending)
			return
		}
		<-time.After(20 * time.Millisecond)
	}
	send(w, p.waiting())
}

func (p *panel) stream(w http.ResponseWriter, r *http.Request) {
	if p.noStream {
		http.NotFound(w, r)
		return
	}
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer conn.CloseNow()
	frames := make(chan agentapi.Frame, 100)
	p.open(frames)
	defer p.shut(frames)
	go p.listen(r.Context(), conn)
	for {
		select {
		case <-r.Context().Done():
			return
		case frame := <-frames:
			raw, _ := json.Marshal(frame)
			if conn.Write(r.Context(), websocket.MessageText, raw) != nil {
				return
			}
		}
	}
}

func (p *panel) open(frames chan agentapi.Frame) {
	pending := p.waiting()
	frames <- agentapi.Frame{Type: agentapi.FrameDesired, Desired: &pending.Desired}
	for _, command := range pending.Commands {
		frames <- agentapi.Frame{Type: agentapi.FrameCommand, Command: &command}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.streams[frames] = true
}

func (p *panel) shut(frames chan agentapi.Frame) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.streams, frames)
}

func (p *panel) listen(ctx context.Context, conn *websocket.Conn) {
	for {
		_, raw, err := conn.Read(ctx)
		if err != nil {
			_ = conn.CloseNow()
			return
		}
		var frame agentapi.Frame
		if json.Unmarshal(raw, &frame) == nil && frame.Type == agentapi.FrameAck {
			p.mu.Lock()
			p.acked[frame.CommandID] = true
			p.mu.Unlock()
		}
	}
}

// put stores a configuration under its hash and gives its mark.
func (p *panel) put(revision int64, core []byte, listeners ...agentapi.Listener) agentapi.NodeConfig {
	p.t.Helper()
	config := agentapi.NodeConfig{Revision: revision, Core: core, Listeners: listeners}
	hash, err := config.ContentHash()
	require.NoError(p.t, err)
	config.Hash = hash
	p.mu.Lock()
	defer p.mu.Unlock()
	p.configs[revision] = config
	return config
}

func (p *panel) want(config agentapi.NodeConfig) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.desired = agentapi.Desired{DesiredRevision: config.Revision, DesiredHash: config.Hash}
	desired := p.desired
	for frames := range p.streams {
		frames <- agentapi.Frame{Type: agentapi.FrameDesired, Desired: &desired}
	}
}

// install wants a configuration and waits until it serves.
func (p *panel) install(revision int64, core []byte, listeners ...agentapi.Listener) {
	p.t.Helper()
	p.want(p.put(revision, core, listeners...))
	p.serves(revision)
}

// order sends a command and waits for its result.
func (p *panel) order(kind agentapi.CommandKind, args any) agentapi.CommandResult {
	p.t.Helper()
	id := fmt.Sprintf("command-%d", time.Now().UnixNano())
	command := agentapi.Command{ID: id, Kind: kind, Deadline: time.Now().Add(time.Minute)}
	if args != nil {
		raw, err := json.Marshal(args)
		require.NoError(p.t, err)
		command.Args = raw
	}
	p.mu.Lock()
	p.commands = append(p.commands, command)
	for frames := range p.streams {
		frames <- agentapi.Frame{Type: agentapi.FrameCommand, Command: &command}
	}
	p.mu.Unlock()
	var result agentapi.CommandResult
	require.Eventually(p.t, func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		var found bool
		result, found = p.results[id]
		return found
	}, 60*time.Second, 10*time.Millisecond, "no result of %s", kind)
	return result
}

func (p *panel) lastBeat() agentapi.Heartbeat {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.beat
}

func (p *panel) outcome(match func(agentapi.ConfigResult) bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, outcome := range p.outcomes {
		if match(outcome) {
			return true
		}
	}
	return false
}

func (p *panel) serves(revision int64) {
	p.t.Helper()
	require.Eventually(p.t, func() bool {
		beat := p.lastBeat()
		return beat.Core.ConfigRevision == revision && beat.Core.State == agentapi.CoreRunning
	}, 60*time.Second, 20*time.Millisecond, "revision %d is not served", revision)
}

// bytes sums the traffic of the stored batches.
func (p *panel) bytes(kind string) (up, down int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, batch := range p.batches {
		for _, sample := range batch.Samples {
			for _, traffic := range sample.Traffic {
				if strings.HasPrefix(traffic.Kind, kind) {
					up, down = up+traffic.Up, down+traffic.Down
				}
			}
		}
	}
	return up, down
}

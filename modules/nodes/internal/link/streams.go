// Package link is the WebSocket that each agent holds to a panel: commands go down on it, and what agents may POST
// comes up.
package link

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/modules/nodes/internal/telemetry"
	"panel/modules/nodes/internal/work"
	"panel/platform/access"
	"panel/platform/agentapi"
	"panel/platform/fault"
	"panel/platform/httpapi"
)

// Panel is what answers the calls of agents.
type Panel interface {
	// AuthenticateAgent proves an agent token. Faults: agent_token_invalid (401), unavailable (503).
	AuthenticateAgent(ctx context.Context, token string) (access.Caller, error)
	// Alive notes a sign of life.
	Alive(nodeID string)
	Heartbeat(ctx context.Context, nodeID string, in *agentapi.Heartbeat) (*agentapi.HeartbeatReply, error)
	Metrics(ctx context.Context, nodeID string, in *agentapi.MetricsBatch) error
	Result(ctx context.Context, nodeID string, in *agentapi.CommandResult) error
	Config(ctx context.Context, nodeID string, revision int64) (*agentapi.NodeConfig, error)
	Document(ctx context.Context, nodeID string, name agentapi.DocumentName) (*agentapi.Document, error)
	Batch(ctx context.Context, nodeID string, in *agentapi.Batch) error
}

// Streams is the registry of open WebSockets, one per node: a newer one takes the older one's place.
type Streams struct {
	panel Panel
	queue *work.Queue
	clock clockwork.Clock
	log   *zap.Logger
	stop  <-chan struct{}

	mu    sync.Mutex
	links map[string]*link
}

const (
	pingEvery = 30 * time.Second
	silence   = 90 * time.Second

	callLimit = 5 * time.Second
)

// New makes the registry of a panel and delivers what waits in the queue on its streams.
func New(panel Panel, queue *work.Queue, s *httpapi.Streams, clock clockwork.Clock, log *zap.Logger) *Streams {
	registry := &Streams{
		panel: panel, queue: queue, clock: clock, log: log, stop: s.Stopping(),
		links: map[string]*link{},
	}
	queue.Streams(registry.present, registry.deliver)
	return registry
}

// Open counts the streams.
func (s *Streams) Open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.links)
}

// serve keeps a stream until either side ends it.
func (s *Streams) serve(nodeID, token string, w wire) {
	l := &link{nodeID: nodeID, token: token, wire: w, sent: map[string]bool{}}
	s.enter(l)
	defer s.leave(l)
	for take := s.taking(l); ; {
		if w.Receive(take) != nil {
			return
		}
	}
}

// taking understands frames. A call that the judge of all bodies refuses is answered like the POST; of another frame
// nobody would hear why, so it ends the stream, as does what is no frame at all.
func (s *Streams) taking(l *link) func(text []byte) error {
	return func(text []byte) error {
		frame, err := telemetry.ReadFrame(text)
		if err == nil {
			s.panel.Alive(l.nodeID)
			s.take(l, frame)
			return nil
		}
		var asked struct {
			Type agentapi.FrameType `json:"type"`
			Call int64              `json:"call"`
		}
		if json.Unmarshal(text, &asked) != nil || asked.Call == 0 {
			return err
		}
		s.panel.Alive(l.nodeID)
		l.reply(agentapi.Frame{Type: agentapi.FrameReply, Call: asked.Call, Reply: s.refusal(l, err)})
		return nil
	}
}

func (s *Streams) take(l *link, frame *agentapi.Frame) {
	switch frame.Type {
	case agentapi.FrameHello:
		s.welcome(l)
	case agentapi.FramePing:
		l.push(agentapi.Frame{Type: agentapi.FramePong})
	case agentapi.FrameAck:
		s.queue.Acked(l.nodeID, frame.CommandID)
	case agentapi.FrameHeartbeat, agentapi.FrameMetrics, agentapi.FrameResult, agentapi.FrameConfig,
		agentapi.FrameDocument,
		agentapi.FrameBatch:
		s.answer(l, frame)
	// nothing to do
	case agentapi.FrameDesired, agentapi.FrameCommand, agentapi.FramePong, agentapi.FrameReply, agentapi.FrameBye:
	}
}

func (s *Streams) welcome(l *link) {
	ctx, cancel := context.WithTimeout(context.Background(), callLimit)
	defer cancel()
	if err := s.queue.Greet(ctx, l.nodeID, l.greet); err != nil {
		s.log.Warn("an agent gets its work with the next heartbeat", zap.String("node", l.nodeID), zap.Error(err))
	}
}

func (s *Streams) enter(l *link) {
	s.mu.Lock()
	older := s.links[l.nodeID]
	s.links[l.nodeID] = l
	s.mu.Unlock()
	if older != nil {
		older.close()
	}
}

func (s *Streams) leave(l *link) {
	s.mu.Lock()
	if s.links[l.nodeID] == l {
		delete(s.links, l.nodeID)
	}
	s.mu.Unlock()
	l.close()
}

func (s *Streams) present(ids []string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var here []string
	if ids == nil {
		for id := range s.links {
			here = append(here, id)
		}
		return here
	}
	for _, id := range ids {
		if s.links[id] != nil {
			here = append(here, id)
		}
	}
	return here
}

func (s *Streams) deliver(nodeID string, pending agentapi.Pending) {
	s.mu.Lock()
	l := s.links[nodeID]
	s.mu.Unlock()
	if l != nil {
		l.send(pending)
	}
}

// TokensChanged ends the stream of a node unless the token of the stream is still valid. An empty id says that changes
// may have been missed; the regular check finds those.
func (s *Streams) TokensChanged(nodeID string) {
	s.mu.Lock()
	l := s.links[nodeID]
	s.mu.Unlock()
	if l != nil {
		go s.recheck(l)
	}
}

// recheck proves the token of an open stream again.
func (s *Streams) recheck(l *link) {
	ctx, cancel := context.WithTimeout(context.Background(), callLimit)
	defer cancel()
	if _, err := s.panel.AuthenticateAgent(ctx, l.token); fault.KindOf(err) == fault.KindUnauthenticated {
		l.close()
	}
}

// Run checks every stream twice a minute and says goodbye to all when the panel stops.
func (s *Streams) Run(ctx context.Context) error {
	ticker := s.clock.NewTicker(pingEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.Chan():
			for _, l := range s.all() {
				s.inspect(l)
			}
		case <-s.stop:
			s.dismiss()
			<-ctx.Done()
			return nil
		case <-ctx.Done():
			s.dismiss()
			return nil
		}
	}
}

// inspect pings a stream that is quiet, closes one that stays so, and proves the token again, from memory as a rule.
// One pass over all of them costs less than a deadline that moves with every frame.
func (s *Streams) inspect(l *link) {
	switch quiet := l.wire.Quiet(); {
	case quiet > silence:
		l.close()
	case quiet > pingEvery:
		l.ping()
	}
	s.recheck(l)
}

func (s *Streams) all() []*link {
	s.mu.Lock()
	defer s.mu.Unlock()
	links := make([]*link, 0, len(s.links))
	for _, l := range s.links {
		links = append(links, l)
	}
	return links
}

// dismiss spreads the return of the agents: the more there are, the more time they get.
func (s *Streams) dismiss() {
	const atOnce, shortest, longest = 100, 2, 30
	links := s.all()
	seconds := min(max(len(links)/atOnce, shortest), longest)
	var gone sync.WaitGroup
	for _, l := range links {
		gone.Go(func() {
			// plain values always encode
			text, _ := json.Marshal(agentapi.Frame{Type: agentapi.FrameBye, RetrySeconds: seconds})
			_ = l.wire.Send(text)
			l.close()
		})
	}
	gone.Wait()
}

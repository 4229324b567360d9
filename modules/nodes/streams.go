package nodes

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/platform/agentapi"
	"panel/platform/httpapi"
)

// streams is the registry of open WebSockets, one per node: a newer one takes the older one's place.
type streams struct {
	desk        *desk
	agents      *agents
	telemetry   *telemetry
	reports     *reports
	credentials *credentials
	clock       clockwork.Clock
	log         *zap.Logger
	stop        <-chan struct{}

	mu    sync.Mutex
	links map[string]*link
}

// wire is the part of a WebSocket that a link needs.
type wire interface {
	Send(text []byte) error
	Ping() error
	Receive(take func(text []byte) error) error // of the next frame, whose text is lent for the call
	Quiet() time.Duration                       // since the other side last showed itself
	Close()
}

const (
	pingEvery = 30 * time.Second
	silence   = 90 * time.Second
)

func newStreams(d *desk, a *agents, t *telemetry, c *credentials, s *httpapi.Streams, clock clockwork.Clock, log *zap.Logger) *streams {
	registry := &streams{
		desk: d, agents: a, telemetry: t, reports: a.reports, credentials: c, clock: clock, log: log, stop: s.Stopping(), links: map[string]*link{},
	}
	d.present, d.deliver = registry.present, registry.deliver
	c.onForget(registry.cut)
	return registry
}

// link is one open stream. Who has a frame for it never waits: frames queue, and one goroutine writes while there are any.
type link struct {
	nodeID string
	token  string
	wire   wire

	mu      sync.Mutex
	queue   []agentapi.Frame
	writing bool
	closed  bool
	kept    map[string]bool // commands that the agent has written to its disk, or that are on their way
	desired agentapi.Desired
}

// mostFrames is how far an agent may fall behind before its stream is cut; it then comes back and gets everything again.
const mostFrames = 1024

// serve keeps a stream until either side ends it.
func (s *streams) serve(nodeID, token string, w wire) {
	l := &link{nodeID: nodeID, token: token, wire: w, kept: map[string]bool{}}
	s.enter(l)
	defer s.leave(l)
	for take := s.taking(l); ; {
		if w.Receive(take) != nil {
			return
		}
	}
}

// taking understands frames; what is no frame ends the stream.
func (s *streams) taking(l *link) func(text []byte) error {
	return func(text []byte) error {
		var frame agentapi.Frame
		if err := readFrame(text, &frame); err != nil {
			return err
		}
		s.reports.alive(l.nodeID)
		if frame.Heartbeat != nil || frame.Result != nil {
			if err := storable(text); err != nil {
				l.reply(agentapi.Frame{Type: agentapi.FrameReply, Call: frame.Call, Reply: s.refusal(l, err)})
				return nil
			}
		}
		s.take(l, &frame)
		return nil
	}
}

func (s *streams) take(l *link, frame *agentapi.Frame) {
	switch frame.Type {
	case agentapi.FrameHello:
		s.welcome(l)
	case agentapi.FramePing:
		l.push(agentapi.Frame{Type: agentapi.FramePong})
	case agentapi.FrameAck:
		s.desk.acked(l.nodeID, frame.CommandID)
	case agentapi.FrameHeartbeat, agentapi.FrameMetrics, agentapi.FrameResult, agentapi.FrameConfig:
		s.answer(l, frame)
	case agentapi.FrameDesired, agentapi.FrameCommand, agentapi.FramePong, agentapi.FrameReply, agentapi.FrameBye: // nothing to do
	}
}

func (s *streams) welcome(l *link) {
	ctx, cancel := context.WithTimeout(context.Background(), writeLimit)
	defer cancel()
	work, err := s.desk.work(ctx, l.nodeID)
	if err != nil {
		s.log.Warn("an agent gets its work with the next heartbeat", zap.String("node", l.nodeID), zap.Error(err))
		return
	}
	l.push(agentapi.Frame{Type: agentapi.FrameDesired, Desired: &work.Desired, Takes: takes})
	l.mu.Lock()
	l.desired = work.Desired
	l.mu.Unlock()
	l.hand(work)
}

func (s *streams) enter(l *link) {
	s.mu.Lock()
	older := s.links[l.nodeID]
	s.links[l.nodeID] = l
	s.mu.Unlock()
	if older != nil {
		older.close()
	}
}

func (s *streams) leave(l *link) {
	s.mu.Lock()
	if s.links[l.nodeID] == l {
		delete(s.links, l.nodeID)
	}
	s.mu.Unlock()
	l.close()
}

func (s *streams) present(ids []string) []string {
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

func (s *streams) deliver(nodeID string, work agentapi.Pending) {
	s.mu.Lock()
	l := s.links[nodeID]
	s.mu.Unlock()
	if l != nil {
		l.hand(work)
	}
}

// cut ends the stream of a node whose tokens changed, unless its own token still holds. An empty id says that changes may
// have been missed; the regular check finds those.
func (s *streams) cut(nodeID string) {
	s.mu.Lock()
	l := s.links[nodeID]
	s.mu.Unlock()
	if l != nil {
		go s.recheck(l)
	}
}

// recheck proves the token of an open stream again.
func (s *streams) recheck(l *link) {
	ctx, cancel := context.WithTimeout(context.Background(), writeLimit)
	defer cancel()
	if _, err := s.credentials.AuthenticateAgent(ctx, l.token); errors.Is(err, errAgentToken) {
		l.close()
	}
}

// run looks twice a minute at every stream and says goodbye to all when the panel stops.
func (s *streams) run(ctx context.Context) error {
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

// inspect pings a stream that is quiet, gives up one that stays so, and proves the token again, from memory as a rule. One
// look at all of them costs less than a deadline that moves with every frame.
func (s *streams) inspect(l *link) {
	switch quiet := l.wire.Quiet(); {
	case quiet > silence:
		l.close()
	case quiet > pingEvery:
		l.ping()
	}
	s.recheck(l)
}

func (s *streams) all() []*link {
	s.mu.Lock()
	defer s.mu.Unlock()
	links := make([]*link, 0, len(s.links))
	for _, l := range s.links {
		links = append(links, l)
	}
	return links
}

// dismiss spreads the return of the agents: the more there are, the more time they get.
func (s *streams) dismiss() {
	const atOnce, shortest, longest = 100, 2, 30
	links := s.all()
	seconds := min(max(len(links)/atOnce, shortest), longest)
	var gone sync.WaitGroup
	for _, l := range links {
		gone.Go(func() {
			text, _ := json.Marshal(agentapi.Frame{Type: agentapi.FrameBye, RetrySeconds: seconds}) // plain values always encode
			_ = l.wire.Send(text)
			l.close()
		})
	}
	gone.Wait()
}

// hand queues what the agent does not have yet.
func (l *link) hand(work agentapi.Pending) {
	var frames []agentapi.Frame
	l.mu.Lock()
	if l.desired != work.Desired {
		l.desired = work.Desired
		desired := work.Desired
		frames = append(frames, agentapi.Frame{Type: agentapi.FrameDesired, Desired: &desired})
	}
	waiting := make(map[string]bool, len(work.Commands))
	for i := range work.Commands {
		command := work.Commands[i]
		if waiting[command.ID] = true; !l.kept[command.ID] {
			frames = append(frames, agentapi.Frame{Type: agentapi.FrameCommand, Command: &command})
		}
	}
	l.kept = waiting
	l.mu.Unlock()
	l.push(frames...)
}

func (l *link) push(frames ...agentapi.Frame) {
	if l.queued(frames) {
		go l.drain()
	}
}

// reply writes in the goroutine that reads, which has nothing else to do: an agent that does not take its replies is not heard.
func (l *link) reply(frame agentapi.Frame) {
	if l.queued([]agentapi.Frame{frame}) {
		l.drain()
	}
}

// queued reports whether the caller is the one who has to write.
func (l *link) queued(frames []agentapi.Frame) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || len(frames) == 0 {
		return false
	}
	if l.queue = append(l.queue, frames...); len(l.queue) > mostFrames {
		go l.close()
		return false
	}
	if l.writing {
		return false
	}
	l.writing = true
	return true
}

func (l *link) drain() {
	for {
		l.mu.Lock()
		frames := l.queue
		l.queue = nil
		if len(frames) == 0 || l.closed {
			l.writing = false
			l.mu.Unlock()
			return
		}
		l.mu.Unlock()
		for i := range frames {
			if err := httpapi.Encode(writer{l.wire}, &frames[i]); err != nil {
				l.close()
				break
			}
		}
	}
}

// writer sends each text that is written to it as a frame of its own.
type writer struct{ wire }

// Write implements io.Writer.
func (w writer) Write(text []byte) (int, error) { return len(text), w.Send(text) }

func (l *link) ping() {
	if l.wire.Ping() != nil {
		l.close()
	}
}

func (l *link) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.closed = true
		l.wire.Close()
	}
}

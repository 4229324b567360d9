package link

import (
	"slices"
	"sync"
	"time"

	"panel/platform/agentapi"
	"panel/platform/httpapi"
)

// wire is the part of a WebSocket that a link needs.
type wire interface {
	Send(text []byte) error
	Ping() error
	Receive(take func(text []byte) error) error // of the next frame, whose text is lent for the call
	Quiet() time.Duration                       // since the other side last showed itself
	Close()
}

// link is one open stream. Who has a frame for it never waits: frames queue, and one goroutine writes while there are
// any.
type link struct {
	nodeID string
	token  string
	wire   wire

	mu      sync.Mutex
	queue   []agentapi.Frame
	writing bool
	closed  bool
	sent    map[string]bool // commands that the agent has written to its disk, or that are on their way
	desired agentapi.Desired

	documents []agentapi.DocumentRef
}

// mostFrames is how far an agent may fall behind before its stream is cut; it then comes back and gets everything
// again.
const mostFrames = 1024

// greet answers a hello with everything that the panel wants, and with the calls that it takes.
func (l *link) greet(pending agentapi.Pending) {
	l.push(agentapi.Frame{
		Type: agentapi.FrameDesired, Desired: &pending.Desired, Documents: pending.Documents,
		Takes: Takes,
	})
	l.mu.Lock()
	l.desired, l.documents = pending.Desired, pending.Documents
	l.mu.Unlock()
	l.send(pending)
}

// send queues what the agent does not have yet.
func (l *link) send(pending agentapi.Pending) {
	var frames []agentapi.Frame
	l.mu.Lock()
	if l.desired != pending.Desired || !slices.Equal(l.documents, pending.Documents) {
		l.desired, l.documents = pending.Desired, pending.Documents
		desired := pending.Desired
		frames = append(frames, agentapi.Frame{
			Type: agentapi.FrameDesired, Desired: &desired,
			Documents: pending.Documents,
		})
	}
	waiting := make(map[string]bool, len(pending.Commands))
	for i := range pending.Commands {
		command := pending.Commands[i]
		if waiting[command.ID] = true; !l.sent[command.ID] {
			frames = append(frames, agentapi.Frame{Type: agentapi.FrameCommand, Command: &command})
		}
	}
	l.sent = waiting
	l.mu.Unlock()
	l.push(frames...)
}

func (l *link) push(frames ...agentapi.Frame) {
	if l.queued(frames) {
		go l.drain()
	}
}

// reply writes in the goroutine that reads, which has nothing else to do: of an agent that does not take its replies
// nothing is read.
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

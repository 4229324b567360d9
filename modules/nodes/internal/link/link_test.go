package link

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
)

// line is a wire of a test. What comes from the agent is put into in; a full gate holds writers up.
type line struct {
	mu     sync.Mutex
	sent   []agentapi.Frame
	pings  int
	closed bool
	broken error
	quiet  time.Duration
	gate   chan struct{} // nil: writes go through
	in     chan string
	ended  chan struct{}
}

func newLine() *line { return &line{in: make(chan string, 16), ended: make(chan struct{})} }

func (w *line) Send(text []byte) error {
	if w.gate != nil {
		<-w.gate
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return errEnded
	}
	var frame agentapi.Frame
	if err := json.Unmarshal(text, &frame); err != nil {
		return err
	}
	w.sent = append(w.sent, frame)
	return w.broken
}

func (w *line) Ping() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pings++
	return w.broken
}

func (w *line) Quiet() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.quiet
}

func (w *line) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.closed = true
		close(w.ended)
	}
}

var errEnded = errors.New("the line is closed")

func (w *line) Receive(take func(text []byte) error) error {
	select {
	case text := <-w.in:
		return take([]byte(text))
	case <-w.ended:
		return errEnded
	}
}

func (w *line) frames() []agentapi.Frame {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]agentapi.Frame(nil), w.sent...)
}

func (w *line) isClosed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.closed
}

func eventually(t *testing.T, holds func() bool, what ...any) {
	t.Helper()
	require.Eventually(t, holds, 60*time.Second, time.Millisecond, what...)
}

func over(w wire) *link { return &link{nodeID: "n", token: "t", wire: w, sent: map[string]bool{}} }

// Many who have frames for one agent wait for nobody; each frame arrives once, and those of one of them in their order.
func TestFramesOfManyArriveOnceAndInOrder(t *testing.T) {
	t.Parallel()
	w := newLine()
	l := over(w)
	const writers, each = 8, 50
	var all sync.WaitGroup
	for writer := range writers {
		all.Go(func() {
			for n := range each {
				l.push(agentapi.Frame{Type: agentapi.FrameAck, Call: int64(writer), CommandID: fmt.Sprint(n)})
			}
		})
	}
	all.Wait()
	eventually(t, func() bool { return len(w.frames()) == writers*each })
	next := map[int64]int{}
	for _, f := range w.frames() {
		require.Equal(t, fmt.Sprint(next[f.Call]), f.CommandID)
		next[f.Call]++
	}
	require.False(t, w.isClosed())
}

// An agent that takes nothing holds nobody up: its frames queue, up to a bound, and then its stream is cut.
func TestAnAgentThatFallsBehindIsCut(t *testing.T) {
	t.Parallel()
	w := newLine()
	w.gate = make(chan struct{})
	l := over(w)
	waiting := func() int {
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.queue)
	}
	l.push(agentapi.Frame{Type: agentapi.FramePong})
	eventually(t, func() bool { return waiting() == 0 }) // the writer holds it
	for range mostFrames {
		l.push(agentapi.Frame{Type: agentapi.FramePong})
	}
	require.Equal(t, mostFrames, waiting())
	require.False(t, w.isClosed(), "a full queue is not too much")
	l.push(agentapi.Frame{Type: agentapi.FramePong})
	eventually(t, w.isClosed)
	close(w.gate)
	l.push(agentapi.Frame{Type: agentapi.FramePong})
	eventually(t, func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return !l.writing
	})
	require.Empty(t, w.frames(), "nothing follows on a closed stream")
}

func TestAWriteThatFailsEndsTheStream(t *testing.T) {
	t.Parallel()
	w := newLine()
	w.broken = errEnded
	l := over(w)
	l.reply(agentapi.Frame{Type: agentapi.FramePong})
	require.True(t, w.isClosed())
	l.reply(agentapi.Frame{Type: agentapi.FramePong})
	require.Len(t, w.frames(), 1)
}

// A stream tells what is new: a wish when it has changed, a command once for as long as it waits.
func TestOnlyWhatIsNewIsSent(t *testing.T) {
	t.Parallel()
	w := newLine()
	l := over(w)
	wish := agentapi.Desired{DesiredRevision: 1, DesiredHash: "a"}
	documents := []agentapi.DocumentRef{{Name: "blocks", Revision: 1, Hash: "x"}}
	one, two := agentapi.Command{ID: "1"}, agentapi.Command{ID: "2"}
	sent := func(pending agentapi.Pending) (kinds []string) {
		before := len(w.frames())
		l.send(pending)
		eventually(t, func() bool {
			l.mu.Lock()
			defer l.mu.Unlock()
			return !l.writing && len(l.queue) == 0
		})
		for _, f := range w.frames()[before:] {
			kind := string(f.Type)
			if f.Command != nil {
				kind += f.Command.ID
			}
			kinds = append(kinds, kind)
		}
		return kinds
	}
	require.Equal(t, []string{"desired", "command1"}, sent(agentapi.Pending{
		Desired:  wish,
		Commands: []agentapi.Command{one},
	}))
	require.Empty(t, sent(agentapi.Pending{Desired: wish, Commands: []agentapi.Command{one}}))
	require.Equal(t, []string{"command2"}, sent(agentapi.Pending{Desired: wish, Commands: []agentapi.Command{
		one,
		two,
	}}))
	require.Equal(t, []string{"desired"}, sent(agentapi.Pending{
		Desired: wish, Documents: documents,
		Commands: []agentapi.Command{two},
	}))
	require.Equal(t, []string{"command1"}, sent(agentapi.Pending{
		Desired: wish, Documents: documents,
		Commands: []agentapi.Command{one},
	}),
		"what had left the list and is back is new")
	wish.DesiredHash = "b"
	require.Equal(t, []string{"desired"}, sent(agentapi.Pending{
		Desired: wish, Documents: documents,
		Commands: []agentapi.Command{one},
	}))
	l.close()
	require.Empty(t, sent(agentapi.Pending{}))
}

package batches

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/buffer"
	"panel/cmd/panel-agent/internal/link"
)

// panel stores each number once and fails as often as it is told.
type panel struct {
	mu     sync.Mutex
	stored map[string][]json.RawMessage
	fails  int
	err    error
}

func (p *panel) send(_ context.Context, b buffer.Batch) (int64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := fmt.Sprint(b.StreamID, "/", b.Seq)
	if p.fails != 0 {
		p.fails--
		if p.err == nil { // stored, and the answer is lost
			p.stored[key] = b.Items
		}
		return 0, errors.Join(errors.New("no answer"), p.err)
	}
	p.stored[key] = b.Items
	return b.Seq, nil
}

func (p *panel) items() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, items := range p.stored {
		n += len(items)
	}
	return n
}

func open(t *testing.T, dir string, p *panel, clock clockwork.Clock) *Stream {
	t.Helper()
	s, err := Open(Options{Dir: dir, Send: p.send, Clock: clock, Log: zap.NewNop()})
	require.NoError(t, err)
	return s
}

func deliver(t *testing.T, s *Stream) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); s.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
}

func TestResultsArriveOnceThoughAnswersAreLost(t *testing.T) {
	t.Parallel()
	p, clock := &panel{stored: map[string][]json.RawMessage{}, fails: 3}, clockwork.NewFakeClock()
	s := open(t, t.TempDir(), p, clock)
	require.NoError(t, s.Add("a", "b", "c"))
	deliver(t, s)
	for range 3 {
		require.NoError(t, clock.BlockUntilContext(t.Context(), 1))
		clock.Advance(time.Minute)
	}
	require.Eventually(t, func() bool { return s.buffer.Held() == 0 }, 60*time.Second, time.Millisecond)
	require.Equal(t, 3, p.items())
}

func TestWhatWasNotDeliveredIsDeliveredByTheNextRun(t *testing.T) {
	t.Parallel()
	p, dir := &panel{stored: map[string][]json.RawMessage{}}, t.TempDir()
	first := open(t, dir, p, clockwork.NewRealClock())
	require.NoError(t, first.AddAt(json.RawMessage(`{"n":1}`), "a"))
	second := open(t, dir, p, clockwork.NewRealClock()) // the first was killed: it closed nothing
	require.JSONEq(t, `{"n":1}`, string(second.Bases()))
	require.NoError(t, second.Add("b"))
	second.Flush(t.Context())
	require.Equal(t, 2, p.items())
	require.NoError(t, second.Close())
}

func TestABatchThatThePanelRefusesDoesNotBlockTheNext(t *testing.T) {
	t.Parallel()
	refused := &link.StatusError{Status: http.StatusUnprocessableEntity, Code: "invalid_value"}
	p := &panel{stored: map[string][]json.RawMessage{}, fails: 1, err: refused}
	s := open(t, t.TempDir(), p, clockwork.NewRealClock())
	require.NoError(t, s.Add("bad"))
	s.Flush(t.Context())
	require.NoError(t, s.Add("good"))
	s.Flush(t.Context())
	require.Equal(t, 1, p.items())
	require.Zero(t, s.buffer.Held())
}

// A pause that the panel asks for holds also for what is added meanwhile.
func TestAPauseThatThePanelAsksForIsKept(t *testing.T) {
	t.Parallel()
	busy := &link.StatusError{Status: http.StatusTooManyRequests, Code: "throttled", RetryAfter: 10 * time.Minute}
	p, clock := &panel{stored: map[string][]json.RawMessage{}, fails: 1, err: busy}, clockwork.NewFakeClock()
	s := open(t, t.TempDir(), p, clock)
	require.NoError(t, s.Add("a"))
	deliver(t, s)
	require.NoError(t, clock.BlockUntilContext(t.Context(), 1))
	require.NoError(t, s.Add("b"))
	clock.Advance(9 * time.Minute)
	require.NoError(t, clock.BlockUntilContext(t.Context(), 1))
	require.Zero(t, p.items())
	clock.Advance(time.Minute)
	require.Eventually(t, func() bool { return p.items() == 2 }, 60*time.Second, time.Millisecond)
}

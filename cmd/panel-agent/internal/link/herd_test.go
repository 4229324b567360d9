package link

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/platform/agentapi"
)

// P9 of quality.md: a panel that starts again hears from its agents at moments spread over the time, not from all at
// once.
func TestAnAgentWhoseStreamBrokeComesBackAtAMomentOfItsOwn(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	broken := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc(agentapi.PathStream, func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) > 1 {
			return
		}
		if conn, err := websocket.Accept(w, r, nil); err == nil {
			_, _, _ = conn.Read(r.Context()) // the agent is connected
			_ = conn.CloseNow()
			close(broken)
		}
	})
	mux.HandleFunc(agentapi.PathCommands, func(http.ResponseWriter, *http.Request) { asked.Add(1) })
	timing, clock := DefaultTiming, clockwork.NewFakeClock()
	receiver := Receiver{Client: client(t, mux), Handler: &inbox{}, Timing: timing, Clock: clock, Log: zap.NewNop()}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); receiver.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	<-broken
	require.Never(t, func() bool { return asked.Load() > 1 }, 300*time.Millisecond, 10*time.Millisecond)
	require.Eventually(t, func() bool {
		clock.Advance(timing.Spread)
		return asked.Load() > 1
	}, 60*time.Second, 10*time.Millisecond)
}

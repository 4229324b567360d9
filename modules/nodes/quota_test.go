package nodes

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
	"panel/platform/paneltest"
)

// One agent that delivers without end is stopped, by POST and on its stream, and stops no other. What was acknowledged
// is stored, and what was refused can be delivered later.
func TestOneAgentCannotFillTheDisk(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent, other := p.Enroll("endless"), p.Enroll("modest")
	batch, acked := paneltest.Samples(agentapi.MaxBatchSamples, time.Now()), int64(0)
	answer := agent.Deliver("s", acked+1, batch)
	for ; answer.Status == http.StatusOK; answer = agent.Deliver("s", acked+1, batch) {
		acked++
		require.LessOrEqual(t, acked*agentapi.MaxBatchSamples, int64(40_000))
	}
	answer.Refused(http.StatusTooManyRequests, "throttled")
	wait, err := strconv.Atoi(answer.Header.Get("Retry-After"))
	require.NoError(t, err)
	require.Positive(t, wait)
	require.EqualValues(t, acked*agentapi.MaxBatchSamples, stored(t, p.DB, agent.NodeID))
	conn := dial(t, p, agent)
	next(t, conn)
	sent := agentapi.MetricsBatch{StreamID: "s", Seq: acked + 1, Samples: batch}
	reply := call(t, conn, agentapi.Frame{Type: agentapi.FrameMetrics, Call: 1, Metrics: &sent})
	require.Equal(t, http.StatusTooManyRequests, reply.Status)
	require.Equal(t, "throttled", reply.Code)
	require.Positive(t, reply.RetrySeconds)
	other.Deliver("s", 1, batch).Is(http.StatusOK)
}

// A node begins a stream when its folder is made anew, and not without end. The streams that it has go on.
func TestTheStreamsOfANodeAreBounded(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent, other := p.Enroll("forgetful"), p.Enroll("steady")
	one := paneltest.Samples(1, time.Now())
	for n := range 16 {
		agent.Deliver(fmt.Sprintf("s%d", n), 1, one).Is(http.StatusOK)
	}
	answer := agent.Deliver("one-more", 1, one).Refused(http.StatusTooManyRequests, "throttled")
	require.Equal(t, "3600", answer.Header.Get("Retry-After"))
	agent.Deliver("s0", 2, one).Is(http.StatusOK)
	agent.Deliver("s0", 2, one).Is(http.StatusOK)
	other.Deliver("one-more", 1, one).Is(http.StatusOK)
	require.Equal(t, 17, stored(t, p.DB, agent.NodeID))
	_, err := p.DB.ExecContext(t.Context(),
		"update telemetry_streams set updated_at = now() - interval '2 days' where stream_id = 's1'")
	require.NoError(t, err)
	agent.Deliver("one-more", 1, one).Is(http.StatusOK)
}

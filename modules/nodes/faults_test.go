package nodes

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/paneltest"
)

// Whatever dies under it: what was acknowledged is stored, what is sent again is stored once, and callers see 503 only
// (R1, R4).
func TestConnectionsThatDieUnderLoadLoseNothingAcknowledgedAndDoubleNothing(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	const agents, batches = 6, 25
	var senders sync.WaitGroup
	for range agents {
		agent := p.Enroll("under-fire")
		senders.Go(func() {
			for seq := range int64(batches) {
				untilStored(t, agent, seq+1)
			}
		})
	}
	done := make(chan struct{})
	go func() { senders.Wait(); close(done) }()
	killer := time.NewTicker(40 * time.Millisecond)
	defer killer.Stop()
	for killing := true; killing; {
		select {
		case <-done:
			killing = false
		case <-killer.C:
			_, _ = p.DB.ExecContext(t.Context(), `select pg_terminate_backend(pid) from pg_stat_activity
				where datname = current_database() and pid <> pg_backend_pid() order by random() limit 2`)
		}
	}
	var rows, streams int
	eventually(t, func() bool {
		return p.DB.NewRaw("select count(*) from node_samples").Scan(t.Context(),
			&rows) == nil
	})
	require.NoError(t, p.DB.NewRaw("select sum(last_seq) from telemetry_streams").Scan(t.Context(), &streams))
	require.Equal(t, agents*batches, rows)
	require.Equal(t, agents*batches, streams)
}

// untilStored repeats a batch as an agent does, until it is acknowledged; then it sends it once more, as after a lost
// answer.
func untilStored(t *testing.T, agent *paneltest.Agent, seq int64) {
	batch := agentapi.MetricsBatch{StreamID: "s", Seq: seq, Samples: paneltest.Samples(1, time.Now())}
	for acknowledged := 0; acknowledged < 2; {
		answer := agent.Post(agentapi.PathMetrics, batch)
		if answer.Status == http.StatusOK {
			acknowledged++
			continue
		}
		if answer.Status != http.StatusServiceUnavailable || answer.Header.Get("Retry-After") == "" {
			t.Errorf("an agent saw %d: %s", answer.Status, answer.Body)
			return
		}
	}
}

// While other panels' changes cannot be heard, every request reads the database: a revocation still takes effect at the
// next one.
func TestARevocationByAnotherProcessTakesEffectAtTheNextRequest(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	other := paneltest.Start(t, paneltest.Modules(Module()), paneltest.On(p.DB))
	for range 5 {
		agent := p.Enroll("revoked")
		there := agent.At(other)
		there.Beat()
		there.Beat()
		_, err := p.DB.ExecContext(t.Context(), "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen panel%' and datname = current_database()")
		require.NoError(t, err)
		p.As("nodes.edit").Post("/api/v1/nodes/"+agent.NodeID+"/agent-binding", map[string]any{"action": "revoke"}).
			Is(http.StatusOK)
		eventually(t, func() bool {
			return there.Post(agentapi.PathHeartbeat, paneltest.Heartbeat()).Status == http.StatusUnauthorized
		})
	}
}

// Who takes an agent's access away hears of it when every panel has taken notice, the slowest as well.
func TestAnEndOfATokenIsAnsweredWhenEveryPanelKnows(t *testing.T) {
	t.Parallel()
	p := paneltest.Start(t, paneltest.Modules(Module()))
	var heard atomic.Int64
	slow := database.NewListener(p.DB.Pool, zap.NewNop())
	slow.On(credentialsChannel, func(string) { <-time.After(100 * time.Millisecond); heard.Add(1) })
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- slow.Run(ctx) }()
	t.Cleanup(func() { stop(); require.NoError(t, <-ended) })
	eventually(t, slow.Healthy)

	admin := p.As("nodes.edit", "nodes.view")
	agent := p.Enroll("watched")
	eventually(t, func() bool { return heard.Swap(0) == 1 })
	binding := "/api/v1/nodes/" + agent.NodeID + "/agent-binding"
	token := admin.Post(binding, map[string]any{}).Is(http.StatusOK).Text("enrollment.token")
	p.EnrollWith(token, "watched")
	require.EqualValues(t, 1, heard.Swap(0), "a bound token ends the agent before")
	admin.Post(binding, map[string]any{"action": "revoke"}).Is(http.StatusOK)
	require.EqualValues(t, 1, heard.Swap(0), "revoked")
	admin.Delete("/api/v1/nodes/" + agent.NodeID).Is(http.StatusNoContent)
	require.EqualValues(t, 1, heard.Swap(0), "deleted")
}

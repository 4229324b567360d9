package nodes

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/paneltest"
)

func samples(n int, newest time.Time) []agentapi.Sample {
	list := make([]agentapi.Sample, n)
	for i := range list {
		list[i] = agentapi.Sample{
			ObservedAt: newest.Add(time.Duration(i-n+1) * 15 * time.Second), CPUPercent: 50, Load1: 0.5, MemUsed: 1 << 30, MemTotal: 2 << 30,
			DiskUsed: 1, DiskTotal: 2, NetRxBps: 1e6, NetTxBps: 2e6, TCPEstablished: 7, UptimeSeconds: 100,
			Traffic: []agentapi.Traffic{{Kind: agentapi.TrafficClient, Name: "c", Up: 1, Down: 2}},
		}
	}
	return list
}

func (e *enrolled) deliver(stream string, seq int64, s []agentapi.Sample) *paneltest.Answer {
	return e.Post(agentapi.PathMetrics, agentapi.MetricsBatch{StreamID: stream, Seq: seq, Samples: s})
}

func stored(t testing.TB, db *database.DB, nodeID string) (n int) {
	t.Helper()
	require.NoError(t, db.NewRaw("select count(*) from node_samples where node_id = ?", nodeID).Scan(t.Context(), &n))
	return n
}

// An agent batch sent twice is stored once (domain trap 23), also at once and through two panels.
func TestABatchSentTwiceIsStoredOnce(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	other := paneltest.Start(t, paneltest.Modules(Module()), paneltest.On(p.DB))
	agent := newAgent(t, p, "twice")
	there := &enrolled{Client: other.Bearer(agent.Token), nodeID: agent.nodeID}
	batch := samples(50, time.Now())
	var senders sync.WaitGroup
	for i := range 10 {
		senders.Go(func() {
			from := agent
			if i%2 == 0 {
				from = there
			}
			answer := from.deliver("stream", 1, batch).Is(http.StatusOK)
			require.EqualValues(t, 1, answer.Value("acked_seq"))
		})
	}
	senders.Wait()
	require.Equal(t, 50, stored(t, p.DB, agent.nodeID))
	agent.deliver("stream", 2, batch[:1]).Is(http.StatusOK)
	agent.deliver("another-folder", 1, batch[:1]).Is(http.StatusOK)
	require.Equal(t, 52, stored(t, p.DB, agent.nodeID))
}

func TestWhatIsAcknowledgedReadsBackExactly(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent := newAgent(t, p, "exact")
	sent := agentapi.Sample{
		ObservedAt: time.Now().UTC().Add(-time.Minute).Truncate(time.Microsecond), CPUPercent: 1.5, Load1: 2.5, MemUsed: 3, MemTotal: 4, DiskUsed: 5,
		DiskTotal: 6, NetRxBps: 7.5, NetTxBps: 8.5, RxPps: 9.5, TCPEstablished: 10, ConntrackCount: 11, ConntrackMax: 12, SyncookiesPs: 13.5,
		ListenDropsPs: 14.5, UptimeSeconds: 15, Traffic: []agentapi.Traffic{{Kind: "listener", Name: "in", Up: 1, Down: 2}},
	}
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	require.NoError(t, json.NewEncoder(zip).Encode(agentapi.MetricsBatch{StreamID: "s", Seq: 1, Samples: []agentapi.Sample{sent}}))
	require.NoError(t, zip.Close())
	agent.Do(http.MethodPost, agentapi.PathMetrics, packed.Bytes(), "Content-Encoding", "gzip").Is(http.StatusOK)
	var row []byte
	require.NoError(t, p.DB.NewRaw("select to_jsonb(s) from node_samples s where node_id = ?", agent.nodeID).Scan(t.Context(), &row))
	var got agentapi.Sample
	require.NoError(t, json.Unmarshal(row, &got))
	require.True(t, sent.ObservedAt.Equal(got.ObservedAt))
	got.ObservedAt = sent.ObservedAt
	require.Equal(t, sent, got)
	agent.beat(t)
	eventually(t, func() bool {
		return p.As("nodes.view").Get("/api/v1/nodes/"+agent.nodeID).Value("metrics") != nil
	})
}

func TestABombOfGzipIsCutAtTheLimit(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent := newAgent(t, p, "bomb")
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, err := zip.Write(bytes.Repeat([]byte(" "), 64<<20))
	require.NoError(t, err)
	require.NoError(t, zip.Close())
	agent.Do(http.MethodPost, agentapi.PathMetrics, packed.Bytes(), "Content-Encoding", "gzip").Refused(http.StatusRequestEntityTooLarge, "body_too_large")
}

func TestSamplesFromTheFutureAreMovedToNow(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent := newAgent(t, p, "future")
	agent.deliver("s", 1, samples(1, time.Now().Add(48*time.Hour))).Is(http.StatusOK)
	var ahead bool
	require.NoError(t, p.DB.NewRaw("select max(observed_at) > now() + interval '1 second' from node_samples").Scan(t.Context(), &ahead))
	require.False(t, ahead)
}

// The history of a metric comes in points of the resolution that still has the whole range.
func TestTheHistoryOfAMetricIsReadByItsName(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent := newAgent(t, p, "history")
	agent.deliver("s", 1, samples(40, time.Now())).Is(http.StatusOK)
	path := "/api/v1/nodes/" + agent.nodeID + "/metrics?metric="
	answer := p.As("nodes.view").Get(path + "cpu_pct").Is(http.StatusOK)
	require.InDelta(t, 15, answer.Value("step_seconds"), 0)
	points, ok := answer.Value("points").([]any)
	require.True(t, ok)
	require.NotEmpty(t, points)
	require.InDelta(t, 50, points[0].(map[string]any)["value"], 0.001) //nolint:forcetypeassert // a test may fail so
	p.As("nodes.view").Get(path+"hacked").Refused(http.StatusBadRequest, "bad_parameter")
}

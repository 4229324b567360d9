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
	agent := p.Enroll("twice")
	there := agent.At(other)
	batch := paneltest.Samples(50, time.Now())
	var senders sync.WaitGroup
	for i := range 10 {
		senders.Go(func() {
			from := agent
			if i%2 == 0 {
				from = there
			}
			answer := from.Deliver("stream", 1, batch).Is(http.StatusOK)
			require.EqualValues(t, 1, answer.Value("acked_seq"))
		})
	}
	senders.Wait()
	require.Equal(t, 50, stored(t, p.DB, agent.NodeID))
	agent.Deliver("stream", 2, batch[:1]).Is(http.StatusOK)
	agent.Deliver("another-folder", 1, batch[:1]).Is(http.StatusOK)
	require.Equal(t, 52, stored(t, p.DB, agent.NodeID))
}

func TestWhatIsAcknowledgedReadsBackExactly(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent := p.Enroll("exact")
	sent := agentapi.Sample{
		ObservedAt: time.Now().UTC().Add(-time.Minute).Truncate(time.Microsecond), CPUPercent: 1.5, Load1: 2.5,
		MemUsed: 3, MemTotal: 4, DiskUsed: 5,
		DiskTotal: 6, NetRxBps: 7.5, NetTxBps: 8.5, RxPps: 9.5, TCPEstablished: 10, ConntrackCount: 11,
		ConntrackMax: 12, SyncookiesPs: 13.5,
		ListenDropsPs: 14.5, UptimeSeconds: 15, Traffic: []agentapi.Traffic{{
			Kind: "listener", Name: "in", Up: 1,
			Down: 2,
		}},
	}
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	require.NoError(t, json.NewEncoder(zip).Encode(agentapi.MetricsBatch{
		StreamID: "s", Seq: 1,
		Samples: []agentapi.Sample{sent},
	}))
	require.NoError(t, zip.Close())
	agent.Do(http.MethodPost, agentapi.PathMetrics, packed.Bytes(), "Content-Encoding", "gzip").Is(http.StatusOK)
	var row []byte
	require.NoError(t, p.DB.NewRaw("select to_jsonb(s) from node_samples s where node_id = ?",
		agent.NodeID).Scan(t.Context(), &row))
	var got agentapi.Sample
	require.NoError(t, json.Unmarshal(row, &got))
	require.True(t, sent.ObservedAt.Equal(got.ObservedAt))
	got.ObservedAt = sent.ObservedAt
	require.Equal(t, sent, got)
	agent.Beat()
	eventually(t, func() bool {
		return p.As("nodes.view").Get("/api/v1/nodes/"+agent.NodeID).Value("metrics") != nil
	})
}

func TestABombOfGzipIsCutAtTheLimit(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent := p.Enroll("bomb")
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, err := zip.Write(bytes.Repeat([]byte(" "), 64<<20))
	require.NoError(t, err)
	require.NoError(t, zip.Close())
	agent.Do(http.MethodPost, agentapi.PathMetrics, packed.Bytes(), "Content-Encoding", "gzip").
		Refused(http.StatusRequestEntityTooLarge, "body_too_large")
}

func TestSamplesFromTheFutureAreMovedToNow(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent := p.Enroll("future")
	agent.Deliver("s", 1, paneltest.Samples(1, time.Now().Add(48*time.Hour))).Is(http.StatusOK)
	var ahead bool
	require.NoError(t,
		p.DB.NewRaw("select max(observed_at) > now() + interval '1 second' from node_samples").
			Scan(t.Context(), &ahead))
	require.False(t, ahead)
}

// The history of a metric comes in points of the resolution that still has the whole range.
func TestTheHistoryOfAMetricIsReadByItsName(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent := p.Enroll("history")
	agent.Deliver("s", 1, paneltest.Samples(40, time.Now())).Is(http.StatusOK)
	path := "/api/v1/nodes/" + agent.NodeID + "/metrics?metric="
	answer := p.As("nodes.view").Get(path + "cpu_pct").Is(http.StatusOK)
	require.InDelta(t, 15, answer.Value("step_seconds"), 0)
	points, ok := answer.Value("points").([]any)
	require.True(t, ok)
	require.NotEmpty(t, points)
	require.InDelta(t, 50, points[0].(map[string]any)["value"], 0.001) //nolint:forcetypeassert // a test may fail so
	p.As("nodes.view").Get(path+"hacked").Refused(http.StatusBadRequest, "bad_parameter")
}

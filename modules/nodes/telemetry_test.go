package nodes

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap/zaptest"

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

// The ladder: 15 s for 6 h, a minute for 48 h, ten minutes for 30 d; each sample is counted once, however often it is condensed.
func TestSamplesAreCondensedOnceAndReadBackFromTheRightRung(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent := newAgent(t, p, "ladder")
	tele := newTelemetry(p.DB, newReports(p.DB, nil, nil, p.Clock, zaptest.NewLogger(t)), p.Clock, zaptest.NewLogger(t))
	now := time.Now()
	for day := range 3 {
		agent.deliver("s", int64(day+1), samples(40, now.Add(-time.Duration(day)*24*time.Hour))).Is(http.StatusOK)
		require.NoError(t, tele.rollUp(t.Context()))
		require.NoError(t, tele.rollUp(t.Context()))
	}
	agent.deliver("s", 4, samples(10, now.Add(-time.Hour))).Is(http.StatusOK)
	eventually(t, func() bool {
		require.NoError(t, tele.rollUp(t.Context()))
		var minutes, tens int
		require.NoError(t, p.DB.NewRaw("select sum(n) from node_metrics_1m").Scan(t.Context(), &minutes))
		require.NoError(t, p.DB.NewRaw("select sum(n) from node_metrics_10m").Scan(t.Context(), &tens))
		return minutes == 130 && tens == 130
	})
	for span, step := range map[time.Duration]float64{time.Hour: 15, 40 * time.Hour: 240, 20 * 24 * time.Hour: 2400} {
		path := fmt.Sprintf("/api/v1/nodes/%s/metrics?metric=cpu_pct&from=%s&to=%s", agent.nodeID,
			now.Add(-span).UTC().Format(time.RFC3339), now.Add(time.Second).UTC().Format(time.RFC3339))
		answer := p.As("nodes.view").Get(path).Is(http.StatusOK)
		require.InDelta(t, step, answer.Value("step_seconds"), 0, span)
		points, ok := answer.Value("points").([]any)
		require.True(t, ok)
		require.NotEmpty(t, points)
		require.InDelta(t, 50, points[0].(map[string]any)["value"], 0.001) //nolint:forcetypeassert // a test may fail so
	}
	p.As("nodes.view").Get("/api/v1/nodes/"+agent.nodeID+"/metrics?metric=hacked").Refused(http.StatusBadRequest, "bad_parameter")
}

func TestABatchOfANodeThatIsDeletedMeanwhileDoesNotStopTheOthers(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent := newAgent(t, p, "stays")
	log := zaptest.NewLogger(t)
	tele := newTelemetry(p.DB, newReports(p.DB, nil, nil, p.Clock, log), clockwork.NewRealClock(), log)
	gone := "0199a0de-0000-7000-8000-000000000009"
	answers := tele.write(t.Context(), []*delivery{deliveryOf(t, gone, 1), deliveryOf(t, agent.nodeID, 1), deliveryOf(t, agent.nodeID, 2)})
	require.Equal(t, []error{nil}, answers)
	require.Equal(t, 2, stored(t, p.DB, agent.nodeID), "two batches of one stream in one round are both stored")
	require.Zero(t, stored(t, p.DB, gone))
}

func deliveryOf(t *testing.T, nodeID string, seq int64) *delivery {
	t.Helper()
	batch := &agentapi.MetricsBatch{StreamID: "s", Seq: seq, Samples: samples(1, time.Now())}
	d, err := newDelivery(nodeID, batch)
	require.NoError(t, err)
	return d
}

// What is kept of a stream of batches goes when its agent has been away for longer than anything of it is kept.
func TestStreamsThatHaveEndedAreForgotten(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent := newAgent(t, p, "renewed")
	agent.deliver("old-folder", 1, samples(1, time.Now())).Is(http.StatusOK)
	agent.deliver("folder", 1, samples(1, time.Now())).Is(http.StatusOK)
	_, err := p.DB.ExecContext(t.Context(), "update telemetry_streams set updated_at = now() - interval '61 days' where stream_id = 'old-folder'")
	require.NoError(t, err)
	require.NoError(t, newTelemetry(p.DB, nil, p.Clock, zaptest.NewLogger(t)).tidy(t.Context()))
	var left []string
	require.NoError(t, p.DB.NewRaw("select stream_id from telemetry_streams").Scan(t.Context(), &left))
	require.Equal(t, []string{"folder"}, left)
}

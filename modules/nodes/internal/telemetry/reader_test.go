package telemetry

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
)

// FuzzReadBatch demands that the quick reader and encoding/json always agree, on what is refused as well.
func FuzzReadBatch(f *testing.F) {
	plain, err := json.Marshal(agentapi.MetricsBatch{StreamID: "s-1", Seq: 7, Dropped: 1, Samples: samples(3, time.Now().UTC())})
	require.NoError(f, err)
	for _, seed := range []string{
		string(plain), `{}`, `{"samples":[]}`, `{"samples":[{}]}`, `{"seq":01}`, `{"seq":1.0}`, `{"seq":1e3}`, `{"seq":-0}`, `{"seq":9223372036854775808}`,
		`{"stream_id":"a\u0041"}`, `{"stream_id":"é"}`, `{"STREAM_ID":"x"}`, `{"stream_id":null}`, `{"seq":1}x`, ` { "seq" : 1 } `, `{"seq":1,}`, `{,}`, `[`, ``,
		`{"samples":[{"observed_at":"2026-01-02T03:04:05Z"}]}`, `{"samples":[{"observed_at":"2026-01-02T3:04:05Z"}]}`,
		`{"samples":[{"observed_at":"2026-01-02T03:04:05,1Z"}]}`, `{"samples":[{"observed_at":"2026-01-02T03:04:05.Z"}]}`,
		`{"samples":[{"observed_at":"2026-13-02T03:04:05Z"}]}`, `{"samples":[{"observed_at":"2026-01-02T03:04:05+01:00"}]}`,
		`{"samples":[{"cpu_pct":1.5,"cpu_pct":2}],"samples":[{"load1":1}]}`, `{"samples":[{"traffic":[{"kind":"client","name":"a","up":1,"down":2}]}]}`,
		`{"samples":[{"sessions":3,"listeners":[{"name":"in","open":3}]}]}`, `{"samples":[{"sessions":null,"listeners":null}]}`,
		`{"samples":[{"sessions":1,"sessions":2,"listeners":[],"listeners":[]}]}`, `{"samples":[{"listeners":[{"open":1.5}]}]}`,
		`{"samples":[{"traffic":null}]}`, `{"samples":[{"cpu_pct":.5}]}`, `{"samples":[{"cpu_pct":-}]}`, `{"samples":[{"cpu_pct":1.}]}`, `{"later":1}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		wanted := new(agentapi.MetricsBatch)
		refused := json.Unmarshal([]byte(text), wanted)
		got, err := ReadBatch([]byte(text))
		require.Equal(t, refused == nil, err == nil)
		if err == nil {
			require.Equal(t, wanted, got)
		}
	})
}

// FuzzReadFrame demands the same of whole frames.
func FuzzReadFrame(f *testing.F) {
	batch := &agentapi.MetricsBatch{StreamID: "s-1", Seq: 7, Samples: samples(3, time.Now().UTC())}
	plain, err := json.Marshal(agentapi.Frame{Type: agentapi.FrameMetrics, Call: 9, Metrics: batch})
	require.NoError(f, err)
	for _, seed := range []string{
		string(plain), `{}`, `{"type":"ping"}`, `{"type":"ack","command_id":"c"}`, `{"type":"metrics","metrics":null}`, `{"metrics":{}}`, `[]`, `{"type":7}`,
		`{"type":"metrics","metrics":{"seq":1},"metrics":{"dropped":2}}`, `{"Type":"metrics"}`, `{"type":"a","type":"b","call":1,"call":2}`,
		`{"type":"heartbeat","call":1,"heartbeat":{"protocol":1}}`, `{"type":"metrics","call":1.5}`, `{"type":"metrics"} x`, ``,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		wanted, got := new(agentapi.Frame), new(agentapi.Frame)
		refused := json.Unmarshal([]byte(text), wanted)
		err := ReadFrame([]byte(text), got)
		require.Equal(t, refused == nil, err == nil)
		if err == nil {
			require.Equal(t, wanted, got)
		}
	})
}

func TestAgentsPlainFormTakesTheQuickWay(t *testing.T) {
	t.Parallel()
	sent, sessions := samples(50, time.Now().UTC()), int64(3)
	sent[0].IntervalSeconds, sent[0].Sessions = 15.000123, &sessions
	sent[0].Listeners = []agentapi.Sessions{{Name: "flow.a.in.b", Open: 3}, {Name: "quiet"}}
	text, err := json.Marshal(agentapi.MetricsBatch{StreamID: "s-1", Seq: 7, Samples: sent})
	require.NoError(t, err)
	got, err := ReadBatch(text)
	require.NoError(t, err)
	require.Equal(t, sent[0], got.Samples[0])
	r := batchReader{text: text}
	r.batch(new(agentapi.MetricsBatch))
	require.False(t, r.lost)
	require.True(t, r.atEnd())

	frame := append(append([]byte(`{"type":"metrics","call":12,"metrics":`), text...), '}')
	r = batchReader{text: frame}
	r.frame(new(agentapi.Frame))
	require.False(t, r.lost)
	require.True(t, r.atEnd())
}

func BenchmarkReadBatch(b *testing.B) {
	text, err := json.Marshal(agentapi.MetricsBatch{StreamID: "s-1", Seq: 7, Samples: samples(50, time.Now().UTC())})
	require.NoError(b, err)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := ReadBatch(text); err != nil {
			b.Fatal(err)
		}
	}
}

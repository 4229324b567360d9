package telemetry

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/nodes/internal/texts"
	"panel/platform/agentapi"
	"panel/platform/fault"
	"panel/platform/paneltest"
)

// FuzzReadBatch demands that what is taken means what encoding/json takes it for, and that the judge's word is kept.
func FuzzReadBatch(f *testing.F) {
	plain, err := json.Marshal(agentapi.MetricsBatch{StreamID: "s-1", Seq: 7, Dropped: 1, Samples: paneltest.Samples(3,
		time.Now().UTC())})
	require.NoError(f, err)
	for _, seed := range []string{
		string(plain), `{}`, `{"samples":[]}`, `{"samples":[{}]}`, `{"seq":01}`, `{"seq":1.0}`, `{"seq":1e3}`,
		`{"seq":-0}`, `{"seq":9223372036854775808}`,
		`{"stream_id":"a\u0041"}`, `{"stream_id":"é"}`, `{"STREAM_ID":"x"}`, `{"stream_id":null}`, `{"seq":1}x`,
		` { "seq" : 1 } `, `{"seq":1,}`, `{,}`, `[`, ``,
		`{"samples":[{"observed_at":"2026-01-02T03:04:05Z"}]}`, `{"samples":[{"observed_at":"2026-01-02T3:04:05Z"}]}`,
		`{"samples":[{"observed_at":"2026-01-02T03:04:05,1Z"}]}`,
		`{"samples":[{"observed_at":"2026-01-02T03:04:05.Z"}]}`,
		`{"samples":[{"observed_at":"2026-13-02T03:04:05Z"}]}`,
		`{"samples":[{"observed_at":"2026-01-02T03:04:05+01:00"}]}`,
		`{"samples":[{"cpu_pct":1.5,"cpu_pct":2}],"samples":[{"load1":1}]}`,
		`{"samples":[{"traffic":[{"kind":"client","name":"a","up":1,"down":2}]}]}`,
		`{"samples":[{"sessions":3,"listeners":[{"name":"in","open":3}]}]}`,
		`{"samples":[{"sessions":null,"listeners":null}]}`,
		`{"samples":[{"sessions":1,"sessions":2,"listeners":[],"listeners":[]}]}`,
		`{"samples":[{"listeners":[{"open":1.5}]}]}`,
		`{"samples":[{"traffic":null}]}`, `{"samples":[{"cpu_pct":.5}]}`, `{"samples":[{"cpu_pct":-}]}`,
		`{"samples":[{"cpu_pct":1.}]}`, `{"later":1}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		wanted := new(agentapi.MetricsBatch)
		refused := json.Unmarshal([]byte(text), wanted)
		_, judged := batches.Read([]byte(text))
		got, err := ReadBatch([]byte(text))
		require.True(t, err == nil || judged != nil, "refused without the judge: %v", err)
		if err == nil {
			require.NoError(t, refused)
			require.Equal(t, wanted, got)
		}
	})
}

// FuzzReadFrame demands the same of whole frames.
func FuzzReadFrame(f *testing.F) {
	batch := &agentapi.MetricsBatch{StreamID: "s-1", Seq: 7, Samples: paneltest.Samples(3, time.Now().UTC())}
	plain, err := json.Marshal(agentapi.Frame{Type: agentapi.FrameMetrics, Call: 9, Metrics: batch})
	require.NoError(f, err)
	for _, seed := range []string{
		string(plain), `{}`, `{"type":"ping"}`, `{"type":"ack","command_id":"c"}`, `{"type":"metrics","metrics":null}`,
		`{"metrics":{}}`, `[]`, `{"type":7}`,
		`{"type":"metrics","metrics":{"seq":1},"metrics":{"dropped":2}}`, `{"Type":"metrics"}`,
		`{"type":"a","type":"b","call":1,"call":2}`,
		`{"type":"heartbeat","call":1,"heartbeat":{"protocol":1}}`, `{"type":"metrics","call":1.5}`,
		`{"type":"metrics"} x`, ``,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		wanted := new(agentapi.Frame)
		refused := json.Unmarshal([]byte(text), wanted)
		_, judged := frames.Read([]byte(text))
		got, err := ReadFrame([]byte(text))
		require.True(t, err == nil || judged != nil, "refused without the judge: %v", err)
		if err == nil {
			require.NoError(t, refused)
			require.Equal(t, wanted, got)
		}
	})
}

func TestAgentsPlainFormTakesTheQuickWay(t *testing.T) {
	t.Parallel()
	sent, sessions := paneltest.Samples(50, time.Now().UTC()), int64(3)
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
	text, err := json.Marshal(agentapi.MetricsBatch{StreamID: "s-1", Seq: 7, Samples: paneltest.Samples(50,
		time.Now().UTC())})
	require.NoError(b, err)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := ReadBatch(text); err != nil {
			b.Fatal(err)
		}
	}
}

// Agents of newer releases may send more, but no known name in another case or twice: readers would disagree about what
// it says.
func TestTwinsAreRefusedAndNewFieldsAreNot(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"stream_id":"a","STREAM_ID":"b","seq":1,"samples":[]}`, `{"stream_id":"a","ſeq":1}`, `{"seq":1,"seq":2}`,
		`{"samples":[{"cpu_pct":1,"CPU_PCT":2}]}`, `{"samples":[{"cpu_pct":1,"cpu_pct":1}]}`,
		`{"samples":[{"traffic":[{"up":1,"Up":2}]}]}`,
	} {
		_, err := ReadBatch([]byte(text))
		require.Equal(t, fault.KindMalformed, fault.KindOf(err), text)
		_, err = ReadFrame([]byte(`{"type":"metrics","metrics":` + text + `}`))
		require.Equal(t, fault.KindMalformed, fault.KindOf(err), text)
	}
	for _, text := range []string{
		`{"type":"ack","TYPE":"ping"}`, `{"type":"ack","type":"ack"}`,
		`{"type":"heartbeat","heartbeat":{"protocol":1,"Protocol":2}}`,
	} {
		_, err := ReadFrame([]byte(text))
		require.Equal(t, fault.KindMalformed, fault.KindOf(err), text)
	}
	batch, err := ReadBatch([]byte(`{"stream_id":"a","later":{"seq":9},"seq":1,"samples":[{"cpu_pct":1,"later":true}]}`))
	require.NoError(t, err)
	require.Equal(t, int64(1), batch.Seq)
	frame, err := ReadFrame([]byte(`{"type":"ack","command_id":"c","later":[]}`))
	require.NoError(t, err)
	require.Equal(t, "c", frame.CommandID)
}

// Names and lists that no core has are refused; what was stored of them would come with every reading.
func TestNamesAndListsOfASampleAreBounded(t *testing.T) {
	t.Parallel()
	many := strings.TrimSuffix(strings.Repeat(`{"name":"a","open":1},`, mostOfOneSample+1), ",")
	long := strings.Repeat("x", texts.NameLimit+1)
	for _, sample := range []string{
		`{"traffic":[{"kind":"client","name":"` + long + `"}]}`, `{"traffic":[{"kind":"` + long + `"}]}`,
		`{"listeners":[{"name":"` + long + `","open":1}]}`, `{"listeners":[` + many + `]}`,
	} {
		_, err := ReadBatch([]byte(`{"stream_id":"a","seq":1,"samples":[` + sample + `]}`))
		require.Equal(t, fault.KindInvalid, fault.KindOf(err), sample[:min(len(sample), 80)])
	}
	_, err := ReadBatch([]byte(`{"stream_id":"a","seq":1,"samples":[{"traffic":[{"kind":"client","name":"` + long[1:] +
		`"}]}]}`))
	require.NoError(t, err)
}

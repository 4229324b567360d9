package abuse

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"path/filepath"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/abuse/places"
	"panel/cmd/panel-agent/internal/abuse/record"
	"panel/cmd/panel-agent/internal/batches"
	"panel/cmd/panel-agent/internal/buffer"
	"panel/cmd/panel-agent/internal/core"
	"panel/cmd/panel-agent/internal/core/sensor"
	"panel/cmd/panel-agent/internal/link"
	"panel/platform/agentapi"
)

const flowID = "0198a000-0000-7000-8000-000000000001"

// host has cores with real sensors, and a panel that keeps what it is sent.
type host struct {
	t         *testing.T
	dir       string
	clock     *clockwork.FakeClock
	sensors   map[string]*sensor.Sensor
	entrances []core.Entrance
	skew      time.Duration
	answer    error

	signals   []agentapi.AbuseBatch
	diversity []agentapi.DiversityBatch
	calls     int
}

func newHost(t *testing.T) *host {
	t.Helper()
	clock := clockwork.NewFakeClockAt(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	return &host{
		t: t, dir: t.TempDir(), clock: clock, sensors: map[string]*sensor.Sensor{"core": sensor.New(clock)},
		entrances: []core.Entrance{{Tag: "in", Protocol: "vless"}},
	}
}

func (h *host) Cores() (ids []string) {
	for id := range h.sensors {
		ids = append(ids, id)
	}
	return ids
}

func (h *host) Entrances() []core.Entrance { return h.entrances }

func (h *host) Streams(_ context.Context, id string, order sensor.Order) (sensor.Heard, error) {
	return h.sensors[id].Take(order), nil
}

func (h *host) takeSignals(_ context.Context, b agentapi.AbuseBatch) (agentapi.BatchReply, error) {
	h.calls++
	if h.answer != nil {
		return agentapi.BatchReply{}, h.answer
	}
	h.signals = append(h.signals, b)
	return agentapi.BatchReply{AckedSeq: b.Seq}, nil
}

func (h *host) takeDiversity(_ context.Context, b agentapi.DiversityBatch) (agentapi.BatchReply, error) {
	h.calls++
	if h.answer != nil {
		return agentapi.BatchReply{}, h.answer
	}
	h.diversity = append(h.diversity, b)
	return agentapi.BatchReply{AckedSeq: b.Seq}, nil
}

// agent is a watcher on the folder of the host; a second one is the next agent after a kill.
func (h *host) agent() *watcher {
	h.t.Helper()
	w := newWatcher(h, places.In(h.t.TempDir(), h.clock), func() time.Duration { return h.skew }, h.clock, zap.NewNop())
	var err error
	w.record, err = record.Open(filepath.Join(h.dir, "record"))
	require.NoError(h.t, err)
	free := func(ctx context.Context, b buffer.Batch, send batches.Send) (int64, error) {
		h.clock.Advance(agentapi.AbusePace) // the pace has its own test
		return send(ctx, b)
	}
	signals := paced(h.clock, w.takes, w.blockedNow, overLink(h.takeSignals, signalsOf))
	diversity := paced(h.clock, w.takes, w.blockedNow, overLink(h.takeDiversity, diversityOf))
	w.signals = h.stream("signals", func(ctx context.Context, b buffer.Batch) (int64, error) { return free(ctx, b, signals) })
	w.diversity = h.stream("diversity", func(ctx context.Context, b buffer.Batch) (int64, error) {
		return free(ctx, b, diversity)
	})
	w.resume()
	return w
}

func (h *host) stream(name string, send batches.Send) *batches.Stream {
	h.t.Helper()
	made, err := batches.Open(batches.Options{
		Dir: filepath.Join(h.dir, name), Send: send, Clock: h.clock, Log: zap.NewNop(),
	})
	require.NoError(h.t, err)
	h.t.Cleanup(func() { _ = made.Close() })
	return made
}

func watching() *agentapi.AbuseWatch {
	return &agentapi.AbuseWatch{
		Collect: true, Salt: []byte("0123456789abcdef"), Record: agentapi.AbuseRecord{Hours: 24, MB: 16},
	}
}

func (h *host) document(w *watcher, watch *agentapi.AbuseWatch) {
	h.t.Helper()
	raw, err := json.Marshal(watch)
	require.NoError(h.t, err)
	require.NoError(h.t, w.apply(h.t.Context(), raw))
}

// begins has a client begin a stream.
func (h *host) begins(client, from, to string, port uint16) *sensor.Stream {
	return h.sensors["core"].Begin(agentapi.ClientEmail(flowID, client), "in", netip.MustParseAddr(from),
		sensor.To{IP: netip.MustParseAddr(to), Port: port})
}

// passes lets time pass in steps, in each of which the agent looks.
func (h *host) passes(w *watcher, span time.Duration) {
	for ; span > 0; span -= look {
		h.clock.Advance(look)
		w.look(h.t.Context())
	}
}

func (h *host) delivers(w *watcher) {
	w.signals.Flush(h.t.Context())
	w.diversity.Flush(h.t.Context())
}

func (h *host) told() (signals []agentapi.AbuseSignal) {
	for _, b := range h.signals {
		signals = append(signals, b.Signals...)
	}
	return signals
}

func TestWhatAClientDoesIsToldWithoutItsAddress(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	w := h.agent()
	h.document(w, watching())
	h.begins("anna", "203.0.113.9", "198.51.100.1", 6881)
	h.passes(w, 12*time.Second)
	h.delivers(w)
	signals := h.told()
	require.Len(t, signals, 1)
	require.Equal(t, agentapi.AbuseTorrent, signals[0].Kind)
	require.Equal(t, "c:anna", signals[0].UserRef)
	require.Equal(t, flowID, signals[0].FlowID)
	require.Equal(t, "in", signals[0].InboundTag)
	require.Len(t, signals[0].Source.PrefixHash, 32)
	raw, err := json.Marshal(h.signals)
	require.NoError(t, err)
	require.NotContains(t, string(raw), "203.0.113")
	require.EqualValues(t, 1, h.signals[0].Seq)
	require.Equal(t, signals[0].FirstAt, h.signals[0].Window.From)

	open := watching()
	open.Told = []string{"c:anna"}
	h.document(w, open)
	h.begins("anna", "203.0.113.9", "198.51.100.1", 6881)
	h.begins("boris", "203.0.113.10", "198.51.100.1", 6881)
	h.passes(w, 2*time.Minute)
	h.delivers(w)
	for _, s := range h.told()[1:] {
		require.Equal(t, s.UserRef == "c:anna", s.Source.IP == "203.0.113.9", "only of an open case")
	}
}

func TestNothingIsCollectedUntilThePanelAsksAndAfterItDoesNot(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	w := h.agent()
	h.begins("anna", "203.0.113.9", "198.51.100.1", 6881)
	h.passes(w, time.Minute)
	require.Nil(t, h.begins("anna", "203.0.113.9", "198.51.100.1", 6881), "the core does not even note it")
	h.document(w, watching())
	h.passes(w, 2*time.Second)
	h.begins("anna", "203.0.113.9", "198.51.100.1", 6881)
	h.passes(w, 20*time.Second)
	h.document(w, &agentapi.AbuseWatch{})
	h.passes(w, time.Minute)
	h.delivers(w)
	require.Empty(t, h.told(), "what waited is let go")
	require.Empty(t, h.diversity)
	require.Zero(t, h.calls)
}

func TestDiversityIsToldByWindowsWithCoverage(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.entrances = []core.Entrance{
		{Tag: "in", Protocol: "vless"},
		{Tag: "wg", Protocol: "wireguard"},
		{Tag: "behind", Protocol: "vless", IP: "127.0.0.1"},
		{Tag: "announced", Protocol: "trojan", IP: "127.0.0.1", Announce: true},
	}
	h.skew = time.Hour
	w := h.agent()
	h.document(w, watching())
	began := h.clock.Now()
	for n := range 12 {
		h.begins("anna", fmt.Sprintf("203.0.%d.9", n), "198.51.100.1", 443)
	}
	h.sensors["core"].Begin(agentapi.ClientEmail(flowID, "tunnel"), "wg", netip.MustParseAddr("100.64.0.7"),
		sensor.To{Port: 1})
	h.passes(w, windowSpan+2*time.Second)
	h.passes(w, windowSpan)
	h.delivers(w)
	require.Len(t, h.diversity, 2)
	first := h.diversity[0]
	require.Equal(t, map[string]bool{"in": true, "wg": false, "behind": false, "announced": true}, completeIn(first))
	require.Equal(t, agentapi.CoverageProxy, first.Coverage[0].Source)
	require.WithinDuration(t, began.Add(time.Hour), first.Window.From, 2*time.Second, "by the panel's clock")
	require.Equal(t, windowSpan, first.Window.To.Sub(first.Window.From).Truncate(time.Minute))
	require.Len(t, first.Users, 2)
	require.EqualValues(t, 12, first.Users[0].Sources)
	require.Zero(t, first.Users[1].Sources, "in a tunnel nobody's address is known")
	require.Equal(t, first.Window.To, h.diversity[1].Window.From, "windows follow each other")
	require.EqualValues(t, 12, h.diversity[1].Users[0].MaxConcurrent, "all are still connected")
}

func completeIn(b agentapi.DiversityBatch) map[string]bool {
	complete := map[string]bool{}
	for _, one := range b.Coverage {
		complete[one.InboundTag] = one.Complete
	}
	return complete
}

// A panel that is away gets each window in a batch of its own, later and once.
func TestWhatWaitsForThePanelKeepsItsWindows(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	w := h.agent()
	h.document(w, watching())
	h.begins("anna", "203.0.113.9", "198.51.100.1", 443)
	h.answer = &link.StatusError{Status: 403, Code: "license_read_only", RetryAfter: time.Minute}
	h.passes(w, 3*windowSpan+5*time.Second)
	h.delivers(w)
	require.Empty(t, h.diversity)
	h.answer = nil
	h.delivers(w)
	require.Len(t, h.diversity, 3)
	for n, b := range h.diversity {
		require.EqualValues(t, n+1, b.Seq)
		require.Len(t, b.Users, 1)
	}
}

// Without the feature the agent stops, empties what it has, and asks again after a while.
func TestABlockedFeatureStopsTheCollection(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	w := h.agent()
	h.document(w, watching())
	h.begins("anna", "203.0.113.9", "198.51.100.1", 6881)
	h.passes(w, 12*time.Second)
	h.answer = &link.StatusError{Status: 403, Code: codeBlocked}
	h.delivers(w)
	require.Equal(t, 1, h.calls)
	h.passes(w, 2*windowSpan)
	h.delivers(w)
	require.Equal(t, 1, h.calls, "nobody is asked again so soon")
	require.Nil(t, h.begins("anna", "203.0.113.9", "198.51.100.1", 6881))
	h.answer = nil
	h.document(w, watching()) // the panel has said otherwise
	h.passes(w, 2*time.Second)
	h.begins("anna", "203.0.113.9", "198.51.100.1", 6881)
	h.passes(w, 12*time.Second)
	h.delivers(w)
	require.Len(t, h.told(), 1, "what was found before is gone")
}

func (h *host) recorded(w *watcher) map[string]int {
	lines, _, err := w.record.Find(&record.Query{
		From: h.clock.Now().Add(-24 * time.Hour), To: h.clock.Now().Add(time.Hour), Most: 1000,
	})
	require.NoError(h.t, err)
	counts := map[string]int{}
	for _, l := range lines {
		counts[l.Client] += l.Count
	}
	return counts
}

// Whenever an agent is killed, each stream is in the record once and in the signals once.
func TestAKilledAgentNeitherLosesNorDoublesAnything(t *testing.T) {
	t.Parallel()
	for _, seconds := range []int{1, 5, 10, 11, 15, 29, 61} {
		t.Run(fmt.Sprint(seconds), func(t *testing.T) {
			t.Parallel()
			h := newHost(t)
			w := h.agent()
			h.document(w, watching())
			const streams = 30
			begin := func(n int) { h.begins("anna", "203.0.113.9", fmt.Sprintf("198.51.100.%d", n), 6881) }
			for n := range streams / 2 {
				begin(n)
			}
			h.passes(w, time.Duration(seconds)*time.Second)
			for n := range streams / 2 {
				begin(100 + n) // and the agent is gone, with what it had in mind
			}
			next := h.agent()
			h.document(next, watching())
			h.passes(next, 3*time.Minute)
			h.delivers(next)
			require.Equal(t, map[string]int{"anna": streams}, h.recorded(next))
			var count int64
			for _, s := range h.told() {
				count += s.Count
			}
			require.EqualValues(t, streams, count)
		})
	}
}

func TestAStreamOfBeforeTheAgentCountsAsConnected(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	w := h.agent()
	h.document(w, watching())
	gone := h.begins("boris", "203.0.114.9", "198.51.100.1", 443)
	h.begins("anna", "203.0.113.9", "198.51.100.1", 443)
	h.passes(w, 12*time.Second)
	gone.End()
	next := h.agent()
	h.document(next, watching())
	h.passes(next, windowSpan+2*time.Second)
	h.delivers(next)
	require.Len(t, h.diversity, 1)
	require.Len(t, h.diversity[0].Users, 1, "only who is connected")
	require.EqualValues(t, 1, h.diversity[0].Users[0].MaxConcurrent)
}

// An agent that was away for so long that its core had no room says that it has not seen all.
func TestWhatWasLostIsSaid(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	w := h.agent()
	h.document(w, watching())
	h.passes(w, 2*time.Second)
	for range 40_000 {
		h.begins("anna", "203.0.113.9", "198.51.100.1", 443).End()
	}
	h.passes(w, windowSpan)
	h.delivers(w)
	require.False(t, h.diversity[0].Coverage[0].Complete)
	h.passes(w, windowSpan+2*time.Second)
	h.delivers(w)
	require.True(t, h.diversity[len(h.diversity)-1].Coverage[0].Complete, "the next window is whole again")
}

func TestTooManySourcesAtOnceAreASignal(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	w := h.agent()
	watch := watching()
	watch.Limits.HighSource = 12
	h.document(w, watch)
	for n := range 12 {
		h.begins("anna", fmt.Sprintf("203.0.%d.9", n), "198.51.100.1", 443)
	}
	for n := range 200 {
		h.begins(fmt.Sprint("crowd", n), "192.0.2.1", "198.51.100.1", 443)
	}
	h.passes(w, 12*time.Second)
	h.delivers(w)
	require.Len(t, h.told(), 1, "the crowd behind one address is none")
	require.Equal(t, agentapi.AbuseTooMany, h.told()[0].Kind)
	require.Equal(t, "c:anna", h.told()[0].UserRef)
}

// A clock that jumps, in either direction, ends no work and makes no window that cannot be.
func TestAClockThatJumpsEndsNothing(t *testing.T) {
	t.Parallel()
	for _, jump := range []time.Duration{48 * time.Hour, -48 * time.Hour} {
		h := newHost(t)
		w := h.agent()
		h.document(w, watching())
		h.begins("anna", "203.0.113.9", "198.51.100.1", 443)
		h.passes(w, 5*time.Second)
		h.clock.Advance(jump)
		h.begins("anna", "203.0.113.9", "198.51.100.1", 6881)
		h.passes(w, windowSpan+20*time.Second)
		h.delivers(w)
		require.NotEmpty(t, h.told(), jump)
		require.NotEmpty(t, h.diversity, jump)
		for _, b := range h.diversity {
			require.False(t, b.Window.From.After(b.Window.To))
		}
	}
}

func TestADocumentThatCannotBeIsRefused(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	w := h.agent()
	for _, bad := range []string{
		`[]`, `{"collect":"yes"}`, `{"collect":true,"salt":"c2hvcnQ="}`, `{"record":{"hours":-1}}`,
		`{"record":{"hours":1,"mb":9999999}}`,
	} {
		err := w.apply(t.Context(), json.RawMessage(bad))
		require.Error(t, err, bad)
		require.NotContains(t, err.Error(), "c2hvcnQ")
	}
	require.False(t, w.takes())
}

// The panel refuses batches that come sooner after one another; time that has passed anyway is not waited for again.
func TestBatchesKeepThePaceOfThePanel(t *testing.T) {
	t.Parallel()
	clock, sent := clockwork.NewFakeClock(), make(chan time.Time, 3)
	always := func() bool { return true }
	send := paced(clock, always, func() {}, func(_ context.Context, b buffer.Batch) (int64, error) {
		sent <- clock.Now()
		return b.Seq, nil
	})
	began := clock.Now()
	go func() {
		for range 3 {
			_, _ = send(t.Context(), buffer.Batch{Seq: 1})
		}
	}()
	require.Equal(t, began, <-sent)
	for n := 1; n < 3; n++ {
		require.NoError(t, clock.BlockUntilContext(t.Context(), 1))
		clock.Advance(agentapi.AbusePace)
		require.Equal(t, time.Duration(n)*agentapi.AbusePace, (<-sent).Sub(began))
	}
}

package link

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/platform/access"
	"panel/platform/agentapi"
	"panel/platform/fault"
)

// answers is a panel that answers as a test says.
type answers struct {
	mu     sync.Mutex
	token  error // what the proof of a token ends with
	fails  error // what calls end with
	core   json.RawMessage
	calls  []string
	proofs int
}

func (d *answers) call(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls = append(d.calls, name)
	return d.fails
}

func (d *answers) set(change func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change()
}

func (d *answers) called() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string(nil), d.calls...)
}

func (d *answers) AuthenticateAgent(context.Context, string) (access.Caller, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.proofs++
	return access.Caller{}, d.token
}

func (d *answers) Alive(string) {}

func (d *answers) Heartbeat(context.Context, string, *agentapi.Heartbeat) (*agentapi.HeartbeatReply, error) {
	return &agentapi.HeartbeatReply{HeartbeatSeconds: 15}, d.call("heartbeat")
}

func (d *answers) Metrics(context.Context, string, *agentapi.MetricsBatch) error {
	return d.call("metrics")
}

func (d *answers) Result(context.Context, string, *agentapi.CommandResult) error {
	return d.call("result")
}

func (d *answers) Config(_ context.Context, _ string, revision int64) (*agentapi.NodeConfig, error) {
	return &agentapi.NodeConfig{Revision: revision, Core: d.core}, d.call("config")
}

func (d *answers) Document(_ context.Context, _ string, name agentapi.DocumentName) (*agentapi.Document, error) {
	return &agentapi.Document{DocumentRef: agentapi.DocumentRef{Name: name}, Content: d.core}, d.call("document")
}

func (d *answers) Batch(context.Context, string, *agentapi.Batch) error { return d.call("batch") }

func registry(d *answers) *Streams {
	return &Streams{
		panel: d, clock: clockwork.NewFakeClock(), log: zap.NewNop(), stop: make(chan struct{}),
		links: map[string]*link{},
	}
}

// open serves a stream until the test ends.
func (s *Streams) open(t *testing.T, nodeID string) *line {
	t.Helper()
	w := newLine()
	before := s.at(nodeID)
	var served sync.WaitGroup
	served.Go(func() { s.serve(nodeID, "token", w) })
	t.Cleanup(func() { w.Close(); served.Wait() })
	eventually(t, func() bool { now := s.at(nodeID); return now != nil && now != before })
	return w
}

func (s *Streams) at(nodeID string) *link {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.links[nodeID]
}

// asked sends one frame and gives the reply to it.
func asked(t *testing.T, w *line, text string) *agentapi.Reply {
	t.Helper()
	before := len(w.frames())
	w.in <- text
	eventually(t, func() bool { return len(w.frames()) > before }, text)
	reply := w.frames()[before]
	require.Equal(t, agentapi.FrameReply, reply.Type)
	require.EqualValues(t, 7, reply.Call, "a reply names the call that it answers")
	return reply.Reply
}

const (
	heartbeatCall = `{"type":"heartbeat","call":7,"heartbeat":{"protocol":2}}`
	metricsCall   = `{"type":"metrics","call":7,"metrics":{"stream_id":"s","seq":9,"samples":[]}}`
	resultCall    = `{"type":"result","call":7,"result":{"id":"c","ok":true}}`
	configCall    = `{"type":"config","call":7,"revision":3}`
	documentCall  = `{"type":"document","call":7,"document":"blocks"}`
	batchCall     = `{"type":"batch","call":7,"batch":{"stream_id":"s","seq":4}}`
)

func TestEachCallIsAnsweredByWhatItsRouteDoes(t *testing.T) {
	t.Parallel()
	d := &answers{core: json.RawMessage(`{}`)}
	w := registry(d).open(t, "n")
	require.Equal(t, 15, asked(t, w, heartbeatCall).Heartbeat.HeartbeatSeconds)
	require.EqualValues(t, 9, asked(t, w, metricsCall).Metrics.AckedSeq)
	require.Equal(t, 200, asked(t, w, resultCall).Status)
	require.EqualValues(t, 3, asked(t, w, configCall).Config.Revision)
	require.EqualValues(t, "blocks", asked(t, w, documentCall).Document.Name)
	require.EqualValues(t, 4, asked(t, w, batchCall).Batch.AckedSeq)
	require.Equal(t, []string{"heartbeat", "metrics", "result", "config", "document", "batch"}, d.called())
	require.Equal(t, "missing_field", asked(t, w, `{"type":"config","call":7}`).Code)
	w.in <- `{"type":"ping"}`
	eventually(t, func() bool { last := w.frames(); return last[len(last)-1].Type == agentapi.FramePong })
}

// A fault is told as the route would tell it; what is no fault stays in the log, and what is not stored is not
// acknowledged.
func TestARefusalIsToldAsTheRouteWouldTellIt(t *testing.T) {
	t.Parallel()
	d := &answers{}
	w := registry(d).open(t, "n")
	for _, c := range []struct {
		fails  error
		status int
		code   string
	}{
		{fault.Malformed("bad_json", "x"), 400, "bad_json"},
		{fault.Missing("x"), 404, "not_found"},
		{fault.TooLarge("x"), 413, "body_too_large"},
		{fault.InvalidValue("samples", "x"), 422, "invalid_value"},
		{fault.Throttled(1500 * time.Millisecond), 429, "throttled"},
		{context.DeadlineExceeded, 503, "unavailable"},
		{errors.New("relation node_samples does not exist"), 500, "internal"},
		{fault.Conflict("name_taken", "no call of an agent ends so"), 500, "internal"},
	} {
		d.set(func() { d.fails = c.fails })
		for _, call := range []string{metricsCall, batchCall, configCall, heartbeatCall} {
			reply := asked(t, w, call)
			require.Equal(t, c.status, reply.Status, c.fails)
			require.Equal(t, c.code, reply.Code)
			require.NotContains(t, reply.Detail, "node_samples")
			require.Nil(t, reply.Metrics)
			require.Nil(t, reply.Batch)
			require.Nil(t, reply.Config)
			require.Nil(t, reply.Heartbeat)
			if c.status == 429 {
				require.Equal(t, 2, reply.RetrySeconds, "whole seconds, never too few")
			}
		}
	}
}

func TestWhatDoesNotFitIntoAFrameIsFetchedOtherwise(t *testing.T) {
	t.Parallel()
	d := &answers{core: json.RawMessage(`"` + strings.Repeat("x", mostFitting) + `"`)}
	w := registry(d).open(t, "n")
	for _, call := range []string{configCall, documentCall} {
		require.Equal(t, "body_too_large", asked(t, w, call).Code)
	}
	d.set(func() { d.core = json.RawMessage(`"x"`) })
	require.Equal(t, 200, asked(t, w, configCall).Status)
}

// A revoked token does nothing more on a stream that was open before, and the stream is closed; a database that is
// away is no reason to send agents off.
func TestATokenIsProvedForEachCall(t *testing.T) {
	t.Parallel()
	d := &answers{token: fault.Unavailable("the database is away")}
	s := registry(d)
	w := s.open(t, "n")
	require.Equal(t, 503, asked(t, w, heartbeatCall).Status)
	s.recheck(s.at("n"))
	require.False(t, w.isClosed())
	d.set(func() { d.token = fault.Unauthenticated("agent_token_invalid", "x") })
	require.Equal(t, 401, asked(t, w, heartbeatCall).Status)
	require.Empty(t, d.called(), "nothing was done for it")
	s.TokensChanged("another")
	s.TokensChanged("n")
	eventually(t, w.isClosed)
	eventually(t, func() bool { return s.Open() == 0 })
}

func TestTextsWithControlCharactersAreRefusedBeforeAnybodyReadsThem(t *testing.T) {
	t.Parallel()
	d := &answers{}
	w := registry(d).open(t, "n")
	for _, text := range []string{
		`{"type":"heartbeat","call":7,"heartbeat":{"hostname":"a\u0000"}}`,
		`{"type":"result","call":7,"result":{"id":"\b"}}`,
		"{\"type\":\"batch\",\"call\":7,\"batch\":{\"stream_id\":\"\x7f\"}}",
	} {
		require.Equal(t, "invalid_value", asked(t, w, text).Code)
	}
	require.Empty(t, d.called())
}

func TestWhatIsNoFrameEndsTheStream(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "x", `[]`, `{"type":1}`, `{"type":"metrics","metrics":[]}`} {
		s := registry(&answers{})
		w := s.open(t, "n")
		w.in <- text
		eventually(t, w.isClosed, text)
		eventually(t, func() bool { return s.Open() == 0 })
	}
}

// What only the panel says, and what nobody knows yet, is passed over: a newer agent keeps its stream.
func TestFramesThatMeanNothingHereArePassedOver(t *testing.T) {
	t.Parallel()
	w := registry(&answers{}).open(t, "n")
	for _, kind := range []string{"desired", "command", "pong", "reply", "bye", "of-tomorrow", ""} {
		w.in <- `{"type":"` + kind + `","call":1}`
	}
	require.Equal(t, 200, asked(t, w, heartbeatCall).Status)
}

// A server that comes back opens a new stream before the old one is known to be dead; only the new one gets work.
func TestANewerStreamTakesThePlaceOfTheOlder(t *testing.T) {
	t.Parallel()
	s := registry(&answers{})
	older, other := s.open(t, "n"), s.open(t, "m")
	newer := s.open(t, "n")
	eventually(t, older.isClosed)
	require.Equal(t, 2, s.Open())
	s.deliver("n", agentapi.Pending{Commands: []agentapi.Command{{ID: "1"}}})
	s.deliver("nobody", agentapi.Pending{Commands: []agentapi.Command{{ID: "2"}}})
	eventually(t, func() bool { return len(newer.frames()) == 1 })
	require.Equal(t, "1", newer.frames()[0].Command.ID)
	require.Empty(t, older.frames())
	require.Empty(t, other.frames())
	require.ElementsMatch(t, []string{"n", "m"}, s.present(nil))
	require.Equal(t, []string{"m"}, s.present([]string{"x", "m"}))
	require.Empty(t, s.present([]string{}))
}

// Two checks a minute: a quiet stream is asked, one that stays silent is closed, and each token is proved again.
func TestSilentStreamsAreAskedAndThenClosed(t *testing.T) {
	t.Parallel()
	d := &answers{}
	s := registry(d)
	lively, quiet, silent, broken := s.open(t, "lively"), s.open(t, "quiet"), s.open(t, "silent"), s.open(t, "broken")
	quiet.quiet, silent.quiet, broken.quiet, broken.broken = pingEvery+1, silence+1, pingEvery+1, errEnded
	clock := s.clock.(*clockwork.FakeClock) //nolint:forcetypeassert // made so above
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = s.Run(ctx) })
	defer running.Wait()
	defer cancel()
	eventually(t, func() bool {
		clock.Advance(pingEvery)
		return silent.isClosed() && broken.isClosed()
	})
	eventually(t, func() bool { quiet.mu.Lock(); defer quiet.mu.Unlock(); return quiet.pings > 0 })
	require.False(t, lively.isClosed())
	require.Zero(t, lively.pings)
	eventually(t, func() bool { d.mu.Lock(); defer d.mu.Unlock(); return d.proofs >= 4 })
}

// A panel that stops tells every agent when to come back, the later the more there are, and ends their streams.
func TestAStoppingPanelSaysWhenToComeBack(t *testing.T) {
	t.Parallel()
	s := registry(&answers{})
	stop := make(chan struct{})
	s.stop = stop
	var lines []*line
	for n := range 500 {
		w := newLine()
		lines = append(lines, w)
		s.enter(&link{nodeID: strings.Repeat("n", n+1), wire: w})
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = s.Run(ctx) })
	close(stop)
	for _, w := range lines {
		eventually(t, w.isClosed)
		require.Equal(t, agentapi.FrameBye, w.frames()[0].Type)
		require.Equal(t, 5, w.frames()[0].RetrySeconds)
	}
	cancel()
	running.Wait()
}

// A stream that fails inside the panel leaves the registry, and no other stream notices.
func TestAStreamThatFailsLeavesTheRegistry(t *testing.T) {
	t.Parallel()
	s := registry(&answers{})
	other := s.open(t, "other")
	require.Panics(t, func() { s.serve("n", "token", &panicking{newLine()}) })
	require.Equal(t, 1, s.Open())
	require.Equal(t, 200, asked(t, other, heartbeatCall).Status)
}

type panicking struct{ *line }

func (p *panicking) Receive(func([]byte) error) error { panic("a fault of the panel") }

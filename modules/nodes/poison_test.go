package nodes

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap/zaptest"

	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/paneltest"
)

// The same rules on the stream as for POSTs: a text with a control character is refused, and the stream goes on.
func TestControlCharactersAreRefusedOnTheStreamAsWell(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	agent, other := newAgent(t, p, "poisonous"), newAgent(t, p, "innocent")
	ids, err := with.commands.Send(t.Context(), nodesapi.Order{NodeID: agent.nodeID, Kind: "restart_core", Deadline: time.Now().Add(time.Minute)})
	require.NoError(t, err)
	conn := dial(t, p, agent)
	next(t, conn)
	next(t, conn)
	for _, raw := range []string{
		`{"type":"heartbeat","call":7,"heartbeat":{"protocol":1,"hostname":"a\u0000b"}}`,
		`{"type":"heartbeat","call":7,"heartbeat":{"protocol":1,"core":{"state":"a\u0000b"}}}`,
		`{"type":"heartbeat","call":7,"heartbeat":{"protocol":1,"sockets":[{"process":"a\u001bb"}]}}`,
		`{"type":"heartbeat","call":7,"heartbeat":{"protocol":1,"boot_id":"\b"}}`,
		`{"type":"result","call":7,"result":{"id":"` + ids[0] + `","ok":true,"code":"\u0000"}}`,
		`{"type":"result","call":7,"result":{"id":"` + ids[0] + `","ok":true,"data":{"deep":["\u0000"]}}}`,
		"{\"type\":\"result\",\"call\":7,\"result\":{\"id\":\"" + ids[0] + "\",\"ok\":true,\"error\":\"\x7f\"}}",
	} {
		require.NoError(t, conn.Write(t.Context(), websocket.MessageText, []byte(raw)))
		reply := next(t, conn).Reply
		require.Equal(t, http.StatusUnprocessableEntity, reply.Status, raw)
		require.Equal(t, "invalid_value", reply.Code)
		agent.Post(agentapi.PathHeartbeat, `{"protocol":1,"hostname":"a\u0000b"}`).Refused(http.StatusUnprocessableEntity, "invalid_value")
	}
	other.beat(t)
	eventually(t, func() bool { return other.state(p) == "online" })
	long := strings.Repeat("x", 5000)
	result := agentapi.CommandResult{ID: ids[0], OK: true, Code: agentapi.ResultCode(long), Stage: agentapi.Stage(long), StderrTail: `a\u0000 is no control character`}
	require.Equal(t, http.StatusOK, call(t, conn, agentapi.Frame{Type: agentapi.FrameResult, Call: 8, Result: &result}).Status)
	found, err := with.commands.Results(t.Context(), ids...)
	require.NoError(t, err)
	require.Len(t, found[ids[0]].Code, wordLimit)
	require.Len(t, found[ids[0]].Stage, wordLimit)
	require.Equal(t, result.StderrTail, found[ids[0]].StderrTail)
}

// A result that the database does not take fails alone: here half a character, which JSON allows and the database does not.
func TestAResultThatCannotBeStoredFailsAlone(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	outbox := with.commands.(*commands)
	agent := newAgent(t, p, "mixed")
	order := nodesapi.Order{NodeID: agent.nodeID, Kind: "probe", Deadline: time.Now().Add(time.Minute)}
	ids, err := with.commands.Send(t.Context(), order, order, order, order, order)
	require.NoError(t, err)
	at, rows := time.Now(), []*commandRow{}
	for _, id := range ids {
		rows = append(rows, &commandRow{ID: id, NodeID: agent.nodeID, EndedAt: &at, OK: true, Data: json.RawMessage(`{}`)})
	}
	rows[1].Data, rows[4].Code = json.RawMessage(`"\ud800"`), "\x00"
	answers := outbox.store(t.Context(), rows)
	for i := range ids {
		require.Equal(t, i == 1 || i == 4, answers[i] != nil, "%d: %v", i, answers[i])
	}
	require.Equal(t, errUnstorable, answers[1])
	found, err := with.commands.Results(t.Context(), ids...)
	require.NoError(t, err)
	require.Len(t, found, 3)
	path := strings.Replace(agentapi.PathCommandResult, "{id}", ids[1], 1)
	agent.Post(path, `{"id":"x","ok":true,"code":"done","started_at":"2026-01-01T00:00:00Z","finished_at":"2026-01-01T00:00:00Z","data":"\ud800"}`).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
}

// Of an agent whose words the database does not take it is known that it lives; everybody else's reports are written.
func TestAReportThatCannotBeStoredKeepsOutNoOther(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	db := p.DB
	bad := newAgent(t, p, "bad")
	bad.beat(t)
	good := []*enrolled{newAgent(t, p, "good-1"), newAgent(t, p, "good-2"), newAgent(t, p, "good-3")}
	eventually(t, func() bool { return bad.state(p) == "online" })
	r := newReports(db, &store{db: db}, nil, clockwork.NewRealClock(), zaptest.NewLogger(t))
	poison := beat()
	poison.Hostname = "a\x00b"
	r.heard(bad.nodeID, &poison)
	for _, g := range good {
		b := beat()
		r.heard(g.nodeID, &b)
	}
	r.write(t.Context())
	require.Empty(t, r.pending, "nothing comes back to fail the next batch")
	for _, g := range good {
		require.NotEqual(t, "pending", g.state(p))
	}
	var seen time.Time
	require.NoError(t, db.NewRaw("select seen_at from node_reports where node_id = ?", bad.nodeID).Scan(t.Context(), &seen))
	require.WithinDuration(t, time.Now(), seen, time.Minute)
}

// A batch of samples that the database does not take is refused alone.
func TestABatchThatCannotBeStoredIsRefusedAlone(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	telemetry := &telemetry{db: p.DB, log: zaptest.NewLogger(t)}
	var all []*delivery
	for _, name := range []string{"one-1", "two-2", "three-3"} {
		d, err := newDelivery(newAgent(t, p, name).nodeID, &agentapi.MetricsBatch{StreamID: "s", Seq: 1, Samples: samples(2, time.Now())})
		require.NoError(t, err)
		all = append(all, d)
	}
	all[1].batch.StreamID = "s\x00"
	require.Equal(t, []error{nil, errUnstorable, nil}, telemetry.write(t.Context(), all))
	require.Equal(t, 2, stored(t, p.DB, all[0].nodeID))
	require.Equal(t, 0, stored(t, p.DB, all[1].nodeID))
	require.Equal(t, 2, stored(t, p.DB, all[2].nodeID))
}

// Readings whose mean no number can hold would stop the condensing for the whole fleet.
func TestReadingsThatNoServerCanHaveAreRefused(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent := newAgent(t, p, "boundless")
	absurd := samples(2, time.Now())
	absurd[0].Load1, absurd[1].Load1 = 1e308, 1e308
	agent.deliver("s", 1, absurd).Refused(http.StatusUnprocessableEntity, "invalid_value")
	absurd[0].Load1, absurd[1].Load1 = mostReading, -mostReading
	agent.deliver("s", 1, absurd).Is(http.StatusOK)
	require.NoError(t, (&telemetry{db: p.DB}).rollUp(t.Context()))
}

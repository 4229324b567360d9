package nodes

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"panel/modules/nodes/internal/texts"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/paneltest"
)

// The same rules on the stream as for POSTs: a text with a control character is refused, and the stream goes on.
func TestControlCharactersAreRefusedOnTheStreamAsWell(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	agent, other := p.Enroll("poisonous"), p.Enroll("innocent")
	ids, err := with.commands.Send(t.Context(), nodesapi.Order{
		NodeID: agent.NodeID, Kind: "restart_core",
		Deadline: time.Now().Add(time.Minute),
	})
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
		agent.Post(agentapi.PathHeartbeat, `{"protocol":1,"hostname":"a\u0000b"}`).
			Refused(http.StatusUnprocessableEntity, "invalid_value")
	}
	other.Beat()
	eventually(t, func() bool { return other.State() == "online" })
	long := strings.Repeat("x", 5000)
	result := agentapi.CommandResult{
		ID: ids[0], OK: true, Code: agentapi.ResultCode(long), Stage: agentapi.Stage(long),
		StderrTail: `a\u0000 is no control character`,
	}
	require.Equal(t, http.StatusOK, call(t, conn, agentapi.Frame{
		Type: agentapi.FrameResult, Call: 8,
		Result: &result,
	}).Status)
	found, err := with.commands.Results(t.Context(), ids...)
	require.NoError(t, err)
	require.Len(t, found[ids[0]].Code, texts.WordLimit)
	require.Len(t, found[ids[0]].Stage, texts.WordLimit)
	require.Equal(t, result.StderrTail, found[ids[0]].StderrTail)
}

// A result that the database does not take is refused, here half a character, which JSON allows and the database does
// not; a sample that no server can have as well.
func TestWhatCannotBeStoredIsRefused(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	agent := p.Enroll("mixed")
	order := nodesapi.Order{NodeID: agent.NodeID, Kind: "probe", Deadline: time.Now().Add(time.Minute)}
	ids, err := with.commands.Send(t.Context(), order)
	require.NoError(t, err)
	path := strings.Replace(agentapi.PathCommandResult, "{id}", ids[0], 1)
	agent.Post(path, `{"id":"x","ok":true,"code":"done","started_at":"2026-01-01T00:00:00Z","finished_at":"2026-01-01T00:00:00Z","data":"\ud800"}`).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	absurd := paneltest.Samples(2, time.Now())
	absurd[0].Load1 = 1e308
	agent.Deliver("s", 1, absurd).Refused(http.StatusUnprocessableEntity, "invalid_value")
}

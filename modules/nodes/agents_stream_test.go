package nodes

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/stretchr/testify/require"

	"panel/modules/nodes/internal/link"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/paneltest"
)

func TestAStreamEndsWhenTheAgentIsRevoked(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent := p.Enroll("cut-off")
	conn := dial(t, p, agent)
	require.Equal(t, agentapi.FrameDesired, next(t, conn).Type)
	p.As("nodes.edit").Post("/api/v1/nodes/"+agent.NodeID+"/agent-binding", map[string]any{"action": "revoke"}).
		Is(http.StatusOK)
	var frame agentapi.Frame
	require.Error(t, wsjson.Read(t.Context(), conn, &frame))
}

// What an agent may POST it may also send on its stream, with the same answers; a revoked token ends both at once.
func TestHeartbeatsAndSamplesTravelOnTheStream(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent := p.Enroll("one-connection")
	conn := dial(t, p, agent)
	require.Equal(t, link.Takes, next(t, conn).Takes, "the panel says what it takes")
	ask := func(f agentapi.Frame) *agentapi.Reply { return call(t, conn, f) }
	sent := paneltest.Heartbeat()
	reply := ask(agentapi.Frame{Type: agentapi.FrameHeartbeat, Call: 1, Heartbeat: &sent})
	require.Equal(t, http.StatusOK, reply.Status)
	require.Equal(t, 15, reply.Heartbeat.HeartbeatSeconds)
	eventually(t, func() bool { return agent.State() == "online" })

	batch := agentapi.MetricsBatch{StreamID: "s", Seq: 1, Samples: paneltest.Samples(3, time.Now())}
	for call := range int64(2) {
		reply = ask(agentapi.Frame{Type: agentapi.FrameMetrics, Call: 2 + call, Metrics: &batch})
		require.EqualValues(t, 1, reply.Metrics.AckedSeq)
	}
	stored, err := p.DB.NewSelect().Table("node_samples").Count(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 3, stored, "a repeated batch is stored once")

	batch.Seq, sent.Protocol = 0, -9
	require.Equal(t, http.StatusUnprocessableEntity, ask(agentapi.Frame{
		Type: agentapi.FrameMetrics, Call: 4,
		Metrics: &batch,
	}).Status)
	require.Equal(t, "invalid_value", ask(agentapi.Frame{
		Type: agentapi.FrameHeartbeat, Call: 5,
		Heartbeat: &sent,
	}).Code)
	require.Equal(t, http.StatusBadRequest, ask(agentapi.Frame{Type: agentapi.FrameHeartbeat, Call: 6}).Status)
}

// A whole apply needs no second connection: the configuration comes and the result goes on the stream.
func TestConfigurationsAndResultsTravelOnTheStream(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	agent, foreign := p.Enroll("one-connection"), p.Enroll("foreign")
	small := with.put(t, agent.NodeID, json.RawMessage(`{"inbounds":[]}`), nil)
	large := with.put(t, agent.NodeID, json.RawMessage(`{"pad":"`+strings.Repeat("x", agentapi.MaxFrame/2)+`"}`), nil)
	conn := dial(t, p, agent)
	next(t, conn)
	ids, err := with.commands.Send(t.Context(), nodesapi.Order{
		NodeID: agent.NodeID, Kind: "restart_core",
		Deadline: time.Now().Add(time.Minute),
	})
	require.NoError(t, err)
	require.Equal(t, ids[0], next(t, conn).Command.ID)
	got := call(t, conn, agentapi.Frame{Type: agentapi.FrameConfig, Call: 1, Revision: small.Revision})
	require.Equal(t, small.Hash, got.Config.Hash)
	require.Equal(t, http.StatusRequestEntityTooLarge, call(t, conn, agentapi.Frame{
		Type: agentapi.FrameConfig, Call: 2,
		Revision: large.Revision,
	}).Status)
	require.Equal(t, http.StatusNotFound, call(t, conn, agentapi.Frame{
		Type: agentapi.FrameConfig, Call: 3,
		Revision: 99,
	}).Status)
	result := agentapi.CommandResult{ID: ids[0], OK: true, Code: agentapi.CodeDone}
	other := dial(t, p, foreign)
	next(t, other)
	require.Equal(t, http.StatusNotFound, call(t, other, agentapi.Frame{
		Type: agentapi.FrameResult, Call: 1,
		Result: &result,
	}).Status, "another node's command")
	require.Equal(t, http.StatusOK, call(t, conn, agentapi.Frame{
		Type: agentapi.FrameResult, Call: 4,
		Result: &result,
	}).Status)
	results, err := with.commands.Results(t.Context(), ids...)
	require.NoError(t, err)
	require.True(t, results[ids[0]].OK, "it is stored when it is acknowledged")
}

// An acknowledgement counts for the agent's own commands alone.
func TestAnAgentAcknowledgesNoCommandOfAnother(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	victim, foreign := p.Enroll("victim"), p.Enroll("foreign")
	order := nodesapi.Order{NodeID: victim.NodeID, Kind: "restart_core", Deadline: time.Now().Add(time.Minute)}
	own := order
	own.NodeID = foreign.NodeID
	ids, err := with.commands.Send(t.Context(), order, own)
	require.NoError(t, err)
	conn := dial(t, p, foreign)
	next(t, conn)
	for _, id := range ids {
		text := `{"type":"ack","command_id":"` + id + `"}`
		require.NoError(t, conn.Write(t.Context(), websocket.MessageText, []byte(text)))
	}
	state := func(nodeID, id string) string {
		return p.As("nodes.view").Get("/api/v1/nodes/" + nodeID + "/operations/" + id).Is(http.StatusOK).Text("state")
	}
	eventually(t, func() bool { return state(foreign.NodeID, ids[1]) == "running" })
	require.Equal(t, "queued", state(victim.NodeID, ids[0]))
}

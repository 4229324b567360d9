package nodes

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/paneltest"
)

func TestACommandReachesTheAgentByStreamAndItsResultComesBackOnce(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	agent, foreign := p.Enroll("streaming"), p.Enroll("foreign")
	conn := dial(t, p, agent)
	require.Equal(t, agentapi.FrameDesired, next(t, conn).Type)
	ids, err := with.commands.Send(t.Context(), nodesapi.Order{
		NodeID: agent.NodeID, Kind: "probe", Args: agentapi.ProbeArgs{Dial: &agentapi.DialProbe{
			Address: "x:1",
			Nonce:   "canary",
		}}, Deadline: time.Now().Add(time.Minute),
	})
	require.NoError(t, err)
	frame := next(t, conn)
	require.Equal(t, ids[0], frame.Command.ID)
	require.Contains(t, string(frame.Command.Args), "canary")
	var sealed string
	require.NoError(t, p.DB.NewRaw("select c::text from node_commands c").Scan(t.Context(), &sealed))
	require.NotContains(t, sealed, "canary")

	path := strings.Replace(agentapi.PathCommandResult, "{id}", ids[0], 1)
	foreign.Post(path, agentapi.CommandResult{OK: true}).Refused(http.StatusNotFound, "not_found")
	result := agentapi.CommandResult{
		OK: true, Code: agentapi.CodeDone,
		Data: json.RawMessage(`{"dial":{"connected":true}}`),
	}
	agent.Post(path, result).Is(http.StatusNoContent)
	agent.Post(path, agentapi.CommandResult{Code: agentapi.CodeFailed}).Is(http.StatusNoContent)
	results, err := with.commands.Await(t.Context(), ids...)
	require.NoError(t, err)
	require.True(t, results[0].OK, "the first answer stays; a repeated one changes nothing")
	require.JSONEq(t, `{"dial":{"connected":true}}`, string(results[0].Data))
	require.Empty(t, agent.Beat().Commands)
}

func TestACommandGivenOnOnePanelIsDeliveredAndAnsweredOnAnother(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	other, _ := asked(t, paneltest.On(p.DB))
	agent := p.Enroll("elsewhere")
	there := agent.At(other)
	conn := dial(t, other, there)
	require.Equal(t, agentapi.FrameDesired, next(t, conn).Type)
	ids, err := with.commands.Send(t.Context(), nodesapi.Order{
		NodeID: agent.NodeID, Kind: "restart_core",
		Deadline: time.Now().Add(time.Minute),
	})
	require.NoError(t, err)
	require.Equal(t, ids[0], next(t, conn).Command.ID)
	done := agentapi.CommandResult{OK: true, Code: agentapi.CodeDone}
	var answered sync.WaitGroup
	answered.Go(func() { there.Post(strings.Replace(agentapi.PathCommandResult, "{id}", ids[0], 1), done) })
	results, err := with.commands.Await(t.Context(), ids...)
	require.NoError(t, err)
	require.True(t, results[0].OK)
	answered.Wait()
}

func TestALongPollEndsWithTheNextCommand(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	agent := p.Enroll("polling")
	answered := make(chan agentapi.Pending, 1)
	go func() {
		var pending agentapi.Pending
		agent.Get(agentapi.PathCommands + "?wait=20").JSON(&pending)
		answered <- pending
	}()
	ids, err := with.commands.Send(t.Context(), nodesapi.Order{
		NodeID: agent.NodeID, Kind: "restart_core",
		Deadline: time.Now().Add(time.Minute),
	})
	require.NoError(t, err)
	require.Equal(t, ids[0], (<-answered).Commands[0].ID)
}

// An order does not outlive its node: it has ended, so that whoever waits for it goes on. The others of the same call
// are given.
func TestAnOrderToANodeThatIsGoneHasEnded(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	agent, doomed := p.Enroll("staying"), p.Enroll("doomed")
	to := func(id string) nodesapi.Order {
		return nodesapi.Order{NodeID: id, Kind: "restart_core", Deadline: time.Now().Add(time.Hour)}
	}
	before, err := with.commands.Send(t.Context(), to(doomed.NodeID), to(agent.NodeID))
	require.NoError(t, err)
	p.As("nodes.edit").Delete("/api/v1/nodes/" + doomed.NodeID).Is(http.StatusNoContent)
	ids, err := with.commands.Send(t.Context(), to(agent.NodeID), to(doomed.NodeID),
		to("0199a0de-0000-7000-8000-000000000009"), to("no id"))
	require.NoError(t, err)
	gone := []string{before[0], ids[1], ids[2], ids[3]}
	found, err := with.commands.Results(t.Context(), append(gone, before[1], ids[0])...)
	require.NoError(t, err)
	require.Len(t, found, len(gone))
	results, err := with.commands.Await(t.Context(), gone...)
	require.NoError(t, err)
	for _, result := range results {
		require.False(t, result.OK)
		require.Equal(t, string(agentapi.CodeExpired), result.Code)
	}
	require.Len(t, agent.Beat().Commands, 2)
}

// An order and its line in the journal are written together or not at all.
func TestAnOrderIsNeverGivenWithoutItsLineInTheJournal(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent := p.Enroll("audited")
	agent.Beat()
	eventually(t, func() bool { return agent.State() == "online" })
	_, err := p.DB.ExecContext(t.Context(), `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'the journal is out of order'; end $$;
		create trigger refuse before insert on journal for each row when (new.action = 'node.restart_core') execute function refuse()`)
	require.NoError(t, err)
	require.Equal(t, http.StatusInternalServerError,
		p.As("nodes.edit").Post("/api/v1/nodes/"+agent.NodeID+"/restart-core", nil).Status)
	require.Empty(t, agent.Beat().Commands)
}

func TestACommandThatNobodyAnswersExpires(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	agent := p.Enroll("silent")
	ids, err := with.commands.Send(t.Context(), nodesapi.Order{
		NodeID: agent.NodeID, Kind: "probe",
		Deadline: time.Now().Add(10 * time.Millisecond),
	})
	require.NoError(t, err)
	results, err := with.commands.Await(t.Context(), ids...)
	require.NoError(t, err)
	require.False(t, results[0].OK)
	require.Equal(t, string(agentapi.CodeExpired), results[0].Code)
}

func TestLogsOfANodeAreAnOperationThatCanBeFollowed(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	admin := p.As("nodes.edit", "nodes.view")
	agent := p.Enroll("logs")
	path := "/api/v1/nodes/" + agent.NodeID
	agent.Beat()
	eventually(t, func() bool { return agent.State() == "online" })
	started := admin.PostOnce(path+"/logs", map[string]any{"lines": 10}).Is(http.StatusAccepted)
	require.Equal(t, "queued", started.Text("state"))
	commands := agent.Beat().Commands
	require.Len(t, commands, 1)
	agent.Post(strings.Replace(agentapi.PathCommandResult, "{id}", commands[0].ID, 1), agentapi.CommandResult{
		OK: true, Code: agentapi.CodeDone, Data: json.RawMessage(`{"agent":["one","two"]}`),
	}).Is(http.StatusNoContent)
	done := admin.Get(path + "/operations/" + started.Text("id")).Is(http.StatusOK)
	require.Equal(t, "succeeded", done.Text("state"))
	require.Equal(t, []any{"one", "two"}, done.Value("logs.agent"))

	never := admin.Post("/api/v1/nodes", map[string]any{"name": "never-there"}).Is(http.StatusCreated).Text("id")
	admin.Post("/api/v1/nodes/"+never+"/restart-core", nil).Refused(http.StatusUnprocessableEntity, "agent_offline")
}

package nodes

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/modules/nodes/internal/work"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/paneltest"
)

// Long work is followed by its operation: it waits, runs from the agent's word on, and ends with the agent's result.
func TestAnOrderIsFollowedToItsEnd(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent, admin := p.Enroll("followed").Online(), p.As("nodes.edit", "nodes.view")
	order := func() string {
		return admin.Post("/api/v1/nodes/"+agent.NodeID+"/restart-core", nil).Is(http.StatusAccepted).Text("id")
	}
	seen := func(id string) *paneltest.Answer {
		return admin.Get("/api/v1/nodes/" + agent.NodeID + "/operations/" + id).Is(http.StatusOK)
	}
	good, bad := order(), order()
	first := seen(good)
	require.Equal(t, []any{"restart_core", "queued", nil}, []any{
		first.Text("kind"), first.Text("state"),
		first.Value("ended_at"),
	})
	require.Equal(t, "user-"+admin.AccountID, first.Text("started_by"))
	require.NotContains(t, string(first.Body), `"logs"`, "which only fetched logs have")
	conn := dial(t, p, agent)
	next(t, conn)
	require.Equal(t, good, next(t, conn).Command.ID)
	require.NoError(t, conn.Write(t.Context(), 1, []byte(`{"type":"ack","command_id":"`+good+`"}`)))
	eventually(t, func() bool { return seen(good).Text("state") == "running" })
	agent.Finish(good, agentapi.CommandResult{OK: true, Code: agentapi.CodeDone}).Is(http.StatusNoContent)
	agent.Finish(bad, agentapi.CommandResult{
		Code:  agentapi.CodeFailed,
		Error: "the core is not there",
	}).Is(http.StatusNoContent)
	ended := seen(good)
	require.Equal(t, []any{"succeeded", 100.0, "done"}, []any{
		ended.Text("state"), ended.Value("progress"),
		ended.Text("code"),
	})
	require.NotNil(t, ended.Value("ended_at"))
	failed := seen(bad)
	require.Equal(t, []any{"failed", "failed", "the core is not there"},
		[]any{failed.Text("state"), failed.Text("code"), failed.Text("error")})
	require.Equal(t, []string{"node.enrolled", "node.restart_core", "node.restart_core"}, p.Recorded("node",
		agent.NodeID))
}

// An order that nobody answered has failed with its deadline, says so, and says when.
func TestAnOrderThatNobodyAnsweredHasFailed(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Now().UTC().Truncate(time.Second))
	p := paneltest.Start(t, paneltest.Modules(Module()), paneltest.Clock(clock))
	agent, admin := p.Enroll("silent"), p.As("nodes.edit", "nodes.view")
	agent.Beat()
	eventually(t, func() bool { clock.Advance(100 * time.Millisecond); return agent.State() == "online" })
	id := admin.Post("/api/v1/nodes/"+agent.NodeID+"/restart-core", nil).Is(http.StatusAccepted).Text("id")
	deadline := clock.Now().Add(orderLimit)
	clock.Advance(orderLimit + time.Minute)
	late := admin.Get("/api/v1/nodes/" + agent.NodeID + "/operations/" + id).Is(http.StatusOK)
	require.Equal(t, []any{"failed", "expired"}, []any{late.Text("state"), late.Text("code")})
	require.Contains(t, late.Text("error"), "did not answer in time")
	ended, err := time.Parse(time.RFC3339, late.Text("ended_at"))
	require.NoError(t, err, "an operation that has ended says when")
	require.WithinDuration(t, deadline, ended, time.Second)
	require.Empty(t, agent.Beat().Commands, "and is not begun later")
}

// Operations belong to their node; another node's, an unknown one and one that is no id are the same nothing.
func TestAnOperationIsFoundAtItsNodeAlone(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent, other, admin := p.Enroll("owner").Online(), p.Enroll("other"), p.As("nodes.edit", "nodes.view")
	id := admin.Post("/api/v1/nodes/"+agent.NodeID+"/restart-core", nil).Is(http.StatusAccepted).Text("id")
	details := map[string]bool{}
	for _, path := range []string{
		other.NodeID + "/operations/" + id, agent.NodeID + "/operations/" + database.NewID(),
		agent.NodeID + "/operations/x",
	} {
		details[admin.Get("/api/v1/nodes/"+path).Refused(http.StatusNotFound, "not_found").Text("detail")] = true
	}
	require.Len(t, details, 1)
	for _, act := range []string{"restart-core", "rotate-token", "logs"} {
		var body any
		if act == "logs" {
			body = map[string]any{}
		}
		admin.Post("/api/v1/nodes/"+database.NewID()+"/"+act, body).Refused(http.StatusNotFound, "not_found")
		p.As("nodes.view").Post("/api/v1/nodes/"+agent.NodeID+"/"+act, body).Refused(http.StatusForbidden,
			"permission_denied")
	}
	for _, lines := range []int{0, 2001, -1} {
		admin.Post("/api/v1/nodes/"+agent.NodeID+"/logs", map[string]any{"lines": lines}).
			Refused(http.StatusUnprocessableEntity, "invalid_value")
	}
}

// Orders are refused where no agent listens: revoked, lost and never enrolled ones; a stale one may come back in time.
func TestOrdersAreGivenWhereAnAgentMayAnswer(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent, admin := p.Enroll("listening").Online(), p.As("nodes.edit", "nodes.view")
	path := "/api/v1/nodes/" + agent.NodeID
	heard := func(ago string) {
		_, err := p.DB.ExecContext(t.Context(),
			"update node_reports set seen_at = now() - interval '"+ago+"' where node_id = ?", agent.NodeID)
		require.NoError(t, err)
	}
	heard("1 minute")
	admin.Post(path+"/restart-core", nil).Is(http.StatusAccepted)
	heard("1 hour")
	admin.Post(path+"/restart-core", nil).Refused(http.StatusUnprocessableEntity, "agent_offline")
	heard("0 minutes")
	admin.Post(path+"/agent-binding", map[string]any{"action": "revoke"}).Is(http.StatusOK)
	admin.Post(path+"/restart-core", nil).Refused(http.StatusUnprocessableEntity, "agent_offline")
}

// What an agent sends as its log is shown line by line without what is secret in it, and what is no log is not shown.
func TestOnlyLinesOfALogAreShown(t *testing.T) {
	t.Parallel()
	at := time.Now()
	lines := json.RawMessage(`{"agent":["a","token=pna_0123456789012345678901234567890"],"core":[]}`)
	row := &work.CommandRow{Kind: "collect_logs", EndedAt: &at, OK: true, Data: lines}
	shown := operationOf(row, at)
	require.Equal(t, "a", shown.Logs.Agent[0])
	require.NotContains(t, strings.Join(shown.Logs.Agent, ""), "0123456789012345678901234567890")
	require.Empty(t, shown.Logs.Core)
	row.Data = json.RawMessage(`{"agent":"no list"}`)
	require.Nil(t, operationOf(row, at).Logs)
	row.Kind, row.Data = "probe", json.RawMessage(`{"agent":["a"]}`)
	require.Nil(t, operationOf(row, at).Logs, "data of other commands is nobody's log")
}

package nodes

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/database"
	"panel/platform/paneltest"
)

func bulkOf(t *testing.T, p *paneltest.Panel, body map[string]any) BulkOutcome {
	t.Helper()
	var out BulkOutcome
	p.As("nodes.edit").Post("/api/v1/nodes/bulk", body).Is(http.StatusOK).JSON(&out)
	return out
}

func detailOf(t *testing.T, p *paneltest.Panel, id string) Detail {
	t.Helper()
	var d Detail
	p.As("nodes.view").Get("/api/v1/nodes/" + id).Is(http.StatusOK).JSON(&d)
	return d
}

// One that refuses keeps back no other, and each line of the journal is that of the single operation.
func TestAnActOnManyNodesHasAnOutcomeForEach(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	one, two, gone := p.As("nodes.edit").AddNode("one"), p.As("nodes.edit").AddNode("two"), database.NewID()
	out := bulkOf(t, p, map[string]any{
		"ids": []string{one, gone, two, one, "no-id"}, "act": "maintenance_on",
		"reason": "new cables",
	})
	require.Equal(t, 2, out.Succeeded)
	require.Equal(t, 2, out.Failed)
	require.Equal(t, []BulkResult{
		{NodeID: one, OK: true},
		{NodeID: gone, Code: "not_found", Error: out.Results[1].Error},
		{NodeID: two, OK: true},
		{NodeID: "no-id", Code: "not_found", Error: out.Results[3].Error},
	}, out.Results)
	for _, id := range []string{one, two} {
		d := detailOf(t, p, id)
		require.Equal(t, "maintenance", d.State)
		require.Equal(t, "new cables", d.Maintenance.Reason)
	}
	var lines int
	require.NoError(t,
		p.DB.NewRaw("select count(*) from journal where action = 'node.maintenance_on'").Scan(t.Context(), &lines))
	require.Equal(t, 2, lines)
	bulkOf(t, p, map[string]any{"ids": []string{one, two}, "act": "maintenance_off"})
	require.Nil(t, detailOf(t, p, one).Maintenance)
}

func TestManyNodesAreTaggedDisabledAndEnabled(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	full := make([]string, mostTags)
	for i := range full {
		full[i] = "t" + strconv.Itoa(i)
	}
	plain, tagged := p.As("nodes.edit").AddNode("plain", "tags", []string{"old", "kept"}), p.As("nodes.edit").
		AddNode("tagged", "tags", full)
	ids := []string{plain, tagged}
	out := bulkOf(t, p, map[string]any{
		"ids": ids, "act": "tags", "add_tags": []string{"new"},
		"remove_tags": []string{"old"},
	})
	require.Equal(t, 1, out.Succeeded)
	require.Equal(t, "invalid_value", out.Results[1].Code, "it has no room for another tag")
	require.Equal(t, []string{"kept", "new"}, detailOf(t, p, plain).Tags)
	require.Len(t, detailOf(t, p, tagged).Tags, mostTags)
	for act, state := range map[string]string{"disable": "disabled", "enable": "pending"} {
		if act == "enable" {
			bulkOf(t, p, map[string]any{"ids": ids, "act": "disable"})
		}
		require.Equal(t, 2, bulkOf(t, p, map[string]any{"ids": ids, "act": act}).Succeeded)
		require.Equal(t, state, detailOf(t, p, tagged).State)
	}
}

func TestManyCoresAreRestartedWhereAnAgentListens(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent, pending := p.Enroll("listening"), p.As("nodes.edit").AddNode("not yet bound")
	agent.Beat()
	eventually(t, func() bool { return agent.State() == "online" })
	var out BulkOutcome
	restart := map[string]any{"ids": []string{agent.NodeID, pending}, "act": "restart_core"}
	p.As("nodes.edit").PostOnce("/api/v1/nodes/bulk", restart).Is(http.StatusOK).JSON(&out)
	require.True(t, out.Results[0].OK)
	require.Equal(t, "agent_offline", out.Results[1].Code)
	waiting := agent.Beat().Commands
	require.Len(t, waiting, 1)
	require.Equal(t, *out.Results[0].OperationID, waiting[0].ID)
}

func TestAnActOnManyNodesIsWellFormed(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	one := p.As("nodes.edit").AddNode("one")
	many := make([]string, 201)
	for i := range many {
		many[i] = database.NewID()
	}
	ids := []string{one}
	for _, body := range []map[string]any{
		{"ids": []string{}, "act": "disable"},
		{"ids": many, "act": "disable"},
		{"ids": ids, "act": "reboot"},
		{"ids": ids, "act": "tags"},
		{"ids": ids, "act": "disable", "add_tags": []string{"x"}},
		{"ids": ids, "act": "disable", "reason": "none"},
		{"ids": ids, "act": "enable", "until": time.Now().Add(time.Hour)},
		{"ids": ids, "act": "update_agent"}, // this panel has no module that updates agents
	} {
		p.As("nodes.edit").Post("/api/v1/nodes/bulk", body).Refused(http.StatusUnprocessableEntity, "invalid_value")
	}
	past := bulkOf(t, p, map[string]any{"ids": ids, "act": "maintenance_on", "until": time.Now().Add(-time.Hour)})
	require.Equal(t, "invalid_value", past.Results[0].Code)
	require.Equal(t, "pending", detailOf(t, p, one).State)
	p.As("nodes.view").Post("/api/v1/nodes/bulk", map[string]any{"ids": ids, "act": "disable"}).
		Refused(http.StatusForbidden, "permission_denied")
}

// What an operator notes about the host is theirs to write, to clear and to find in the journal.
func TestTheHostOfAServerIsNoted(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	edit := p.As("nodes.edit")
	made := edit.Post("/api/v1/nodes", map[string]any{
		"name": "hosted", "provider_id": "Example Cloud",
		"provider_server_ref": "srv-17",
	}).Is(http.StatusCreated)
	require.Equal(t, "Example Cloud", made.Text("provider_id"))
	require.Equal(t, "srv-17", made.Text("provider_server_ref"))
	path := "/api/v1/nodes/" + made.Text("id")
	changed := edit.Patch(path, map[string]any{"revision": 1, "provider_id": "", "provider_server_ref": "srv-18"}).
		Is(http.StatusOK)
	require.Nil(t, changed.Value("provider_id"))
	require.Equal(t, "srv-18", changed.Text("provider_server_ref"))
	var noted bool
	require.NoError(t,
		p.DB.NewRaw("select changes::text like '%Example Cloud%' from journal where action = 'node.updated'").
			Scan(t.Context(), &noted))
	require.True(t, noted)
}

// Lines of a log may hold what is confidential: who only sees nodes sees that they were fetched.
func TestCollectedLogsAreForThoseWhoMayFetchThem(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent := p.Enroll("talkative")
	agent.Beat()
	eventually(t, func() bool { return agent.State() == "online" })
	id := p.As("nodes.edit").Post("/api/v1/nodes/"+agent.NodeID+"/logs", map[string]any{}).Is(http.StatusAccepted).
		Text("id")
	agent.Post("/agent/v1/commands/"+id+"/result", map[string]any{
		"id": id, "ok": true, "code": "done", "started_at": time.Now(), "finished_at": time.Now(),
		"data": map[string]any{"agent": []string{"a line"}, "core": []string{
			"another, password=hunter2-hunter2",
			"GET /s/9cQ4vJr8XwZt2LmB7nKd5HfYp0aSe3Gu",
		}},
	}).Is(http.StatusNoContent)
	path := "/api/v1/nodes/" + agent.NodeID + "/operations/" + id
	seen := p.As("nodes.view").Get(path).Is(http.StatusOK)
	require.Equal(t, "succeeded", seen.Text("state"))
	require.NotContains(t, string(seen.Body), "a line")
	lines := string(p.As("nodes.view", "nodes.edit").Get(path).Is(http.StatusOK).Body)
	require.Contains(t, lines, "a line")
	require.Contains(t, lines, "another, ")
	require.NotContains(t, lines, "hunter2-hunter2")
	require.NotContains(t, lines, "9cQ4vJr8XwZt2LmB7nKd5HfYp0aSe3Gu")
}

// Nodes that flows run on stay, each with its reason; the others go with a line in the journal for each.
func TestManyNodesAreDeletedByTheRuleOfOne(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	one, two, gone := p.As("nodes.edit").AddNode("one"), p.As("nodes.edit").AddNode("two"), database.NewID()
	out := bulkOf(t, p, map[string]any{"ids": []string{one, gone, two}, "act": "delete"})
	require.Equal(t, 2, out.Succeeded)
	require.Equal(t, "not_found", out.Results[1].Code)
	for _, id := range []string{one, two} {
		p.As("nodes.view").Get("/api/v1/nodes/"+id).Refused(http.StatusNotFound, "not_found")
	}
	var lines int
	require.NoError(t,
		p.DB.NewRaw("select count(*) from journal where action = 'node.deleted'").Scan(t.Context(), &lines))
	require.Equal(t, 2, lines)
}

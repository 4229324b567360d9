package nodes

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/module"
	"panel/platform/paneltest"
)

// neighbour is a module that takes part in what is done to nodes, as a test says.
type neighbour struct {
	needed    func(nodeID string) ([]string, error) // who needs a node
	updated   func(nodeID string) error
	behind    func(versions map[string]string) (map[string]string, error)
	installed func(groups [][]string) ([]nodesapi.Related, error)
}

func (n *neighbour) manifest() module.Module {
	return module.Module{
		Name: "neighbour", Summary: "Takes part in a test", Requires: []string{"nodes"},
		Attach: func(g nodesapi.Guards, b nodesapi.BulkActs, u nodesapi.UpdateStates,
			r nodesapi.Relations,
		) module.Parts {
			g.Add("it carries something", func(_ context.Context, id string) ([]string, error) {
				if n.needed == nil {
					return nil, nil
				}
				return n.needed(id)
			})
			b.UpdateWith(func(_ context.Context, id string) error { return n.updated(id) })
			if n.behind != nil {
				u.From(func(_ context.Context, versions map[string]string) (map[string]string, error) {
					return n.behind(versions)
				})
			}
			r.Flows(func(_ context.Context, groups [][]string, _ int) ([]nodesapi.Related, error) {
				return n.installed(groups)
			})
			return module.Parts{}
		},
	}
}

// A node that somebody needs stays, and the answer says who and why; when nobody can say, it stays as well.
func TestANodeThatSomebodyNeedsStays(t *testing.T) {
	t.Parallel()
	n := &neighbour{}
	p := paneltest.New(t, Module(), n.manifest())
	admin := p.Admin()
	id := admin.AddNode("needed")
	path := "/api/v1/nodes/" + id
	flow := database.NewID()
	n.needed = func(asked string) ([]string, error) {
		require.Equal(t, id, asked)
		return []string{flow}, nil
	}
	refused := admin.Delete(path).Refused(http.StatusConflict, "node_in_use")
	require.Equal(t, "it carries something", refused.Text("detail"))
	require.Equal(t, []any{flow}, refused.Value("flow_ids"))
	n.needed = func(string) ([]string, error) { return nil, errors.New("nobody knows") }
	require.Equal(t, http.StatusInternalServerError, admin.Delete(path).Status)
	admin.Get(path).Is(http.StatusOK)
	require.Equal(t, []string{"node.created"}, p.Recorded("node", id))
	n.needed = nil
	admin.Delete(path).Is(http.StatusNoContent)
	require.Equal(t, []string{"node.created", "node.deleted"}, p.Recorded("node", id))
}

// Agents are shown beside the newest build by whoever knows it, in one question for a whole page; untold, each is
// current.
func TestAgentsAreShownBesideTheNewestBuild(t *testing.T) {
	t.Parallel()
	asked := 0
	n := &neighbour{behind: func(versions map[string]string) (map[string]string, error) {
		asked++
		states := map[string]string{}
		for id, version := range versions {
			if version == "0.9.0" {
				states[id] = nodesapi.UpdateAvailable
			}
		}
		return states, nil
	}}
	p := paneltest.New(t, Module(), n.manifest())
	old, fresh := p.Enroll("old"), p.Enroll("fresh")
	old.Online(func(b *agentapi.Heartbeat) { b.AgentVersion = "0.9.0" })
	fresh.Online()
	never := p.As("nodes.edit").AddNode("never")
	asked = 0
	var page struct {
		Items []struct {
			ID    string
			Agent struct {
				UpdateState string `json:"update_state"`
			}
		}
	}
	p.As("nodes.view").Get("/api/v1/nodes").Is(http.StatusOK).JSON(&page)
	require.Equal(t, 1, asked)
	states := map[string]string{}
	for _, item := range page.Items {
		states[item.ID] = item.Agent.UpdateState
	}
	require.Equal(t, map[string]string{
		old.NodeID: nodesapi.UpdateAvailable, fresh.NodeID: nodesapi.UpdateCurrent, never: nodesapi.UpdateCurrent,
	}, states)
	require.Equal(t, nodesapi.UpdateAvailable, old.Node().Text("agent.update_state"))
}

// Updates of many agents are begun by whoever brings out builds; each refusal is told for its node, and what nobody
// may see is not.
func TestManyAgentsAreUpdatedByWhoeverBringsOutBuilds(t *testing.T) {
	t.Parallel()
	n := &neighbour{}
	p := paneltest.New(t, Module(), n.manifest())
	edit := p.As("nodes.edit")
	one, two, three := edit.AddNode("one"), edit.AddNode("two"), edit.AddNode("three")
	begun := []string{}
	n.updated = func(id string) error {
		begun = append(begun, id)
		switch id {
		case two:
			return fault.InvalidValue("version", "is older than the one that runs")
		case three:
			return errors.New("relation agent_rollouts does not exist")
		}
		return nil
	}
	out := bulkOf(t, p, map[string]any{"ids": []string{three, one, two}, "act": "update_agent"})
	require.Equal(t, []string{three, one, two}, begun, "in the order in which they were named")
	require.Equal(t, []int{1, 2}, []int{out.Succeeded, out.Failed})
	require.Equal(t, "internal", out.Results[0].Code)
	require.NotContains(t, out.Results[0].Error, "agent_rollouts")
	require.True(t, out.Results[1].OK)
	require.Equal(t, "invalid_value", out.Results[2].Code)
	require.Contains(t, out.Results[2].Error, "version is older than the one that runs")
}

// A failure of nodes is shown with the flows that it touches.
func TestTheSummaryNamesTheFlowsThatAFailureTouches(t *testing.T) {
	t.Parallel()
	n := &neighbour{installed: func(groups [][]string) ([]nodesapi.Related, error) {
		return []nodesapi.Related{{Count: len(groups[0]), First: []nodesapi.Named{{ID: "f", Name: "Europe"}}}}, nil
	}}
	p := paneltest.New(t, Module(), n.manifest())
	p.Enroll("failing").Beat(func(b *agentapi.Heartbeat) { b.Core.State = agentapi.CoreFailed })
	var summary *paneltest.Answer
	eventually(t, func() bool {
		summary = p.As("nodes.view").Get("/api/v1/nodes/summary").Is(http.StatusOK)
		return summary.Value("attention_nodes") == 1.0
	})
	require.Contains(t, string(summary.Body), `"flows":1,"first_flows":[{"id":"f","name":"Europe"}]`)
}

// Whatever is done to a node, its line in the journal and its event commit with it or not at all.
func TestActsAndTheirTracesCommitTogether(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent, admin := p.Enroll("traced"), p.As("nodes.edit", "nodes.view")
	agent.Online()
	token := p.EnrollmentToken(nil)
	path := "/api/v1/nodes/" + agent.NodeID
	before := admin.Get(path).Is(http.StatusOK)
	revision := before.Value("revision")
	_, err := p.DB.ExecContext(t.Context(), `create function refuse() returns trigger language plpgsql as
		$$ begin raise exception 'the journal is out of order'; end $$;
		create trigger refuse before insert on journal for each row execute function refuse()`)
	require.NoError(t, err)
	news := p.Follow()
	for what, act := range map[string]func() *paneltest.Answer{
		"change": func() *paneltest.Answer {
			return admin.Patch(path,
				map[string]any{"revision": revision, "note": "x"})
		},
		"maintenance": func() *paneltest.Answer { return admin.Post(path+"/maintenance", map[string]any{"on": true}) },
		"revocation": func() *paneltest.Answer {
			return admin.Post(path+"/agent-binding",
				map[string]any{"action": "revoke"})
		},
		"token":    func() *paneltest.Answer { return admin.Post("/api/v1/nodes/enrollment-tokens", map[string]any{}) },
		"deletion": func() *paneltest.Answer { return admin.Delete(path) },
		"addition": func() *paneltest.Answer { return admin.Post("/api/v1/nodes", map[string]any{"name": "another"}) },
		"rotation": func() *paneltest.Answer { return agent.Post(agentapi.PathToken, nil) },
		"enrolment": func() *paneltest.Answer {
			return p.Anonymous().Post(agentapi.PathEnroll, agentapi.EnrollRequest{Token: token, Hostname: "new"})
		},
	} {
		require.Equal(t, http.StatusInternalServerError, act().Status, what)
	}
	agent.Beat()
	var was, is map[string]any
	before.JSON(&was)
	admin.Get(path).Is(http.StatusOK).JSON(&is)
	for _, field := range []string{"revision", "note", "maintenance", "updated_at", "name", "tags"} {
		require.Equal(t, was[field], is[field], field)
	}
	require.EqualValues(t, 1, admin.Get("/api/v1/nodes").Value("total"))
	_, err = p.DB.ExecContext(t.Context(), "drop trigger refuse on journal")
	require.NoError(t, err)
	p.EnrollWith(token, "new")
	event := news.Next(nodesapi.NodeEnrolled)
	require.Equal(t, nodesapi.Changed{Name: "new"}, event.Data, "the first news there is")
}

// Each act has its event, which names the node.
func TestEachActOnANodeHasItsEvent(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	news, admin := p.Follow(), p.As("nodes.edit", "nodes.view")
	id := admin.AddNode("told")
	path := "/api/v1/nodes/" + id
	admin.Patch(path, map[string]any{"revision": 1, "name": "renamed"}).Is(http.StatusOK)
	admin.Post(path+"/maintenance", map[string]any{"on": true}).Is(http.StatusOK)
	admin.Post(path+"/maintenance", map[string]any{"on": false}).Is(http.StatusOK)
	agent := p.EnrollWith(admin.Post(path+"/agent-binding", map[string]any{}).Text("enrollment.token"), "host")
	agent.Post(agentapi.PathToken, nil).Is(http.StatusOK)
	admin.Post(path+"/agent-binding", map[string]any{"action": "revoke"}).Is(http.StatusOK)
	admin.Delete(path).Is(http.StatusNoContent)
	kinds := []string{
		nodesapi.NodeCreated, nodesapi.NodeUpdated, nodesapi.NodeMaintenanceOn, nodesapi.NodeMaintenanceOff,
		nodesapi.NodeEnrolled,
		nodesapi.NodeTokenRotated, nodesapi.NodeAgentRevoked, nodesapi.NodeDeleted,
	}
	for at, kind := range kinds {
		event := news.Next(kind)
		require.Equal(t, id, event.SubjectID, kind)
		name := "renamed"
		if at == 0 {
			name = "told"
		}
		require.Equal(t, nodesapi.Changed{Name: name}, event.Data, kind)
	}
	require.Equal(t, kinds, p.Recorded("node", id), "actions of the journal have the names of the events")
}

// The journal names what was changed, from what to what, and nothing else.
func TestTheJournalTellsWhatWasChanged(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	admin := p.As("nodes.edit", "nodes.view")
	id := admin.AddNode("journaled", "tags", []string{"eu"})
	admin.Patch("/api/v1/nodes/"+id, map[string]any{
		"revision": 1, "tags": []string{"eu", "new", " eu "}, "note": "",
		"city": "Warsaw",
	}).Is(http.StatusOK)
	var changes string
	require.NoError(t, p.DB.NewRaw("select changes::text from journal where action = 'node.updated'").Scan(t.Context(),
		&changes))
	require.JSONEq(t, `{"tags":{"from":["eu"],"to":["eu","new"]},"city":{"from":"","to":"Warsaw"}}`, changes)
}

// An installation that failed is told once, however often the agent repeats it, and one that worked is no news.
func TestAFailedInstallationIsToldOnce(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	agent, news := p.Enroll("drifting"), p.Follow()
	failed := agentapi.ConfigResult{Revision: 3, Stage: agentapi.StageTest, Error: "refused"}
	for range 3 {
		agent.Post(agentapi.PathConfigResult, failed).Is(http.StatusNoContent)
	}
	agent.Post(agentapi.PathConfigResult, agentapi.ConfigResult{Revision: 4, OK: true}).Is(http.StatusNoContent)
	failed.Revision = 5
	agent.Post(agentapi.PathConfigResult, failed).Is(http.StatusNoContent)
	for _, revision := range []int64{3, 5} {
		event := news.Next(nodesapi.NodeDrift)
		require.Equal(t, agent.NodeID, event.SubjectID)
		data, err := events.DataOf[nodesapi.Drift](event)
		require.NoError(t, err)
		require.Equal(t, nodesapi.Drift{Name: "drifting", Revision: revision, Stage: "test"}, data)
	}
	require.EqualValues(t, 5, agent.Node().Value("core.last_result.revision"))
}

// A maintenance has an end in the future or none, ends by itself, and what was said of it goes with it.
func TestAMaintenanceEndsByItself(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Now().UTC().Truncate(time.Second))
	p := paneltest.Start(t, paneltest.Modules(Module()), paneltest.Clock(clock))
	admin := p.As("nodes.edit", "nodes.view")
	id := admin.AddNode("repaired")
	path := "/api/v1/nodes/" + id + "/maintenance"
	admin.Post(path, map[string]any{"on": true, "until": clock.Now()}).Refused(http.StatusUnprocessableEntity,
		"invalid_value")
	admin.Post(path, map[string]any{"on": true, "reason": strings.Repeat("x",
		201)}).Refused(http.StatusUnprocessableEntity, "invalid_value")
	begun := admin.Post(path, map[string]any{
		"on": true, "until": clock.Now().Add(time.Hour),
		"reason": "disk",
	}).Is(http.StatusOK)
	require.Equal(t, []any{"maintenance", "disk"}, []any{begun.Text("state"), begun.Text("maintenance.reason")})
	again := admin.Post(path, map[string]any{"on": true}).Is(http.StatusOK)
	require.Nil(t, again.Value("maintenance.until"), "a new word takes the place of the one before, all of it")
	require.Empty(t, again.Text("maintenance.reason"))
	admin.Post(path, map[string]any{"on": true, "until": clock.Now().Add(time.Hour)}).Is(http.StatusOK)
	clock.Advance(time.Hour)
	ended := admin.Get("/api/v1/nodes/" + id).Is(http.StatusOK)
	require.Equal(t, "pending", ended.Text("state"))
	require.Nil(t, ended.Value("maintenance"))
}

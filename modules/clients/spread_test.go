package clients_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/clients/clientsapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/paneltest"
	"panel/platform/restored"
)

// holder is a node whose agent holds the clients of the stage's flow.
type holder struct {
	*stage
	agent *paneltest.Agent
	taken agentapi.DocumentStatus
	keeps []agentapi.DocumentStatus // further documents of its agent
}

// holds makes a node that is an installed entry of the flow.
func (s *stage) holds(name string, also ...agentapi.DocumentName) *holder {
	s.t.Helper()
	h := &holder{stage: s, agent: s.panel.Enroll(name), taken: agentapi.DocumentStatus{Name: agentapi.DocumentClients}}
	for _, one := range also {
		h.keeps = append(h.keeps, agentapi.DocumentStatus{Name: one})
	}
	h.agent.Online(h.beat)
	for _, statement := range []string{
		"insert into client_lists (flow_id) values (?0) on conflict do nothing",
		"insert into client_list_nodes (flow_id, node_id) values (?0, ?1)",
		"update client_lists set nodes = nodes + 1, open = true, changes = changes + 1, since = now() where flow_id = ?0",
	} {
		_, err := s.panel.DB.NewRaw(statement, s.flow, h.agent.NodeID).Exec(s.t.Context())
		require.NoError(s.t, err)
	}
	return h
}

func (h *holder) beat(b *agentapi.Heartbeat) {
	b.Capabilities = append(b.Capabilities, agentapi.DocumentClients.Capability())
	b.Documents = append([]agentapi.DocumentStatus{h.taken}, h.keeps...)
	for _, one := range h.keeps {
		b.Capabilities = append(b.Capabilities, one.Name.Capability())
	}
}

// takes fetches the clients as an agent does, until they are those that are wanted, and says so.
func (h *holder) takes(wanted ...string) agentapi.FlowClients {
	h.t.Helper()
	slices.Sort(wanted)
	var list agentapi.FlowClients
	require.Eventually(h.t, func() bool {
		answer := h.agent.Get("/agent/v1/desired/clients")
		if answer.Status != 200 {
			return false
		}
		var document agentapi.Document
		answer.JSON(&document)
		require.NoError(h.t, document.Verify())
		h.taken.Revision, h.taken.Hash = document.Revision, document.Hash
		list = listOf(h.t, document, h.flow)
		ids := []string{}
		for _, client := range list.Clients {
			ids = append(ids, client.ID)
		}
		return slices.Equal(append([]string{}, wanted...), ids)
	}, time.Minute, 50*time.Millisecond, "%v", list)
	h.agent.Beat(h.beat)
	return list
}

// installed waits until the flow shows whether it lets a client in.
func (s *stage) installed(id string, want bool) {
	s.t.Helper()
	require.Eventually(s.t, func() bool { return s.get(id).Flows[0].Installed == want }, time.Minute,
		50*time.Millisecond)
}

// listOf is the list of a flow in an agent's document.
func listOf(t *testing.T, document agentapi.Document, flow string) agentapi.FlowClients {
	t.Helper()
	var content agentapi.Clients
	require.NoError(t, json.Unmarshal(document.Content, &content))
	require.NoError(t, content.Check())
	for _, list := range content.Flows {
		if list.FlowID == flow {
			return list
		}
	}
	return agentapi.FlowClients{}
}

func (s *stage) first() string {
	s.t.Helper()
	var page struct{ Items []struct{ ID string } }
	s.admin.Get(units + "/" + s.flow + "/clients?sort=created_at").Is(200).JSON(&page)
	return page.Items[0].ID
}

// The clients of a flow are a numbered list: each change is a newer revision, the agents of its entries fetch it,
// and a client is installed when all of them have said that they hold a list with it.
func TestAListIsInstalledWhenAllAgentsHoldIt(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	one, two, first := s.holds("fra-01"), s.holds("ams-01"), s.first()
	before := one.takes(first)
	two.takes(first)
	require.Equal(t, first, before.Clients[0].ID)
	require.Len(t, before.Clients[0].Key, 32)
	s.installed(first, true)
	news := s.panel.Follow()

	anna := s.add("Anna", "flow_ids", []string{s.flow})
	require.False(t, s.get(anna).Flows[0].ByApply)
	after := one.takes(first, anna)
	require.Greater(t, after.Revision, before.Revision)
	require.Equal(t, []string{"Anna"}, s.labels(units+"/"+s.flow+"/clients?state=waiting"), "one of them is not enough")
	two.takes(first, anna)
	require.Equal(t, s.flow, news.Next(clientsapi.EventListInstalled).SubjectID)
	s.installed(anna, true)
	require.Equal(t, []string{}, s.labels(units+"/"+s.flow+"/clients?state=waiting"))

	revision := s.get(anna).Revision
	s.admin.Patch(path+"/"+anna, map[string]any{"revision": revision, "note": "changes no list"}).Is(200)
	require.Equal(t, after.Revision, one.takes(first, anna).Revision)
}

// Whoever may use the flow no more leaves the list: revoked, disabled, taken off the flow, past its time. One that
// comes back with another secret waits for the agents again.
func TestWhoMayNotUseTheFlowLeavesTheList(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	h, first := s.holds("fra-01"), s.first()
	revoked := s.add("Anna", "flow_ids", []string{s.flow})
	disabled := s.add("Boris", "flow_ids", []string{s.flow})
	taken := s.add("Vera", "flow_ids", []string{s.flow})
	until := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	ends := s.add("Gleb", "flow_ids", []string{s.flow}, "expires_at", until)
	list := h.takes(first, revoked, disabled, taken, ends)
	at := slices.IndexFunc(list.Clients, func(c agentapi.Client) bool { return c.ID == ends })
	require.Equal(t, until, list.Clients[at].Expires, "the agent knows the end of its time")
	s.installed(taken, true)

	s.admin.Delete(path + "/" + revoked).Is(204)
	s.admin.Patch(path+"/"+disabled, map[string]any{"revision": 1, "enabled": false}).Is(200)
	s.admin.Delete(path + "/" + taken + "/flows/" + s.flow).Is(204)
	s.admin.Patch(path+"/"+ends, map[string]any{"revision": 1, "expires_at": time.Now().Add(-time.Second)}).Is(200)
	h.takes(first)
	require.Equal(t, []string{}, s.labels(units+"/"+s.flow+"/clients?state=waiting"), "who is disabled waits for nothing")

	s.admin.Put(path+"/"+taken+"/flows/"+s.flow, nil).Is(200)
	s.installed(taken, false)
	h.takes(first, taken)
	s.installed(taken, true)
	s.admin.Patch(path+"/"+disabled, map[string]any{"revision": s.get(disabled).Revision, "enabled": true}).Is(200)
	h.takes(first, taken, disabled)
}

// A quota that is used up takes a client off the list, and its next period brings it back.
func TestAQuotaTakesAClientOffTheList(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	h, m, first := s.holds("fra-01"), s.meter(), s.first()
	anna := s.add("Anna", "quota", map[string]any{"bytes": gigabyte, "reset": "monthly"}, "flow_ids", []string{s.flow})
	h.takes(first, anna)
	m.carries(s.flow, anna, 0, gigabyte)
	m.counted(anna, gigabyte)
	h.takes(first)
	s.admin.Post(path+"/bulk", map[string]any{"ids": []string{anna}, "act": "reset_traffic"}).Is(200)
	h.takes(first, anna)
}

// A panel that was restored gives every list anew, and links go on meanwhile: nobody waits for the agents to come back.
func TestARestoredPanelKeepsItsLinksWhileItGivesListsAnew(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	h, first := s.holds("fra-01"), s.first()
	h.takes(first)
	s.installed(first, true)
	note, err := restored.Note{ID: database.NewID(), Artefact: "panel-1"}.SQL()
	require.NoError(t, err)
	_, err = s.panel.DB.ExecContext(t.Context(), note)
	require.NoError(t, err)

	after := *s
	after.panel = paneltest.Start(t, paneltest.On(s.panel.DB), paneltest.Modules(features()...))
	after.admin = after.panel.Admin()
	require.True(t, after.get(first).Flows[0].Installed, "the agent has not come back yet")
	after.given(h.agent.NodeID)
	require.True(t, after.get(first).Flows[0].Installed)
	anna := after.add("Anna", "flow_ids", []string{s.flow})
	after.installed(anna, false)
	h.takes(first, anna)
	after.installed(anna, true)
}

// given waits until the newest list of the flow is in the document of a node.
func (s *stage) given(nodeID string) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		var given bool
		err := s.panel.DB.NewRaw(`select n.given = l.revision and not l.open from client_list_nodes n
			join client_lists l using (flow_id) where n.flow_id = ? and n.node_id = ?`, s.flow, nodeID).
			Scan(s.t.Context(), &given)
		require.NoError(s.t, err)
		return given
	}, time.Minute, 50*time.Millisecond)
}

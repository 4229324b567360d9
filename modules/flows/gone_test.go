package flows_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/domains"
	"panel/modules/flows"
	"panel/modules/flows/internal/graph"
	"panel/modules/nodes"
	"panel/platform/agentapi"
	"panel/platform/paneltest"
)

// muted is a stage on the real module of nodes, with servers that are heard and answer no order.
func muted(t *testing.T) (s *stage, entry, exit string) {
	t.Helper()
	s = &stage{t: t, panel: paneltest.New(t, nodes.Module(), domains.Module(), flows.Module())}
	s.admin = s.panel.Admin()
	var ids [2]string
	for i := range ids {
		name := "muted-" + strconv.Itoa(i)
		token := s.admin.Post("/api/v1/nodes/enrollment-tokens", map[string]any{}).Is(http.StatusCreated).Text("token")
		agent := s.panel.Anonymous().Post(agentapi.PathEnroll, agentapi.EnrollRequest{Token: token, Name: name, Hostname: name, OS: "linux", Arch: "amd64", Protocol: 1}).Is(http.StatusCreated)
		ids[i] = agent.Text("node_id")
		s.panel.Bearer(agent.Text("agent_token")).Post(agentapi.PathHeartbeat, agentapi.Heartbeat{
			Protocol: 1, Core: agentapi.CoreReport{Kind: "xray", Version: "26.3.27", State: agentapi.CoreRunning}, Capabilities: []agentapi.Capability{agentapi.CanApply},
		}).Is(http.StatusOK)
		s.admin.Patch("/api/v1/nodes/"+ids[i], map[string]any{"revision": 1, "address": "192.0.2." + strconv.Itoa(i+1)})
		require.Eventually(t, func() bool {
			return s.admin.Get("/api/v1/nodes/"+ids[i]).Is(http.StatusOK).Value("agent.connected") == true
		}, 10*time.Second, 20*time.Millisecond)
	}
	return s, ids[0], ids[1]
}

// A node is not deleted while something is being installed on it; should it vanish all the same, the apply ends, frees the
// servers and the flow can be changed again.
func TestAnApplyEndsWhenItsServerIsGone(t *testing.T) {
	t.Parallel()
	s, entry, exit := muted(t)
	g := graph.Graph{
		Nodes: []graph.Node{
			{Key: "in", Kind: graph.Entry, NodeID: entry, Params: graph.Params{Listener: &graph.Listener{
				Protocol: "vless", Port: 8443, Reality: &graph.Reality{Target: "www.example.org:443"},
			}}},
			{Key: "out", Kind: graph.Exit, NodeID: exit},
		},
		Edges: []graph.Edge{{From: "in", To: "out"}},
	}
	s.flow = s.admin.Post(units, map[string]any{"name": "Hanging", "graph": g}).Is(http.StatusCreated).Text("id")
	id := s.admin.Post(s.path("/apply?wait=0"), order(s.compile(), true)).Is(http.StatusOK).Text("apply_id")
	var orders int
	require.Eventually(t, func() bool {
		require.NoError(t, s.panel.DB.NewRaw("select count(*) from node_commands where kind = 'apply_config'").Scan(t.Context(), &orders))
		return orders == 2
	}, 10*time.Second, 20*time.Millisecond)
	refused := s.admin.Delete("/api/v1/nodes/"+exit).Refused(http.StatusConflict, "node_in_use")
	require.Equal(t, []any{s.flow}, refused.Value("flow_ids"))

	_, err := s.panel.DB.ExecContext(t.Context(), "delete from nodes where id = any(array[?, ?]::uuid[])", entry, exit)
	require.NoError(t, err)
	a := s.ended(id)
	require.Equal(t, "apply_failed", a.State)
	require.Equal(t, "expired", a.Error.Code)
	n, err := s.panel.DB.NewSelect().Table("flow_node_locks").Count(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)
	s.admin.Delete(s.path("")).Is(http.StatusAccepted)
}

package updates

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/nodes"
	"panel/platform/agentapi"
	"panel/platform/config"
	"panel/platform/entitlement"
	"panel/platform/paneltest"
	"panel/platform/release"
	"panel/platform/selfupdate"
)

const newVersion = "1.1.0"

// stage is a panel with a signed release and agents that answer as the test says.
type stage struct {
	t      *testing.T
	panel  *paneltest.Panel
	folder string
	key    release.Key
}

func published(t *testing.T) *stage {
	t.Helper()
	key, err := release.NewKey()
	require.NoError(t, err)
	st := &stage{t: t, folder: t.TempDir(), key: key}
	st.publish(newVersion)
	return st
}

func newStage(t *testing.T, settings ...paneltest.Setting) *stage {
	t.Helper()
	st := published(t)
	st.begin(settings...)
	st.eventually(func() bool { return st.problem() == "" })
	return st
}

// begin starts the panel over the folder of releases.
func (st *stage) begin(settings ...paneltest.Setting) {
	st.t.Helper()
	usual := []paneltest.Setting{paneltest.Modules(nodes.Module(), Module()), paneltest.Env(map[string]string{
		nodes.AgentDir.Name: st.folder, selfupdate.PublicKey.Name: st.key.Public(), config.AgentHeartbeat.Name: "3600",
	})}
	st.panel = paneltest.Start(st.t, append(usual, settings...)...)
}

func (st *stage) publish(version string) {
	st.t.Helper()
	file := filepath.Join(st.folder, "panel-agent-linux-amd64")
	require.NoError(st.t, os.WriteFile(file, []byte("the executable of "+version), 0o600))
	m := release.Manifest{
		Channel:    "stable",
		Version:    version,
		ReleasedAt: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC),
		Notes:      "Notes of " + version,
	}
	require.NoError(st.t, m.Add(release.Agent, "linux/amd64", file))
	_, err := st.key.Write(st.folder, m)
	require.NoError(st.t, err)
}

// server is an agent as the panel sees it.
type server struct {
	st *stage
	*paneltest.Client
	id string
}

func (st *stage) server(name, version string) *server {
	st.t.Helper()
	token := st.panel.As("nodes.edit").
		Post("/api/v1/nodes/enrollment-tokens", map[string]any{}).
		Is(http.StatusCreated).
		Text("token")
	answer := st.panel.Anonymous().
		Post(agentapi.PathEnroll, agentapi.EnrollRequest{
			Token: token, Name: name, Hostname: name, OS: "linux",
			Arch: "amd64", Protocol: 1,
		})
	answer.Is(http.StatusCreated)
	s := &server{st: st, Client: st.panel.Bearer(answer.Text("agent_token")), id: answer.Text("node_id")}
	s.beat(version)
	st.eventually(func() bool {
		return st.viewer().Get("/api/v1/nodes/"+s.id).Is(http.StatusOK).Text("agent.version") == version
	})
	return s
}

func (s *server) beat(version string) {
	s.Post(agentapi.PathHeartbeat, agentapi.Heartbeat{
		AgentVersion: version, Protocol: 1, OS: "linux", Arch: "amd64", Hostname: "h", SessionID: version,
		Capabilities: []agentapi.Capability{agentapi.CanUpdate}, Core: agentapi.CoreReport{State: agentapi.CoreRunning},
	}).Is(http.StatusOK)
}

// orders are the updates that wait for the server.
func (s *server) orders() []agentapi.Command {
	var pending agentapi.Pending
	s.Get(agentapi.PathCommands + "?wait=0").Is(http.StatusOK).JSON(&pending)
	return pending.Commands
}

// order waits for exactly one order and gives it.
func (s *server) order() agentapi.Command {
	s.st.t.Helper()
	s.st.eventually(func() bool { return len(s.orders()) > 0 })
	orders := s.orders()
	require.Len(s.st.t, orders, 1)
	require.Equal(s.st.t, agentapi.UpdateAgent, orders[0].Kind)
	return orders[0]
}

func (s *server) succeeds() {
	s.st.t.Helper()
	order := s.order()
	s.beat(newVersion)
	s.Post("/agent/v1/commands/"+order.ID+"/result",
		agentapi.CommandResult{ID: order.ID, OK: true, Code: agentapi.CodeDone}).
		Is(http.StatusNoContent)
}

func (s *server) fails() {
	s.st.t.Helper()
	order := s.order()
	s.Post("/agent/v1/commands/"+order.ID+"/result", agentapi.CommandResult{
		ID: order.ID, Code: agentapi.CodeFailed, Stage: agentapi.StageHeartbeat, Error: "no heartbeat",
		StderrTail: "last words",
	}).Is(http.StatusNoContent)
}

func (st *stage) viewer() *paneltest.Client { return st.panel.As("nodes.view") }
func (st *stage) editor() *paneltest.Client { return st.panel.As("nodes.edit", "nodes.view") }

func (st *stage) eventually(holds func() bool) {
	st.t.Helper()
	require.Eventually(st.t, holds, 30*time.Second, 30*time.Millisecond)
}

func (st *stage) noPause() {
	st.editor().
		Put("/api/v1/nodes/agent-rings", map[string]any{
			"sizes": []int{1, 10, 100}, "pause_seconds": 0, "parallel": 10,
			"revision": 1,
		}).
		Is(http.StatusOK)
}

func (st *stage) start(ring string) string {
	st.t.Helper()
	return st.editor().
		Post("/api/v1/nodes/agent-rings/"+ring+"/update", map[string]any{"version": newVersion}).
		Is(http.StatusAccepted).
		Text("id")
}

func (st *stage) rollout(id string) Rollout {
	st.t.Helper()
	var r Rollout
	st.viewer().Get("/api/v1/nodes/agent-rings/rollouts/" + id).Is(http.StatusOK).JSON(&r)
	return r
}

func (st *stage) ends(id, state string) Rollout {
	st.t.Helper()
	st.eventually(func() bool { return st.rollout(id).FinishedAt != nil })
	r := st.rollout(id)
	require.Equal(st.t, state, r.State, r.Detail)
	return r
}

func (st *stage) journal() []string {
	st.t.Helper()
	var actions []string
	err := st.panel.DB.NewRaw("select action from journal where action like 'node.update%' or action like 'node.rollout%' order by at, id").
		Scan(st.t.Context(), &actions)
	require.NoError(st.t, err)
	return actions
}

func newStageOn(st *stage, license entitlement.Source) *stage {
	other := &stage{t: st.t, folder: st.folder, key: st.key}
	other.panel = paneltest.Start(
		st.t,
		paneltest.Modules(nodes.Module(), Module()),
		paneltest.License(license),
		paneltest.On(st.panel.DB),
		paneltest.Env(map[string]string{
			nodes.AgentDir.Name: st.folder, selfupdate.PublicKey.Name: st.key.Public(), config.AgentHeartbeat.Name: "3600",
		}),
	)
	return other
}

func (st *stage) problem() string {
	return st.viewer().Get("/api/v1/nodes/agent-rings").Is(http.StatusOK).Text("build_problem")
}

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

// server is an agent as the panel sees it, which can take updates.
type server struct {
	st *stage
	*paneltest.Agent
}

func (st *stage) server(name, version string) *server {
	st.t.Helper()
	s := &server{st: st, Agent: st.panel.Enroll(name)}
	s.beat(version)
	s.Shown("agent.version", version)
	return s
}

// rolling is a stage with two servers behind the newest build and a rollout to all of them that does not pause.
func rolling(t *testing.T) (st *stage, a, b *server, id string) {
	t.Helper()
	st = newStage(t)
	st.noPause()
	a, b = st.server("aaa", "1.0.0"), st.server("bbb", "1.0.0")
	return st, a, b, st.start("3")
}

// watching is a stage whose rollout has brought the first of two servers the build and now watches it.
func watching(t *testing.T) (st *stage, a, b *server, id string) {
	t.Helper()
	st = newStage(t)
	a, b = st.server("aaa", "1.0.0"), st.server("bbb", "1.0.0")
	id = st.start("3")
	a.succeeds()
	st.eventually(func() bool { return st.rollout(id).RestUntil != nil })
	return st, a, b, id
}

func (s *server) beat(version string) {
	s.st.t.Helper()
	s.Beat(func(b *agentapi.Heartbeat) {
		b.AgentVersion, b.SessionID, b.Capabilities = version, version, []agentapi.Capability{agentapi.CanUpdate}
	})
}

// order waits for exactly one order and gives it.
func (s *server) order() agentapi.Command {
	s.st.t.Helper()
	s.st.eventually(func() bool { return len(s.Commands()) > 0 })
	orders := s.Commands()
	require.Len(s.st.t, orders, 1)
	require.Equal(s.st.t, agentapi.UpdateAgent, orders[0].Kind)
	return orders[0]
}

func (s *server) succeeds() {
	s.st.t.Helper()
	order := s.order()
	s.beat(newVersion)
	s.Finish(order.ID, agentapi.CommandResult{OK: true, Code: agentapi.CodeDone}).Is(http.StatusNoContent)
}

func (s *server) fails() {
	s.st.t.Helper()
	order := s.order()
	s.Finish(order.ID, agentapi.CommandResult{
		Code: agentapi.CodeFailed, Stage: agentapi.StageHeartbeat, Error: "no heartbeat", StderrTail: "last words",
	}).Is(http.StatusNoContent)
}

func (st *stage) viewer() *paneltest.Client { return st.panel.As("nodes.view") }
func (st *stage) editor() *paneltest.Client { return st.panel.As("nodes.edit", "nodes.view") }

func (st *stage) eventually(holds func() bool) {
	st.t.Helper()
	require.Eventually(st.t, holds, 60*time.Second, 30*time.Millisecond)
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
			nodes.AgentDir.Name: st.folder, selfupdate.PublicKey.Name: st.key.Public(),
			config.AgentHeartbeat.Name: "3600",
		}),
	)
	return other
}

func (st *stage) problem() string {
	return st.viewer().Get("/api/v1/nodes/agent-rings").Is(http.StatusOK).Text("build_problem")
}

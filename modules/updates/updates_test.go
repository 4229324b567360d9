package updates

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
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

// The manifest keeps the rules that hold for every module.
func TestConformance(t *testing.T) { paneltest.Check(t, Module(), nodes.Module()) }

const newVersion = "1.1.0"

// world is a panel with a signed release and agents that answer as the test says.
type world struct {
	t      *testing.T
	panel  *paneltest.Panel
	folder string
	key    release.Key
}

func newWorld(t *testing.T, settings ...paneltest.Setting) *world {
	t.Helper()
	w := published(t)
	w.begin(settings...)
	w.eventually(func() bool { return w.problem() == "" })
	return w
}

// begin starts the panel over the folder of releases.
func (w *world) begin(settings ...paneltest.Setting) {
	w.t.Helper()
	usual := []paneltest.Setting{paneltest.Modules(nodes.Module(), Module()), paneltest.Env(map[string]string{
		nodes.AgentDir.Name: w.folder, selfupdate.PublicKey.Name: w.key.Public(), config.AgentHeartbeat.Name: "3600",
	})}
	w.panel = paneltest.Start(w.t, append(usual, settings...)...)
}

func (w *world) publish(version string) {
	w.t.Helper()
	file := filepath.Join(w.folder, "panel-agent-linux-amd64")
	require.NoError(w.t, os.WriteFile(file, []byte("the executable of "+version), 0o600))
	m := release.Manifest{
		Channel:    "stable",
		Version:    version,
		ReleasedAt: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC),
		Notes:      "Notes of " + version,
	}
	require.NoError(w.t, m.Add(release.Agent, "linux/amd64", file))
	_, err := w.key.Write(w.folder, m)
	require.NoError(w.t, err)
}

// server is an agent as the panel sees it.
type server struct {
	w *world
	*paneltest.Client
	id string
}

func (w *world) server(name, version string) *server {
	w.t.Helper()
	token := w.panel.As("nodes.edit").
		Post("/api/v1/nodes/enrollment-tokens", map[string]any{}).
		Is(http.StatusCreated).
		Text("token")
	answer := w.panel.Anonymous().
		Post(agentapi.PathEnroll, agentapi.EnrollRequest{Token: token, Name: name, Hostname: name, OS: "linux", Arch: "amd64", Protocol: 1})
	answer.Is(http.StatusCreated)
	s := &server{w: w, Client: w.panel.Bearer(answer.Text("agent_token")), id: answer.Text("node_id")}
	s.beat(version)
	w.eventually(func() bool {
		return w.viewer().Get("/api/v1/nodes/"+s.id).Is(http.StatusOK).Text("agent.version") == version
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
	s.w.t.Helper()
	s.w.eventually(func() bool { return len(s.orders()) > 0 })
	orders := s.orders()
	require.Len(s.w.t, orders, 1)
	require.Equal(s.w.t, agentapi.UpdateAgent, orders[0].Kind)
	return orders[0]
}

func (s *server) succeeds() {
	s.w.t.Helper()
	order := s.order()
	s.beat(newVersion)
	s.Post("/agent/v1/commands/"+order.ID+"/result", agentapi.CommandResult{ID: order.ID, OK: true, Code: agentapi.CodeDone}).
		Is(http.StatusNoContent)
}

func (s *server) fails() {
	s.w.t.Helper()
	order := s.order()
	s.Post("/agent/v1/commands/"+order.ID+"/result", agentapi.CommandResult{
		ID: order.ID, Code: agentapi.CodeFailed, Stage: agentapi.StageHeartbeat, Error: "no heartbeat",
		StderrTail: "last words",
	}).Is(http.StatusNoContent)
}

func (w *world) viewer() *paneltest.Client { return w.panel.As("nodes.view") }
func (w *world) editor() *paneltest.Client { return w.panel.As("nodes.edit", "nodes.view") }

func (w *world) eventually(holds func() bool) {
	w.t.Helper()
	require.Eventually(w.t, holds, 15*time.Second, 30*time.Millisecond)
}

func (w *world) noPause() {
	w.editor().
		Put("/api/v1/nodes/agent-rings", map[string]any{"sizes": []int{1, 10, 100}, "pause_seconds": 0, "parallel": 10, "revision": 1}).
		Is(http.StatusOK)
}

func (w *world) start(ring string) string {
	w.t.Helper()
	return w.editor().
		Post("/api/v1/nodes/agent-rings/"+ring+"/update", map[string]any{"version": newVersion}).
		Is(http.StatusAccepted).
		Text("id")
}

func (w *world) rollout(id string) Rollout {
	w.t.Helper()
	var r Rollout
	w.viewer().Get("/api/v1/nodes/agent-rings/rollouts/" + id).Is(http.StatusOK).JSON(&r)
	return r
}

func (w *world) ends(id, state string) Rollout {
	w.t.Helper()
	w.eventually(func() bool { return w.rollout(id).FinishedAt != nil })
	r := w.rollout(id)
	require.Equal(w.t, state, r.State, r.Detail)
	return r
}

func (w *world) journal() []string {
	w.t.Helper()
	var actions []string
	err := w.panel.DB.NewRaw("select action from journal where action like 'node.update%' or action like 'node.rollout%' order by at, id").
		Scan(w.t.Context(), &actions)
	require.NoError(w.t, err)
	return actions
}

// Domain 4.20: rings 1, 10 %, all.
func TestARolloutGoesRingByRing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.noPause()
	a, b, c := w.server("aaa", "1.0.0"), w.server("bbb", "dev"), w.server("ccc", "1.0.0")
	newer := w.server("ddd", "2.0.0")
	id := w.start("3")
	require.Empty(t, b.orders())
	a.succeeds()
	require.Empty(t, c.orders(), "ring 3 waits for ring 2")
	b.succeeds()
	c.succeeds()
	r := w.ends(id, done)
	require.Equal(t, map[string]int{"done": 3}, r.Counts)
	require.Equal(t, 3, r.Ring)
	require.Empty(t, newer.orders(), "a rollout never goes back to an older version")
	require.Equal(t, []string{
		"node.rollout_started", "node.update_started", "node.update_done", "node.update_started", "node.update_done",
		"node.update_started", "node.update_done", "node.rollout_ended",
	}, w.journal())
	w.editor().
		Post("/api/v1/nodes/agent-rings/3/update", map[string]any{}).
		Refused(http.StatusConflict, "nothing_to_update")
}

// Domain 4.20: a rollout stops on failure.
func TestAFailureInTheFirstRingStopsTheRollout(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.noPause()
	a, b := w.server("aaa", "1.0.0"), w.server("bbb", "1.0.0")
	id := w.start("3")
	a.fails()
	r := w.ends(id, failed)
	require.Equal(t, map[string]int{"failed": 1, "waiting": 1}, r.Counts)
	require.Equal(t, "heartbeat", r.Nodes[0].Stage)
	require.Equal(t, "last words", r.Nodes[0].Tail)
	require.Empty(t, b.orders())
	require.Contains(t, w.journal(), "node.update_failed")
	var args agentapi.UpdateAgentArgs
	require.NoError(t, json.Unmarshal(func() json.RawMessage { w.start("1"); return a.order().Args }(), &args))
	require.False(t, args.Retry, "a rollout does not try again by itself what failed on a server within 24 hours")
}

func TestOneNodeIsUpdatedByHandAlsoAfterAFailure(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.server("aaa", "1.0.0")
	path := "/api/v1/nodes/" + a.id + "/agent-update"
	w.viewer().Post(path, map[string]any{}).Refused(http.StatusForbidden, "permission_denied")
	w.editor().Post(path, map[string]any{"version": "9.9.9"}).Refused(http.StatusUnprocessableEntity, "invalid_value")
	id := w.editor().Post(path, map[string]any{}).Is(http.StatusAccepted).Text("id")
	w.editor().Post(path, map[string]any{}).Refused(http.StatusConflict, "rollout_active")
	var args agentapi.UpdateAgentArgs
	require.NoError(t, json.Unmarshal(a.order().Args, &args))
	require.Equal(t, agentapi.UpdateAgentArgs{Version: newVersion, Retry: true}, args)
	a.succeeds()
	w.ends(id, done)
	w.editor().Post(path, map[string]any{}).Refused(http.StatusConflict, "nothing_to_update")
	w.editor().
		Post("/api/v1/nodes/0199a0de-0000-7000-8000-000000000009/agent-update", map[string]any{}).
		Refused(http.StatusNotFound, "not_found")
}

// A panel that has an older build than an agent brings it there only when a person says so, one node at a time.
func TestAnAgentGoesBackOnlyWhereThatIsAskedFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	newer := w.server("newer", "9.0.0")
	path := "/api/v1/nodes/" + newer.id + "/agent-update"
	w.editor().Post(path, map[string]any{}).Refused(http.StatusConflict, "older_build")
	outcome := w.editor().Post("/api/v1/nodes/bulk",
		map[string]any{"ids": []string{newer.id}, "act": "update_agent"}).Is(http.StatusOK)
	require.Contains(t, string(outcome.Body), "older_build")
	id := w.editor().Post(path, map[string]any{"allow_older": true}).Is(http.StatusAccepted).Text("id")
	var args agentapi.UpdateAgentArgs
	require.NoError(t, json.Unmarshal(newer.order().Args, &args))
	require.Equal(t, agentapi.UpdateAgentArgs{Version: newVersion, Retry: true, AllowOlder: true}, args)
	newer.succeeds()
	w.ends(id, done)
}

func TestManyAgentsAreUpdatedAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.server("aaa", "1.0.0"), w.server("bbb", "1.0.0")
	outcome := w.editor().Post("/api/v1/nodes/bulk",
		map[string]any{"ids": []string{a.id, b.id}, "act": "update_agent"}).Is(http.StatusOK)
	require.EqualValues(t, 2, outcome.Value("succeeded"))
	for _, s := range []*server{a, b} {
		var args agentapi.UpdateAgentArgs
		require.NoError(t, json.Unmarshal(s.order().Args, &args))
		require.False(t, args.AllowOlder)
	}
}

func TestAStoppedRolloutLetsNobodyElseBegin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.noPause()
	a, b := w.server("aaa", "1.0.0"), w.server("bbb", "1.0.0")
	id := w.start("3")
	order := a.order()
	w.editor().Post("/api/v1/nodes/agent-rings/3/update", map[string]any{}).Refused(http.StatusConflict, "rollout_active")
	w.editor().PostOnce("/api/v1/nodes/agent-rings/rollouts/"+id+"/stop", nil).Is(http.StatusAccepted)
	w.editor().Post("/api/v1/nodes/agent-rings/rollouts/"+id+"/stop", nil).Refused(http.StatusConflict, "rollout_ended")
	require.True(t, w.rollout(id).Stopping, "who is at it goes on")
	a.beat(newVersion)
	a.Post("/agent/v1/commands/"+order.ID+"/result", agentapi.CommandResult{ID: order.ID, OK: true}).
		Is(http.StatusNoContent)
	w.ends(id, stopped)
	require.Empty(t, b.orders())
}

// A panel that dies in the middle is followed by another one on the same database.
func TestAnotherPanelGoesOnWithARollout(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.noPause()
	a, b := w.server("aaa", "1.0.0"), w.server("bbb", "1.0.0")
	id := w.start("2")
	a.order()
	_, err := w.panel.DB.ExecContext(
		t.Context(),
		"update agent_rollout_nodes set state = 'ordering', command_id = null where node_id = ?",
		a.id,
	)
	require.NoError(t, err)
	_, err = w.panel.DB.ExecContext(
		t.Context(),
		"update agent_rollouts set lease_token = 'a panel that died', lease_until = now() - interval '1 s' where id = ?",
		id,
	)
	require.NoError(t, err)
	w.eventually(func() bool { return len(a.orders()) == 2 })
	a.beat(newVersion)
	for _, order := range a.orders() {
		result := agentapi.CommandResult{ID: order.ID, OK: true}
		a.Post("/agent/v1/commands/"+order.ID+"/result", result).Is(http.StatusNoContent)
	}
	b.succeeds()
	w.ends(id, done)
	started := slices.DeleteFunc(w.journal(), func(action string) bool { return action != "node.update_started" })
	require.Len(t, started, 2, "the journal tells once of each node")
}

// Specification, read-only mode: agent update stays available.
func TestRolloutsWorkInReadOnlyMode(t *testing.T) {
	t.Parallel()
	w := newWorld(t, paneltest.License(entitlement.Fixed{State: entitlement.Active}))
	a := w.server("aaa", "1.0.0")
	degraded := newWorldOn(w, entitlement.Fixed{State: entitlement.Degraded, Reason: "expired"})
	id := degraded.editor().PostOnce("/api/v1/nodes/agent-rings/1/update", map[string]any{}).
		Is(http.StatusAccepted).Text("id")
	a.order()
	degraded.editor().Post("/api/v1/nodes/agent-rings/rollouts/"+id+"/stop", nil).Is(http.StatusAccepted)
	degraded.editor().
		Put("/api/v1/nodes/agent-rings", map[string]any{"sizes": []int{2, 20, 100}, "pause_seconds": 5, "parallel": 3, "revision": 1}).
		Is(http.StatusOK)
}

func newWorldOn(w *world, license entitlement.Source) *world {
	other := &world{t: w.t, folder: w.folder, key: w.key}
	other.panel = paneltest.Start(
		w.t,
		paneltest.Modules(nodes.Module(), Module()),
		paneltest.License(license),
		paneltest.On(w.panel.DB),
		paneltest.Env(map[string]string{
			nodes.AgentDir.Name: w.folder, selfupdate.PublicKey.Name: w.key.Public(), config.AgentHeartbeat.Name: "3600",
		}),
	)
	return other
}

func TestAgentsGetTheReleaseAsItWasSigned(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.server("aaa", "1.0.0")
	var offered agentapi.Update
	a.Get(agentapi.PathUpdate).Is(http.StatusOK).JSON(&offered)
	written, err := os.ReadFile(filepath.Join(w.folder, "manifest.json"))
	require.NoError(t, err)
	require.Equal(t, string(written), offered.Manifest)
	require.Equal(t, w.key.Public(), offered.PublicKey)
	require.Equal(t, newVersion, offered.Version)
	require.Equal(t, "the executable of "+newVersion, string(a.Get("/agent/v1/update/linux/amd64").Is(http.StatusOK).Body))
	w.publish("1.10.0-longer")
	w.eventually(func() bool {
		executable := string(a.Get("/agent/v1/update/linux/amd64").Is(http.StatusOK).Body)
		return executable == "the executable of 1.10.0-longer"
	})
	a.Get("/agent/v1/update/linux/arm64").Refused(http.StatusNotFound, "not_found")
	w.panel.Anonymous().Get("/agent/v1/update/linux/amd64").Refused(http.StatusUnauthorized, "agent_token_invalid")
}

// What is not signed, or is not what was signed, is never handed out.
func TestAReleaseThatIsNotInOrderIsNotOffered(t *testing.T) {
	t.Parallel()
	for problem, spoil := range map[string]func(w *world, file, manifest string){
		noFile: func(w *world, file, _ string) {
			require.NoError(w.t, os.WriteFile(file, []byte("another executable"), 0o600))
		},
		untrusted: func(w *world, _, manifest string) {
			text, err := os.ReadFile(manifest)
			require.NoError(w.t, err)
			require.NoError(w.t, os.WriteFile(manifest, append(text, ' '), 0o600))
		},
		noManifest: func(w *world, _, manifest string) { require.NoError(w.t, os.Remove(manifest)) },
	} {
		t.Run(problem, func(t *testing.T) {
			t.Parallel()
			w := published(t)
			spoil(w, filepath.Join(w.folder, "panel-agent-linux-amd64"), filepath.Join(w.folder, "manifest.json"))
			w.begin()
			w.eventually(func() bool { return w.problem() == problem })
			w.editor().Post("/api/v1/nodes/agent-rings/1/update", map[string]any{}).
				Refused(http.StatusConflict, "no_agent_build")
			w.publish("1.2.0")
			w.eventually(func() bool { return w.problem() == "" })
		})
	}
}

func (w *world) problem() string {
	return w.viewer().Get("/api/v1/nodes/agent-rings").Is(http.StatusOK).Text("build_problem")
}

package updates

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/nodes"
	"panel/platform/agentapi"
	"panel/platform/entitlement"
	"panel/platform/paneltest"
)

// The manifest keeps the rules that hold for every module.
func TestConformance(t *testing.T) { paneltest.Check(t, Module(), nodes.Module()) }

// Domain 4.20: rings 1, 10 %, all.
func TestARolloutGoesRingByRing(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.noPause()
	a, b, c := st.server("aaa", "1.0.0"), st.server("bbb", "dev"), st.server("ccc", "1.0.0")
	newer := st.server("ddd", "2.0.0")
	id := st.start("3")
	require.Empty(t, b.Commands())
	a.succeeds()
	require.Empty(t, c.Commands(), "ring 3 waits for ring 2")
	b.succeeds()
	c.succeeds()
	r := st.ends(id, done)
	require.Equal(t, map[string]int{"done": 3}, r.Counts)
	require.Equal(t, 3, r.Ring)
	require.Empty(t, newer.Commands(), "a rollout never goes back to an older version")
	require.Equal(t, []string{
		"node.rollout_started", "node.update_started", "node.update_done", "node.update_started", "node.update_done",
		"node.update_started", "node.update_done", "node.rollout_ended",
	}, st.journal())
	st.editor().
		Post("/api/v1/nodes/agent-rings/3/update", map[string]any{}).
		Refused(http.StatusConflict, "nothing_to_update")
}

// Domain 4.20: a rollout stops on failure.
func TestAFailureInTheFirstRingStopsTheRollout(t *testing.T) {
	t.Parallel()
	st, a, b, id := rolling(t)
	a.fails()
	r := st.ends(id, failed)
	require.Equal(t, map[string]int{"failed": 1, "waiting": 1}, r.Counts)
	require.Equal(t, "heartbeat", r.Nodes[0].Stage)
	require.Equal(t, "last words", r.Nodes[0].Tail)
	require.Empty(t, b.Commands())
	require.Contains(t, st.journal(), "node.update_failed")
	var args agentapi.UpdateAgentArgs
	require.NoError(t, json.Unmarshal(func() json.RawMessage { st.start("1"); return a.order().Args }(), &args))
	require.False(t, args.Retry, "a rollout does not try again by itself what failed on a server within 24 hours")
}

func TestOneNodeIsUpdatedByHandAlsoAfterAFailure(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	a := st.server("aaa", "1.0.0")
	path := "/api/v1/nodes/" + a.NodeID + "/agent-update"
	st.viewer().Post(path, map[string]any{}).Refused(http.StatusForbidden, "permission_denied")
	st.editor().Post(path, map[string]any{"version": "9.9.9"}).Refused(http.StatusUnprocessableEntity, "invalid_value")
	id := st.editor().Post(path, map[string]any{}).Is(http.StatusAccepted).Text("id")
	st.editor().Post(path, map[string]any{}).Refused(http.StatusConflict, "rollout_active")
	var args agentapi.UpdateAgentArgs
	require.NoError(t, json.Unmarshal(a.order().Args, &args))
	require.Equal(t, agentapi.UpdateAgentArgs{Version: newVersion, Retry: true}, args)
	a.succeeds()
	st.ends(id, done)
	st.editor().Post(path, map[string]any{}).Refused(http.StatusConflict, "nothing_to_update")
	st.editor().
		Post("/api/v1/nodes/0199a0de-0000-7000-8000-000000000009/agent-update", map[string]any{}).
		Refused(http.StatusNotFound, "not_found")
}

// A panel that has an older build than an agent brings it there only when a person says so, one node at a time.
func TestAnAgentGoesBackOnlyWhereThatIsAskedFor(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	newer := st.server("newer", "9.0.0")
	path := "/api/v1/nodes/" + newer.NodeID + "/agent-update"
	st.editor().Post(path, map[string]any{}).Refused(http.StatusConflict, "older_build")
	outcome := st.editor().Post("/api/v1/nodes/bulk",
		map[string]any{"ids": []string{newer.NodeID}, "act": "update_agent"}).Is(http.StatusOK)
	require.Contains(t, string(outcome.Body), "older_build")
	id := st.editor().Post(path, map[string]any{"allow_older": true}).Is(http.StatusAccepted).Text("id")
	var args agentapi.UpdateAgentArgs
	require.NoError(t, json.Unmarshal(newer.order().Args, &args))
	require.Equal(t, agentapi.UpdateAgentArgs{Version: newVersion, Retry: true, AllowOlder: true}, args)
	newer.succeeds()
	st.ends(id, done)
}

func TestManyAgentsAreUpdatedAtOnce(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	a, b := st.server("aaa", "1.0.0"), st.server("bbb", "1.0.0")
	outcome := st.editor().Post("/api/v1/nodes/bulk",
		map[string]any{"ids": []string{a.NodeID, b.NodeID}, "act": "update_agent"}).Is(http.StatusOK)
	require.EqualValues(t, 2, outcome.Value("succeeded"))
	for _, s := range []*server{a, b} {
		var args agentapi.UpdateAgentArgs
		require.NoError(t, json.Unmarshal(s.order().Args, &args))
		require.False(t, args.AllowOlder)
	}
}

func TestAStoppedRolloutLetsNobodyElseBegin(t *testing.T) {
	t.Parallel()
	st, a, b, id := rolling(t)
	order := a.order()
	st.editor().Post("/api/v1/nodes/agent-rings/3/update", map[string]any{}).
		Refused(http.StatusConflict, "rollout_active")
	st.editor().PostOnce("/api/v1/nodes/agent-rings/rollouts/"+id+"/stop", nil).Is(http.StatusAccepted)
	st.editor().Post("/api/v1/nodes/agent-rings/rollouts/"+id+"/stop", nil).
		Refused(http.StatusConflict, "rollout_ended")
	require.True(t, st.rollout(id).Stopping, "who is at it goes on")
	a.beat(newVersion)
	a.Finish(order.ID, agentapi.CommandResult{OK: true}).Is(http.StatusNoContent)
	st.ends(id, stopped)
	require.Empty(t, b.Commands())
}

// A panel that dies in the middle is followed by another one on the same database.
func TestAnotherPanelGoesOnWithARollout(t *testing.T) {
	t.Parallel()
	st, a, b, id := rolling(t)
	a.order()
	_, err := st.panel.DB.ExecContext(
		t.Context(),
		"update agent_rollout_nodes set state = 'ordering', command_id = null where node_id = ?",
		a.NodeID,
	)
	require.NoError(t, err)
	_, err = st.panel.DB.ExecContext(
		t.Context(),
		"update agent_rollouts set lease_token = 'a panel that died', lease_until = now() - interval '1 s' where id = ?",
		id,
	)
	require.NoError(t, err)
	st.eventually(func() bool { return len(a.Commands()) == 2 })
	a.beat(newVersion)
	for _, order := range a.Commands() {
		a.Finish(order.ID, agentapi.CommandResult{OK: true}).Is(http.StatusNoContent)
	}
	b.succeeds()
	st.ends(id, done)
	started := slices.DeleteFunc(st.journal(), func(action string) bool { return action != "node.update_started" })
	require.Len(t, started, 2, "the journal tells once of each node")
}

// Specification, read-only mode: agent update stays available.
func TestRolloutsWorkInReadOnlyMode(t *testing.T) {
	t.Parallel()
	st := newStage(t, paneltest.License(entitlement.Fixed{State: entitlement.Active}))
	a := st.server("aaa", "1.0.0")
	degraded := newStageOn(st, entitlement.Fixed{State: entitlement.Degraded, Reason: "expired"})
	id := degraded.editor().PostOnce("/api/v1/nodes/agent-rings/1/update", map[string]any{}).
		Is(http.StatusAccepted).Text("id")
	a.order()
	degraded.editor().Post("/api/v1/nodes/agent-rings/rollouts/"+id+"/stop", nil).Is(http.StatusAccepted)
	degraded.editor().
		Put("/api/v1/nodes/agent-rings", map[string]any{
			"sizes": []int{2, 20, 100}, "pause_seconds": 5, "parallel": 3,
			"revision": 1,
		}).
		Is(http.StatusOK)
}

func TestAgentsGetTheReleaseAsItWasSigned(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	a := st.server("aaa", "1.0.0")
	var offered agentapi.Update
	a.Get(agentapi.PathUpdate).Is(http.StatusOK).JSON(&offered)
	written, err := os.ReadFile(filepath.Join(st.folder, "manifest.json"))
	require.NoError(t, err)
	require.Equal(t, string(written), offered.Manifest)
	require.Equal(t, st.key.Public(), offered.PublicKey)
	require.Equal(t, newVersion, offered.Version)
	require.Equal(t, "the executable of "+newVersion,
		string(a.Get("/agent/v1/update/linux/amd64").Is(http.StatusOK).Body))
	st.publish("1.10.0-longer")
	st.eventually(func() bool {
		executable := string(a.Get("/agent/v1/update/linux/amd64").Is(http.StatusOK).Body)
		return executable == "the executable of 1.10.0-longer"
	})
	a.Get("/agent/v1/update/linux/arm64").Refused(http.StatusNotFound, "not_found")
	st.panel.Anonymous().Get("/agent/v1/update/linux/amd64").Refused(http.StatusUnauthorized, "agent_token_invalid")
}

// What is not signed, or is not what was signed, is never handed out.
func TestAReleaseThatIsNotInOrderIsNotOffered(t *testing.T) {
	t.Parallel()
	for problem, spoil := range map[string]func(st *stage, file, manifest string){
		noFile: func(st *stage, file, _ string) {
			require.NoError(st.t, os.WriteFile(file, []byte("another executable"), 0o600))
		},
		untrusted: func(st *stage, _, manifest string) {
			text, err := os.ReadFile(manifest)
			require.NoError(st.t, err)
			require.NoError(st.t, os.WriteFile(manifest, append(text, ' '), 0o600))
		},
		noManifest: func(st *stage, _, manifest string) { require.NoError(st.t, os.Remove(manifest)) },
	} {
		t.Run(problem, func(t *testing.T) {
			t.Parallel()
			st := published(t)
			spoil(st, filepath.Join(st.folder, "panel-agent-linux-amd64"), filepath.Join(st.folder, "manifest.json"))
			st.begin()
			st.eventually(func() bool { return st.problem() == problem })
			st.editor().Post("/api/v1/nodes/agent-rings/1/update", map[string]any{}).
				Refused(http.StatusConflict, "no_agent_build")
			st.publish("1.2.0")
			st.eventually(func() bool { return st.problem() == "" })
		})
	}
}

// Package agents runs the real panel and a real agent, each with a small module more, and shows that documents,
// commands and batches survive kill -9 of either and a cut network.
package agents

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
)

const within = 90 * time.Second

// trial is a panel with one agent.
type trial struct {
	*testing.T
	stand *rig.Stand
	agent *rig.Agent
	way   *network
	sets  int
}

func TestDocumentsCommandsAndBatchesOfAModule(t *testing.T) {
	t.Parallel()
	w := begin(t)
	t.Run("a document is set, fetched, stored and applied", w.applied)
	t.Run("a document that fails leaves the others applied", w.failing)
	t.Run("kill -9 of the agent at any moment", w.killsOfTheAgent)
	t.Run("kill -9 of the panel right after an answer", w.killsOfThePanel)
	t.Run("the agent holds its documents without the panel", w.withoutPanel)
	t.Run("a command of the closed list is carried out, another refused", w.command)
	t.Run("an agent that lacks a capability is named", w.lacking)
	t.Run("numbers arrive once over all that and a cut network", w.numbers)
}

func begin(t *testing.T) *trial {
	w := &trial{T: t, stand: rigtest.Install(t, rig.PanelSettings{Program: rig.TrialPanelProgram})}
	w.way = newNetwork(t, w.stand.Panel.URL)
	w.agent = w.enroll(rig.TrialAgentProgram, "trial")
	return w
}

func (w *trial) enroll(program, name string) *rig.Agent {
	w.Helper()
	agent, err := w.stand.EnrollAs(w.Context(), program, name)
	require.NoError(w, err)
	agent.Spec.Args = append(agent.Spec.Args, "--panel", w.way.URL())
	rigtest.Run(w, w.stand, agent)
	return agent
}

// set makes texts the wanted documents; it returns when the panel has answered.
func (w *trial) set(t *testing.T, texts map[string]string) {
	t.Helper()
	w.sets++
	body := map[string]any{"node_id": w.agent.NodeID, "documents": texts}
	require.NoError(t, w.stand.API.Put(t.Context(), "/api/v1/trial/documents", body, nil))
}

type state struct {
	State   string
	Wanted  int64
	Applied int64
	Error   string
}

func (w *trial) until(t *testing.T, name string, holds func(state) bool) (now state) {
	t.Helper()
	err := rig.Eventually(t.Context(), within, func(ctx context.Context) error {
		if err := w.stand.API.Get(ctx, "/api/v1/trial/documents/"+name+"/"+w.agent.NodeID, &now); err != nil {
			return err
		}
		if !holds(now) {
			return fmt.Errorf("the document %s is %+v; last words of the agent: %s", name, now, w.agent.LastWords())
		}
		return nil
	})
	require.NoError(t, err)
	return now
}

func isApplied(s state) bool { return s.State == "applied" }

// held is what the part of the agent has applied.
func (w *trial) held(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(w.stand.Folder, "trial", "trial", name))
	require.NoError(t, err)
	return string(text)
}

func (w *trial) applied(t *testing.T) {
	w.set(t, map[string]string{"blocks": "one", "assets": "first"})
	for name, text := range map[string]string{"blocks": "one", "assets": "first"} {
		require.EqualValues(t, 1, w.until(t, name, isApplied).Applied)
		require.Equal(t, text, w.held(t, name))
	}
}

func (w *trial) failing(t *testing.T) {
	w.set(t, map[string]string{"blocks": "refuse this", "assets": "second"})
	w.until(t, "assets", isApplied)
	failed := w.until(t, "blocks", func(s state) bool { return s.State == "failed" })
	require.Equal(t, state{State: "failed", Wanted: 2, Applied: 1, Error: "the text cannot be applied"}, failed)
	require.Equal(t, "one", w.held(t, "blocks"), "the last good one stays")
	require.Equal(t, "second", w.held(t, "assets"))
	w.set(t, map[string]string{"blocks": "three"})
	w.until(t, "blocks", isApplied)
	require.Equal(t, "three", w.held(t, "blocks"))
}

func (w *trial) killsOfTheAgent(t *testing.T) {
	for round := range 8 {
		text := fmt.Sprint("agent round ", round)
		w.set(t, map[string]string{"blocks": text, "assets": text})
		// a moment between the stream's message and the heartbeat
		<-time.After(time.Duration(round*17) * time.Millisecond)
		w.agent.Kill()
		require.NoError(t, w.agent.Launch())
		for _, name := range []string{"blocks", "assets"} {
			w.until(t, name, isApplied)
			require.Equal(t, text, w.held(t, name))
		}
	}
}

func (w *trial) killsOfThePanel(t *testing.T) {
	for round := range 4 {
		text := fmt.Sprint("panel round ", round)
		w.set(t, map[string]string{"blocks": text})
		w.stand.Panel.Kill()
		require.NoError(t, w.stand.Panel.Up(t.Context()))
		w.until(t, "blocks", isApplied)
		require.Equal(t, text, w.held(t, "blocks"), "what was answered is not lost")
	}
}

func (w *trial) withoutPanel(t *testing.T) {
	before := w.held(t, "blocks")
	w.stand.Panel.Kill()
	w.agent.Kill()
	require.NoError(t, os.Remove(filepath.Join(w.stand.Folder, "trial", "trial", "blocks")))
	require.NoError(t, w.agent.Launch())
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(filepath.Join(w.stand.Folder, "trial", "trial", "blocks"))
		return err == nil && string(text) == before
	}, within, 20*time.Millisecond)
	require.NoError(t, w.stand.Panel.Up(t.Context()))
	require.NoError(t, w.stand.Online(t.Context(), w.agent))
}

func (w *trial) command(t *testing.T) {
	var result struct {
		OK   bool
		Code string
	}
	send := func(kind string) error {
		body := map[string]any{"node_id": w.agent.NodeID, "kind": kind, "ips": []string{"192.0.2.7"}}
		return w.stand.API.Post(t.Context(), "/api/v1/trial/commands", body, &result)
	}
	require.NoError(t, send("block_ips"))
	require.True(t, result.OK, result.Code)
	require.JSONEq(t, `["192.0.2.7"]`, w.held(t, "blocked"))
	require.NoError(t, send("drop_sessions"))
	require.Equal(t, "not_supported", result.Code, "the agent has no part for it")
	require.True(t, rig.Refused(send("run_shell"), http.StatusUnprocessableEntity),
		"the panel sends nothing outside the closed list")
}

func (w *trial) lacking(t *testing.T) {
	w.enroll(rig.AgentProgram, "plain")
	for capability, want := range map[string][]string{
		"block_ips": {"plain"}, "batch_trial_numbers": {"plain"}, "apply_config": {},
		"document_assets": {}, "drop_sessions": {"trial"},
	} {
		var lacking []string
		require.NoError(t, w.stand.API.Get(t.Context(), "/api/v1/trial/lacking/"+capability, &lacking))
		require.Equal(t, want, lacking, capability)
	}
}

type counted struct {
	Stored   int64 `json:"stored"`
	Distinct int64 `json:"distinct"`
	Highest  int64 `json:"highest"`
}

func (w *trial) stored(t *testing.T, enough func(counted) bool) (now counted) {
	t.Helper()
	require.NoError(t, rig.Eventually(t.Context(), within, func(ctx context.Context) error {
		if err := w.stand.API.Get(ctx, "/api/v1/trial/numbers/"+w.agent.NodeID, &now); err != nil {
			return err
		}
		if !enough(now) {
			return fmt.Errorf("stored are %+v", now)
		}
		return nil
	}))
	return now
}

// numbers compares what is stored with what the agent has sent since the first of these tests: 1, 2, 3 and so on.
func (w *trial) numbers(t *testing.T) {
	for range 3 {
		before := w.stored(t, func(counted) bool { return true })
		w.way.Cut()
		<-time.After(500 * time.Millisecond) // numbers wait on the disk of the agent
		w.agent.Kill()
		require.NoError(t, w.agent.Launch())
		w.way.Mend()
		w.stored(t, func(now counted) bool { return now.Highest > before.Highest+5 })
	}
	require.NoError(t, w.agent.Stop())
	last := w.stored(t, func(now counted) bool { return now.Highest > 50 })
	require.Equal(t, counted{last.Highest, last.Highest, last.Highest}, last,
		"each number from 1 to the highest is there once")
}

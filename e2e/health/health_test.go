// Package health runs the real panel and three real agents: what two of them and the panel see of the third is what the
// panel says of it, and what a status page tells its readers.
package health

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/platform/testneed/freeport"
)

const within = 3 * time.Minute

// The names of the node with the flow, and of the flow.
const (
	served  = "agent-that-serves"
	watched = "watched-flow"
)

// seen is what the panel says of a node or flow.
type seen struct {
	State    string `json:"state"`
	Reason   string `json:"reason"`
	Evidence []struct {
		Check   string `json:"check"`
		State   string `json:"state"`
		Reason  string `json:"reason"`
		Stale   bool   `json:"stale"`
		Vantage struct {
			Kind string `json:"kind"`
			Name string `json:"name"`
		} `json:"vantage"`
	} `json:"evidence"`
}

// by counts who says what of a check.
func (s seen) by(check, state string) map[string]int {
	out := map[string]int{}
	for _, e := range s.Evidence {
		if e.Check == check && e.State == state && !e.Stale {
			out[e.Vantage.Kind]++
		}
	}
	return out
}

type trial struct {
	*testing.T
	stand *rig.Stand
	nodes []*rig.Agent
	site  *rig.Site
	flow  string
}

func TestAgentsAndThePanelWatchAFlow(t *testing.T) {
	t.Parallel()
	w := &trial{T: t, stand: rigtest.Install(t, rig.PanelSettings{Env: []string{"PANEL_OUTBOUND_ALLOW=127.0.0.0/8"}})}
	for _, name := range []string{served, "agent-that-looks", "agent-that-looks-too"} {
		agent, err := w.stand.Enroll(t.Context(), name)
		require.NoError(t, err)
		w.nodes = append(w.nodes, agent)
	}
	rigtest.Run(t, w.stand, w.nodes...)
	w.install()
	t.Run("two agents and the panel see it well", w.isWell)
	told := w.shows(t)
	t.Run("a server that ends is down, as all of them see", w.ends)
	t.Run("readers of the status page are told", told.areTold)
	t.Run("it comes back", w.comesBack)
	t.Run("that was one incident, and it is over", w.isOver)
	t.Run("readers are told that it is over, and nothing of the fleet", told.areToldOfTheEnd)
	t.Run("a tunnel without an exit is down, though its entry answers", w.losesItsExit)
}

// install serves a flow on the first node, which all look at every ten seconds.
func (w *trial) install() {
	w.Helper()
	site, err := rig.OpenSite("127.0.0.1")
	require.NoError(w, err)
	w.Cleanup(site.Close)
	w.site = site
	w.flow = w.apply(watched, w.nodes[0], w.nodes[0])
	var policies struct {
		Items []struct {
			ID       string `json:"id"`
			Revision int    `json:"revision"`
		} `json:"items"`
	}
	require.NoError(w, w.stand.API.Get(w.Context(), "/api/v1/health/policies", &policies))
	checks := []map[string]any{{"type": "heartbeat"}, {"type": "core"}}
	for _, kind := range []string{"tcp", "tls", "udp"} {
		checks = append(checks, map[string]any{"type": kind, "interval_s": 10, "timeout_s": 5})
	}
	body := map[string]any{
		"revision": policies.Items[0].Revision, "checks": checks, "recheck": map[string]any{"count": 3, "every_s": 1},
	}
	require.NoError(w, w.stand.API.Patch(w.Context(), "/api/v1/health/policies/"+policies.Items[0].ID, body, nil))
}

// apply serves a flow with its entry on one node and its exit on another.
func (w *trial) apply(name string, entry, exit *rig.Agent) string {
	w.Helper()
	port, err := freeport.Find()
	require.NoError(w, err)
	drawing := rig.OneServer(entry.NodeID, port, w.site)
	blocks, drawn := drawing["nodes"].([]map[string]any)
	require.True(w, drawn)
	blocks[1]["node_id"] = exit.NodeID
	flow, err := w.stand.API.Draw(w.Context(), name, drawing)
	require.NoError(w, err)
	plan, err := w.stand.API.Compile(w.Context(), flow.ID)
	require.NoError(w, err)
	_, err = w.stand.API.Apply(w.Context(), flow.ID, plan)
	require.NoError(w, err)
	return flow.ID
}

// until waits for what the panel says of the flow.
func (w *trial) until(t *testing.T, holds func(seen) bool) {
	t.Helper()
	err := rig.Eventually(t.Context(), within, func(ctx context.Context) error {
		var now seen
		if err := w.stand.API.Get(ctx, "/api/v1/health/connection-units/"+w.flow, &now); err != nil {
			return err
		}
		if !holds(now) {
			return fmt.Errorf("the flow is %+v", now)
		}
		return nil
	})
	require.NoError(t, err)
}

func (w *trial) isWell(t *testing.T) {
	w.until(t, func(s seen) bool {
		by := s.by("tls", "up")
		return s.State == "up" && by["panel"] == 1 && by["agent"] == 2
	})
}

func (w *trial) ends(t *testing.T) {
	dies(t, w.nodes[0])
	w.until(t, func(s seen) bool {
		by := s.by("tls", "down")
		return s.State == "down" && by["panel"] == 1 && by["agent"] == 2
	})
}

func (w *trial) comesBack(t *testing.T) {
	require.NoError(t, w.nodes[0].Launch())
	w.until(t, func(s seen) bool { return s.State == "up" && s.by("tls", "up")["agent"] == 2 })
}

// incident is what the panel says of one.
type incident struct {
	Kind  string    `json:"kind"`
	Name  string    `json:"subject_name"`
	State string    `json:"state"`
	Hint  string    `json:"root_cause_hint"`
	Nodes int       `json:"nodes"`
	Flows int       `json:"connection_units"`
	Began time.Time `json:"began_at"`
	Open  time.Time `json:"opened_at"`
}

// promised is the longest time from the first failure to the verdict: three failures in a row, ten seconds apart at the
// most, each with five seconds to answer, and a round of the judge. The machine of the test may be slow.
const promised = 60 * time.Second

// isOver finds the node and its flow in one incident, in time, which ends by itself.
func (w *trial) isOver(t *testing.T) {
	err := rig.Eventually(t.Context(), within, func(ctx context.Context) error {
		var page struct {
			Items []incident `json:"items"`
		}
		if err := w.stand.API.Get(ctx, "/api/v1/health/incidents", &page); err != nil {
			return err
		}
		if len(page.Items) != 1 || page.Items[0].State != "resolved" {
			return fmt.Errorf("the incidents are %+v", page.Items)
		}
		one := page.Items[0]
		require.Equal(t, []any{"node", served, 1, 1}, []any{one.Kind, one.Name, one.Nodes, one.Flows})
		require.Contains(t, []string{"unreachable", "route"}, one.Hint, "a place that looks late has still seen it")
		require.Less(t, one.Open.Sub(one.Began), promised)
		return nil
	})
	require.NoError(t, err)
}

// losesItsExit tries a flow over two nodes by a real client on the third. What looks at entries alone sees nothing of
// an exit that is gone.
func (w *trial) losesItsExit(t *testing.T) {
	w.flow = w.apply("chained", w.nodes[1], w.nodes[2])
	policy := map[string]any{
		"name": "Tunnel", "scope": map[string]any{"kind": "connection_unit", "id": w.flow},
		"checks":            []map[string]any{{"type": "tls", "interval_s": 10}, {"type": "tunnel", "interval_s": 30}},
		"failure_threshold": 1, "success_threshold": 1,
	}
	require.NoError(t, w.stand.API.Post(t.Context(), "/api/v1/health/policies", policy, nil))
	seesTunnel := func(state string) func(seen) bool {
		return func(s seen) bool {
			now := map[string]any{"connection_unit_ids": []string{w.flow}}
			_ = w.stand.API.Post(t.Context(), "/api/v1/health/checks/run", now, nil) // or it comes by itself
			return s.State == state && s.by("tunnel", state)["panel"] == 1 && s.by("tls", "up")["panel"] == 1
		}
	}
	w.until(t, seesTunnel("up"))
	require.NoError(t, w.nodes[2].Stop())
	w.until(t, seesTunnel("down"))
	require.NoError(t, w.nodes[2].Launch())
	w.until(t, seesTunnel("up"))
}

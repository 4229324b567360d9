package fleet

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
)

// canaryEnds bounds a watch of a minute, which panel and agent of the canary do not see all of, and what follows it.
const canaryEnds = 4 * time.Minute

// trial is a flow of which some nodes go first.
type trial struct {
	*crossing
	apply string
}

// shownApply is an apply with its canary.
type shownApply struct {
	ID     string `json:"apply_id"`
	State  string `json:"state"`
	Detail string `json:"detail"`
	Error  *struct {
		Code   string `json:"code"`
		NodeID string `json:"node_id"`
	} `json:"error"`
	Canary struct {
		State string `json:"state"`
		Looks []struct {
			NodeID string `json:"node_id"`
			Good   int    `json:"good"`
			Bad    int    `json:"bad"`
		} `json:"looks"`
	} `json:"canary"`
}

// canaries lets one of two nodes go first, twice at the same time. One canary does well although panel and agent are
// killed in the middle of it, and the rest follows after its minute. The way out of the other one is cut: it goes back
// by itself, and the configuration of the other node is never another one.
func (w *crossing) canaries(t *testing.T) {
	good := w.trial(t, "good", func(refused ...string) map[string]any { return w.apart(446, refused) })
	bad := w.trial(t, "bad", func(refused ...string) map[string]any { return w.together(447, refused) })
	before := w.hash(t, w.entry)
	good.begin(t, w.exit, 2)

	w.stand.Panel.Kill()
	w.exit.Kill()
	good.gets(t)
	require.NoError(t, w.exit.Launch())
	require.NoError(t, w.stand.Panel.Up(t.Context()))
	for _, agent := range []*rig.Agent{w.entry, w.exit} {
		require.NoError(t, w.stand.Online(t.Context(), agent))
	}

	require.Equal(t, before, w.hash(t, w.entry), "the rest of the good one waits")
	other := w.hash(t, w.exit)
	bad.begin(t, w.entry, 1)
	mend := w.cut(t)
	failed := bad.ended(t, func() { require.Equal(t, other, w.hash(t, w.exit), "the other node") })
	require.Equal(t, "apply_failed", failed.State)
	require.Equal(t, "canary_failed", failed.Error.Code, failed.Detail)
	require.Equal(t, w.entry.NodeID, failed.Error.NodeID)
	require.Equal(t, "returned", failed.Canary.State)
	mend()
	require.NoError(t, w.stand.API.InSync(t.Context(), w.flow))
	bad.gets(t)

	passed := good.ended(t, func() {})
	require.Equal(t, "applied", passed.State, passed.Detail)
	require.Equal(t, "passed", passed.Canary.State)
	require.Equal(t, w.exit.NodeID, passed.Canary.Looks[0].NodeID)
	require.NotZero(t, passed.Canary.Looks[0].Good)
	require.NoError(t, w.stand.API.InSync(t.Context(), good.flow))
	require.Eventually(t, func() bool { return w.hash(t, w.entry) != before }, answersWithin, glance, "the rest")
	good.gets(t)
}

// trial installs a flow and saves a change of all its nodes.
func (w *crossing) trial(t *testing.T, name string, draw func(refused ...string) map[string]any) *trial {
	t.Helper()
	flow, err := w.stand.API.Draw(t.Context(), name, draw())
	require.NoError(t, err)
	in := *w
	in.T, in.flow = t, flow.ID
	in.apply()
	in.link, err = w.stand.API.Link(t.Context(), in.flow)
	require.NoError(t, err)
	in.save(t, draw("refused.example"))
	return &trial{crossing: &in}
}

// apart is a drawing of two ways that have no node in common.
func (w *crossing) apart(port int, refused []string) map[string]any {
	return w.pair(port, refused, "out-2")
}

// together is a drawing of two entries that lead to the exit of the second one.
func (w *crossing) together(port int, refused []string) map[string]any {
	return w.pair(port, refused, "out")
}

// pair draws an entry on each server: the second one leads to the exit on its own server, the first one to where it is
// told. Names may be refused.
func (w *crossing) pair(port int, refused []string, first string) map[string]any {
	g := w.drawing(port)
	blocks, second := g["nodes"].([]map[string]any), map[string]any{"key": "entry-2", "kind": "entry"}
	second["node_id"], second["params"] = w.exit.NodeID, blocks[0]["params"]
	blocks = append(blocks, second, map[string]any{"key": "no", "kind": "block"})
	blocks[1]["key"] = "out"
	if first != "out" {
		blocks = append(blocks, map[string]any{"key": first, "kind": "exit", "node_id": w.entry.NodeID})
	}
	edges := []map[string]any{{"from": "entry", "to": first}, {"from": "entry-2", "to": "out"}}
	for _, from := range []string{"entry", "entry-2"} {
		names := append([]string{"never.example"}, refused...)
		match := map[string]any{"domain": names}
		edges = append(edges, map[string]any{"from": from, "to": "no", "priority": 1, "match": match})
	}
	return map[string]any{"nodes": blocks, "edges": edges}
}

// begin applies the draft with one node going first, and waits until it is watched and a probe got through.
func (f *trial) begin(t *testing.T, first *rig.Agent, failures int) {
	t.Helper()
	plan, err := f.stand.API.CompileWith(t.Context(), f.flow, map[string]any{"canary": map[string]any{
		"nodes": []string{first.NodeID}, "watch_s": 60,
		"probes": map[string]any{"interval_s": 10, "failures": failures},
	}})
	require.NoError(t, err)
	var begun shownApply
	body := map[string]any{"id": plan.ID, "revision": plan.Revision}
	require.NoError(t, f.stand.API.Post(t.Context(), f.path("/apply"), body, &begun))
	f.apply = begun.ID
	require.NoError(t, rig.Eventually(t.Context(), answersWithin, func(ctx context.Context) error {
		a, err := f.shown(ctx)
		switch {
		case err != nil:
			return err
		case a.State != "applying":
			return fmt.Errorf("%w: the apply is %s: %s", rig.ErrHopeless, a.State, a.Detail)
		case a.Canary.State != "watching" || a.Canary.Looks[0].Good == 0:
			return fmt.Errorf("the canary is %s: %s", a.Canary.State, a.Detail)
		}
		return nil
	}))
}

// ended waits until the apply has ended, and looks on meanwhile.
func (f *trial) ended(t *testing.T, look func()) (a shownApply) {
	t.Helper()
	require.NoError(t, rig.Eventually(t.Context(), canaryEnds, func(ctx context.Context) (err error) {
		look()
		if a, err = f.shown(ctx); err == nil && a.State == "applying" {
			err = fmt.Errorf("the apply goes on: %s", a.Detail)
		}
		return err
	}))
	return a
}

// gets fetches a page as a client does.
func (f *trial) gets(t *testing.T) {
	t.Helper()
	require.NoError(t, f.fetches(t.Context(), f.link))
}

func (f *trial) path(rest string) string { return "/api/v1/connection-units/" + f.flow + rest }

func (f *trial) shown(ctx context.Context) (a shownApply, err error) {
	return a, f.stand.API.Get(ctx, f.path("/applies/"+f.apply), &a)
}

// hash is of the configuration that a node serves.
func (w *crossing) hash(t *testing.T, agent *rig.Agent) string {
	t.Helper()
	var node struct {
		Core struct {
			Hash string `json:"config_hash"`
		} `json:"core"`
	}
	require.NoError(t, w.stand.API.Get(t.Context(), "/api/v1/nodes/"+agent.NodeID, &node))
	require.NotEmpty(t, node.Core.Hash)
	return node.Core.Hash
}

// cut keeps everything on the entry's server from the exit, until it is mended.
func (w *crossing) cut(t *testing.T) (mend func()) {
	t.Helper()
	enter := w.entry.Spec.Prefix
	command(t, append(slices.Clone(enter), "ip", "route", "add", "prohibit", exitAddress+"/32")...)
	return func() {
		command(t, append(slices.Clone(enter), "ip", "route", "del", "prohibit", exitAddress+"/32")...)
	}
}

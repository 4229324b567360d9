package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/platform/agentapi"
)

const (
	secondAddress = "203.0.113.4"
	thirdAddress  = "203.0.113.5"
)

// exits are servers that share the traffic of a flow.
type exits struct {
	*crossing
	agents map[string]*rig.Agent // by the address that targets see
	pool   shownPool
}

type shownPool struct {
	ID       string `json:"id"`
	State    string `json:"state"`
	Revision int    `json:"revision"`
	Members  []struct {
		ID       string `json:"id"`
		FlowID   string `json:"flow_id"`
		NodeID   string `json:"node_id"`
		NodeName string `json:"node_name"`
		State    string `json:"state"`
		Held     bool   `json:"held"`
	} `json:"members"`
	LastSwitch *struct {
		Reason string `json:"reason"`
	} `json:"last_switch"`
}

const poolsPath = "/api/v1/transit-pools"

// pools lets clients through a pool of three exits. The first one is killed and comes back; panel and agent of the
// entry are killed meanwhile; when no exit may be used nothing is let through, and never by the address of the entry.
func (w *crossing) pools(t *testing.T) {
	in := *w
	in.T = t
	e := &exits{crossing: &in, agents: map[string]*rig.Agent{exitAddress: w.exit}}
	e.agents[secondAddress] = in.agent("second", server(t, "second", secondAddress))
	e.agents[thirdAddress] = in.agent("third", server(t, "third", thirdAddress))
	e.install(t)
	e.leavesBy(t, secondAddress)
	e.explains(t, "second", secondAddress)

	second := e.agents[secondAddress]
	second.Kill()
	for _, pid := range cores(t, w.stand.Folder, "second") {
		kill(t, pid)
	}
	e.leavesBy(t, thirdAddress)
	for range 20 {
		require.Equal(t, thirdAddress, e.address(t.Context()), "no connection is lost after the detection")
	}
	e.shows(t, "second", "down", "member_down")

	w.stand.Panel.Kill()
	w.entry.Kill()
	require.Equal(t, thirdAddress, e.address(t.Context()), "the core chooses by itself")
	require.NoError(t, w.entry.Launch())
	require.Equal(t, thirdAddress, e.address(t.Context()))
	require.NoError(t, w.stand.Panel.Up(t.Context()))
	require.NoError(t, second.Launch())
	e.returns(t, "second", secondAddress)
	e.acts(t, second.NodeID)
	e.relays(t, second.NodeID, e.agents[thirdAddress].NodeID)
	w.whole(t)
}

func (e *exits) install(t *testing.T) {
	t.Helper()
	members := []map[string]any{}
	for _, address := range []string{secondAddress, thirdAddress, exitAddress} {
		members = append(members, map[string]any{"node_id": e.agents[address].NodeID})
	}
	require.NoError(t, e.stand.API.Post(t.Context(), poolsPath, map[string]any{
		"name": "Exits", "strategy": "ordered", "members": members, "health": map[string]any{
			"probe_url": e.site.Page + "/", "timeout_s": 10, // a busy machine is slow, and nobody is down for that
		},
	}, &e.pool))
	drawing := e.drawing(8443)
	nodes := drawing["nodes"].([]map[string]any)
	drawing["nodes"] = []map[string]any{
		nodes[0], {"key": "pool", "kind": "transit_pool", "pool_id": e.pool.ID}, {"key": "out", "kind": "direct"},
	}
	drawing["edges"] = []map[string]any{{"from": "entry", "to": "pool"}, {"from": "pool", "to": "out"}}
	flow, err := e.stand.API.Draw(t.Context(), "pooled", drawing)
	require.NoError(t, err)
	e.flow = flow.ID
	e.apply()
	e.link, err = e.stand.API.Link(t.Context(), e.flow)
	require.NoError(t, err)
}

// address is what the target sees of a client; empty when nothing gets through.
func (e *exits) address(ctx context.Context) string {
	seen, err := rig.Fetch(ctx, agentapi.ThroughProbe{
		Link: e.link, URL: e.site.Page + "/", Expect: `"page":"ok"`, Timeout: 15,
	})
	if err != nil {
		return ""
	}
	return seen.ExitIP
}

func (e *exits) leavesBy(t *testing.T, wanted string) {
	t.Helper()
	require.NoError(t, rig.Eventually(t.Context(), 2*answersWithin, func(ctx context.Context) error {
		if got := e.address(ctx); got != wanted {
			return fmt.Errorf("traffic leaves by %q and not by %s", got, wanted)
		}
		return nil
	}))
}

// explains asks for the way of a destination: the member that carries it by what its agent has said, and beside it what
// a real client meets there.
func (e *exits) explains(t *testing.T, node, address string) {
	t.Helper()
	path := "/api/v1/connection-units/" + e.flow + "/explain/probe"
	require.NoError(t, rig.Eventually(t.Context(), 2*answersWithin, func(ctx context.Context) error {
		var answer struct {
			Explanation struct {
				Of       string `json:"of"`
				NodeName string `json:"node_name"`
				Pools    []struct {
					Choices []struct {
						ActiveName string `json:"active_name"`
					} `json:"choices"`
				} `json:"pools"`
			} `json:"explanation"`
			Through struct {
				OK     bool   `json:"ok"`
				ExitIP string `json:"exit_ip"`
			} `json:"through"`
		}
		if err := e.stand.API.Post(ctx, path, map[string]any{"domain": "www.example.org"}, &answer); err != nil {
			return err
		}
		way := answer.Explanation
		if way.Of != "installed" || way.NodeName != node || len(way.Pools) != 1 || len(way.Pools[0].Choices) != 1 ||
			way.Pools[0].Choices[0].ActiveName != node {
			return fmt.Errorf("the way is explained as %+v", way)
		}
		if !answer.Through.OK || answer.Through.ExitIP != address {
			return fmt.Errorf("a real client met %+v", answer.Through)
		}
		return nil
	}))
}

// shows waits until the panel knows how a member is, and why the pool has switched last.
func (e *exits) shows(t *testing.T, node, state, reason string) {
	t.Helper()
	require.NoError(t, rig.Eventually(t.Context(), 2*answersWithin, func(ctx context.Context) error {
		if err := e.stand.API.Get(ctx, poolsPath+"/"+e.pool.ID, &e.pool); err != nil {
			return err
		}
		for _, m := range e.pool.Members {
			if m.NodeName == node && m.State != state {
				return fmt.Errorf("%s is %s", node, m.State)
			}
		}
		if last := e.pool.LastSwitch; reason != "" && (last == nil || last.Reason != reason) {
			return fmt.Errorf("the last switch is %+v", last)
		}
		return nil
	}))
}

// returns waits until a member carries the traffic again. On a machine so busy that probes of a living member have
// failed before, it may rightly be kept out for coming and going; then it is used when there is no other, which acts
// tries.
func (e *exits) returns(t *testing.T, node, address string) {
	t.Helper()
	require.NoError(t, rig.Eventually(t.Context(), 2*answersWithin, func(ctx context.Context) error {
		if err := e.stand.API.Get(ctx, poolsPath+"/"+e.pool.ID, &e.pool); err != nil {
			return err
		}
		for _, m := range e.pool.Members {
			if m.NodeName == node && m.Held {
				return nil
			}
			if m.NodeName == node && m.State != "healthy" {
				return fmt.Errorf("%s is %s", node, m.State)
			}
		}
		if got := e.address(ctx); got != address {
			return fmt.Errorf("traffic leaves by %q and not by %s", got, address)
		}
		return nil
	}))
}

// acts drains and chooses members: at once, without an apply and without a core that is exchanged. With all of them
// drained nothing gets through.
func (e *exits) acts(t *testing.T, second string) {
	serving := cores(t, e.stand.Folder, "entry")
	one := poolsPath + "/" + e.pool.ID
	id := map[string]string{}
	for _, m := range e.pool.Members {
		id[m.NodeID] = m.ID
	}
	drain := func(node string, on bool) {
		t.Helper()
		path := one + "/members/" + id[node] + "/drain"
		require.NoError(t, e.stand.API.Call(t.Context(), http.MethodPost, path, map[string]any{"drain": on}, nil))
	}
	drain(second, true)
	e.leavesBy(t, thirdAddress)
	choice := map[string]any{"member_id": id[e.exit.NodeID], "ttl_s": 600}
	require.NoError(t, e.stand.API.Call(t.Context(), http.MethodPost, one+"/override", choice, nil))
	e.leavesBy(t, exitAddress)
	require.NoError(t, e.stand.API.Call(t.Context(), http.MethodPost, one+"/override", map[string]any{}, nil))
	for _, agent := range e.agents {
		drain(agent.NodeID, true)
	}
	e.leavesBy(t, "")
	for range 5 {
		require.Empty(t, e.address(t.Context()), "never by the address of the entry")
	}
	drain(second, false)
	e.leavesBy(t, secondAddress)
	now := cores(t, e.stand.Folder, "entry")
	require.True(t, slices.ContainsFunc(now, func(pid int) bool { return slices.Contains(serving, pid) }),
		"the core goes on: %v, %v", serving, now)
}

// relays puts a flow into the pool, beside a node: the core of the entry dials what is installed of it, and traffic
// leaves as its own drawing says. When another version of it is installed, the flow in front follows. While it is a
// member it is not deleted.
func (e *exits) relays(t *testing.T, second, third string) {
	one := poolsPath + "/" + e.pool.ID
	behind := e.drawing(9443)
	entry := behind["nodes"].([]map[string]any)[0]
	entry["node_id"] = second
	behind["nodes"] = []map[string]any{entry, {"key": "out", "kind": "direct"}}
	behind["edges"] = []map[string]any{{"from": "entry", "to": "out"}}
	flow, err := e.stand.API.Draw(t.Context(), "behind", behind)
	require.NoError(t, err)
	inFront := e.flow
	e.flow = flow.ID
	e.apply()
	require.NoError(t, e.stand.API.Get(t.Context(), one, &e.pool))
	require.NoError(t, e.stand.API.Call(t.Context(), http.MethodPatch, one, map[string]any{
		"revision": e.pool.Revision, "members": []map[string]any{{"flow_id": flow.ID}, {"node_id": third}},
	}, &e.pool))
	e.leavesBy(t, secondAddress)
	require.Equal(t, flow.ID, e.pool.Members[0].FlowID)
	unit := "/api/v1/connection-units/" + flow.ID
	require.ErrorContains(t, e.stand.API.Call(t.Context(), http.MethodDelete, unit, nil, nil), "pool_in_use")

	drain := one + "/members/" + e.pool.Members[0].ID + "/drain"
	require.NoError(t, e.stand.API.Call(t.Context(), http.MethodPost, drain, map[string]any{"drain": true}, nil))
	e.leavesBy(t, thirdAddress)
	require.NoError(t, e.stand.API.Call(t.Context(), http.MethodPost, drain, map[string]any{"drain": false}, nil))
	e.leavesBy(t, secondAddress)

	entry["params"].(map[string]any)["listener"].(map[string]any)["port"] = 9444
	var draft struct {
		Revision int `json:"revision"`
	}
	require.NoError(t, e.stand.API.Get(t.Context(), unit+"/draft", &draft))
	require.NoError(t, e.stand.API.Call(t.Context(), http.MethodPut, unit+"/draft", map[string]any{
		"revision": draft.Revision, "graph": behind,
	}, nil))
	e.apply()
	e.flow = inFront
	require.NoError(t, rig.Eventually(t.Context(), 2*answersWithin, func(ctx context.Context) error {
		var rendered struct {
			Config json.RawMessage `json:"config"`
		}
		path := "/api/v1/connection-units/" + inFront + "/rendered?node_id=" + e.entry.NodeID
		if err := e.stand.API.Get(ctx, path, &rendered); err != nil {
			return err
		}
		if !strings.Contains(string(rendered.Config), "9444") {
			return errors.New("the flow in front still dials the port of before")
		}
		return nil
	}))
	e.leavesBy(t, secondAddress)
}

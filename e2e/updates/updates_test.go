// Package updates brings new builds to real agents of a real panel: a good one reaches all rings, one that never
// reports is given up in the first, and what goes through the flow notices neither. A panel that updates itself takes
// its agent along.
package updates

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/platform/agentapi"
	"panel/platform/release"
	"panel/platform/testneed/freeport"
)

const (
	good   = "1.1.0"
	broken = "1.2.0"
	within = 40 * time.Second
)

// neverReports passes its self test as version 1.2.0 and then does nothing at all.
const neverReports = `#!/bin/sh
case "$*" in
*--self-test*) echo '{"version":"1.2.0"}' ;;
*) echo "this build hangs" >&2; exec sleep 600 ;;
esac
`

// fleet is a panel with three agents, a flow on the first of them, and the folder that releases are carried into.
type fleet struct {
	*rig.Stand
	t        *testing.T
	site     *rig.Site
	key      release.Key
	releases string
	agents   []*rig.Agent
}

func TestAGoodBuildReachesAllRingsAndABrokenOneStopsInTheFirst(t *testing.T) {
	t.Parallel()
	genuine := buildAgent(t, good)
	f := newFleet(t)
	stream := f.openStream()

	f.publish(good, genuine)
	rollout := f.start()
	f.ended(rollout, "done")
	f.versions(good, good, good)

	f.agents[1].Kill()
	require.NoError(t, f.agents[1].Launch())
	require.NoError(t, f.Online(t.Context(), f.agents[1]))
	f.versions(good, good, good)

	hangs := filepath.Join(f.Folder, "hangs")
	require.NoError(t, os.WriteFile(hangs, []byte(neverReports), 0o755))
	f.publish(broken, hangs)
	rollout = f.start()
	f.onTrial()
	f.Panel.Kill()
	require.NoError(t, f.Panel.Up(t.Context()))
	r := f.ended(rollout, "failed")
	require.Equal(t, 1, r.Ring)
	require.Equal(t, map[string]int{"failed": 1, "waiting": 2}, r.Counts)
	require.Equal(t, agentapi.StageHeartbeat, agentapi.Stage(r.Nodes[0].Stage))
	require.Contains(t, r.Nodes[0].Tail, "this build hangs")
	f.versions(good, good, good)

	f.site.Release()
	require.NoError(t, <-stream, "a stream that was open through it all is whole")
}

func newFleet(t *testing.T) *fleet {
	t.Helper()
	key, err := release.NewKey()
	require.NoError(t, err)
	releases := rigtest.Folder(t)
	f := &fleet{t: t, key: key, releases: releases}
	f.Stand = rigtest.Install(t, rig.PanelSettings{Env: []string{
		"PANEL_AGENT_DIR=" + releases, "PANEL_UPDATE_PUBLIC_KEY=" + key.Public(), "PANEL_AGENT_HEARTBEAT_SECONDS=1",
	}})
	require.NoError(t, f.API.Put(t.Context(), "/api/v1/nodes/agent-rings",
		map[string]any{"sizes": []int{1, 10, 100}, "pause_seconds": 0, "parallel": 10, "revision": 1}, nil))
	for _, name := range []string{"first", "second", "third"} {
		agent, err := f.Enroll(t.Context(), name)
		require.NoError(t, err)
		agent.Spec.Args = append(agent.Spec.Args, "--update-patience", "6s")
		f.agents = append(f.agents, agent)
	}
	rigtest.Run(t, f.Stand, f.agents...)
	return f
}

// openStream installs a flow on the first server and leaves a download open in it.
func (f *fleet) openStream() <-chan error {
	f.t.Helper()
	var err error
	f.site, err = rig.OpenSite("127.0.0.1")
	require.NoError(f.t, err)
	f.t.Cleanup(f.site.Close)
	link := f.install()
	ended := make(chan error, 1)
	go func() {
		_, err := rig.Fetch(
			context.WithoutCancel(f.t.Context()),
			agentapi.ThroughProbe{Link: link, URL: f.site.Page + "/held", Expect: "ended", Timeout: 80},
		)
		ended <- err
	}()
	require.NoError(f.t, rig.Eventually(f.t.Context(), within, func(context.Context) error {
		if f.site.Held() == 0 {
			return errors.New("nobody came through the flow")
		}
		return nil
	}))
	return ended
}

func (f *fleet) install() string {
	f.t.Helper()
	port, err := freeport.Find()
	require.NoError(f.t, err)
	listener := map[string]any{
		"protocol": "vless", "port": port, "transport": "raw", "security": "reality",
		"reality": map[string]any{
			"target":               f.site.Target,
			"server_names":         []string{rig.SiteName},
			"allow_private_target": true,
		},
	}
	node := f.agents[0].NodeID
	flow, err := f.API.Draw(f.t.Context(), "through", map[string]any{
		"nodes": []map[string]any{
			{"key": "entry", "kind": "entry", "node_id": node, "params": map[string]any{"listener": listener}},
			{"key": "exit", "kind": "exit", "node_id": node, "params": map[string]any{"private": "allow"}},
		},
		"edges": []map[string]any{{"from": "entry", "to": "exit"}},
	})
	require.NoError(f.t, err)
	plan, err := f.API.Compile(f.t.Context(), flow.ID)
	require.NoError(f.t, err)
	_, err = f.API.Apply(f.t.Context(), flow.ID, plan)
	require.NoError(f.t, err)
	link, err := f.API.Link(f.t.Context(), flow.ID)
	require.NoError(f.t, err)
	return link
}

// publish carries a signed release into the panel's folder; the manifest comes last.
func (f *fleet) publish(version, executable string) {
	f.t.Helper()
	content, err := os.ReadFile(executable)
	require.NoError(f.t, err)
	file := filepath.Join(f.releases, "panel-agent-"+version)
	require.NoError(f.t, os.WriteFile(file, content, 0o755))
	m := release.Manifest{Channel: "stable", Version: version, ReleasedAt: time.Now()}
	require.NoError(f.t, m.Add(release.Agent, release.Platform(), file))
	_, err = f.key.Write(f.releases, m)
	require.NoError(f.t, err)
	require.NoError(f.t, rig.Eventually(f.t.Context(), within, func(ctx context.Context) error {
		var rings struct{ Build *struct{ Version string } }
		if err := f.API.Get(ctx, "/api/v1/nodes/agent-rings", &rings); err != nil {
			return err
		}
		if rings.Build == nil || rings.Build.Version != version {
			return fmt.Errorf("the panel does not hand out %s yet", version)
		}
		return nil
	}))
}

// rollout is what the panel shows of one.
type rollout struct {
	ID     string         `json:"id"`
	State  string         `json:"state"`
	Ring   int            `json:"ring"`
	Detail string         `json:"detail"`
	Counts map[string]int `json:"counts"`
	Nodes  []struct {
		Name  string `json:"name"`
		Stage string `json:"stage"`
		Error string `json:"error"`
		Tail  string `json:"tail"`
	} `json:"nodes"`
}

func (f *fleet) start() string {
	f.t.Helper()
	var r rollout
	require.NoError(f.t, f.API.Post(f.t.Context(), "/api/v1/nodes/agent-rings/3/update", map[string]any{}, &r))
	return r.ID
}

func (f *fleet) ended(id, state string) rollout {
	f.t.Helper()
	var r rollout
	require.NoError(f.t, rig.Eventually(f.t.Context(), within, func(ctx context.Context) error {
		r = rollout{}
		if err := f.API.Get(ctx, "/api/v1/nodes/agent-rings/rollouts/"+id, &r); err != nil {
			return err
		}
		if r.State == "running" {
			return fmt.Errorf("the rollout goes on: %+v", r)
		}
		return nil
	}))
	require.Equal(f.t, state, r.State, "%+v", r)
	return r
}

// versions waits until the agents report these versions and are online.
func (f *fleet) versions(wanted ...string) {
	f.t.Helper()
	require.NoError(f.t, rig.Eventually(f.t.Context(), within, func(ctx context.Context) error {
		var seen []string
		for _, agent := range f.agents {
			var node struct {
				State string `json:"state"`
				Agent struct {
					Version string `json:"version"`
				} `json:"agent"`
			}
			if err := f.API.Get(ctx, "/api/v1/nodes/"+agent.NodeID, &node); err != nil {
				return err
			}
			if node.State != "online" {
				return fmt.Errorf("a node is %s", node.State)
			}
			seen = append(seen, node.Agent.Version)
		}
		if !slices.Equal(seen, wanted) {
			return fmt.Errorf("the agents are %v", seen)
		}
		return nil
	}))
}

// onTrial waits until the first agent watches the new build.
func (f *fleet) onTrial() {
	f.t.Helper()
	path := filepath.Join(f.Folder, "first", "update", "state.json")
	require.Eventually(f.t, func() bool {
		var state struct {
			Trial *struct{} `json:"trial"`
		}
		content, err := os.ReadFile(path)
		return err == nil && json.Unmarshal(content, &state) == nil && state.Trial != nil
	}, within, 10*time.Millisecond)
}

func buildAgent(t *testing.T, version string) string {
	t.Helper()
	return build(t, rig.AgentProgram, version)
}

// build compiles a program as that version; what is up to date stays as it is.
func build(t *testing.T, program, version string) string {
	t.Helper()
	root, err := rig.Root()
	require.NoError(t, err)
	rigtest.Executable(t, program) // its sources belong to what this test depends on
	folder := filepath.Join(root, ".run", "e2e")
	lock, err := os.OpenFile(filepath.Join(folder, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	require.NoError(t, err)
	defer lock.Close()
	require.NoError(t, syscall.Flock(int(lock.Fd()), syscall.LOCK_EX))
	target := filepath.Join(folder, program+"-"+version)
	versions := "-s -w -X main.version=" + version + " -X panel/platform/version.Version=" + version
	cmd := exec.CommandContext(
		t.Context(),
		"go",
		"build",
		"-trimpath",
		"-ldflags",
		versions,
		"-o",
		target,
		"./cmd/"+program,
	)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
	said, err := cmd.CombinedOutput()
	require.NoError(t, err, string(said))
	return target
}

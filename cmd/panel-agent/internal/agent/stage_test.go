package agent

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/agenttest"
	"panel/cmd/panel-agent/internal/core"
	"panel/cmd/panel-agent/internal/identity"
	"panel/cmd/panel-agent/internal/link"
	"panel/cmd/panel-agent/internal/logs"
	"panel/cmd/panel-agent/internal/parts"
)

func TestMain(m *testing.M) { os.Exit(agenttest.Main(m)) }

func testOptions(dir string) Options {
	return Options{
		DataDir: dir, Executable: agenttest.Executable, Version: "test", Drain: 10 * time.Second,
		Sampling: 200 * time.Millisecond,
		Timing: link.Timing{
			First: 50 * time.Millisecond, Longest: 500 * time.Millisecond, Spread: 100 * time.Millisecond,
			Silence: 20 * time.Second, Ping: 5 * time.Second,
		},
		Clock: clockwork.NewRealClock(), Log: zap.NewNop(), Lines: &logs.Ring{}, Parts: parts.All(),
	}
}

func dataDir(t *testing.T, p *panel) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, identity.Save(dir, identity.Identity{NodeID: "node", Token: testToken, PanelURL: p.server.URL}))
	t.Cleanup(func() { require.NoError(t, core.StopLeft(context.Background(), filepath.Join(dir, "core"))) })
	return dir
}

// start runs an agent in this process; the returned function stops it.
func start(t *testing.T, dir string) (stop func(leave bool)) {
	t.Helper()
	a, err := New(testOptions(dir))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	var leave atomic.Bool
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx, leave.Load) }()
	var stopped bool
	stop = func(l bool) {
		if stopped {
			return
		}
		stopped = true
		leave.Store(l)
		cancel()
		require.NoError(t, <-done)
	}
	t.Cleanup(func() { stop(false) })
	return stop
}

// runProcess starts an agent that can be killed.
func runProcess(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(agenttest.Executable, "run", "--data", dir, "--sampling", "200ms", "--drain", "10s")
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}

func kill(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
}

func shadowsocks(port int) (core []byte, link string) {
	const key, user = "AAAAAAAAAAAAAAAAAAAAAA==", "AQEBAQEBAQEBAQEBAQEBAQ=="
	core = fmt.Appendf(nil, `{"inbounds":[{"tag":"ss","listen":"127.0.0.1","port":%d,"protocol":"shadowsocks",
		"settings":{"method":"2022-blake3-aes-128-gcm","password":"%s","network":"tcp","clients":[{"password":"%s","email":"c1"}]}}],
		"outbounds":[{"protocol":"freedom"}]}`, port, key, user)
	return core, fmt.Sprintf("ss://2022-blake3-aes-128-gcm:%s%%3A%s@127.0.0.1:%d", key, user, port)
}

func countBeats(p *panel) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.beats
}

package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/agenttest"
	"panel/cmd/panel-agent/internal/core"
	"panel/cmd/panel-agent/internal/identity"
	"panel/cmd/panel-agent/internal/link"
	"panel/platform/agentapi"
)

func TestMain(m *testing.M) { os.Exit(agenttest.Main(m)) }

func testOptions(dir string) Options {
	return Options{
		DataDir: dir, Executable: agenttest.Executable, Version: "test", Drain: 10 * time.Second, Sampling: 200 * time.Millisecond,
		Timing: link.Timing{
			First: 50 * time.Millisecond, Longest: 500 * time.Millisecond, Spread: 100 * time.Millisecond,
			Silence: 20 * time.Second, Ping: 5 * time.Second,
		},
		Clock: clockwork.NewRealClock(), Log: zap.NewNop(), Lines: &Ring{},
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

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func echoServer(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() { defer conn.Close(); _, _ = io.Copy(conn, conn) }()
		}
	}()
	return l.Addr().String()
}

// forward is a core configuration that passes a plain TCP port on, so that traffic can be counted to the byte.
func forward(t *testing.T, port int, behind, tag string) []byte {
	t.Helper()
	host, digits, err := net.SplitHostPort(behind)
	require.NoError(t, err)
	return fmt.Appendf(nil, `{"inbounds":[{"tag":"%s","listen":"127.0.0.1","port":%d,"protocol":"dokodemo-door",
		"settings":{"address":"%s","port":%s,"network":"tcp"}}],"outbounds":[{"protocol":"freedom"}]}`, tag, port, host, digits)
}

func shadowsocks(port int) (core []byte, link string) {
	const key, user = "AAAAAAAAAAAAAAAAAAAAAA==", "AQEBAQEBAQEBAQEBAQEBAQ=="
	core = fmt.Appendf(nil, `{"inbounds":[{"tag":"ss","listen":"127.0.0.1","port":%d,"protocol":"shadowsocks",
		"settings":{"method":"2022-blake3-aes-128-gcm","password":"%s","network":"tcp","clients":[{"password":"%s","email":"c1"}]}}],
		"outbounds":[{"protocol":"freedom"}]}`, port, key, user)
	return core, fmt.Sprintf("ss://2022-blake3-aes-128-gcm:%s%%3A%s@127.0.0.1:%d", key, user, port)
}

func echo(port int, text string) error {
	conn, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", port), 3*time.Second)
	if err != nil {
		return err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(3 * time.Second))
	if _, err := io.WriteString(conn, text); err != nil {
		return err
	}
	got := make([]byte, len(text))
	_, err = io.ReadFull(conn, got)
	return err
}

func TestFollowsTheDesiredConfigurationAndARealClientGetsThrough(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	start(t, dataDir(t, p))
	port := freePort(t)
	raw, link := shadowsocks(port)
	p.want(p.put(1, raw, agentapi.Listener{Key: "ss", FlowID: "f", L4: agentapi.TCP, IP: "127.0.0.1", Port: port}))
	p.serves(1)
	require.Eventually(t, func() bool {
		return p.outcome(func(o agentapi.ConfigResult) bool { return o.OK && o.Revision == 1 && o.RunningRevision == 1 })
	}, 5*time.Second, 10*time.Millisecond)

	result := p.order(agentapi.Probe, agentapi.ProbeArgs{Through: &agentapi.ThroughProbe{Link: link}})
	require.True(t, result.OK, result.Error)
	var seen agentapi.ProbeData
	require.NoError(t, json.Unmarshal(result.Data, &seen))
	require.Equal(t, "127.0.0.1", seen.Through.ExitIP)
	require.Eventually(t, func() bool { up, down := p.bytes(agentapi.TrafficClient); return up > 0 && down > 0 }, 5*time.Second, 20*time.Millisecond)

	require.Eventually(t, func() bool { return ownsPort(p.lastBeat(), port) }, 5*time.Second, 20*time.Millisecond)
	own := p.order(agentapi.Probe, agentapi.ProbeArgs{Bind: &agentapi.BindProbe{L4: agentapi.TCP, IP: "127.0.0.1", Port: port, Nonce: "12345678"}})
	require.True(t, own.OK, own.Error)
	require.Contains(t, string(own.Data), `"own":true`)
}

func ownsPort(beat agentapi.Heartbeat, port int) bool {
	for _, socket := range beat.Sockets {
		if socket.Port == port && socket.L4 == agentapi.TCP {
			return socket.Own
		}
	}
	return false
}

func apply(p *panel, phase agentapi.ApplyPhase, id string, c agentapi.NodeConfig) agentapi.CommandResult {
	p.t.Helper()
	return p.order(agentapi.ApplyConfig, agentapi.ApplyConfigArgs{Phase: phase, ApplyID: id, Revision: c.Revision, Hash: c.Hash})
}

func TestAnApplySwitchesAndRevertsAndCommits(t *testing.T) {
	t.Parallel()
	p, behind := newPanel(t), echoServer(t)
	start(t, dataDir(t, p))
	portA, portB := freePort(t), freePort(t)
	one := p.put(1, forward(t, portA, behind, "a"))
	two := p.put(2, forward(t, portB, behind, "b"))
	p.want(one)
	p.serves(1)

	require.Equal(t, agentapi.CodeNotPrepared, apply(p, agentapi.PhaseSwitch, "x", two).Code)
	require.True(t, apply(p, agentapi.PhasePrepare, "x", two).OK)
	require.NoError(t, echo(portA, "a"))
	switched := apply(p, agentapi.PhaseSwitch, "x", two)
	require.True(t, switched.OK, switched.Error)
	require.NoError(t, echo(portB, "b"))
	require.Equal(t, agentapi.CodeApplyActive, apply(p, agentapi.PhaseSwitch, "other", one).Code)
	require.True(t, apply(p, agentapi.PhaseRevert, "x", two).OK)
	require.NoError(t, echo(portA, "a"))
	p.serves(1)

	require.True(t, apply(p, agentapi.PhasePrepare, "y", two).OK)
	require.True(t, apply(p, agentapi.PhaseSwitch, "y", two).OK)
	require.True(t, apply(p, agentapi.PhaseSwitch, "y", two).OK, "a phase may be repeated")
	p.want(two)
	require.True(t, apply(p, agentapi.PhaseCommit, "y", two).OK)
	require.True(t, apply(p, agentapi.PhaseCommit, "y", two).OK, "a phase may be repeated")
	p.serves(2)
	require.NoError(t, echo(portB, "b"))
}

// Trap 5 of domain.md 4.23: a broken configuration gives the core's words; the live core is untouched.
func TestABrokenConfigurationIsRefusedInTheCoresWords(t *testing.T) {
	t.Parallel()
	p, behind := newPanel(t), echoServer(t)
	start(t, dataDir(t, p))
	port := freePort(t)
	p.want(p.put(1, forward(t, port, behind, "a")))
	p.serves(1)
	broken := p.put(2, []byte(`{"inbounds":[{"port":1,"protocol":"nonsense"}]}`))
	result := apply(p, agentapi.PhasePrepare, "x", broken)
	require.Equal(t, agentapi.CodeCoreRefused, result.Code)
	require.Equal(t, agentapi.StageTest, result.Stage)
	require.Contains(t, result.StderrTail, "nonsense")
	p.want(broken)
	require.Eventually(t, func() bool {
		return p.outcome(func(o agentapi.ConfigResult) bool {
			return !o.OK && o.Revision == 2 && o.RunningRevision == 1 && strings.Contains(o.StderrTail, "nonsense")
		})
	}, 10*time.Second, 10*time.Millisecond)
	require.NoError(t, echo(port, "still here"))
	require.Zero(t, p.lastBeat().Core.Restarts)
}

func TestACrashLoopReturnsToTheLastGoodConfiguration(t *testing.T) {
	t.Parallel()
	p, behind := newPanel(t), echoServer(t)
	dir := dataDir(t, p)
	a, err := New(testOptions(dir))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx, func() bool { return false }) }()
	defer func() { cancel(); require.NoError(t, <-done) }()
	portA, portB := freePort(t), freePort(t)
	p.want(p.put(1, forward(t, portA, behind, "a")))
	p.serves(1)
	p.want(p.put(2, forward(t, portB, behind, "b")))
	p.serves(2)
	require.Eventually(t, func() bool { return a.core.Report().Draining == 0 }, 20*time.Second, 20*time.Millisecond)
	for crash := range int64(4) {
		require.Eventually(t, func() bool { return a.core.Report().State == agentapi.CoreRunning && len(a.core.Processes()) == 1 }, 10*time.Second, 5*time.Millisecond)
		require.NoError(t, syscall.Kill(a.core.Processes()[0], syscall.SIGKILL))
		require.Eventually(t, func() bool { return a.core.Report().Restarts > crash }, 10*time.Second, time.Millisecond)
	}
	p.serves(1)
	require.NoError(t, echo(portA, "a"))
	require.Eventually(t, func() bool {
		return p.outcome(func(o agentapi.ConfigResult) bool {
			return !o.OK && o.Revision == 2 && o.Stage == agentapi.StageRun && o.RunningRevision == 1
		})
	}, 10*time.Second, 10*time.Millisecond)
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

func TestKillMinusNineOfTheAgentStopsNoTrafficAndTheNextAdoptsTheCore(t *testing.T) {
	t.Parallel()
	p, behind := newPanel(t), echoServer(t)
	dir, port := dataDir(t, p), freePort(t)
	agent := runProcess(t, dir)
	p.want(p.put(1, forward(t, port, behind, "in")))
	p.serves(1)
	open, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	require.NoError(t, err)
	defer open.Close()
	sent := int64(0)
	talk := func(text string) {
		_, err := io.WriteString(open, text)
		require.NoError(t, err)
		_, err = io.ReadFull(open, make([]byte, len(text)))
		require.NoError(t, err)
		sent += int64(len(text))
	}
	var cores int
	for round := range 5 {
		talk("before the kill ")
		kill(t, agent)
		talk("nobody watches ")
		require.NoError(t, echo(port, "new connection "))
		sent += int64(len("new connection "))
		before := countBeats(p)
		agent = runProcess(t, dir)
		require.Eventually(t, func() bool { return countBeats(p) > before && p.lastBeat().Core.State == agentapi.CoreRunning },
			10*time.Second, 10*time.Millisecond, "round %d", round)
		entries, err := filepath.Glob(filepath.Join(dir, "core", "*", "meta.json"))
		require.NoError(t, err)
		cores = len(entries)
		require.Equal(t, 1, cores, "the core was adopted and not replaced")
	}
	talk("after all")
	open.Close() // the kernel carries an open stream by itself; the core counts it when it ends
	require.Eventually(t, func() bool {
		up, down := p.bytes(agentapi.TrafficListener)
		return up >= sent && down >= sent
	}, 10*time.Second, 20*time.Millisecond)
	up, down := p.bytes(agentapi.TrafficListener)
	require.Equal(t, sent, up, "every byte is counted once")
	require.Equal(t, sent, down)
	kill(t, agent)
}

func countBeats(p *panel) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.beats
}

func TestAKilledCoreLosesOnlyItsOwnConnections(t *testing.T) {
	t.Parallel()
	p, behind := newPanel(t), echoServer(t)
	dir, port := dataDir(t, p), freePort(t)
	stop := start(t, dir)
	p.want(p.put(1, forward(t, port, behind, "in")))
	p.serves(1)
	stop(true)
	require.NoError(t, echo(port, "left serving"))
	start(t, dir)
	p.serves(1)
	require.NoError(t, echo(port, "adopted"))
	result := p.order(agentapi.RestartCore, nil)
	require.True(t, result.OK, result.Error)
	require.NoError(t, echo(port, "restarted"))
}

func TestOrdersComeByLongPollWhereTheStreamFails(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.noStream = true
	start(t, dataDir(t, p))
	result := p.order(agentapi.CollectLogs, agentapi.CollectLogsArgs{Lines: 5})
	require.True(t, result.OK, result.Error)
	require.Equal(t, agentapi.CodeNotSupported, p.order(agentapi.BlockIPs, agentapi.BlockIPsArgs{}).Code)
}

// Trap 6 of domain.md 4.23: a node reboots without a panel and starts the last installed configuration.
func TestStartsTheLastGoodConfigurationWithoutThePanel(t *testing.T) {
	t.Parallel()
	p, behind := newPanel(t), echoServer(t)
	dir, port := dataDir(t, p), freePort(t)
	stop := start(t, dir)
	p.want(p.put(1, forward(t, port, behind, "in")))
	p.serves(1)
	require.Eventually(t, func() bool { return len(p.waiting().Commands) == 0 }, time.Second, time.Millisecond)
	stop(false)
	require.Error(t, echo(port, "stopped"))
	p.server.CloseClientConnections()
	p.server.Close()
	start(t, dir)
	require.Eventually(t, func() bool { return echo(port, "up again") == nil }, 15*time.Second, 50*time.Millisecond)
}

// An agent that hears neither commit nor revert goes back by itself: the node holds revision r or r-1, never a third state.
func TestASwitchWithoutCommitIsTakenBackAfterItsHold(t *testing.T) {
	t.Parallel()
	p, behind := newPanel(t), echoServer(t)
	start(t, dataDir(t, p))
	portA, portB := freePort(t), freePort(t)
	p.want(p.put(1, forward(t, portA, behind, "a")))
	p.serves(1)
	two := p.put(2, forward(t, portB, behind, "b"))
	require.True(t, apply(p, agentapi.PhasePrepare, "x", two).OK)
	args := agentapi.ApplyConfigArgs{Phase: agentapi.PhaseSwitch, ApplyID: "x", Revision: 2, Hash: two.Hash, HoldSeconds: 3}
	require.True(t, p.order(agentapi.ApplyConfig, args).OK)
	p.serves(2)
	p.serves(1)
	require.Equal(t, agentapi.CodeNotPrepared, apply(p, agentapi.PhaseCommit, "x", two).Code)
}

func TestOnlyOneAgentRunsOnADataFolder(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	dir := dataDir(t, p)
	start(t, dir)
	_, err := New(testOptions(dir))
	require.ErrorIs(t, err, ErrBusy)
}

// Figure R2 of quality.md with the real core: the agent is killed at random moments of applies. Every apply converges,
// and no connection of the installed flow fails meanwhile.
func TestRandomKillsOfTheAgentDuringApplies(t *testing.T) {
	t.Parallel()
	p, behind := newPanel(t), echoServer(t)
	dir, port := dataDir(t, p), freePort(t)
	process := runProcess(t, dir)
	p.want(p.put(1, forward(t, port, behind, "in-1")))
	p.serves(1)
	var made atomic.Int64
	var failures []string
	stop := background(t, func(stop chan struct{}) { killAgain(t, dir, process, stop) }, func(stop chan struct{}) {
		for !closed(stop) {
			made.Add(1)
			if err := echo(port, "x"); err != nil {
				failures = append(failures, err.Error())
			}
		}
	})
	for revision := int64(2); revision <= 6; revision++ {
		next := p.put(revision, forward(t, port, behind, fmt.Sprint("in-", revision)))
		id := fmt.Sprint("apply-", revision)
		requireDone(t, apply(p, agentapi.PhasePrepare, id, next))
		requireDone(t, apply(p, agentapi.PhaseSwitch, id, next))
		p.want(next)
		requireDone(t, apply(p, agentapi.PhaseCommit, id, next))
	}
	stop()
	p.serves(6)
	require.Empty(t, failures, "of %d connections", made.Load())
	require.Greater(t, made.Load(), int64(300))
}

func requireDone(t *testing.T, result agentapi.CommandResult) {
	t.Helper()
	require.True(t, result.OK, "%s %s %s", result.Code, result.Error, result.StderrTail)
}

// background runs work beside the test, and ends it also when the test fails.
func background(t *testing.T, work ...func(stop chan struct{})) (stop func()) {
	t.Helper()
	told := make(chan struct{})
	var running sync.WaitGroup
	for _, one := range work {
		running.Go(func() { one(told) })
	}
	var once sync.Once
	stop = func() { once.Do(func() { close(told); running.Wait() }) }
	t.Cleanup(stop)
	return stop
}

func closed(stop chan struct{}) bool {
	select {
	case <-stop:
		return true
	default:
		return false
	}
}

// killAgain kills and starts agents ten times at uneven moments; the last one goes on.
func killAgain(t *testing.T, dir string, process *exec.Cmd, stop chan struct{}) {
	for kills := range 10 {
		select {
		case <-stop:
			return
		case <-time.After(time.Duration(300+270*kills%900) * time.Millisecond):
		}
		_ = process.Process.Kill()
		_ = process.Wait()
		process = runProcess(t, dir)
	}
}

package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/cmd/panel-agent/internal/agenttest"
	"panel/platform/agentapi"
)

func TestFollowsTheDesiredConfigurationAndARealClientGetsThrough(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	start(t, dataDir(t, p))
	port := agenttest.FreePort(t)
	raw, link := shadowsocks(port)
	p.install(1, raw, agentapi.Listener{Key: "ss", FlowID: "f", L4: agentapi.TCP, IP: "127.0.0.1", Port: port})
	require.Eventually(t, func() bool {
		return p.outcome(func(o agentapi.ConfigResult) bool {
			return o.OK && o.Revision == 1 &&
				o.RunningRevision == 1
		})
	}, 60*time.Second, 10*time.Millisecond)

	result := p.order(agentapi.Probe, agentapi.ProbeArgs{Through: &agentapi.ThroughProbe{Link: link}})
	require.True(t, result.OK, result.Error)
	var seen agentapi.ProbeData
	require.NoError(t, json.Unmarshal(result.Data, &seen))
	require.Equal(t, "127.0.0.1", seen.Through.ExitIP)
	require.Eventually(t, func() bool { up, down := p.bytes(agentapi.TrafficClient); return up > 0 && down > 0 },
		60*time.Second, 20*time.Millisecond)

	require.Eventually(t, func() bool { return ownsPort(p.lastBeat(), port) }, 60*time.Second, 20*time.Millisecond)
	own := p.order(agentapi.Probe, agentapi.ProbeArgs{Bind: &agentapi.BindProbe{
		L4: agentapi.TCP, IP: "127.0.0.1",
		Port: port, Nonce: "12345678",
	}})
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

func TestACrashLoopReturnsToTheLastGoodConfiguration(t *testing.T) {
	t.Parallel()
	p, behind := newPanel(t), agenttest.EchoServer(t)
	dir := dataDir(t, p)
	a, err := New(testOptions(dir))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx, func() bool { return false }) }()
	defer func() { cancel(); require.NoError(t, <-done) }()
	portA, portB := agenttest.FreePort(t), agenttest.FreePort(t)
	p.install(1, agenttest.Forward(t, "a", portA, behind))
	p.install(2, agenttest.Forward(t, "b", portB, behind))
	require.Eventually(t, func() bool { return a.core.Report().Draining == 0 }, 60*time.Second, 20*time.Millisecond)
	for crash := range int64(4) {
		require.Eventually(t, func() bool {
			return a.core.Report().State == agentapi.CoreRunning &&
				len(a.core.Processes()) == 1
		}, 60*time.Second, 5*time.Millisecond)
		require.NoError(t, syscall.Kill(a.core.Processes()[0], syscall.SIGKILL))
		require.Eventually(t, func() bool { return a.core.Report().Restarts > crash }, 60*time.Second, time.Millisecond)
	}
	p.serves(1)
	require.NoError(t, agenttest.Echo(portA, "a"))
	require.Eventually(t, func() bool {
		return p.outcome(func(o agentapi.ConfigResult) bool {
			return !o.OK && o.Revision == 2 && o.Stage == agentapi.StageRun && o.RunningRevision == 1
		})
	}, 60*time.Second, 10*time.Millisecond)
}

func TestKillMinusNineOfTheAgentStopsNoTrafficAndTheNextAdoptsTheCore(t *testing.T) {
	t.Parallel()
	p, behind := newPanel(t), agenttest.EchoServer(t)
	dir, port := dataDir(t, p), agenttest.FreePort(t)
	agent := runProcess(t, dir)
	p.install(1, agenttest.Forward(t, "in", port, behind))
	open, err := agenttest.Dial(port)
	require.NoError(t, err)
	defer open.Close()
	sent := int64(0)
	talk := func(text string) {
		require.NoError(t, agenttest.Talk(open, text))
		sent += int64(len(text))
	}
	for round := range 5 {
		talk("before the kill ")
		kill(t, agent)
		talk("nobody watches ")
		require.NoError(t, agenttest.Echo(port, "new connection "))
		sent += int64(len("new connection "))
		before := countBeats(p)
		agent = runProcess(t, dir)
		require.Eventually(t, func() bool {
			return countBeats(p) > before &&
				p.lastBeat().Core.State == agentapi.CoreRunning
		},
			60*time.Second, 10*time.Millisecond, "round %d", round)
		entries, err := filepath.Glob(filepath.Join(dir, "core", "*", "meta.json"))
		require.NoError(t, err)
		require.Len(t, entries, 1, "the core was adopted and not replaced")
	}
	talk("after all")
	open.Close() // the kernel carries an open stream by itself; the core counts it when it ends
	require.Eventually(t, func() bool {
		up, down := p.bytes(agentapi.TrafficListener)
		return up >= sent && down >= sent
	}, 60*time.Second, 20*time.Millisecond)
	up, down := p.bytes(agentapi.TrafficListener)
	require.Equal(t, sent, up, "every byte is counted once")
	require.Equal(t, sent, down)
	kill(t, agent)
}

func TestAnAgentThatLeavesTheCoreServingIsFollowedByOneThatAdoptsIt(t *testing.T) {
	t.Parallel()
	p, behind := newPanel(t), agenttest.EchoServer(t)
	dir, port := dataDir(t, p), agenttest.FreePort(t)
	stop := start(t, dir)
	p.install(1, agenttest.Forward(t, "in", port, behind))
	stop(true)
	require.NoError(t, agenttest.Echo(port, "left serving"))
	start(t, dir)
	p.serves(1)
	require.NoError(t, agenttest.Echo(port, "adopted"))
	result := p.order(agentapi.RestartCore, nil)
	require.True(t, result.OK, result.Error)
	require.NoError(t, agenttest.Echo(port, "restarted"))
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
	p, behind := newPanel(t), agenttest.EchoServer(t)
	dir, port := dataDir(t, p), agenttest.FreePort(t)
	stop := start(t, dir)
	p.install(1, agenttest.Forward(t, "in", port, behind))
	stop(false)
	require.Error(t, agenttest.Echo(port, "stopped"))
	p.server.CloseClientConnections()
	p.server.Close()
	start(t, dir)
	require.Eventually(t, func() bool { return agenttest.Echo(port, "up again") == nil }, 15*time.Second,
		50*time.Millisecond)
}

// An agent that is told to wait does so for as long as it was told, and keeps what it has.
func TestAThrottledAgentWaitsAndLosesNothing(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.busy = 2
	dir := dataDir(t, p)
	began := time.Now()
	stop := start(t, dir)
	require.Eventually(t, func() bool { return countSamples(p) >= 20 }, 60*time.Second, 20*time.Millisecond)
	require.GreaterOrEqual(t, time.Since(began), 4*time.Second, "twice the pause that the panel asked for")
	stop(false)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, batch := range p.batches {
		require.Zero(t, batch.Dropped)
	}
	for seq := range int64(len(p.batches)) {
		require.Contains(t, p.batches, fmt.Sprint(anyBatch(p).StreamID, "/", seq+1), "no number is left out")
	}
}

func countSamples(p *panel) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, batch := range p.batches {
		n += len(batch.Samples)
	}
	return n
}

func anyBatch(p *panel) (batch agentapi.MetricsBatch) {
	for _, batch = range p.batches {
		break
	}
	return batch
}

func TestOnlyOneAgentRunsOnADataFolder(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	dir := dataDir(t, p)
	start(t, dir)
	_, err := New(testOptions(dir))
	require.ErrorIs(t, err, ErrBusy)
}

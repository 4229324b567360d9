package agent

import (
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/cmd/panel-agent/internal/agenttest"
	"panel/platform/agentapi"
)

func apply(p *panel, phase agentapi.ApplyPhase, id string, c agentapi.NodeConfig) agentapi.CommandResult {
	p.t.Helper()
	return p.order(agentapi.ApplyConfig, agentapi.ApplyConfigArgs{
		Phase: phase, ApplyID: id, Revision: c.Revision,
		Hash: c.Hash,
	})
}

func TestAnApplySwitchesAndRevertsAndCommits(t *testing.T) {
	t.Parallel()
	p, behind := newPanel(t), agenttest.EchoServer(t)
	start(t, dataDir(t, p))
	portA, portB := agenttest.FreePort(t), agenttest.FreePort(t)
	one := p.put(1, agenttest.Forward(t, "a", portA, behind))
	two := p.put(2, agenttest.Forward(t, "b", portB, behind))
	p.want(one)
	p.serves(1)

	require.Equal(t, agentapi.CodeNotPrepared, apply(p, agentapi.PhaseSwitch, "x", two).Code)
	require.True(t, apply(p, agentapi.PhasePrepare, "x", two).OK)
	require.NoError(t, agenttest.Echo(portA, "a"))
	switched := apply(p, agentapi.PhaseSwitch, "x", two)
	require.True(t, switched.OK, switched.Error)
	require.NoError(t, agenttest.Echo(portB, "b"))
	require.Equal(t, agentapi.CodeApplyActive, apply(p, agentapi.PhaseSwitch, "other", one).Code)
	require.True(t, apply(p, agentapi.PhaseRevert, "x", two).OK)
	require.NoError(t, agenttest.Echo(portA, "a"))
	p.serves(1)

	require.True(t, apply(p, agentapi.PhasePrepare, "y", two).OK)
	require.True(t, apply(p, agentapi.PhaseSwitch, "y", two).OK)
	require.True(t, apply(p, agentapi.PhaseSwitch, "y", two).OK, "a phase may be repeated")
	p.want(two)
	require.True(t, apply(p, agentapi.PhaseCommit, "y", two).OK)
	require.True(t, apply(p, agentapi.PhaseCommit, "y", two).OK, "a phase may be repeated")
	p.serves(2)
	require.NoError(t, agenttest.Echo(portB, "b"))
}

// Trap 5 of domain.md 4.23: a broken configuration gives the core's words; the live core is untouched.
func TestABrokenConfigurationIsRefusedInTheCoresWords(t *testing.T) {
	t.Parallel()
	p, behind := newPanel(t), agenttest.EchoServer(t)
	start(t, dataDir(t, p))
	port := agenttest.FreePort(t)
	p.install(1, agenttest.Forward(t, "a", port, behind))
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
	}, 60*time.Second, 10*time.Millisecond)
	require.NoError(t, agenttest.Echo(port, "still here"))
	require.Zero(t, p.lastBeat().Core.Restarts)
}

// An agent that hears neither commit nor revert goes back by itself: the node holds revision r or r-1, never a third
// state.
func TestASwitchWithoutCommitIsTakenBackAfterItsHold(t *testing.T) {
	t.Parallel()
	p, behind := newPanel(t), agenttest.EchoServer(t)
	start(t, dataDir(t, p))
	portA, portB := agenttest.FreePort(t), agenttest.FreePort(t)
	p.install(1, agenttest.Forward(t, "a", portA, behind))
	two := p.put(2, agenttest.Forward(t, "b", portB, behind))
	require.True(t, apply(p, agentapi.PhasePrepare, "x", two).OK)
	args := agentapi.ApplyConfigArgs{
		Phase: agentapi.PhaseSwitch, ApplyID: "x", Revision: 2, Hash: two.Hash,
		HoldSeconds: 3,
	}
	require.True(t, p.order(agentapi.ApplyConfig, args).OK)
	p.serves(2)
	p.serves(1)
	require.Equal(t, agentapi.CodeNotPrepared, apply(p, agentapi.PhaseCommit, "x", two).Code)
}

// Figure R2 of quality.md with the real core: the agent is killed at random moments of applies. Every apply converges,
// and no connection of the installed flow fails meanwhile.
func TestRandomKillsOfTheAgentDuringApplies(t *testing.T) {
	t.Parallel()
	p, behind := newPanel(t), agenttest.EchoServer(t)
	dir, port := dataDir(t, p), agenttest.FreePort(t)
	process := runProcess(t, dir)
	p.install(1, agenttest.Forward(t, "in-1", port, behind))
	var made atomic.Int64
	var failures []string
	stop := background(t, func(stop chan struct{}) { killAgain(t, dir, process, stop) }, func(stop chan struct{}) {
		for !closed(stop) {
			made.Add(1)
			if err := agenttest.Echo(port, "x"); err != nil {
				failures = append(failures, err.Error())
			}
		}
	})
	for revision := int64(2); revision <= 6; revision++ {
		next := p.put(revision, agenttest.Forward(t, fmt.Sprint("in-", revision), port, behind))
		id := fmt.Sprint("apply-", revision)
		requireDone(t, apply(p, agentapi.PhasePrepare, id, next))
		requireDone(t, apply(p, agentapi.PhaseSwitch, id, next))
		p.want(next)
		requireDone(t, apply(p, agentapi.PhaseCommit, id, next))
	}
	stop()
	p.serves(6)
	require.Empty(t, failures, "of %d connections", made.Load())
	require.Greater(t, made.Load(), int64(30), "too few to say anything")
}

func requireDone(t *testing.T, result agentapi.CommandResult) {
	t.Helper()
	require.True(t, result.OK, "%s %s %s", result.Code, result.Error, result.StderrTail)
}

// background runs work beside the test, and ends it also when the test fails.
func background(t *testing.T, work ...func(stop chan struct{})) (stop func()) {
	t.Helper()
	ended := make(chan struct{})
	var running sync.WaitGroup
	for _, one := range work {
		running.Go(func() { one(ended) })
	}
	var once sync.Once
	stop = func() { once.Do(func() { close(ended); running.Wait() }) }
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

package commands

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/part"
	"panel/platform/agentapi"
)

var errGone = errors.New("gone")

type panel struct {
	mu   sync.Mutex
	got  []agentapi.CommandResult
	fail atomic.Int64
}

func (p *panel) send(_ context.Context, result agentapi.CommandResult) error {
	if p.fail.Add(-1) >= 0 {
		return errors.New("unreachable")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.got = append(p.got, result)
	return nil
}

func (p *panel) results() []agentapi.CommandResult {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]agentapi.CommandResult(nil), p.got...)
}

func openQueue(t *testing.T, dir string, handle part.Handler) *Queue {
	t.Helper()
	d, err := Open(Options{
		Dir: dir, Handlers: every(handle), Once: []agentapi.CommandKind{agentapi.RestartCore},
		Clock: clockwork.NewRealClock(), Log: zap.NewNop(),
		Skew: func() time.Duration { return 0 }, Refused: func(err error) bool { return errors.Is(err, errGone) },
	})
	require.NoError(t, err)
	return d
}

// every lets one handler carry out all kinds of the closed list.
func every(handle part.Handler) map[agentapi.CommandKind]part.Handler {
	all := map[agentapi.CommandKind]part.Handler{}
	for _, kind := range agentapi.CommandKinds {
		all[kind] = handle
	}
	return all
}

func deliver(t *testing.T, d *Queue, send Sender) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		d.Deliver(ctx, send, func() time.Duration { return time.Millisecond }, func() {})
	}()
	t.Cleanup(func() { cancel(); <-done; d.Close() })
}

func ok(runs *atomic.Int64) part.Handler {
	return func(context.Context, agentapi.Command) agentapi.CommandResult {
		runs.Add(1)
		return agentapi.CommandResult{OK: true, Code: agentapi.CodeDone}
	}
}

func TestARepeatedCommandRunsOnceAndIsAnsweredAgain(t *testing.T) {
	t.Parallel()
	var runs atomic.Int64
	p, dir := &panel{}, t.TempDir()
	d := openQueue(t, dir, ok(&runs))
	deliver(t, d, p.send)
	command := agentapi.Command{ID: "a", Kind: agentapi.CollectLogs}
	require.NoError(t, d.Accept(command))
	require.NoError(t, d.Accept(command))
	require.Eventually(t, func() bool { return len(p.results()) == 1 }, 60*time.Second, time.Millisecond)

	later := openQueue(t, dir, ok(&runs))
	deliver(t, later, p.send)
	require.NoError(t, later.Accept(command))
	require.Eventually(t, func() bool { return len(p.results()) == 2 }, 60*time.Second, time.Millisecond)
	require.EqualValues(t, 1, runs.Load())
	require.Equal(t, p.results()[0], p.results()[1])
}

func TestAResultIsSentUntilThePanelHasIt(t *testing.T) {
	t.Parallel()
	var runs atomic.Int64
	p := &panel{}
	p.fail.Store(5)
	d := openQueue(t, t.TempDir(), ok(&runs))
	deliver(t, d, p.send)
	require.NoError(t, d.Accept(agentapi.Command{ID: "a", Kind: agentapi.Probe}))
	require.Eventually(t, func() bool { return len(p.results()) == 1 }, 60*time.Second, time.Millisecond)
}

func TestAResultThatThePanelRefusesDoesNotBlockTheNext(t *testing.T) {
	t.Parallel()
	var runs atomic.Int64
	p := &panel{}
	d := openQueue(t, t.TempDir(), ok(&runs))
	deliver(t, d, func(ctx context.Context, r agentapi.CommandResult) error {
		if r.ID == "a" {
			return errGone
		}
		return p.send(ctx, r)
	})
	require.NoError(t, d.Accept(agentapi.Command{ID: "a", Kind: agentapi.Probe}))
	require.NoError(t, d.Accept(agentapi.Command{ID: "b", Kind: agentapi.Probe}))
	require.Eventually(t, func() bool { return len(p.results()) == 1 && p.results()[0].ID == "b" }, time.Second,
		time.Millisecond)
}

// A result that makes the panel fail, time after time, does not hold up those behind it.
func TestAResultThatThePanelFailsOnDoesNotBlockTheNext(t *testing.T) {
	t.Parallel()
	var runs atomic.Int64
	p := &panel{}
	d := openQueue(t, t.TempDir(), ok(&runs))
	deliver(t, d, func(ctx context.Context, r agentapi.CommandResult) error {
		if r.ID == "a" {
			return errors.New("the panel answered 500")
		}
		return p.send(ctx, r)
	})
	require.NoError(t, d.Accept(agentapi.Command{ID: "a", Kind: agentapi.Probe}))
	require.NoError(t, d.Accept(agentapi.Command{ID: "b", Kind: agentapi.Probe}))
	require.Eventually(t, func() bool { return len(p.results()) == 1 && p.results()[0].ID == "b" }, time.Second,
		time.Millisecond)
}

func TestWhatACrashCutIsDoneByTheNextRunButARestartIsNot(t *testing.T) {
	t.Parallel()
	dir, p := t.TempDir(), &panel{}
	first := openQueue(t, dir, func(ctx context.Context, _ agentapi.Command) agentapi.CommandResult {
		<-ctx.Done()
		return agentapi.CommandResult{}
	})
	require.NoError(t, first.Accept(agentapi.Command{ID: "apply", Kind: agentapi.ApplyConfig}))
	require.NoError(t, first.Accept(agentapi.Command{ID: "restart", Kind: agentapi.RestartCore}))
	first.Close()

	var runs atomic.Int64
	second := openQueue(t, dir, ok(&runs))
	second.Resume()
	deliver(t, second, p.send)
	require.Eventually(t, func() bool { return len(p.results()) == 2 }, 60*time.Second, time.Millisecond)
	for _, result := range p.results() {
		want := map[string]agentapi.ResultCode{
			"apply":   agentapi.CodeDone,
			"restart": agentapi.CodeInterrupted,
		}[result.ID]
		require.Equal(t, want, result.Code)
	}
	require.EqualValues(t, 1, runs.Load())
}

func TestACommandBeyondItsDeadlineIsNotStarted(t *testing.T) {
	t.Parallel()
	var runs atomic.Int64
	p := &panel{}
	d := openQueue(t, t.TempDir(), ok(&runs))
	d.Skew = func() time.Duration { return time.Hour } // the panel's clock is ahead, and its deadline counts
	deliver(t, d, p.send)
	require.NoError(t, d.Accept(agentapi.Command{
		ID: "late", Kind: agentapi.Probe,
		Deadline: time.Now().Add(time.Minute),
	}))
	require.NoError(t, d.Accept(agentapi.Command{
		ID: "fresh", Kind: agentapi.Probe,
		Deadline: time.Now().Add(2 * time.Hour),
	}))
	require.Eventually(t, func() bool { return len(p.results()) == 2 }, 60*time.Second, time.Millisecond)
	require.EqualValues(t, 1, runs.Load())
}

// Many results do not wait for each other's way to the panel, and never flood it.
func TestResultsAreSentSomeAtOnce(t *testing.T) {
	t.Parallel()
	var runs, sending, most atomic.Int64
	p := &panel{}
	d := openQueue(t, t.TempDir(), ok(&runs))
	const commands = 3 * mostSending
	for i := range commands {
		require.NoError(t, d.Accept(agentapi.Command{ID: string(rune('a' + i)), Kind: agentapi.Probe}))
	}
	require.Eventually(t, func() bool { return len(d.unsent()) == commands }, 60*time.Second, time.Millisecond)
	release := make(chan struct{})
	deliver(t, d, func(ctx context.Context, r agentapi.CommandResult) error {
		now := sending.Add(1)
		defer sending.Add(-1)
		for seen := most.Load(); now > seen && !most.CompareAndSwap(seen, now); seen = most.Load() {
		}
		<-release
		return p.send(ctx, r)
	})
	require.Eventually(t, func() bool { return sending.Load() == mostSending }, 60*time.Second, time.Millisecond)
	close(release)
	require.Eventually(t, func() bool { return len(p.results()) == commands }, 60*time.Second, time.Millisecond)
	require.EqualValues(t, mostSending, most.Load())
}

func TestAKindOutsideTheClosedListIsNotSupported(t *testing.T) {
	t.Parallel()
	var runs atomic.Int64
	p := &panel{}
	q := openQueue(t, t.TempDir(), ok(&runs))
	deliver(t, q, p.send)
	require.NoError(t, q.Accept(agentapi.Command{ID: "shell", Kind: "run_shell"}))
	require.Eventually(t, func() bool { return len(p.results()) == 1 }, 60*time.Second, time.Millisecond)
	require.Equal(t, agentapi.CodeNotSupported, p.results()[0].Code)
	require.False(t, p.results()[0].OK)
	require.Zero(t, runs.Load())
}

func TestACommandThatPanicsFailsAloneAndTheNextRuns(t *testing.T) {
	t.Parallel()
	p := &panel{}
	q := openQueue(t, t.TempDir(), func(_ context.Context, c agentapi.Command) agentapi.CommandResult {
		if c.ID == "bad" {
			panic("a part is broken")
		}
		return agentapi.CommandResult{OK: true, Code: agentapi.CodeDone}
	})
	deliver(t, q, p.send)
	require.NoError(t, q.Accept(agentapi.Command{ID: "bad", Kind: agentapi.Probe}))
	require.NoError(t, q.Accept(agentapi.Command{ID: "good", Kind: agentapi.Probe}))
	require.Eventually(t, func() bool { return len(p.results()) == 2 }, 60*time.Second, time.Millisecond)
	for _, result := range p.results() {
		require.Equal(t, result.ID == "good", result.OK)
	}
}

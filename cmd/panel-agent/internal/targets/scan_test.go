package targets

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/cmd/panel-agent/internal/part"
	"panel/platform/agentapi"
)

// held is a look that takes until it is released, and counts how many are under way.
type held struct {
	release   chan struct{}
	now, most atomic.Int64
	began     chan struct{}
}

func (h *held) at(ctx context.Context, target agentapi.ScanTarget) agentapi.TargetFinding {
	n := h.now.Add(1)
	defer h.now.Add(-1)
	for most := h.most.Load(); n > most && !h.most.CompareAndSwap(most, n); most = h.most.Load() {
	}
	h.began <- struct{}{}
	select {
	case <-ctx.Done():
	case <-h.release:
	}
	return agentapi.TargetFinding{Target: target.Host}
}

// kept collects findings.
type kept struct {
	mu   sync.Mutex
	list []agentapi.TargetFinding
}

func (k *kept) add(f agentapi.TargetFinding) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list = append(k.list, f)
	return nil
}

// quick is a clock whose waits are over at once.
type quick struct{ clockwork.Clock }

func (q quick) After(time.Duration) <-chan time.Time {
	done := make(chan time.Time, 1)
	done <- time.Time{}
	return done
}

func newHeld() *held { return &held{release: make(chan struct{}), began: make(chan struct{}, 1024)} }

func scanOf(n int) agentapi.ScanTargetsArgs {
	args := agentapi.ScanTargetsArgs{SearchID: "s", Concurrency: 4}
	for range n {
		args.Targets = append(args.Targets, agentapi.ScanTarget{Host: "www.example.org", Port: 443})
	}
	return args
}

func codeOf(err error) agentapi.ResultCode {
	var described part.Describer
	var result agentapi.CommandResult
	if errors.As(err, &described) {
		described.Describe(&result)
	}
	return result.Code
}

// Rule: each target gives one finding with its number, and never more are tried at once than was asked for.
func TestAScanTriesEachTargetOnceAndFewAtOnce(t *testing.T) {
	t.Parallel()
	h, k := newHeld(), new(kept)
	close(h.release)
	data, err := newScanner(h, k.add, quick{clockwork.NewRealClock()}).do(t.Context(), scanOf(40))
	require.NoError(t, err)
	require.Equal(t, agentapi.ScanTargetsData{Scanned: 40}, data)
	require.LessOrEqual(t, h.most.Load(), int64(4))
	seen := map[int]bool{}
	for _, f := range k.list {
		require.Equal(t, "s", f.SearchID)
		seen[f.Number] = true
	}
	require.Len(t, seen, 40)
}

// Rule: all scans of an agent together try at most 32 targets at once.
func TestAllScansShareTheBound(t *testing.T) {
	t.Parallel()
	h := newHeld()
	s := newScanner(h, new(kept).add, quick{clockwork.NewRealClock()})
	ctx, cancel := context.WithCancel(t.Context())
	var scans sync.WaitGroup
	for _, id := range []string{"a", "b", "c"} {
		args := scanOf(60)
		args.SearchID, args.Concurrency = id, agentapi.MaxScanAtOnce
		scans.Go(func() { _, _ = s.do(ctx, args) })
	}
	for range agentapi.MaxScanAtOnce {
		<-h.began
	}
	require.EqualValues(t, agentapi.MaxScanAtOnce, h.now.Load())
	cancel()
	scans.Wait()
	require.EqualValues(t, agentapi.MaxScanAtOnce, h.most.Load())
}

// Rule: a stop ends a scan at once, also one that has not begun; what was being looked at is no finding.
func TestAScanIsStopped(t *testing.T) {
	t.Parallel()
	h, k := newHeld(), new(kept)
	s := newScanner(h, k.add, quick{clockwork.NewRealClock()})
	ended := make(chan agentapi.ScanTargetsData, 1)
	go func() {
		data, _ := s.do(t.Context(), scanOf(40))
		ended <- data
	}()
	<-h.began
	stop := agentapi.ScanTargetsArgs{SearchID: "s", Stop: true}
	_, err := s.do(t.Context(), stop)
	require.NoError(t, err)
	require.Equal(t, agentapi.ScanTargetsData{Stopped: true}, <-ended)
	require.Empty(t, k.list)

	_, err = s.do(t.Context(), stop)
	require.NoError(t, err)
	data, err := s.do(t.Context(), scanOf(40))
	require.NoError(t, err)
	require.Equal(t, agentapi.ScanTargetsData{Stopped: true}, data)
	require.Empty(t, s.running)
	require.Empty(t, s.slots)
}

// Rule: a scan ends with its command's deadline, and says so.
func TestAScanEndsWithItsDeadline(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	h := newHeld()
	_, err := newScanner(h, new(kept).add, quick{clockwork.NewRealClock()}).do(ctx, scanOf(2))
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestAFindingThatCannotBeWrittenDownFailsTheScan(t *testing.T) {
	t.Parallel()
	h, full := newHeld(), errors.New("the disk is full")
	close(h.release)
	s := newScanner(h, func(agentapi.TargetFinding) error { return full }, quick{clockwork.NewRealClock()})
	data, err := s.do(t.Context(), scanOf(3))
	require.ErrorIs(t, err, full)
	require.Zero(t, data.Scanned)
}

func TestArgumentsThatMakeNoSenseAreRefused(t *testing.T) {
	t.Parallel()
	s := newScanner(newHeld(), new(kept).add, quick{clockwork.NewRealClock()})
	for name, change := range map[string]func(*agentapi.ScanTargetsArgs){
		"no id":         func(a *agentapi.ScanTargetsArgs) { a.SearchID = "" },
		"no targets":    func(a *agentapi.ScanTargetsArgs) { a.Targets = nil },
		"too many":      func(a *agentapi.ScanTargetsArgs) { a.Targets = scanOf(agentapi.MaxScanTargets + 1).Targets },
		"no host":       func(a *agentapi.ScanTargetsArgs) { a.Targets[0].Host = "" },
		"no port":       func(a *agentapi.ScanTargetsArgs) { a.Targets[0].Port = 65536 },
		"many at once":  func(a *agentapi.ScanTargetsArgs) { a.Concurrency = agentapi.MaxScanAtOnce + 1 },
		"long time":     func(a *agentapi.ScanTargetsArgs) { a.Seconds = agentapi.MaxScanSeconds + 1 },
		"negative time": func(a *agentapi.ScanTargetsArgs) { a.Seconds = -1 },
	} {
		args := scanOf(1)
		change(&args)
		_, err := s.do(t.Context(), args)
		require.Equal(t, agentapi.CodeBadArgs, codeOf(err), name)
	}
}

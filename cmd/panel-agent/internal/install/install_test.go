package install

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/core"
	"panel/platform/agentapi"
)

// fakeCore serves hashes in memory. alive outlives an installer, as core processes outlive an agent.
type fakeCore struct {
	alive  []core.Meta
	swaps  int
	refuse error
	start  error
	at     func(moment string)
}

func (f *fakeCore) Check(context.Context, []byte) error { return f.refuse }

func (f *fakeCore) Swap(_ context.Context, spec core.Spec) error {
	f.moment("before the new core listens")
	if f.start != nil {
		return f.start
	}
	f.swaps++
	f.alive = append(f.alive, core.Meta{Revision: spec.Revision, Hash: spec.Hash})
	f.moment("both cores listen")
	f.alive = f.alive[len(f.alive)-1:]
	f.moment("the old core is gone")
	return nil
}

func (f *fakeCore) moment(name string) {
	if f.at != nil {
		f.at(name)
	}
}

func (f *fakeCore) Start(ctx context.Context, spec core.Spec) error { return f.Swap(ctx, spec) }
func (f *fakeCore) Clear(context.Context, int64, string)            { f.alive = nil }
func (f *fakeCore) Relabel(int64)                                   {}

func (f *fakeCore) Adopt(_ context.Context, wanted ...string) (core.Meta, bool) {
	for _, hash := range wanted {
		for _, meta := range f.alive {
			if meta.Hash == hash {
				f.alive = []core.Meta{meta}
				return meta, true
			}
		}
	}
	if len(f.alive) == 0 {
		return core.Meta{}, false
	}
	f.alive = f.alive[len(f.alive)-1:]
	return f.alive[0], true
}

func (f *fakeCore) serves() string {
	if len(f.alive) == 0 {
		return ""
	}
	return f.alive[len(f.alive)-1].Hash
}

// source knows every revision; its content names the revision.
type source struct{ fetched []int64 }

func (s *source) Config(_ context.Context, revision int64) (agentapi.NodeConfig, error) {
	s.fetched = append(s.fetched, revision)
	if revision > 100 {
		return agentapi.NodeConfig{}, errors.New("unreachable")
	}
	return configOf(revision), nil
}

func configOf(revision int64) agentapi.NodeConfig {
	config := agentapi.NodeConfig{Revision: revision, Core: json.RawMessage(fmt.Sprintf(`{"r":%d}`, revision))}
	config.Hash, _ = config.ContentHash()
	return config
}

func hash(revision int64) string { return configOf(revision).Hash }

func newInstaller(t *testing.T, dir string, c Core, clock clockwork.Clock) *Installer {
	t.Helper()
	i, err := New(Options{
		Dir: dir, Core: c, Source: &source{}, Clock: clock, Log: zap.NewNop(),
		Release: func(string, int) {}, Changed: func() {},
	})
	require.NoError(t, err)
	require.NoError(t, i.Boot(context.Background()))
	return i
}

func phase(i *Installer, p agentapi.ApplyPhase, revision int64) error {
	_, err := i.Apply(context.Background(), agentapi.ApplyConfigArgs{
		Phase: p, ApplyID: fmt.Sprint("apply-", revision),
		Revision: revision, Hash: hash(revision),
	})
	return err
}

func install(t *testing.T, i *Installer, revision int64) {
	t.Helper()
	for _, p := range []agentapi.ApplyPhase{agentapi.PhasePrepare, agentapi.PhaseSwitch, agentapi.PhaseCommit} {
		require.NoError(t, phase(i, p, revision), p)
	}
}

func running(i *Installer) int64 { revision, _, _ := i.Running(); return revision }

// Figure R2 of quality.md: killed at any named step, the node holds exactly revision r or r-1, and the second run
// converges.
func TestKilledAtAnyStepOfASwitchTheNodeHoldsTheOldOrTheNewRevision(t *testing.T) {
	t.Parallel()
	want := map[string]int64{"before the new core listens": 1, "both cores listen": 2, "the old core is gone": 2}
	for moment, expected := range want {
		dir, clock, fake := t.TempDir(), clockwork.NewFakeClock(), &fakeCore{}
		first := newInstaller(t, dir, fake, clock)
		install(t, first, 1)
		require.NoError(t, phase(first, agentapi.PhasePrepare, 2))
		frozen, alive := t.TempDir(), []core.Meta(nil)
		fake.at = func(now string) {
			if now == moment {
				require.NoError(t, os.CopyFS(frozen, os.DirFS(dir)))
				alive = slices.Clone(fake.alive)
			}
		}
		require.NoError(t, phase(first, agentapi.PhaseSwitch, 2))

		later := &fakeCore{alive: alive}
		second := newInstaller(t, frozen, later, clock)
		require.Equal(t, expected, running(second), moment)
		require.Equal(t, hash(expected), later.serves(), moment)
		install(t, second, 2)
		require.EqualValues(t, 2, running(second), moment)
		require.Equal(t, hash(2), later.serves(), moment)
	}
}

func TestAfterARebootAnUncommittedSwitchIsForgotten(t *testing.T) {
	t.Parallel()
	dir, clock, fake := t.TempDir(), clockwork.NewFakeClock(), &fakeCore{}
	first := newInstaller(t, dir, fake, clock)
	install(t, first, 1)
	require.NoError(t, phase(first, agentapi.PhasePrepare, 2))
	require.NoError(t, phase(first, agentapi.PhaseSwitch, 2))
	rebooted := newInstaller(t, dir, &fakeCore{}, clock)
	require.EqualValues(t, 1, running(rebooted))
}

func TestEqualContentUnderANewRevisionTouchesNoCore(t *testing.T) {
	t.Parallel()
	fake := &fakeCore{}
	i := newInstaller(t, t.TempDir(), fake, clockwork.NewFakeClock())
	install(t, i, 1)
	i.Desired(agentapi.Desired{DesiredRevision: 9, DesiredHash: hash(1)})
	require.Zero(t, i.follow(context.Background()))
	require.EqualValues(t, 9, running(i))
	require.Equal(t, 1, fake.swaps)
}

func TestASecondApplyWaitsForTheFirst(t *testing.T) {
	t.Parallel()
	i := newInstaller(t, t.TempDir(), &fakeCore{}, clockwork.NewFakeClock())
	install(t, i, 1)
	require.NoError(t, phase(i, agentapi.PhasePrepare, 2))
	require.NoError(t, phase(i, agentapi.PhasePrepare, 3))
	require.NoError(t, phase(i, agentapi.PhaseSwitch, 2))
	var failure *Failure
	require.ErrorAs(t, phase(i, agentapi.PhaseSwitch, 3), &failure)
	require.Equal(t, agentapi.CodeApplyActive, failure.Code)
	require.NoError(t, phase(i, agentapi.PhaseRevert, 2))
	require.NoError(t, phase(i, agentapi.PhaseSwitch, 3))
}

func TestASwitchHoldsAgainstTheDesiredRevisionUntilItsTimeIsOver(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClock()
	i := newInstaller(t, t.TempDir(), &fakeCore{}, clock)
	install(t, i, 1)
	require.NoError(t, phase(i, agentapi.PhasePrepare, 2))
	require.NoError(t, phase(i, agentapi.PhaseSwitch, 2))
	i.Desired(agentapi.Desired{DesiredRevision: 1, DesiredHash: hash(1)})
	require.Equal(t, defaultHold, i.follow(context.Background()))
	require.EqualValues(t, 2, running(i))
	clock.Advance(defaultHold + time.Second)
	require.Zero(t, i.follow(context.Background()))
	require.EqualValues(t, 1, running(i))
}

func TestAFailedStartLeavesTheStateAsItWas(t *testing.T) {
	t.Parallel()
	fake := &fakeCore{}
	i := newInstaller(t, t.TempDir(), fake, clockwork.NewFakeClock())
	install(t, i, 1)
	require.NoError(t, phase(i, agentapi.PhasePrepare, 2))
	fake.start = &core.StartFailed{Words: "address already in use"}
	var failure *Failure
	require.ErrorAs(t, phase(i, agentapi.PhaseSwitch, 2), &failure)
	require.Equal(t, agentapi.CodeStartFailed, failure.Code)
	require.Contains(t, failure.Words, "address already in use")
	require.EqualValues(t, 1, running(i))
	require.Nil(t, i.state.Switching)
}

func TestACrashLoopingConfigurationIsAvoidedUntilAnApplyAsksForItAgain(t *testing.T) {
	t.Parallel()
	i := newInstaller(t, t.TempDir(), &fakeCore{}, clockwork.NewFakeClock())
	install(t, i, 1)
	install(t, i, 2)
	i.CrashLoop(core.Meta{Revision: 2, Hash: hash(2)}, "panic: boom")
	require.EqualValues(t, 1, running(i))
	outcome, found := i.Outcome()
	require.True(t, found)
	require.False(t, outcome.OK)
	require.Equal(t, "panic: boom", outcome.StderrTail)
	i.Desired(agentapi.Desired{DesiredRevision: 2, DesiredHash: hash(2)})
	require.Zero(t, i.follow(context.Background()))
	require.EqualValues(t, 1, running(i))
	install(t, i, 2)
	require.EqualValues(t, 2, running(i))
}

func TestAnUnreachablePanelIsAskedAgainWithRisingPauses(t *testing.T) {
	t.Parallel()
	i := newInstaller(t, t.TempDir(), &fakeCore{}, clockwork.NewFakeClock())
	i.Desired(agentapi.Desired{DesiredRevision: 101, DesiredHash: "h"})
	require.Equal(t, firstRetry, i.follow(context.Background()))
	require.Equal(t, 2*firstRetry, i.follow(context.Background()))
	_, reported := i.Outcome()
	require.False(t, reported, "a panel that is away needs no report of it")
}

func TestOldConfigurationsAreSwept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	i := newInstaller(t, dir, &fakeCore{}, clockwork.NewFakeClock())
	for revision := range int64(10) {
		install(t, i, revision+1)
	}
	entries, err := os.ReadDir(dir + "/" + configDir)
	require.NoError(t, err)
	require.Len(t, entries, 2, "the last good one and the one before it")
}

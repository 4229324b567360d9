package watches

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/platform/agentapi"
)

// world is what a watcher looks at, and what it has told.
type world struct {
	*watcher
	fake *clockwork.FakeClock

	mu    sync.Mutex
	down  map[string]bool
	mute  map[string]bool
	looks map[string][]time.Time
	told  [][]agentapi.CheckResult
	fail  bool
	loose bool // what is urgent may wait
}

const skew = 10 * time.Minute

func newWorld(t *testing.T, watches ...agentapi.Watch) *world {
	t.Helper()
	w := &world{
		fake: clockwork.NewFakeClock(), down: map[string]bool{}, mute: map[string]bool{},
		looks: map[string][]time.Time{},
	}
	w.watcher = newWatcher(w.see, w.tell, func() time.Duration { return skew }, w.fake, zap.NewNop())
	w.set(watches)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); w.run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return w
}

func (w *world) see(_ context.Context, one agentapi.Watch) (agentapi.CheckResult, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looks[one.ID] = append(w.looks[one.ID], w.fake.Now())
	return agentapi.CheckResult{WatchID: one.ID, At: w.fake.Now(), OK: !w.down[one.ID]}, !w.mute[one.ID]
}

func (w *world) tell(items ...any) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fail {
		return errors.New("no space left")
	}
	batch := make([]agentapi.CheckResult, len(items))
	for i, item := range items {
		batch[i], _ = item.(agentapi.CheckResult)
	}
	w.told = append(w.told, batch)
	return nil
}

func (w *world) turn(id string, down bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down[id] = down
}

func (w *world) seen(id string) []time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]time.Time{}, w.looks[id]...)
}

func (w *world) results() (all []agentapi.CheckResult) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, batch := range w.told {
		all = append(all, batch...)
	}
	return all
}

// passes lets time go by in steps of a second until so much is over.
func (w *world) passes(t *testing.T, d time.Duration) {
	t.Helper()
	for range int(d / time.Second) {
		w.step(t)
	}
}

func (w *world) step(t *testing.T) {
	t.Helper()
	require.NoError(t, w.fake.BlockUntilContext(t.Context(), 1))
	w.fake.Advance(time.Second)
	require.Eventually(t, func() bool {
		if w.idle() {
			return true
		}
		w.wakeUp() // a timer that was set while the clock moved is late by the step
		return false
	}, time.Minute, time.Millisecond)
}

// idle says that all that is due was looked at.
func (w *world) idle() bool {
	w.watcher.mu.Lock()
	defer w.watcher.mu.Unlock()
	now := w.fake.Now()
	for _, one := range w.watches {
		if one.busy || !one.next.After(now) {
			return false
		}
	}
	return !w.urgent || w.loose
}

func every(id string, seconds int) agentapi.Watch {
	return agentapi.Watch{
		ID: id, Type: agentapi.WatchTCP, Address: "192.0.2.1:1", IntervalSeconds: seconds, TimeoutSeconds: 5,
		RecheckCount: 3, RecheckSeconds: 5,
	}
}

func TestEachWatchIsLookedAtOnceInItsInterval(t *testing.T) {
	t.Parallel()
	watches := make([]agentapi.Watch, 40)
	for i := range watches {
		watches[i] = every(fmt.Sprint("watch ", i), 30)
	}
	w := newWorld(t, watches...)
	w.passes(t, 120*time.Second)
	moments := map[time.Time]int{}
	for _, one := range watches {
		seen := w.seen(one.ID)
		require.GreaterOrEqual(t, len(seen), 4, one.ID)
		require.LessOrEqual(t, len(seen), 5, one.ID)
		for i := range seen[1:] {
			require.Equal(t, 30*time.Second, seen[i+1].Sub(seen[i]).Round(time.Second))
		}
		moments[seen[0]]++
	}
	require.Greater(t, len(moments), 10, "they begin at different moments")
}

// Defaults of the design: the first failure is looked into three times, five seconds apart, and each is told at once.
func TestTheFirstFailureIsLookedIntoQuicklyAndToldAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, every("a", 30))
	w.passes(t, 60*time.Second)
	w.turn("a", true)
	before := len(w.seen("a"))
	w.passes(t, 60*time.Second)
	seen := w.seen("a")[before:]
	require.GreaterOrEqual(t, len(seen), 4)
	for i := range 3 {
		require.InDelta(t, 5, seen[i+1].Sub(seen[i]).Seconds(), 1)
	}
	require.InDelta(t, 30, seen[4].Sub(seen[3]).Seconds(), 1, "then in its interval again")
	failed := 0
	for _, r := range w.results() {
		if !r.OK {
			failed++
		}
	}
	require.GreaterOrEqual(t, failed, 4)
}

// Results that say nothing new are gathered: a batch costs the panel the same for one and for many.
func TestResultsThatSayNothingNewAreGathered(t *testing.T) {
	t.Parallel()
	watches := make([]agentapi.Watch, 20)
	for i := range watches {
		watches[i] = every(fmt.Sprint("watch ", i), 10)
	}
	w := newWorld(t, watches...)
	w.passes(t, 20*time.Second)
	w.mu.Lock()
	begun := len(w.told)
	w.mu.Unlock()
	w.passes(t, 60*time.Second)
	w.mu.Lock()
	defer w.mu.Unlock()
	require.LessOrEqual(t, len(w.told)-begun, 6, "120 results in at most a batch for 15 seconds")
}

// An agent's clock may be wrong: results are told in the panel's time.
func TestResultsAreToldByThePanelsClock(t *testing.T) {
	t.Parallel()
	w := newWorld(t, every("a", 10))
	w.passes(t, 11*time.Second)
	require.Eventually(t, func() bool { return len(w.results()) > 0 }, time.Minute, time.Millisecond)
	require.Equal(t, w.seen("a")[0].Add(skew), w.results()[0].At)
}

func TestAWatchWithANewNumberIsLookedAtAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, every("a", 3600))
	run := every("a", 3600)
	run.Run = 1
	w.set([]agentapi.Watch{run})
	require.Eventually(t, func() bool { return len(w.results()) == 1 }, time.Minute, time.Millisecond)
	w.set([]agentapi.Watch{run})
	w.passes(t, 20*time.Second)
	require.Len(t, w.seen("a"), 1, "the same number again is no new one")
}

func TestAWatchThatIsGoneIsNotLookedAtAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, every("a", 10), every("b", 10))
	w.passes(t, 15*time.Second)
	w.set([]agentapi.Watch{every("b", 10)})
	before := len(w.seen("a"))
	w.passes(t, 30*time.Second)
	require.Len(t, w.seen("a"), before)
	require.Greater(t, len(w.seen("b")), 3)
}

// A look that cannot say anything is no result.
func TestALookThatSaysNothingIsNoResult(t *testing.T) {
	t.Parallel()
	w := newWorld(t, every("a", 10))
	w.mu.Lock()
	w.mute["a"] = true
	w.mu.Unlock()
	w.passes(t, 60*time.Second)
	require.NotEmpty(t, w.seen("a"))
	require.Empty(t, w.results())
}

// A full disk loses nothing that fits into a batch.
func TestResultsThatCannotBeWrittenDownAreWrittenLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t, every("a", 10))
	w.mu.Lock()
	w.fail, w.loose = true, true
	w.mu.Unlock()
	w.passes(t, 30*time.Second)
	looked := len(w.seen("a"))
	require.Empty(t, w.results())
	w.mu.Lock()
	w.fail = false
	w.mu.Unlock()
	w.passes(t, 20*time.Second)
	require.Eventually(t, func() bool { return len(w.results()) >= looked }, time.Minute, time.Millisecond)
}

func TestWatchesThatCannotBeUsedAreRefusedAsAWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, every("a", 10))
	bad := every("b", 10)
	bad.Type = "icmp"
	for _, content := range []any{
		"text",
		agentapi.Watches{Watches: []agentapi.Watch{bad}},
		agentapi.Watches{Watches: []agentapi.Watch{every("b", 0)}},
		agentapi.Watches{Watches: []agentapi.Watch{every("b", 1), every("b", 1)}},
		agentapi.Watches{Watches: make([]agentapi.Watch, agentapi.MaxWatches+1)},
	} {
		raw, err := json.Marshal(content)
		require.NoError(t, err)
		require.Error(t, w.apply(t.Context(), raw))
	}
	w.watcher.mu.Lock()
	require.Contains(t, w.watches, "a")
	w.watcher.mu.Unlock()
	raw, err := json.Marshal(agentapi.Watches{Watches: []agentapi.Watch{every("c", 10)}})
	require.NoError(t, err)
	require.NoError(t, w.apply(t.Context(), raw))
	w.watcher.mu.Lock()
	defer w.watcher.mu.Unlock()
	require.Len(t, w.watches, 1)
	require.Contains(t, w.watches, "c")
}

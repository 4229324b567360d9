package watches

import (
	"context"
	"hash/fnv"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/platform/agentapi"
)

const (
	// atOnce bounds the looks that are under way.
	atOnce = 32
	// gather is how long results wait for others when nothing has changed.
	gather = 15 * time.Second
	most   = 150 // results that wait for others
)

// watcher looks at each watch when it is due. A result that is unlike the one before is looked into quickly and told at
// once; all others are gathered.
type watcher struct {
	look  func(context.Context, agentapi.Watch) (agentapi.CheckResult, bool)
	send  func(...any) error
	skew  func() time.Duration
	clock clockwork.Clock
	log   *zap.Logger
	wake  chan struct{}
	slots chan struct{}

	mu      sync.Mutex
	watches map[string]*watching
	waiting []any
	oldest  time.Time // of what waits
	urgent  bool
}

// watching is how a watch stands.
type watching struct {
	agentapi.Watch
	next   time.Time
	busy   bool
	known  bool // there was a result
	ok     bool
	quick  int // looks that follow quickly
	atOnce bool
}

func newWatcher(
	look func(context.Context, agentapi.Watch) (agentapi.CheckResult, bool), send func(...any) error,
	skew func() time.Duration, clock clockwork.Clock, log *zap.Logger,
) *watcher {
	return &watcher{
		look: look, send: send, skew: skew, clock: clock, log: log, wake: make(chan struct{}, 1),
		slots: make(chan struct{}, atOnce), watches: map[string]*watching{},
	}
}

// set makes these the watches. One that stays as it was keeps its time; a new one begins at a moment of its interval
// that follows from its id, so that a fleet does not look in one second.
func (w *watcher) set(wanted []agentapi.Watch) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now, kept := w.clock.Now(), map[string]*watching{}
	for _, one := range wanted {
		before := w.watches[one.ID]
		switch {
		case before == nil:
			before = &watching{Watch: one, next: now.Add(phase(one))}
		case before.Run != one.Run:
			before.next, before.atOnce = now, true
		}
		before.Watch = one
		if latest := now.Add(interval(one)); before.next.After(latest) {
			before.next = latest
		}
		kept[one.ID] = before
	}
	w.watches = kept
	w.wakeUp()
}

func phase(w agentapi.Watch) time.Duration {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(w.ID))
	return time.Duration(hash.Sum32()) * time.Millisecond % interval(w)
}

func interval(w agentapi.Watch) time.Duration { return time.Duration(w.IntervalSeconds) * time.Second }

func (w *watcher) wakeUp() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// run looks until the context ends. What is found by then is on the disk.
func (w *watcher) run(ctx context.Context) {
	var looks sync.WaitGroup
	defer func() { looks.Wait(); w.flush() }()
	for ctx.Err() == nil {
		due, next := w.due()
		for _, one := range due {
			select {
			case w.slots <- struct{}{}:
			case <-ctx.Done():
				return
			}
			looks.Go(func() { w.once(ctx, one); <-w.slots })
		}
		timer := w.clock.NewTimer(next)
		select {
		case <-ctx.Done():
		case <-w.wake:
		case <-timer.Chan():
		}
		timer.Stop()
	}
}

// due takes the watches whose time has come, and gives how long nothing else is to do.
func (w *watcher) due() (due []agentapi.Watch, next time.Duration) {
	w.mu.Lock()
	now := w.clock.Now()
	next = gather
	for _, one := range w.watches {
		if one.busy {
			continue
		}
		if left := one.next.Sub(now); left > 0 {
			next = min(next, left)
			continue
		}
		one.busy = true
		due = append(due, one.Watch)
	}
	flush := len(w.waiting) > 0 && (w.urgent || len(w.waiting) >= most || now.Sub(w.oldest) >= gather)
	if !flush && len(w.waiting) > 0 {
		next = min(next, gather-now.Sub(w.oldest))
	}
	w.mu.Unlock()
	if flush {
		w.flush()
	}
	return due, next
}

func (w *watcher) once(ctx context.Context, watch agentapi.Watch) {
	result, said := w.look(ctx, watch)
	if ctx.Err() != nil {
		return // the agent ends, and that is not what was looked at
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	defer w.wakeUp()
	now := w.clock.Now()
	if said {
		result.At = result.At.Add(w.skew())
		if len(w.waiting) == 0 {
			w.oldest = now
		}
		w.waiting = append(w.waiting, result)
	}
	at := w.watches[watch.ID]
	if at == nil {
		return
	}
	at.busy = false
	pause := interval(at.Watch)
	if said {
		changed := at.known && at.ok != result.OK || !at.known && !result.OK
		if changed {
			at.quick = at.RecheckCount
		}
		if w.urgent = w.urgent || changed || at.quick > 0 || at.atOnce || !at.known; at.quick > 0 {
			if !changed {
				at.quick--
			}
			if at.quick > 0 {
				pause = min(pause, time.Duration(at.RecheckSeconds)*time.Second)
			}
		}
		at.known, at.ok = true, result.OK
	}
	at.atOnce = false
	if at.next = at.next.Add(pause); at.next.Before(now) || at.quick > 0 {
		at.next = now.Add(pause)
	}
}

// flush puts what waits into the batches.
func (w *watcher) flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.waiting) == 0 {
		return
	}
	if err := w.send(w.waiting...); err != nil {
		w.log.Error("results of checks could not be written down", zap.Error(err))
		if len(w.waiting) < agentapi.MaxBatchItems {
			w.oldest = w.clock.Now() // they wait for the next time
			return
		}
	}
	w.waiting, w.urgent = nil, false
}

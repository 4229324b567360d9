package abuse

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/abuse/detect"
	"panel/cmd/panel-agent/internal/abuse/diversity"
	"panel/cmd/panel-agent/internal/abuse/places"
	"panel/cmd/panel-agent/internal/abuse/record"
	"panel/cmd/panel-agent/internal/batches"
	"panel/cmd/panel-agent/internal/core"
	"panel/cmd/panel-agent/internal/core/sensor"
	"panel/platform/agentapi"
)

// Pace of the work.
const (
	look        = time.Second
	flushPause  = 10 * time.Second
	windowSpan  = 5 * time.Minute
	mostAtOnce  = 1024      // events of one answer of a core
	blockedRest = time.Hour // after which a panel without a license for it is asked again
)

// cores are what the watcher needs of the supervisor.
type cores interface {
	Cores() []string
	Entrances() []core.Entrance
	Streams(ctx context.Context, core string, order sensor.Order) (sensor.Heard, error)
}

// heard is how far the agent is with the events of one core.
type heard struct {
	after  int64 // taken
	had    int64 // durable, or of no use any more
	lost   int64
	synced bool // the streams that were open at the beginning are known
	failed bool
}

// watcher follows the streams of all cores.
type watcher struct {
	cores cores
	skew  func() time.Duration
	clock clockwork.Clock
	log   *zap.Logger

	signals, diversity *batches.Stream
	record             *record.Record
	span               time.Duration // of a window of diversity

	wanted  atomic.Bool  // what is found goes to the panel
	blocked atomic.Int64 // when the panel said that it has no license for it, in nanoseconds since 1970; 0: it has

	mu       sync.Mutex
	watch    agentapi.AbuseWatch
	told     map[string]bool // clients whose addresses are told
	on       bool
	off      map[string]bool // cores that know that nobody listens
	cored    map[string]*heard
	detector *detect.Detector
	window   *diversity.Window
	places   *places.Places
	lines    map[record.Line]int
	signalAt positions // where an earlier agent was
	recordAt positions
	hides    map[string]bool // inbounds that do not show where sessions come from
	began    time.Time       // of the window
	whole    bool
	flushed  time.Time
}

func newWatcher(
	from cores, where *places.Places, skew func() time.Duration, clock clockwork.Clock, log *zap.Logger,
) *watcher {
	w := &watcher{cores: from, skew: skew, clock: clock, log: log.Named("abuse"), span: windowSpan, places: where}
	w.off, w.signalAt, w.recordAt = map[string]bool{}, positions{}, positions{}
	w.reset()
	return w
}

// reset forgets what was seen.
func (w *watcher) reset() {
	w.cored, w.lines = map[string]*heard{}, map[record.Line]int{}
	w.detector, w.window = detect.New(detect.LimitsOf(&w.watch)), diversity.New()
	w.began, w.flushed, w.whole = w.clock.Now(), w.clock.Now(), true
}

// resume goes on where an earlier agent was.
func (w *watcher) resume() {
	var left kept
	if raw := w.signals.Bases(); len(raw) > 0 && json.Unmarshal(raw, &left) == nil {
		w.signalAt = left.At
		w.detector.Restore(left.Waiting)
	}
	if mark := w.record.Mark(); mark != "" && json.Unmarshal([]byte(mark), &w.recordAt) != nil {
		w.recordAt = positions{}
	}
}

// take follows another document. What was found and is not wanted any more is let go.
func (w *watcher) take(watch *agentapi.AbuseWatch) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watch, w.told = *watch, map[string]bool{}
	for _, ref := range watch.Told {
		w.told[ref] = true
	}
	w.blocked.Store(0)
	w.wanted.Store(watch.Collect)
	w.detector.Limit(detect.LimitsOf(watch))
	err := w.record.Limit(record.Limits{Hours: watch.Record.Hours, MB: watch.Record.MB}, w.clock.Now())
	if !watch.Collect {
		err = errors.Join(err, w.letGo())
	}
	return err
}

func (w *watcher) letGo() error { return errors.Join(w.signals.Empty(), w.diversity.Empty()) }

func (w *watcher) takes() bool { return w.wanted.Load() }

// blockedNow is told by the panel.
func (w *watcher) blockedNow() {
	w.wanted.Store(false)
	if w.blocked.Swap(w.clock.Now().UnixNano()) == 0 {
		w.log.Warn("the panel's license has no abuse protection: nothing is collected until it says otherwise")
	}
}

// run follows the cores until the context ends.
func (w *watcher) run(ctx context.Context) {
	tick := w.clock.NewTicker(look)
	defer tick.Stop()
	for {
		w.look(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.Chan():
		}
	}
}

// last makes durable what was seen until the end of the agent.
func (w *watcher) last(ctx context.Context) {
	w.look(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.on {
		w.flush(true)
		w.closeWindow()
	}
}

func (w *watcher) look(ctx context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.turn()
	if !w.on {
		w.silence(ctx)
		return
	}
	w.hides = map[string]bool{}
	for _, e := range w.cores.Entrances() {
		w.hides[e.Tag] = !knowsSources(e)
	}
	living := w.cores.Cores()
	for _, id := range living {
		delete(w.off, id)
		w.hear(ctx, id)
	}
	w.forgetCores(living)
	if w.passed(w.flushed, flushPause) {
		w.flush(false)
	}
	if w.passed(w.began, w.span) {
		w.closeWindow()
	}
}

// passed also holds where the clock was set back.
func (w *watcher) passed(since time.Time, span time.Duration) bool {
	past := w.clock.Since(since)
	return past >= span || past < -look
}

// turn begins and ends the collection.
func (w *watcher) turn() {
	if at := w.blocked.Load(); at != 0 && w.passed(time.Unix(0, at), blockedRest) {
		w.blocked.Store(0)
		w.wanted.Store(w.watch.Collect)
	}
	on := w.watch.Collect && w.blocked.Load() == 0
	if on == w.on {
		return
	}
	if w.on = on; on {
		w.began, w.flushed = w.clock.Now(), w.clock.Now()
		return
	}
	w.reset()
	if err := w.letGo(); err != nil {
		w.log.Warn("what waits to be sent could not be let go", zap.Error(err))
	}
}

// silence has each core know once that nobody listens.
func (w *watcher) silence(ctx context.Context) {
	for _, id := range w.cores.Cores() {
		if w.off[id] {
			continue
		}
		if _, err := w.cores.Streams(ctx, id, sensor.Order{Off: true}); err == nil {
			w.off[id] = true
		}
	}
}

// hear takes what a core has to tell.
func (w *watcher) hear(ctx context.Context, id string) {
	h := w.cored[id]
	if h == nil {
		h = &heard{}
		w.cored[id] = h
	}
	for {
		fresh := !h.synced
		told, err := w.cores.Streams(ctx, id, sensor.Order{
			Names: len(w.watch.Hosts) > 0, Fresh: fresh, Had: h.had, After: h.after, Most: mostAtOnce,
		})
		if err != nil {
			if !h.failed && ctx.Err() == nil {
				w.log.Info("a core does not tell of its streams", zap.String("core", id), zap.Error(err))
			}
			h.failed, w.whole = true, false
			return
		}
		if h.failed = false; told.Lost != h.lost {
			h.lost, h.synced, w.whole = told.Lost, false, false
		} else {
			h.synced = true
		}
		w.follow(id, h, &told, fresh)
		if len(told.Events) < mostAtOnce {
			return
		}
	}
}

func (w *watcher) follow(id string, h *heard, told *sensor.Heard, fresh bool) {
	now := w.clock.Now()
	if fresh {
		open := map[int64]bool{}
		for i := range told.Open {
			open[told.Open[i].Stream] = true
		}
		w.window.Keep(id, open, now)
		for i := range told.Open {
			w.connected(id, &told.Open[i], now)
		}
	}
	for i := range told.Events {
		e := &told.Events[i]
		h.after = max(h.after, e.Number)
		w.event(id, e, now.Add(-time.Duration(e.AgeMS)*time.Millisecond))
	}
}

func (w *watcher) connected(id string, e *sensor.Event, at time.Time) {
	_, client := agentapi.ClientOfEmail(e.Email)
	w.window.Begin(diversity.Stream{Core: id, Number: e.Stream}, client, w.sourceOf(e), at)
}

// sourceOf is not valid where an inbound does not show it.
func (w *watcher) sourceOf(e *sensor.Event) netip.Addr {
	if w.hides[e.Tag] {
		return netip.Addr{}
	}
	return e.Source
}

// signs are what the beginning of a stream shows.
var signs = map[sensor.Sign]detect.Sign{
	sensor.BitTorrent: detect.BitTorrent, sensor.HTTPTracker: detect.HTTPTracker, sensor.UDPTracker: detect.UDPTracker,
	sensor.DHT: detect.DHT,
}

func destOf(to sensor.To) string {
	if to.Host != "" || !to.IP.IsValid() {
		return strings.ToLower(to.Host)
	}
	return to.IP.String()
}

// event judges one thing that happened, unless an earlier agent has.
func (w *watcher) event(id string, e *sensor.Event, at time.Time) {
	switch e.What {
	case sensor.Ended:
		w.window.End(diversity.Stream{Core: id, Number: e.Stream}, at)
		return
	case sensor.Began:
		w.connected(id, e, at)
	case sensor.Reached, sensor.Showed, sensor.Open:
	}
	flow, client := agentapi.ClientOfEmail(e.Email)
	if e.Number > w.recordAt[id] && e.What != sensor.Showed && w.watch.Record.Hours > 0 {
		w.lines[record.Line{
			Minute: at.Truncate(time.Minute), Client: client, Flow: flow, UDP: e.To.UDP, Dest: destOf(e.To),
			Port: e.To.Port,
		}]++
	}
	if e.Number > w.signalAt[id] {
		s := detect.Stream{
			At: at, Client: client, Flow: flow, Tag: e.Tag, Source: w.sourceOf(e), UDP: e.To.UDP, Host: e.To.Host,
			IP: e.To.IP, Port: e.To.Port, Sign: signs[e.Sign], Again: e.What == sensor.Showed,
		}
		w.detector.See(&s)
	}
}

// forgetCores ends the streams of cores that are gone.
func (w *watcher) forgetCores(living []string) {
	there := map[string]bool{}
	for _, id := range living {
		there[id] = true
	}
	for id := range w.cored {
		if !there[id] {
			w.window.Keep(id, nil, w.clock.Now())
			delete(w.cored, id)
		}
	}
}

package abuse

import (
	"encoding/json"
	"fmt"
	"time"

	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/abuse/detect"
	"panel/cmd/panel-agent/internal/abuse/diversity"
	"panel/cmd/panel-agent/internal/abuse/record"
	"panel/platform/agentapi"
)

// positions are numbers of events by core: up to where something is done.
type positions map[string]int64

// kept is what lies beside the signals on the disk: up to where streams are in them, or in what waits.
type kept struct {
	At      positions      `json:"at"`
	Waiting []detect.Found `json:"waiting,omitempty"`
}

func (w *watcher) positions() positions {
	at := positions{}
	for id, h := range w.cored {
		at[id] = h.after
	}
	return at
}

// flush makes durable what was seen: lines of the record, and the signals whose turn it is. A core keeps what is in
// neither. With all, every signal is told.
func (w *watcher) flush(all bool) {
	now := w.clock.Now()
	w.flushed = now
	w.detect(now)
	if err := w.flushRecord(now); err != nil {
		w.log.Warn("the record of connections could not be kept", zap.Error(err))
	}
	durable, err := w.flushSignals(now, all)
	if err != nil {
		w.log.Warn("signals could not be written down", zap.Error(err))
	}
	if durable {
		for _, h := range w.cored {
			h.had = h.after
		}
	}
}

// detect looks at what is no single stream.
func (w *watcher) detect(now time.Time) {
	limits := detect.LimitsOf(&w.watch)
	w.window.AtOnce(limits.HighSource, func(clientID string, sources int) {
		w.detector.Sources(&detect.Stream{At: now, Client: clientID}, sources)
	})
}

func (w *watcher) flushRecord(now time.Time) error {
	if w.watch.Record.Hours <= 0 {
		return nil
	}
	lines := make([]record.Line, 0, len(w.lines))
	for line, count := range w.lines {
		line.Count = count
		lines = append(lines, line)
	}
	mark, err := json.Marshal(w.positions())
	if err != nil {
		return fmt.Errorf("encode how far the record is: %w", err)
	}
	if len(lines) == 0 {
		return w.record.Limit(record.Limits{Hours: w.watch.Record.Hours, MB: w.watch.Record.MB}, now)
	}
	if err := w.record.Add(lines, string(mark), now); err != nil {
		return err
	}
	clear(w.lines)
	return nil
}

// flushSignals says whether all that was seen is on the disk, or is nothing that would be told.
func (w *watcher) flushSignals(now time.Time, all bool) (durable bool, err error) {
	due := w.detector.Due(now, all)
	waiting := w.detector.Waiting()
	if len(due) == 0 {
		return len(waiting) == 0, nil
	}
	bases, err := json.Marshal(kept{At: w.positions(), Waiting: waiting})
	if err != nil {
		return false, fmt.Errorf("encode what waits: %w", err)
	}
	by, items := w.skew(), make([]any, len(due))
	for i := range due {
		items[i] = w.telling(&due[i], by)
	}
	if err := w.signals.AddAt(bases, items...); err != nil {
		w.detector.Restore(due)
		return false, err
	}
	return true, nil
}

// telling is a signal in the panel's time. The address itself is told of nobody without an open case.
func (w *watcher) telling(f *detect.Found, by time.Duration) agentapi.AbuseSignal {
	s := f.AbuseSignal
	s.FirstAt, s.LastAt = s.FirstAt.Add(by).UTC(), s.LastAt.Add(by).UTC()
	if prefix := diversity.Prefix(f.Source); prefix.IsValid() {
		where := w.places.Of(prefix.Addr())
		s.Source = &agentapi.AbuseSource{
			PrefixHash: diversity.Hash(w.watch.Salt, prefix), ASN: where.ASN, Country: where.Country,
		}
		if w.told[s.UserRef] {
			s.Source.IP = f.Source.String()
		}
	}
	return s
}

// closeWindow tells from where clients were connected, and begins another window.
func (w *watcher) closeWindow() {
	now, by := w.clock.Now(), w.skew()
	window := agentapi.Window{From: w.began.Add(by).UTC(), To: now.Add(by).UTC()}
	if window.From.After(window.To) { // the clock was set back
		window.From = window.To.Add(-w.span)
	}
	coverage := coverageOf(w.cores.Entrances(), w.whole)
	items := []any{observed{Window: window, Coverage: coverage}}
	users := w.window.Close(now, diversity.Telling{Salt: w.watch.Salt, Shift: by, Where: w.places.Of})
	for i := range users {
		items = append(items, observed{Window: window, User: &users[i]})
	}
	err := w.diversity.Cut() // a batch is about one window
	if err == nil {
		err = w.diversity.Add(items...)
	}
	if err != nil {
		w.log.Warn("from where clients were connected could not be written down", zap.Error(err))
	}
	w.began, w.whole = now, true
}

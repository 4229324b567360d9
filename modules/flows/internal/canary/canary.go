// Package canary is the state of a canary: the nodes that an apply installs first, what probes say about them, and when
// the rest may follow. When it is written down, and what the apply does to nodes, is the business of whoever drives it.
package canary

import (
	"cmp"
	"time"

	"panel/modules/flows/internal/plan"
)

// States of a canary.
const (
	Pending  = "pending"  // its nodes serve what they did before
	Starting = "starting" // decided: its nodes are to serve the new version, and their agents are told
	Watching = "watching"
	Passed   = "passed"   // the rest goes on
	Returned = "returned" // decided: its nodes serve again what they did before
)

// grace is how late a round may begin: a panel that takes over needs some seconds.
const grace = 30 * time.Second

// Canary is what an apply shows of its canary.
type Canary struct {
	Nodes   []plan.CanaryNode `json:"nodes"`
	Rest    int               `json:"rest" doc:"Nodes that follow"`
	WatchS  int               `json:"watch_s"`
	Probes  plan.CanaryProbes `json:"probes"`
	State   string            `json:"state" enum:"pending,starting,watching,passed,returned"`
	Since   *time.Time        `json:"since" doc:"Since when the canary is watched"`
	Until   *time.Time        `json:"until" doc:"When the rest follows by itself; later when nobody could watch for a time"`
	EndedAt *time.Time        `json:"ended_at" doc:"When the rest went on, or it was decided to go back"`
	Rounds  int               `json:"rounds" doc:"Rounds of probes that have ended"`
	Held    *plan.Text        `json:"held" doc:"Why the rest does not follow although the time is over"`
	Looks   []Look            `json:"looks"`
	// Unwell is what other modules have against the canary.
	Unwell []Finding `json:"unwell" doc:"What other parts of the panel have against the canary"`
}

// Look is what probes through one entry have found.
type Look struct {
	plan.CanaryEntry
	Good    int        `json:"good" doc:"Probes that got through"`
	Bad     int        `json:"bad" doc:"Probes that did not"`
	InRow   int        `json:"in_row" doc:"Of them the last ones"`
	OK      bool       `json:"ok" doc:"The last probe got through"`
	SeenAt  *time.Time `json:"seen_at"`
	Finding plan.Text  `json:"finding" doc:"What the last probe has found"`
}

// Finding is one reason of another module why the canary does not do well.
type Finding struct {
	Source string    `json:"source"`
	NodeID string    `json:"node_id"`
	Text   plan.Text `json:"text"`
}

// Watch is a canary with what its driver must remember.
type Watch struct {
	Canary
	Began  *time.Time `json:"began"`  // the round that is under way, or the last one
	Open   bool       `json:"open"`   // it is under way
	Orders []string   `json:"orders"` // of the round, one for each look; empty: it has been answered
	Due    time.Time  `json:"due"`    // when the next round begins
	InRow  int        `json:"in_row"` // rounds with findings of other modules
}

// New makes the canary of a plan.
func New(p *plan.Canary) *Watch {
	w := &Watch{Canary: Canary{
		Nodes: p.Nodes, Rest: p.Rest, WatchS: p.WatchS, Probes: p.Probes, State: Pending, Looks: []Look{},
		Unwell: []Finding{},
	}}
	for _, e := range p.Looks {
		w.Looks = append(w.Looks, Look{CanaryEntry: e})
	}
	return w
}

// Serving reports whether the nodes of the canary are to serve another version than the rest. A nil canary does not.
func (w *Watch) Serving() bool {
	return w != nil && (w.State == Starting || w.State == Watching || w.State == Passed)
}

// Waits reports whether the nodes of the canary have yet to serve the new version.
func (w *Watch) Waits() bool { return w != nil && w.State == Pending }

// First reports whether the nodes of the canary are those that are worked on, and not the rest.
func (w *Watch) First() bool { return w.State != Passed }

// Begin begins the watch.
func (w *Watch) Begin(now time.Time) {
	until := now.Add(time.Duration(w.WatchS) * time.Second)
	w.State, w.Since, w.Until, w.Due = Watching, &now, &until, now
}

// Round begins a round with the orders of its probes. A time in which nobody looked does not count.
func (w *Watch) Round(now time.Time, orders []string) {
	if late := now.Sub(w.Due); late > grace && w.Due.Before(*w.Until) {
		until := w.Until.Add(late)
		w.Until = &until
	}
	w.Began, w.Open, w.Orders = &now, true, orders
}

// Note notes the answer of one probe; the answer of an agent that was interrupted says nothing.
func (w *Watch) Note(look int, now time.Time, ok, says bool, finding plan.Text) {
	l := &w.Looks[look]
	w.Orders[look] = ""
	l.OK, l.Finding, l.SeenAt = ok, finding, &now
	switch {
	case ok:
		l.Good, l.InRow = l.Good+1, 0
	case says:
		l.Bad, l.InRow = l.Bad+1, l.InRow+1
	}
}

// Answered reports whether all probes of the round have been answered.
func (w *Watch) Answered() bool {
	for _, id := range w.Orders {
		if id != "" {
			return false
		}
	}
	return true
}

// Close ends a round, with what other modules have against the canary. The next one begins after the interval, and one
// begins when the time is over.
func (w *Watch) Close(now time.Time, unwell []Finding) {
	w.Open, w.Unwell = false, unwell
	w.Rounds++
	if w.InRow++; len(unwell) == 0 {
		w.InRow = 0
	}
	w.Due = w.Began.Add(time.Duration(w.Probes.IntervalS) * time.Second)
	if w.Due.Before(now) {
		w.Due = now
	}
	if w.Due.After(*w.Until) && w.Began.Before(*w.Until) && now.Before(*w.Until) {
		w.Due = *w.Until
	}
}

// Failed gives why the canary has failed; nil while it has not.
func (w *Watch) Failed() *Finding {
	for _, l := range w.Looks {
		if l.InRow >= w.Probes.Failures {
			return &Finding{NodeID: l.NodeID, Text: l.Finding}
		}
	}
	if w.InRow >= w.Probes.Failures && len(w.Unwell) > 0 {
		return &w.Unwell[0]
	}
	return nil
}

// Over reports whether the rest may follow: a round that began when the time was over has found nothing.
func (w *Watch) Over() bool {
	if w.Open || w.Began == nil || w.Began.Before(*w.Until) || len(w.Unwell) > 0 {
		return false
	}
	for _, l := range w.Looks {
		if !l.OK {
			return false
		}
	}
	return true
}

// Hold notes why the rest does not follow, and reports whether that is news.
func (w *Watch) Hold(why plan.Text) bool {
	was := ""
	if w.Held != nil {
		was = w.Held.Code
	}
	w.Held = &why
	return was != why.Code
}

// End notes that the watch is over, in a state.
func (w *Watch) End(state string, now time.Time) {
	w.State, w.Open, w.Orders, w.Held = state, false, nil, nil
	w.EndedAt = cmp.Or(w.EndedAt, &now)
}

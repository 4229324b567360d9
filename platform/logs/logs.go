// Package logs finds and reads what the panel and its web server have written, wherever this machine keeps it: with the
// container engine, in the system journal, or in files.
package logs

import (
	"context"
	"iter"
	"time"

	"panel/platform/doctor"
	"panel/platform/fault"
)

// The components that have a log. One process serves the first three; its lines name their part.
const (
	Backend   = "backend"
	Worker    = "worker"
	Scheduler = "scheduler"
	Nginx     = "nginx"
)

// Components lists what may be asked for, in the order in which people are shown them.
func Components() []string { return []string{Backend, Worker, Scheduler, Nginx} }

// How many lines are read without a wish, and two wishes that are no number.
const (
	DefaultTail = 100
	All         = -1 // of the period
	None        = -2 // only what comes while following
)

// Query is what somebody wants to read.
type Query struct {
	Component string    // backend for empty; frontend means backend
	Tail      int       // the last lines; 0 means DefaultTail; or All, or None
	Since     time.Time // zero means no bound
	Follow    bool      // go on with new lines until the context ends
	Level     string    // keeps lines of this level and above; empty keeps all

	silent bool // nothing of the past is shown
}

// Line is one entry. Raw is what was written, untouched; the other fields are what could be read from it.
type Line struct {
	Time      time.Time      `json:"time,omitzero"`
	Level     string         `json:"level"` // DEBUG, INFO, WARN, ERROR; empty where the line does not say
	Component string         `json:"component"`
	Source    string         `json:"source"` // container, journal or file
	Message   string         `json:"message"`
	Raw       string         `json:"-"`
	Attrs     map[string]any `json:"attrs,omitempty"`
}

// Source is where the lines come from and why not from a place that is asked earlier.
type Source struct {
	Kind    string      // container, journal or file
	Name    string      // of the container, the unit or the files
	Text    doctor.Text // "system journal, panel.service"
	Skipped []doctor.Text
}

// Reader gives the lines of one query.
type Reader struct {
	Source Source

	from  feed
	query Query
}

// feed is one place that lines come from.
type feed interface {
	lines(ctx context.Context, q Query) iter.Seq2[Line, error]
}

// Open finds the first place that has lines of the component: container engine, system journal, files. It fails with
// unknown_component, or with no_logs when no place has any; that one names every place that was looked at.
func Open(ctx context.Context, places Places, query Query) (*Reader, error) {
	query, err := query.complete()
	if err != nil {
		return nil, err
	}
	var skipped []doctor.Text
	for _, look := range places.order() {
		from, source, why := look(ctx, query)
		skipped = append(skipped, why...)
		if from != nil {
			source.Skipped = skipped
			return &Reader{Source: source, from: from, query: query}, nil
		}
	}
	return nil, &NotFoundError{Component: query.Component, Looked: skipped}
}

// NotFoundError says that no place has a log of the component, and what was wrong with each.
type NotFoundError struct {
	Component string
	Looked    []doctor.Text
}

func (e *NotFoundError) Error() string { return "there is no log of " + e.Component }

// Lines gives the lines, oldest first, and with Follow the new ones until ctx ends. An error ends it.
func (r *Reader) Lines(ctx context.Context) iter.Seq2[Line, error] { return r.from.lines(ctx, r.query) }

func (q Query) complete() (Query, error) {
	switch q.Component {
	case "", "frontend":
		q.Component = Backend
	case Backend, Worker, Scheduler, Nginx:
	default:
		return q, fault.Invalid("unknown_component",
			"the components are backend, frontend, worker, scheduler and nginx")
	}
	if q.Tail == 0 {
		q.Tail = DefaultTail
	}
	if q.Tail == None {
		q.Tail, q.silent = 1, true
	}
	return q, nil
}

// past leaves out what was read only to find the place from which to follow.
func (q Query) past(lines []Line) []Line {
	if q.silent {
		return nil
	}
	return lines
}

// Package backlog gives each listener a backlog of its own in the queue of jobs: an event waits there from the commit
// of the change until the listener has handled it.
package backlog

import (
	"context"
	"encoding/json"

	"go.uber.org/zap"

	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/jobs"
)

// Backlog keeps events as jobs whose kind is the listener's name.
type Backlog struct {
	queue   *jobs.Enqueuer
	license entitlement.Source
	log     *zap.Logger
}

// New makes a backlog.
func New(queue *jobs.Enqueuer, license entitlement.Source, log *zap.Logger) *Backlog {
	return &Backlog{queue: queue, license: license, log: log}
}

// Add keeps events in the transaction of the context.
func (b *Backlog) Add(ctx context.Context, listener string, waiting [][]byte) error {
	return b.queue.InsertAll(ctx, listener, waiting)
}

// letter is an event as the arguments of a job.
type letter struct{ text json.RawMessage }

// Kind is empty: one type stands for the jobs of all listeners.
func (letter) Kind() string { return "" }

// UnmarshalJSON keeps the event for events.Read.
func (l *letter) UnmarshalJSON(text []byte) error {
	l.text = append(l.text[:0], text...)
	return nil
}

// Worker runs the jobs of a listener.
func (b *Backlog) Worker(l events.Listener) jobs.Worker {
	return jobs.Worker{
		Kind: l.Name, Limit: l.Limit, Timeout: l.Timeout, Attempts: l.Attempts,
		Work: jobs.Do(func(ctx context.Context, _ jobs.Job, one letter) error {
			event, err := events.Read(one.text)
			if err != nil {
				return jobs.Permanent(err)
			}
			if why := b.license.Current().Stopped(l.Feature, l.ReadOnly, l.Blocked); why != "" {
				b.log.Warn("a listener passed an event over", zap.String("listener", l.Name), zap.String("kind",
					event.Kind),
					zap.String("subject", event.SubjectID), zap.String("why", why))
				return nil
			}
			return l.Handle(ctx, event)
		}),
	}
}

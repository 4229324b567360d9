package specimen

import (
	"context"
	"time"

	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/jobs"
)

// lookKind is the job that looks at items; the schedule that inserts it has the same name.
const lookKind = "specimen.look"

// lookEvery is how long an item is not looked at again.
const lookEvery = 24 * time.Hour

// lookArgs say which item to look at; without one it is all that are due.
type lookArgs struct {
	ItemID string `json:"item_id,omitempty"`
}

// Kind names the worker.
func (lookArgs) Kind() string { return lookKind }

func (i *items) worker() jobs.Worker { return jobs.Worker{Kind: lookKind, Work: jobs.Do(i.look)} }

// look does the work. It may be killed and run again: what it did commits together with its end.
func (i *items) look(ctx context.Context, job jobs.Job, args lookArgs) error {
	return i.store.db.InTx(ctx, func(ctx context.Context) error {
		now := i.now()
		seen, err := i.store.markSeen(ctx, args.ItemID, now.Add(-lookEvery), now)
		if err != nil {
			return err
		}
		if seen > 0 {
			if err := i.bus.Emit(ctx, events.Event{Kind: kindSeen, SubjectID: args.ItemID, At: now}); err != nil {
				return err
			}
		}
		return job.Finish(ctx)
	})
}

// schedule looks at what is due, also while the panel is read-only: looking changes nothing outside. Without the
// feature there is nothing to look at.
func schedule() jobs.Schedule {
	return jobs.Schedule{
		Name: lookKind, Cron: "23 * * * *", Feature: feature, ReadOnly: entitlement.GoesOn, Blocked: entitlement.Stops,
		Args: func() jobs.Args { return lookArgs{} },
	}
}

// listener has each new item looked at soon. It may get an event twice, and then nothing happens twice.
func (i *items) listener() events.Listener {
	return events.Listener{
		Name: "specimen.greet", Kinds: []string{kindAdded}, Feature: feature,
		ReadOnly: entitlement.GoesOn, Blocked: entitlement.Stops, Handle: i.greet,
	}
}

func (i *items) greet(ctx context.Context, event events.Event) error {
	return i.queue.Insert(ctx, lookArgs{ItemID: event.SubjectID}, jobs.Opts{Unique: event.SubjectID})
}

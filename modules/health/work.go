package health

import (
	"context"
	"strings"
	"time"

	"panel/modules/flows/flowsapi"
	"panel/modules/health/internal/judge"
	"panel/modules/health/internal/place"
	"panel/modules/nodes/nodesapi"
	"panel/modules/pools/poolsapi"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/jobs"
)

// placeKind is the job that decides what is looked at and by whom; the schedule that inserts it has the same name.
const placeKind = "health.place"

// placeSoon gathers changes that come together: when a fleet comes back it is placed once.
const placeSoon = 3 * time.Second

type placeArgs struct{}

// Kind names the worker.
func (placeArgs) Kind() string { return placeKind }

// worker places. It may be killed and run again: what it did commits as a whole.
func worker(p *place.Placer) jobs.Worker {
	return jobs.Worker{
		Kind: placeKind, Timeout: time.Minute,
		Work: func(ctx context.Context, _ jobs.Job) error { return p.Place(ctx) },
	}
}

// schedule places now and then what no event has told of. Watching goes on while the panel is read-only and without the
// feature: who looks away sees nothing coming.
func schedule() jobs.Schedule {
	return jobs.Schedule{
		Name: placeKind, Cron: "*/5 * * * *", ReadOnly: entitlement.GoesOn, Blocked: entitlement.GoesOn,
		Args: func() jobs.Args { return placeArgs{} },
	}
}

// follower has the checks placed anew when flows, nodes or pools change, and the reports of agents read when a node's
// state does.
type follower struct {
	queue *jobs.Enqueuer
	judge *judge.Judge
	now   func() time.Time
}

func (f *follower) listener() events.Listener {
	return events.Listener{
		Name: "health.follow",
		Kinds: []string{
			flowsapi.EventApplySucceeded, flowsapi.EventDisabled, flowsapi.EventDeleted, flowsapi.EventChanged,
			nodesapi.NodeCreated, nodesapi.NodeUpdated, nodesapi.NodeDeleted, nodesapi.NodeEnrolled,
			nodesapi.NodeOnline, nodesapi.NodeDegraded, nodesapi.NodeOffline,
			nodesapi.NodeMaintenanceOn, nodesapi.NodeMaintenanceOff,
			poolsapi.EventUpdated, poolsapi.EventDeleted,
		},
		Feature: feature, ReadOnly: entitlement.GoesOn, Blocked: entitlement.GoesOn, Handle: f.follow,
	}
}

// begin has the checks placed as soon as the panel runs: nodes that were there before this module have none yet.
func (f *follower) begin(ctx context.Context) error {
	return f.queue.Insert(ctx, placeArgs{}, jobs.Opts{Unique: "begin", At: f.now()})
}

func (f *follower) follow(ctx context.Context, event events.Event) error {
	if strings.HasPrefix(event.Kind, "node.") {
		if err := f.judge.Wake(ctx); err != nil {
			return err
		}
	}
	return f.queue.Insert(ctx, placeArgs{}, jobs.Together(f.now(), placeSoon))
}

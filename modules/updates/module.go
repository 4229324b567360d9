// Package updates brings agents to a newer build: one node, then a tenth of the fleet, then all, and no further than
// the first failure.
//
// The panel serves the build itself and never changes it: agents believe the publisher's signature alone. A rollout is
// a state machine in the database that any panel continues; what happens on a node is the agent's own work, which
// returns by itself to the build before when the new one does not report.
package updates

import (
	"context"
	"embed"

	"panel/modules/nodes/nodesapi"
	"panel/platform/audit"
	"panel/platform/config"
	"panel/platform/jobs"
	"panel/platform/module"
	"panel/platform/selfupdate"
)

//go:embed migrations
var scripts embed.FS

//go:embed russian.txt
var russian string

// Module is the manifest.
func Module() module.Module {
	return module.Module{
		Name:     "updates",
		Summary:  "Newer builds of the agents, rolled out in rings",
		Russian:  russian,
		Faults:   faults(),
		Requires: []string{"nodes"},
		Events:   eventKinds(),
		Journal: audit.Kinds{
			Actions: []string{
				"node.rings_changed", "node.rollout_ended", "node.rollout_started", "node.rollout_stopped",
				"node.update_done", "node.update_failed", "node.update_started",
			},
			Objects: []string{"node", "rings", "rollout"},
		},
		Config:     []config.Key{selfupdate.PublicKey},
		Migrations: module.SQL(scripts),
		Private:    []any{newStore, newShelf, newBuilds, newService, newRunner, newHandlers},
		Attach:     attach,
	}
}

func attach(
	h *handlers, r *runner, b *builds, queue *jobs.Enqueuer, states nodesapi.UpdateStates, acts nodesapi.BulkActs,
) module.Parts {
	acts.UpdateWith(func(ctx context.Context, nodeID string) error {
		_, err := h.startNode(ctx, nodeID, "", false)
		return err
	})
	states.From(h.updateStates)
	return module.Parts{
		Routes: h.routes(), Jobs: []jobs.Worker{b.worker()}, Schedules: []jobs.Schedule{schedule()},
		Loops: []func(context.Context) error{r.Run, b.scan},
		Ready: []func(context.Context) error{b.first(queue)}, Restored: r.restored,
	}
}

package nodesapi

import (
	"context"

	"panel/platform/fault"
)

// Guards collects who needs nodes to stay, so that none is deleted that somebody uses.
type Guards interface {
	// Add takes who answers, while the panel is composed. The answer is asked for inside the transaction of the
	// deletion, with the node locked, and gives the flows that need the node; why says so in one sentence to whoever
	// wanted to delete it.
	Add(why string, answer func(ctx context.Context, nodeID string) (flowIDs []string, err error))
}

// InUse is the fault of a node that somebody needs, for a guard that has more to say than flows: it gives it as its
// error.
func InUse(why string) *fault.Fault { return fault.Conflict("node_in_use", why) }

package nodesapi

import "context"

// Maintenance lets other modules keep new traffic from nodes. Its calls take part in the context's transaction and
// write their lines in the journal.
type Maintenance interface {
	// Begin puts a node into maintenance until people end it, with the reason that they see; one that is in maintenance
	// already stays as it is. An unknown node gives ErrUnknown.
	Begin(ctx context.Context, nodeID, reason string) error
}

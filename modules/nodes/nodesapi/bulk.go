package nodesapi

import "context"

// BulkActs lets the module that updates agents take part in what is done to many nodes at once.
type BulkActs interface {
	// UpdateWith takes who begins the update of one node's agent, once, while the panel is composed.
	UpdateWith(update func(ctx context.Context, nodeID string) error)
}

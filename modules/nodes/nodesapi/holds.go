package nodesapi

import "context"

// Holds is told by whoever installs flows what goes on, so that no node is deleted in the middle of it.
type Holds interface {
	// From takes who answers, once, while the panel is composed. It is given a node and gives the flows of which something is
	// being installed that needs the node.
	From(answer func(ctx context.Context, nodeID string) (flowIDs []string, err error))
}

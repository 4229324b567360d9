package poolsapi

import "context"

// Named is a pool by its name.
type Named struct {
	ID   string
	Name string
}

// Replacements put a node in the place of another in pools, as the caller of the context.
type Replacements interface {
	// With gives the pools that a node is a member of, by their names.
	With(ctx context.Context, nodeID string) ([]Named, error)
	// Replace makes a node the member that another one is, in all pools that have that, and gives these pools by their
	// names. Weight, priority, place in the sequence, whether it is switched on, fallback and override go over; what
	// keeps new traffic from the other one does not. Flows that run and use the pools are installed anew, later and
	// surely. In pools that have both the other one goes. Again it changes nothing. It takes part in the transaction of
	// the context. Fault: not_found (404), there is no such node.
	Replace(ctx context.Context, nodeID, byNodeID string) ([]Named, error)
}

package nodesapi

import "context"

// Relations is told by other modules what relies on nodes, so that a failure can be shown with what it touches.
type Relations interface {
	// Flows takes who knows the flows, once, while the panel is composed. It is given groups of node ids and gives for
	// each, in their sequence, the flows that are installed on any of its nodes. It is asked once for all groups.
	Flows(answer func(ctx context.Context, groups [][]string, names int) ([]Related, error))
}

// Related is what relies on a group of nodes.
type Related struct {
	Count int
	// First are the first of them by name, at most as many as were asked for, and none where the caller may not see
	// them.
	First []Named
}

// Named is something with its name.
type Named struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

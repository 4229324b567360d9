package nodesapi

import "context"

// Guards collects who needs nodes to stay, so that none is deleted that somebody uses.
type Guards interface {
	// Add takes who answers, while the panel is composed. The answer is asked for inside the transaction of the
	// deletion, with the node locked, and gives the flows that need the node; why says so in one sentence to whoever
	// wanted to delete it.
	Add(why string, answer func(ctx context.Context, nodeID string) (flowIDs []string, err error))
}

// Needed is the error of a guard that has more to say than flows: why nobody may delete the node is told with these
// ids, each list under its own name.
type Needed map[string][]string

func (n Needed) Error() string { return "somebody needs the node" }

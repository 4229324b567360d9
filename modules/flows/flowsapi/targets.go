package flowsapi

import (
	"context"
	"time"
)

// FoundTarget is a REALITY target that a search has found. A draft takes it over by its id.
type FoundTarget struct {
	ID         string
	NodeID     string // that it was found from, and counts for
	Target     string // host:port
	ServerName string
	Suitable   bool // for a listener, perhaps with something against it
	ValidUntil time.Time
}

// FoundTargets collects who knows targets that were searched for.
type FoundTargets interface {
	// Add takes one more, while the panel is composed. It is asked once when a draft is compiled or applied that names
	// results, and gives them by their ids; unknown ones are left out.
	Add(name string, found func(ctx context.Context, resultIDs []string) (map[string]FoundTarget, error))
	// Checks takes who checks single targets, while the panel is composed.
	Checks(by TargetChecks)
}

// CheckedTarget is how the check of one target ended.
type CheckedTarget struct {
	Found *FoundTarget // nil when the check came to nothing
	Why   string       // what is against the target, or why there is no result
}

// TargetChecks tries single targets from nodes, for drafts that are to have them.
type TargetChecks interface {
	// Name reads what somebody has written into a field as host:port. Fault: invalid_value (422) of the field.
	Name(field, written string) (string, error)
	// Able tells whether a node's agent can try targets now. Faults: agent_offline, capability_missing (422).
	Able(ctx context.Context, nodeID string) error
	// Fresh gives the newest result of a target for each node and name, as far as they still count.
	Fresh(ctx context.Context, target string, nodeIDs ...string) ([]FoundTarget, error)
	// Check starts to try a target for the caller of the context. Faults: those of Able, throttled (429).
	Check(ctx context.Context, nodeID, target, serverName string) (searchID string, err error)
	// Checked gives the ends of checks; those that run are left out.
	Checked(ctx context.Context, searchIDs ...string) (map[string]CheckedTarget, error)
}

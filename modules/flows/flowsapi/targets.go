package flowsapi

import (
	"context"
	"time"
)

// FoundTarget is a REALITY target that a search has found. A draft takes it over by its id.
type FoundTarget struct {
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
}

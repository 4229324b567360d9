package poolsapi

import (
	"context"
	"time"
)

// States of a member's node or flow, as whoever watches them calls them.
const (
	HealthUp       = "up"
	HealthDegraded = "degraded"
	HealthDown     = "down"
	HealthUnknown  = "unknown"
)

// MemberHealth is what somebody else than the agents of a pool sees of the node or flow of a member.
type MemberHealth struct {
	State     string // one of the states
	Reason    string // a word of whoever says so; empty: none
	Since     time.Time
	CheckedAt *time.Time // newest evidence; nil: none
}

// HealthEvidence collects who else sees how the nodes and flows are that are members of pools. What they say is shown
// beside what agents have found, and changes nothing: agents alone take a member in and out of use.
type HealthEvidence interface {
	// Add takes one more, while the panel is composed. It is asked once for a pool that is shown, with the ids of nodes
	// and flows, and leaves out those of which it knows nothing. Who cannot say is left out.
	Add(name string, ask func(ctx context.Context, ids []string) (map[string]MemberHealth, error))
}

// Package poolsapi is what other modules may know of transit pools.
package poolsapi

import "context"

// Members tells where nodes are members of pools, and keeps new traffic from them while somebody says that they are
// down. Its calls take part in the context's transaction.
type Members interface {
	// Places gives the places of nodes in pools that flows send traffic to, without those that get no new traffic
	// already.
	Places(ctx context.Context, nodeIDs ...string) (map[string][]Place, error)
	// Withdraw keeps new traffic from members until they are returned, why: an id of the caller's. What people have
	// said of the members stays.
	Withdraw(ctx context.Context, why string, memberIDs ...string) error
	// Return gives new traffic again to all members that were withdrawn with this id; again it changes nothing.
	Return(ctx context.Context, why string) error
}

// Place is a node's place in a pool.
type Place struct {
	PoolID    string
	Pool      string // its name
	MemberID  string
	Members   int // of the pool, those that are switched off left out
	Withdrawn int // of these
	Usable    int // others that get new traffic and are not down
}

// Kinds of events about pools. Their subject is the pool.
const (
	EventCreated         = "pool.created" // Data of this and the next two is News
	EventUpdated         = "pool.updated"
	EventDeleted         = "pool.deleted"
	EventOverridden      = "pool.overridden"  // MemberNews: somebody leads all traffic to one member, or to none any more
	EventDrained         = "pool.drained"     // MemberNews
	EventMemberDown      = "pool.member_down" // MemberNews
	EventMemberUp        = "pool.member_up"   // MemberNews
	EventSwitched        = "pool.switched"    // SwitchNews
	EventBelowMinimum    = "pool.below_minimum"
	EventMinimumRestored = "pool.minimum_restored"
	EventWithdrawn       = "pool.member_withdrawn" // MemberNews: the panel keeps new traffic from it
	EventReturned        = "pool.member_returned"  // MemberNews
)

// News names a pool.
type News struct {
	Name string `json:"name"`
}

// MemberNews is about one member of a pool.
type MemberNews struct {
	Name     string `json:"name"`
	MemberID string `json:"member_id"`
	Member   string `json:"member"` // name of its node
	Reason   string `json:"reason,omitempty"`
}

// SwitchNews says who carries the traffic of a pool on one node from now on.
type SwitchNews struct {
	Name   string `json:"name"`
	NodeID string `json:"node_id"`
	Serves string `json:"serves"`           // members, override or fallback
	Active string `json:"active,omitempty"` // the member, where it is one
	Usable int    `json:"usable"`
	Reason string `json:"reason"`
}

// CountNews says how many members of a pool are usable.
type CountNews struct {
	Name    string `json:"name"`
	Usable  int    `json:"usable"`
	Minimum int    `json:"minimum"`
}

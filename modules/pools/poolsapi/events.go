// Package poolsapi is what other modules may know of transit pools.
package poolsapi

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

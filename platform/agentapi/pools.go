package agentapi

import (
	"errors"
	"fmt"
	"time"
)

// Pools is the content of DocumentPools: what of the pools may change without another configuration. Outbounds of the
// configuration name the pool whose members they choose among (PoolOf).
type Pools struct {
	Pools []Pool `json:"pools"`
}

// Pool is how the members of one pool are looked after and how much traffic each gets.
type Pool struct {
	ID       string        `json:"id"`
	Revision int64         `json:"revision"` // of the pool, for people who compare
	Health   PoolHealth    `json:"health"`
	Members  []PoolMember  `json:"members"`
	Override *PoolOverride `json:"override,omitempty"`
}

// PoolHealth says how members are probed. A zero stands for the default.
type PoolHealth struct {
	ProbeURL         string `json:"probe_url,omitempty"`
	IntervalSeconds  int    `json:"interval_s,omitempty"`
	TimeoutSeconds   int    `json:"timeout_s,omitempty"`
	FailureThreshold int    `json:"failure_threshold,omitempty"` // failures in a row that take a member out
	SuccessThreshold int    `json:"success_threshold,omitempty"` // successes in a row that take it in again
	Sampling         int    `json:"sampling,omitempty"`          // probes whose mean is the delay of a member
	MaxRTTMillis     int    `json:"max_rtt_ms,omitempty"`        // a slower member is degraded; 0: none is too slow
	Tolerance        int    `json:"tolerance,omitempty"`         // percent that a member may be slower than the fastest
}

// Defaults of PoolHealth.
const (
	PoolProbeURL         = "https://www.gstatic.com/generate_204"
	PoolInterval         = 10
	PoolTimeout          = 3
	PoolFailureThreshold = 2
	PoolSuccessThreshold = 2
	PoolSampling         = 3
	PoolTolerance        = 25
)

// Filled puts the defaults in.
func (h PoolHealth) Filled() PoolHealth {
	if h.ProbeURL == "" {
		h.ProbeURL = PoolProbeURL
	}
	for _, field := range []struct {
		value *int
		or    int
	}{
		{&h.IntervalSeconds, PoolInterval},
		{&h.TimeoutSeconds, PoolTimeout},
		{&h.FailureThreshold, PoolFailureThreshold},
		{&h.SuccessThreshold, PoolSuccessThreshold},
		{&h.Sampling, PoolSampling},
	} {
		if *field.value == 0 {
			*field.value = field.or
		}
	}
	return h
}

// PoolMember is what a member gets. One that is disabled or drains begins no stream; those that it has go on.
type PoolMember struct {
	ID       string `json:"id"`
	Weight   int    `json:"weight,omitempty"` // 1 when zero
	Priority int    `json:"priority,omitempty"`
	Disabled bool   `json:"disabled,omitempty"`
	Drain    bool   `json:"drain,omitempty"`
}

// PoolOverride leads all new streams to one member until its end, as long as that member is not down.
type PoolOverride struct {
	MemberID string    `json:"member_id"`
	Until    time.Time `json:"until"`
}

// PoolOf is what an outbound of a configuration says about the members that it chooses among, as the member "pool_of".
// The outbound itself leads nowhere: an agent that does not know pools lets nothing through.
type PoolOf struct {
	PoolID     string    `json:"pool_id"`
	Group      string    `json:"group"` // outbounds of one group share what is known of the members
	Strategy   string    `json:"strategy"`
	Stickiness string    `json:"stickiness,omitempty"`
	Members    []PoolWay `json:"members"`
	Fallback   string    `json:"fallback"` // tag of the outbound that takes over when no member is usable

	// Follows marks an outbound whose ways lead only to a few places, such as those of the panel's own probes: the
	// members are probed by the ways of another outbound of the group.
	Follows bool `json:"follows,omitempty"`
}

// PoolWay is the outbound that leads to one member.
type PoolWay struct {
	ID  string `json:"id"`
	Tag string `json:"tag"`
}

// Strategies of pools. All of them choose among the usable members of the lowest priority number.
const (
	PoolOrdered    = "ordered"     // the first one
	PoolRoundRobin = "round_robin" // in turn, by weight
	PoolRandom     = "random"      // by weight
	PoolLeastPing  = "least_ping"  // by weight, among those whose delay is within the tolerance of the shortest
	PoolLeastLoad  = "least_load"  // the fewest open streams for its weight, as this node sees them
	PoolLeastUsers = "least_users" // the fewest clients for its weight, as this node sees them
	PoolSticky     = "sticky"      // one client stays with one member
)

// PoolStrategies lists them.
var PoolStrategies = []string{
	PoolOrdered, PoolRoundRobin, PoolRandom, PoolLeastPing, PoolLeastLoad, PoolLeastUsers, PoolSticky,
}

// What a client is known by, so that it stays with one member.
const (
	StickToNone   = "none"
	StickToUser   = "user"
	StickToSource = "source"
)

// MaxPoolMembers is the most members of one pool.
const MaxPoolMembers = 1000

// Check refuses pools that could not be told apart.
func (p Pools) Check() error {
	pools := map[string]bool{}
	for _, pool := range p.Pools {
		if pool.ID == "" || pools[pool.ID] {
			return errors.New("check the pools: one has no id, or stands there twice")
		}
		pools[pool.ID] = true
		members := make(map[string]bool, len(pool.Members))
		for _, member := range pool.Members {
			if member.ID == "" || members[member.ID] || member.Weight < 0 {
				return fmt.Errorf("check the pool %s: a member has no id, stands there twice, or weighs less than nothing",
					pool.ID)
			}
			members[member.ID] = true
		}
	}
	return nil
}

// BatchPools carries PoolReport.
const BatchPools BatchKind = "pools"

// States of a member, as a node sees it.
const (
	PoolUnknown  = "unknown"  // not probed yet; it is used
	PoolHealthy  = "healthy"  // it answers
	PoolDegraded = "degraded" // it answers too slowly, or has failed fewer times than the threshold; it is used
	PoolDown     = "down"     // it is not used
)

// PoolReport says what became of a member, or of the choice among all of them, on the node that forwards to them. The
// core that saw it numbers its reports from 1, so that one that comes twice is known.
type PoolReport struct {
	Core     string    `json:"core"`
	Seq      int64     `json:"seq"`
	At       time.Time `json:"at"`
	PoolID   string    `json:"pool_id"`
	Group    string    `json:"group"`               // of PoolOf
	MemberID string    `json:"member_id,omitempty"` // empty: it is about the choice
	State    string    `json:"state,omitempty"`     // of the member
	RTTMs    int64     `json:"rtt_ms,omitempty"`
	Reason   string    `json:"reason"`          // one of the reasons
	Error    string    `json:"error,omitempty"` // in the words of the system
	Held     bool      `json:"held,omitempty"`  // the member comes and goes too often, and is kept out for a while

	// Of the choice: who carries the traffic, the one member that does where it is only one, and how many are usable.
	Serves string `json:"serves,omitempty"`
	Active string `json:"active,omitempty"`
	Usable int    `json:"usable,omitempty"`
}

// Who carries the traffic of a pool.
const (
	PoolServesMembers  = "members"
	PoolServesOverride = "override"
	PoolServesFallback = "fallback"
)

// Reasons of reports.
const (
	PoolReasonProbe        = "probe"       // a probe was answered
	PoolReasonSlow         = "slow"        // it was answered, but too late
	PoolReasonRefused      = "refused"     // a connection to the member was refused
	PoolReasonTimeout      = "timeout"     // nothing came in time
	PoolReasonFailed       = "failed"      // anything else went wrong
	PoolReasonMemberDown   = "member_down" // of the choice, this and the next ones
	PoolReasonMemberUp     = "member_up"
	PoolReasonChanged      = "changed"       // weights, priorities, drains
	PoolReasonOverride     = "override"      // somebody chose a member
	PoolReasonOverrideOver = "override_over" // its time is over, it was withdrawn, or its member is down
	PoolReasonAllDown      = "all_down"
	PoolReasonStarted      = "started"
)

package nodesapi

import (
	"context"
	"time"
)

// ReadingStaleAfter is the age at which a reading no longer says how a node does now: two intervals of sampling.
const ReadingStaleAfter = 30 * time.Second

// Reading is what the listeners and outbounds of one node carried between its last two samples, by their tags in the
// core's configuration. What carried nothing may be missing.
type Reading struct {
	ObservedAt time.Time          `json:"at"`
	Listeners  map[string]Carried `json:"in,omitempty"`
	Outbounds  map[string]Carried `json:"out,omitempty"`
}

// Fresh reports whether the reading still says how the node does.
func (r Reading) Fresh(now time.Time) bool { return r.ObservedAt.After(now.Add(-ReadingStaleAfter)) }

// Carried is what one listener or outbound carried, in bits per second.
type Carried struct {
	Sessions *int64 `json:"s,omitempty"` // open ones of a listener; nil where they cannot be counted
	UpBps    int64  `json:"u,omitempty"` // from the client
	DownBps  int64  `json:"d,omitempty"` // to the client
}

// Serving is whether a node does what it shall, which is all that lists of what runs on many nodes need of each.
type Serving struct {
	ID                string
	Name              string
	Address           string
	Online            bool   // its agent reported within two heartbeats
	CoreState         string // unknown where no agent ever told
	RevisionDesired   int64
	RevisionInstalled int64
}

// Status is how a node is and what it has in common with others: all that judging a whole fleet needs of each.
type Status struct {
	ID        string
	Name      string
	Address   string // that others dial; may be empty before the agent enrolled
	State     string // as of Node
	Online    bool   // its agent reported within two heartbeats
	Able      bool   // its agent has named the capability that was asked for
	CoreState string // unknown where no agent ever told
	Wanted    bool   // a configuration is wanted there
	Provider  string
	Country   string
	Region    string // in the operator's words; may be empty
	Tags      []string
	SeenAt    time.Time // zero: never
}

// Statuses tells how the fleet is.
type Statuses interface {
	// Statuses gives all nodes in one statement, with whether the agent of each has named a capability. Ordered by
	// name.
	Statuses(ctx context.Context, capability string) ([]Status, error)
}

// Readings tells what nodes do and carry.
type Readings interface {
	// Serving gives the nodes with these ids, or all without any, in one statement; unknown ids are left out.
	Serving(ctx context.Context, nodeIDs ...string) ([]Serving, error)
	// Newest gives the newest reading of these nodes by their ids, in one statement. Nodes whose agents do not measure
	// their listeners are left out.
	Newest(ctx context.Context, nodeIDs ...string) (map[string]Reading, error)
	// Sessions gives the open sessions of these nodes from one time to another, in one statement, as finely as they are
	// still kept.
	Sessions(ctx context.Context, from, to time.Time, nodeIDs ...string) (Course, error)
}

// Load is how busy a node was at its newest sample, in percent. What the agent does not measure is 0.
type Load struct {
	ObservedAt        time.Time
	CPU, Memory, Disk float64
}

// Fresh reports whether the load still says how the node does.
func (l Load) Fresh(now time.Time) bool { return l.ObservedAt.After(now.Add(-ReadingStaleAfter)) }

// Loads tells how busy nodes are.
type Loads interface {
	// Loads gives the load of these nodes by their ids, in one statement. Nodes without a sample are left out.
	Loads(ctx context.Context, nodeIDs ...string) (map[string]Load, error)
}

// Course is how a figure of several nodes went over a period. Nodes that nobody measured then are left out.
type Course struct {
	Step   time.Duration // from one point to the next
	Points map[string][]Point
}

// Point is the mean of one step.
type Point struct {
	At    time.Time `json:"at"`
	Value float64   `json:"value"`
}

package nodesapi

import "time"

// Kinds of events about nodes. Their subject is the node.
const (
	NodeOnline         = "node.online" // Data of this and the next two is StateChanged
	NodeDegraded       = "node.degraded"
	NodeOffline        = "node.offline"
	NodeDrift          = "node.drift"   // Drift
	NodeCreated        = "node.created" // Data of this and the next ones is Changed
	NodeUpdated        = "node.updated"
	NodeDeleted        = "node.deleted"
	NodeEnrolled       = "node.enrolled"
	NodeMaintenanceOn  = "node.maintenance_on"
	NodeMaintenanceOff = "node.maintenance_off"
	NodeTokenRotated   = "node.token_rotated"
	NodeAgentRevoked   = "node.agent_revoked"

	NodeTrafficThreshold = "node.traffic_threshold" // Traffic
)

// Traffic says what a node has carried in its month, both directions together.
type Traffic struct {
	Name        string    `json:"name"`
	UsedBytes   int64     `json:"used_bytes"`
	LimitBytes  int64     `json:"limit_bytes"`
	UsedPercent int       `json:"used_pct"`
	ResetsAt    time.Time `json:"resets_at"`
}

// StateChanged says that a node's state turned from one to another.
type StateChanged struct {
	Name  string `json:"name"`
	Was   string `json:"was"`
	State string `json:"state"`
}

// Drift says that a node does not serve its desired configuration: its agent could not install the revision.
type Drift struct {
	Name     string `json:"name"`
	Revision int64  `json:"revision"`
	Stage    string `json:"stage"`
}

// Changed says that something was done to a node.
type Changed struct {
	Name string `json:"name"`
}

// Package updatesapi is what other modules may know of the updates of agents.
package updatesapi

// Kinds of events about one node; Data is NodeUpdate.
const (
	NodeUpdateStarted = "node.update_started"
	NodeUpdateDone    = "node.update_done"
	NodeUpdateFailed  = "node.update_failed"
)

// Kinds of events about a rollout, which is their subject; Data is Rollout.
const (
	RolloutStarted  = "node.rollout_started"
	RolloutStopped  = "node.rollout_stopped" // somebody stopped it; its end follows
	RolloutEnded    = "node.rollout_ended"
	RolloutProgress = "node.update_progress" // may be lost
)

// NodeUpdate says how the update of an agent stands. Stage and Error are of one that failed.
type NodeUpdate struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Stage   string `json:"stage,omitempty"`
	Error   string `json:"error,omitempty"`
}

// Rollout says how far a rollout is.
type Rollout struct {
	Version string `json:"version"`
	State   string `json:"state"`
	Ring    int    `json:"ring"`
	Detail  string `json:"detail,omitempty"`
}

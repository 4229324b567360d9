// Package healthapi is what other modules may know of health.
package healthapi

// Kinds of events about health.
const (
	EventStateChanged  = "health.state_changed" // StateNews; its subject is the node or flow
	EventPolicyCreated = "health.policy_created"
	EventPolicyUpdated = "health.policy_updated"
	EventPolicyDeleted = "health.policy_deleted"
)

// Kinds of subjects.
const (
	Node = "node"
	Flow = "connection_unit"
)

// States of a subject.
const (
	Up       = "up"
	Degraded = "degraded"
	Down     = "down"
	Unknown  = "unknown"
)

// StateNews says that the verdict about a node or flow has changed.
type StateNews struct {
	Kind   string `json:"kind"` // of the subject
	Name   string `json:"name"`
	Was    string `json:"was"`
	State  string `json:"state"`
	Reason string `json:"reason,omitempty"`
	Hint   string `json:"hint,omitempty"`
}

// PolicyNews names a policy.
type PolicyNews struct {
	Name string `json:"name"`
}

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

// Kinds of events about incidents, IncidentNews; their subject is the incident. They are emitted in the transaction in
// which it happens.
const (
	EventIncidentOpened   = "health.incident_opened"  // or it has come back
	EventIncidentChanged  = "health.incident_changed" // somebody joined, left or got worse, or a person did something
	EventIncidentResolved = "health.incident_resolved"
)

// IncidentNews says what an incident is about.
type IncidentNews struct {
	IncidentID string `json:"incident_id"`
	Kind       string `json:"kind"` // of the subject that it is told of by
	SubjectID  string `json:"subject_id"`
	Name       string `json:"name"` // of that subject
	Hint       string `json:"hint,omitempty"`
	Cause      string `json:"cause,omitempty"` // what the hint says, in English; the module's Russian texts know it
	Severity   string `json:"severity"`
	State      string `json:"state"`
	Reopened   int    `json:"reopened,omitempty"`
}

// Kinds of events about self-repair, ActionNews; their subject is the node.
const (
	EventActionProposed = "health.action_proposed" // a person is to approve it
	EventActionRun      = "health.action_run"      // it was done, well or not
	EventActionSkipped  = "health.action_skipped"
	EventActionUndone   = "health.action_undone" // what it had changed was given back
)

// ActionNews is about one act of self-repair.
type ActionNews struct {
	ActionID string `json:"action_id"`
	Act      string `json:"action"`
	Title    string `json:"action_title,omitempty"` // what the action is, in English; the module's Russian texts know it
	Name     string `json:"name"`                   // of the node
	State    string `json:"state"`
	Reason   string `json:"reason,omitempty"`
	Error    string `json:"error,omitempty"`
}

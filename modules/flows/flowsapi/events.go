package flowsapi

// Kinds of events about flows. Their subject is the flow.
const (
	EventCreated           = "flow.created" // Data of this and the next ones is Changed
	EventChanged           = "flow.changed"
	EventClientAdded       = "flow.client_added"
	EventClientRevoked     = "flow.client_revoked"
	EventClientsImported   = "flow.clients_imported"
	EventLinkIssued        = "flow.link_issued"
	EventPublicLinkIssued  = "flow.public_link_issued"
	EventPublicLinkRevoked = "flow.public_link_revoked"
	EventVersionKept       = "flow.version_kept"
	EventVersionChanged    = "flow.version_changed" // named or pinned
	EventDraftSaved        = "flow.draft_saved"     // DraftNews
	EventVersionLoaded     = "flow.version_loaded"  // VersionNews
	EventCompiled          = "flow.compiled"        // PlanNews
	EventPlanChecked       = "flow.plan_checked"    // PlanNews; may be lost
	EventApplyStarted      = "flow.apply_started"   // Data of this and the next ones is ApplyNews
	EventForceApplied      = "flow.force_applied"   // beside the start
	EventApplyStopped      = "flow.apply_stopped"   // somebody stopped it; its end follows
	EventApplySucceeded    = "flow.apply_succeeded" // the end of an apply
	EventDisabled          = "flow.disabled"        // the end of an apply that switched the flow off
	EventDeleted           = "flow.deleted"         // the end of an apply that removed the flow
	EventApplyFailed       = "flow.apply_failed"    // the end of an apply
	EventReverted          = "flow.reverted"        // beside the failure, when nothing of the apply is left
	EventApplyProgress     = "flow.apply_progress"  // ApplyProgress; may be lost
	EventCanaryStarted     = "flow.canary_started"  // ApplyNews, as of the next ones: some nodes serve the new version
	EventCanaryHeld        = "flow.canary_held"     // its time is over, and the rest does not follow yet
	EventCanaryPromoted    = "flow.canary_promoted" // somebody let the rest follow
	EventCanaryPassed      = "flow.canary_passed"   // the rest follows
	EventCanaryAborted     = "flow.canary_aborted"  // somebody ended it; the end of the apply follows
	EventCanaryFailed      = "flow.canary_failed"   // it goes back; the end of the apply follows
	EventStagePending      = "flow.stage_pending"   // StageNews: a part of an apply does not hold yet and is repeated
	EventStageSettled      = "flow.stage_settled"   // StageNews: it holds now
)

// Changed says that something was done to a flow.
type Changed struct {
	Name string `json:"name"`
}

// DraftNews says which revision the draft of a flow has now.
type DraftNews struct {
	Name          string `json:"name"`
	DraftRevision int    `json:"draft_revision"`
}

// VersionNews names a version of a flow.
type VersionNews struct {
	Name      string `json:"name"`
	VersionID string `json:"version_id"`
	Number    int    `json:"number"`
}

// PlanNews names a plan of a flow. The revision is that of its draft.
type PlanNews struct {
	PlanID   string `json:"plan_id"`
	Revision int    `json:"revision,omitempty"`
}

// ApplyNews says how an apply of a flow begins or ends.
type ApplyNews struct {
	Name    string `json:"name"`
	ApplyID string `json:"apply_id"`
	// Kind is apply, disable, delete or another act.
	Kind   string `json:"kind"`
	Detail string `json:"detail,omitempty"`
	// BypassedChecks are those that a forced apply went over.
	BypassedChecks []string `json:"bypassed_checks,omitempty"`
}

// ApplyProgress says where the nodes of an apply stand.
type ApplyProgress struct {
	ApplyID string `json:"apply_id"`
	Detail  string `json:"detail"`
	// Steps has the state of each node's step, by node.
	Steps map[string]string `json:"steps"`
}

// StageNews says how a part of an apply stands that another module does.
type StageNews struct {
	ApplyID string `json:"apply_id"`
	Stage   string `json:"stage"`
	Error   string `json:"error,omitempty"`
}

package flowsapi

// Kinds of events about flows that other modules listen to.
const (
	EventApplyStarted   = "flow.apply_started"
	EventApplySucceeded = "flow.apply_succeeded"
	EventApplyFailed    = "flow.apply_failed"
	EventStagePending   = "flow.stage_pending" // a part of an apply does not hold yet and is repeated
	EventStageSettled   = "flow.stage_settled" // it holds now
)

// StageNews is the data of EventStagePending and EventStageSettled.
type StageNews struct {
	ApplyID string `json:"apply_id"`
	Stage   string `json:"stage"`
	Error   string `json:"error,omitempty"`
}

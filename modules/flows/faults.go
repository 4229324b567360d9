package flows

import "panel/platform/fault"

// faults are the codes that this module alone answers with.
func faults() []fault.Declared {
	return []fault.Declared{
		{Kind: fault.KindConflict, Code: "apply_active", Summary: "Another change of the flow is being installed"},
		{Kind: fault.KindConflict, Code: "apply_committed", Summary: "The apply has committed and can no longer be cancelled"},
		{Kind: fault.KindInvalid, Code: "compile_failed", Summary: "The draft cannot be compiled; errors name what to correct"},
		{Kind: fault.KindConflict, Code: "plan_revision_conflict", Summary: "The draft has moved on since the plan was compiled"},
		{Kind: fault.KindConflict, Code: "plan_stale", Summary: "The plan no longer fits to what is installed"},
		{Kind: fault.KindConflict, Code: "port_conflict", Summary: "A port that the flow wants is taken"},
		{Kind: fault.KindInvalid, Code: "readiness_unconfirmed", Summary: "Checks are not confirmed; the answer names them"},
		{Kind: fault.KindInvalid, Code: "stage_blocked", Summary: "A part of the plan cannot be done as it is; checks name it"},
	}
}

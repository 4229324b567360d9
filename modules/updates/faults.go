package updates

import "panel/platform/fault"

// faults are the codes that this module alone answers with.
func faults() []fault.Declared {
	return []fault.Declared{
		{Kind: fault.KindInvalid, Code: "agent_too_old", Summary: "The agent cannot update itself"},
		{Kind: fault.KindConflict, Code: "no_agent_build", Summary: "The panel has no build for the agents"},
		{Kind: fault.KindConflict, Code: "nothing_to_update", Summary: "No agent is older than the build"},
		{Kind: fault.KindConflict, Code: "older_build", Summary: "The agent is newer than the build"},
		{Kind: fault.KindConflict, Code: "rollout_active", Summary: "A rollout goes on"},
		{Kind: fault.KindConflict, Code: "rollout_ended", Summary: "The rollout has ended or is stopping"},
	}
}

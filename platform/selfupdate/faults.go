package selfupdate

import "panel/platform/fault"

// faults are the codes that this module alone answers with.
func faults() []fault.Declared {
	return []fault.Declared{
		{
			Kind: fault.KindConflict, Code: "rollback_impossible",
			Summary: "The former release cannot come back; the answer says why",
		},
		{Kind: fault.KindConflict, Code: "update_active", Summary: "An update or a rollback goes on"},
		{Kind: fault.KindConflict, Code: "update_blocked", Summary: "Something must be put right before the update"},
		{Kind: fault.KindConflict, Code: "update_not_configured", Summary: "No release server is configured"},
		{Kind: fault.KindConflict, Code: "update_not_offered", Summary: "The version is not offered any more"},
		{Kind: fault.KindConflict, Code: "update_not_supported", Summary: "The installation cannot replace itself"},
	}
}

package domains

import "panel/platform/fault"

// faults are the codes that this module alone answers with.
func faults() []fault.Declared {
	return []fault.Declared{
		{Kind: fault.KindConflict, Code: "domain_conflict", Summary: "The domain is used, or belongs to another node"},
	}
}

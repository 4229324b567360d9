package operations

import "panel/platform/fault"

// faults are the codes that this module alone answers with.
func faults() []fault.Declared {
	return []fault.Declared{
		{
			Kind: fault.KindConflict, Code: "operation_ended",
			Summary: "The operation has ended; there is nothing to cancel",
		},
	}
}

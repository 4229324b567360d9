package nodes

import "panel/platform/fault"

// faults are the codes that this module alone answers with.
func faults() []fault.Declared {
	return []fault.Declared{
		{
			Kind: fault.KindUnauthenticated, Code: "enrollment_token_invalid",
			Summary: "The enrollment token is not valid",
		},
	}
}

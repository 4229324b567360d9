package setup

import "panel/platform/fault"

// faults are the codes that this module alone answers with.
func faults() []fault.Declared {
	return []fault.Declared{
		{
			Kind: fault.KindUnauthenticated, Code: "setup_token_invalid",
			Summary: "The set-up link is wrong or incomplete",
		},
	}
}

package license

import "panel/platform/fault"

// faults are the codes that this module alone answers with.
func faults() []fault.Declared {
	return []fault.Declared{
		{
			Kind: fault.KindInvalid, Code: "license_key_invalid",
			Summary: "The license was not activated; the answer says why",
		},
		{Kind: fault.KindConflict, Code: "license_missing", Summary: "There is no license"},
		{Kind: fault.KindUpstream, Code: "license_server_error", Summary: "The license server gave no usable answer"},
		{
			Kind: fault.KindUpstreamTimeout, Code: "license_server_timeout",
			Summary: "The license server did not answer in time",
		},
	}
}

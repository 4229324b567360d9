package diagnostics

import "panel/platform/fault"

// faults are the codes that this module alone answers with.
func faults() []fault.Declared {
	return []fault.Declared{
		{Kind: fault.KindConflict, Code: "support_bundle_busy", Summary: "Another support bundle is being made"},
		{
			Kind: fault.KindUpstream, Code: "support_server_error",
			Summary: "The support address did not take the bundle",
		},
		{
			Kind: fault.KindUpstreamTimeout, Code: "support_server_timeout",
			Summary: "The support address did not answer in time",
		},
		{Kind: fault.KindInvalid, Code: "support_url_invalid", Summary: "The support address must begin with https://"},
		{Kind: fault.KindConflict, Code: "support_url_missing", Summary: "No address takes support bundles"},
		{Kind: fault.KindInvalid, Code: "unknown_component", Summary: "No component of the panel has this name"},
	}
}

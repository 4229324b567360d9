package accounts

import "panel/platform/fault"

// faults are the codes that this module alone answers with.
func faults() []fault.Declared {
	return []fault.Declared{
		{Kind: fault.KindConflict, Code: "account_in_use", Summary: "The account owns something; hand it over first"},
		{Kind: fault.KindUnauthenticated, Code: "api_token_expired", Summary: "The API token has expired; create another one"},
		{Kind: fault.KindUnauthenticated, Code: "bad_credentials", Summary: "The username or the password is wrong"},
		{Kind: fault.KindConflict, Code: "last_admin", Summary: "It is the last account with full access"},
		{Kind: fault.KindConflict, Code: "own_account", Summary: "It is the own account; its password is changed with the current one"},
		{Kind: fault.KindUnauthenticated, Code: "second_factor_required", Summary: "A second factor is needed; the answer carries the challenge"},
		{Kind: fault.KindUnauthenticated, Code: "session_expired", Summary: "The session has ended"},
		{Kind: fault.KindConflict, Code: "too_many_tokens", Summary: "The account has as many API tokens as it may have"},
		{Kind: fault.KindConflict, Code: "totp_enabled", Summary: "An authenticator app is set up already"},
		{Kind: fault.KindConflict, Code: "totp_missing", Summary: "No authenticator app is set up"},
		{Kind: fault.KindConflict, Code: "totp_not_begun", Summary: "Setting up the authenticator app was not begun"},
	}
}

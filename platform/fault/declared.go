package fault

// Declared is a code word in the catalogue: what a module answers with, and when.
type Declared struct {
	Kind    Kind
	Code    string
	Summary string
}

// Common are the codes that belong to no module: the platform makes them, or several modules with one meaning.
func Common() []Declared {
	return []Declared{
		{KindMalformed, "bad_json", "The body is no JSON of the form that the operation takes"},
		{KindMalformed, "bad_parameter", "A parameter of the address is unknown or not what the operation takes"},
		{KindMalformed, "bad_request", "The request is not valid HTTP"},
		{KindMalformed, "missing_field", "The body lacks a field"},
		{KindMalformed, "unknown_field", "The body has a field that the operation does not know"},
		{KindUnauthenticated, "agent_token_invalid", "The agent's token is missing or not valid"},
		{KindUnauthenticated, "no_session", "There is no session; sign in first"},
		{KindForbidden, "license_feature_blocked", "The plan does not include the feature; the answer names it"},
		{KindForbidden, "license_read_only", "The panel is read-only: its license is missing or expired"},
		{KindForbidden, "password_change_required", "The account must choose a password of its own first"},
		{KindForbidden, "session_required", "An API token may not do this; it takes a person who is signed in"},
		{KindForbidden, "permission_denied", "The account lacks a permission; the answer names it"},
		{KindMissing, "not_found", "There is nothing with this identifier, or the caller may not know of it"},
		{KindMethod, "method_not_allowed", "The address does not take this method"},
		{KindSlow, "request_timeout", "The request did not arrive in time"},
		{KindConflict, "domain_conflict", "The domain is used, or belongs to another node or flow"},
		{
			KindConflict, "idempotency_answer_lost",
			"The request with this Idempotency-Key was done, but its answer was lost",
		},
		{KindConflict, "idempotency_in_progress", "The request with this Idempotency-Key is still being done"},
		{KindConflict, "idempotency_mismatch", "The Idempotency-Key was sent before with another request"},
		{KindConflict, "name_taken", "Something else has this name"},
		{KindConflict, "node_in_use", "Something uses the node; the answer says what"},
		{KindConflict, "record_conflict", "Another DNS record stands at the name"},
		{KindConflict, "revision_conflict", "Somebody else has changed it in the meantime; read it again"},
		{KindConflict, "setup_closed", "The first installation is over"},
		{KindTooLarge, "body_too_large", "The body is larger than the operation takes"},
		{KindInvalid, "agent_offline", "The node's agent is not connected"},
		{KindInvalid, "file_damaged", "The file is not the announced one: its digest or size differs"},
		{KindInvalid, "invalid_value", "A field has a value that is not allowed"},
		{KindThrottled, "throttled", "Too many requests; Retry-After says when to try again"},
		{KindHeadersTooLarge, "headers_too_large", "The headers of the request are too large"},
		{Internal, "internal", "Something went wrong inside the panel; its log says what"},
		{KindUnavailable, "unavailable", "The panel cannot answer now; Retry-After says when to try again"},
	}
}

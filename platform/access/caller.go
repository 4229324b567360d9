package access

import "context"

// CallerKind is what sort of caller proved itself.
type CallerKind string

// Kinds of callers, the words of the journal's actor.
const (
	Nobody CallerKind = "none"
	Admin  CallerKind = "admin"
	Node   CallerKind = "agent"
	System CallerKind = "system"
	CLI    CallerKind = "cli"
)

// Caller is who makes a request and from where.
type Caller struct {
	Kind         CallerKind
	AccountID    string
	Username     string
	SessionID    string
	TokenID      string // of the API token that the request carries, else empty
	TokenName    string
	NodeID       string
	AgentTokenID string // the id of the token by which an agent has proved itself
	Permissions  Set
	IP           string
	UserAgent    string
	RequestID    string

	// MustChangePassword closes everything to the caller but what leads to a password of his own.
	MustChangePassword bool
}

// Name is what the journal calls the caller: the username, and behind it the API token that acts for the account.
func (c Caller) Name() string {
	if c.TokenID == "" {
		return c.Username
	}
	return c.Username + " (" + c.TokenName + ")"
}

// CallerKey is the context value under which a request tells its caller, a *Caller that nobody changes.
type CallerKey struct{}

// With puts the caller into the context.
func With(ctx context.Context, caller Caller) context.Context {
	return context.WithValue(ctx, CallerKey{}, &caller)
}

// AddressKey is the context value under which a request tells its client's address while its caller is still being
// proved.
type AddressKey struct{}

// Address is where a request comes from, also before its caller is known; outside a request it is nothing.
func Address(ctx context.Context) string {
	if ip, ok := ctx.Value(AddressKey{}).(string); ok {
		return ip
	}
	return From(ctx).IP
}

// From gives the caller of the request; outside a request it is the panel itself.
func From(ctx context.Context) Caller {
	if caller, ok := ctx.Value(CallerKey{}).(*Caller); ok {
		return *caller
	}
	return Caller{Kind: System, Username: "system"}
}

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
	Kind        CallerKind
	AccountID   string
	Username    string
	SessionID   string
	NodeID      string
	Permissions Set
	IP          string
	UserAgent   string
	RequestID   string
}

type callerKey struct{}

// With puts the caller into the context.
func With(ctx context.Context, caller Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

// From gives the caller of the request; outside a request it is the panel itself.
func From(ctx context.Context) Caller {
	if caller, ok := ctx.Value(callerKey{}).(Caller); ok {
		return caller
	}
	return Caller{Kind: System, Username: "system"}
}

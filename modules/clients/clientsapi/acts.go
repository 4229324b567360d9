package clientsapi

import "context"

// Limits are what a client may use of each node at once; 0 is no limit.
type Limits struct {
	SpeedMbps int `json:"speed_mbps,omitempty"` // in each direction
	Addresses int `json:"addresses,omitempty"`  // from which it uses a node at once
}

// Taken is what a client had on a flow before it was taken.
type Taken struct {
	FlowID string `json:"flow_id"`
	Ref    string `json:"ref"` // of Access
}

// Acts lets others restrict clients for a time and give back what they had. Its calls take part in the context's
// transaction and write the journal and events for the caller of the context. Fault of all: not_found (404) for a
// client that is gone or was revoked.
type Acts interface {
	// Narrow limits a client where it is not limited as far already, and gives its limits before and after.
	Narrow(ctx context.Context, clientID string, to Limits) (before, after Limits, err error)
	// Widen gives a client its previous limits back. One that somebody has changed since they were set stays as it is.
	Widen(ctx context.Context, clientID string, set, before Limits) error
	// Take ends a client's use of the named flows, of all without names, and gives what it had there.
	Take(ctx context.Context, clientID string, flowIDs ...string) ([]Taken, error)
	// GiveBack lets a client use flows again with the secrets that it had. A flow that is gone, or that somebody has
	// given it meanwhile, stays as it is.
	GiveBack(ctx context.Context, clientID string, taken ...Taken) error
}

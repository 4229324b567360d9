package nodesapi

import (
	"context"
	"time"
)

// TokenOrder is what an enrollment token is issued for. It is used once.
type TokenOrder struct {
	NodeID string // empty: the agent becomes that of a new node
	Label  string
	Tags   []string
	Lives  time.Duration
}

// Token is a fresh enrollment token.
type Token struct {
	ID        string
	Token     string // a secret, given this once
	Command   string // one line for a root shell on the server
	URL       string // of the panel as agents dial it
	ExpiresAt time.Time
}

// Enrollment issues tokens with which servers get their agents, for whoever makes servers. Its calls take part in the
// context's transaction and write their lines in the journal.
type Enrollment interface {
	// Add adds a node that waits for its agent. Faults: name_taken (409), invalid_value (422).
	Add(ctx context.Context, name string) (nodeID string, err error)
	// Issue gives a token; an unknown node gives ErrUnknown.
	Issue(ctx context.Context, want TokenOrder) (Token, error)
	// Revoke ends a token; an unknown one gives ErrUnknown.
	Revoke(ctx context.Context, tokenID string) error
}

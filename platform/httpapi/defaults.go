package httpapi

import (
	"context"
	"time"

	"panel/platform/access"
	"panel/platform/fault"
)

// NoAgents refuses every agent token: a build without nodes has none.
type NoAgents struct{}

// AuthenticateAgent always refuses.
func (NoAgents) AuthenticateAgent(context.Context, string) (access.Caller, error) {
	return access.Caller{}, fault.Unauthenticated("agent_token_invalid", "this panel has no nodes")
}

type noMeter struct{}

// Began does nothing.
func (noMeter) Began() {}

// Route counts nothing.
func (noMeter) Route(string, string) func(int, time.Duration) { return func(int, time.Duration) {} }

package own

import (
	"context"

	"panel/modules/health/internal/place"
	"panel/platform/agentapi"
)

// Reasons of a client that went through a flow.
const (
	TunnelFailed  = "tunnel_failed"
	ExitElsewhere = "exit_elsewhere" // it left at another node of the flow than its way leads to
)

// tunnel has an agent go through a flow as a client does. An agent that cannot try says nothing about the flow.
func (l *Looks) tunnel(ctx context.Context, w place.Look) (agentapi.CheckResult, bool) {
	met, err := l.probes.Through(ctx, w.FlowID, w.Entry, w.From)
	failed := met.Code == string(agentapi.CodeUnreachable)
	if err != nil || !met.OK && !failed {
		return agentapi.CheckResult{}, false
	}
	result := agentapi.CheckResult{WatchID: w.ID, At: l.clock.Now().UTC(), LatencyMillis: met.Millis, Error: met.Error}
	if met.Elsewhere != "" {
		result.Error = met.ExitIP + " is " + met.Elsewhere
	}
	result.Clean()
	switch {
	case failed:
		result.Reason = TunnelFailed
	case met.Elsewhere != "":
		result.Reason = ExitElsewhere
	default:
		result.OK, result.Error = true, ""
	}
	return result, true
}

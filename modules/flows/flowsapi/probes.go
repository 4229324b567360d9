package flowsapi

import "context"

// Probe is what a real client met that went through a flow and asked the panel who it is.
type Probe struct {
	OK        bool
	Millis    float64 // to the first byte
	ExitIP    string  // address that the panel saw
	Elsewhere string  // name of the node of the flow that has this address, where the way does not lead to it
	Code      string  // of an agent's result: why nothing came through
	Error     string
}

// Probes goes through flows as clients do.
type Probes interface {
	// Through has the agent of one node go in at an installed entry, along the way of what no rule chooses, with the
	// panel's own client. It takes at most a quarter of a minute. ErrUnknown: the flow is not installed, has no such
	// entry of its own agents, or no other node could dial it.
	Through(ctx context.Context, flowID, entry, fromNodeID string) (Probe, error)
}

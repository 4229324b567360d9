package proxypanelapi

import "context"

// States of a node of a proxy panel, as that panel says it.
const (
	NodeConnected    = "connected"
	NodeConnecting   = "connecting"
	NodeDisconnected = "disconnected"
	NodeDisabled     = "disabled"
	NodeGone         = "gone"
	NodeUnread       = "unread" // the proxy panel was not read for five minutes
)

// NodeState is how the node of a proxy panel is that serves entries of flows on a node of ours.
type NodeState struct{ ConnectionID, NodeID, State string }

// Nodes are those of proxy panels that were adopted. It takes part in the context's transaction and asks nobody.
type Nodes interface {
	States(ctx context.Context) ([]NodeState, error)
}

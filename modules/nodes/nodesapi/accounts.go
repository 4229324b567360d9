package nodesapi

import (
	"context"
	"time"
)

// ClientTraffic is what one client of the cores carried, over all nodes.
type ClientTraffic struct {
	Email    string // in the configuration of the core
	Up, Down int64  // bytes
	LastAt   time.Time
}

// ClientCount is what the agent of a node has counted of a client in all, since its first share (agentapi.Share).
type ClientCount struct {
	NodeID, ClientID string
	Bytes            int64
}

// ClientUse is what was stored of clients: what they carried, and the counts of agents.
type ClientUse struct {
	Traffic []ClientTraffic
	Counts  []ClientCount
}

// Accounts tells what clients carried, each byte once: whoever counts it keeps the mark with the counts.
type Accounts interface {
	// Since gives what was stored from a mark on, and the mark to ask from the next time, in the transaction of the
	// context. Whoever asks holds a lock, so that nobody else counts from the same mark. Samples are kept six hours.
	Since(ctx context.Context, mark int64) (carried ClientUse, next int64, err error)
}

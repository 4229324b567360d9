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

// Accounts tells what clients carried, each byte once: whoever counts it keeps the mark with the counts.
type Accounts interface {
	// Since gives what was stored from a mark on, and the mark to ask from the next time, in the transaction of the
	// context. Whoever asks holds a lock, so that nobody else counts from the same mark. Samples are kept six hours.
	Since(ctx context.Context, mark int64) (carried []ClientTraffic, next int64, err error)
}

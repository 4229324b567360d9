package poolsapi

import "context"

// Pool is a pool and who its members are.
type Pool struct {
	ID      string
	Name    string
	NodeIDs []string // of the members that are switched on
	FlowIDs []string
}

// Directory lists pools, and the flows that they block.
type Directory interface {
	// Pools gives the pools with these ids, or all without any, by name; unknown ids are left out.
	Pools(ctx context.Context, ids ...string) ([]Pool, error)
	// Blocked gives the flows of which a pool blocks traffic now: on some node that forwards to it no member is usable,
	// and its fallback blocks.
	Blocked(ctx context.Context) (flowIDs []string, err error)
}

package nodesapi

import "context"

// Addresses tells whose an address is.
type Addresses interface {
	// HeldBy gives the ids of the nodes that have an IP address, as people or their agents say. The address is in the
	// form of netip.Addr. It takes part in the context's transaction.
	HeldBy(ctx context.Context, address string) (nodeIDs []string, err error)
}

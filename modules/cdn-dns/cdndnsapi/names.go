// Package cdndnsapi is what other modules may ask of the host names that lead to nodes.
package cdndnsapi

import (
	"context"
	"time"
)

// Name is a host name by which clients of flows reach a node, with another address of that node.
type Name struct {
	DomainID string // of the binding
	Hostname string
	FlowIDs  []string // whose entries it is, as they are installed; sorted
	From     string   // address that its record holds
	To       string   // address of the same family that it could hold instead
	Others   []string // further ones, in order
	TTL      time.Duration
}

// Names are those whose records the panel writes. Lead and LeadBack are promises that commit with the context's
// transaction: the records are written after it, again and again until what was promised holds.
type Names interface {
	// Elsewhere gives the names of nodes that could lead to another address of the same node, one that the whole
	// internet can reach: the lowest that its host has beside the one in the record, and the further ones. A name that
	// leads elsewhere already, or through a CDN, is none of them. It asks nobody outside.
	Elsewhere(ctx context.Context, nodeIDs ...string) (map[string][]Name, error)
	// Lead has names lead to their other addresses for a reason, a word of the caller's that is used once. A name that
	// is gone by then is left out.
	Lead(ctx context.Context, why string, names ...Name) error
	// Leading says how far that has come.
	Leading(ctx context.Context, why string) (Leading, error)
	// LeadBack has the names lead to the addresses that they would lead to without that reason.
	LeadBack(ctx context.Context, why string) error
}

// Leading is how far names are that lead elsewhere for one reason.
type Leading struct {
	Names   []Name // that are led elsewhere, by host name
	Waits   int    // those of them whose records are not written yet
	Problem string // why one could not be written at the last attempt; empty: nobody has failed
}

package geoapi

import (
	"context"
	"net/netip"
)

// Place is where an address is and whose, as far as databases of places know it.
type Place struct {
	Country string // ISO 3166 code
	ASN     uint
	Network string // name of the network
}

// Places tells where addresses are. Without a database it knows nothing, which is no error.
type Places interface {
	// Of gives the places of addresses; those that nobody knows are absent. Ask once for a page.
	Of(ctx context.Context, addresses ...netip.Addr) map[netip.Addr]Place
}

// Package places tells in which country and network addresses are, for whoever shows addresses to people.
//
// What is known comes from a module that has databases of places. Without one nothing is known, which is no error.
package places

import (
	"context"
	"net/netip"
)

// Place is where an address is and whose, as far as that is known.
type Place struct {
	Country string `json:"country" doc:"ISO 3166 code; empty when unknown"`
	ASN     uint   `json:"asn" doc:"Number of the autonomous system; 0 when unknown"`
	Network string `json:"network" doc:"Name of the autonomous system; empty when unknown"`
}

// Source knows places.
type Source interface {
	// Of gives the places of addresses; those that nobody knows are absent.
	Of(ctx context.Context, addresses ...netip.Addr) map[netip.Addr]Place
}

// Book is where places are looked up. The zero value knows none.
type Book struct{ source Source }

// From takes who knows places, once, while the panel is composed.
func (b *Book) From(source Source) { b.source = source }

// Of gives the places of addresses as people write them: what is no address, as a host name, and what nobody knows is
// absent. Ask once for a page.
func (b *Book) Of(ctx context.Context, texts ...string) map[string]*Place {
	asked := map[string]netip.Addr{}
	for _, text := range texts {
		if addr, err := netip.ParseAddr(text); err == nil {
			asked[text] = addr
		}
	}
	found := map[string]*Place{}
	if b.source == nil || len(asked) == 0 {
		return found
	}
	addresses := make([]netip.Addr, 0, len(asked))
	for _, addr := range asked {
		addresses = append(addresses, addr)
	}
	known := b.source.Of(ctx, addresses...)
	for text, addr := range asked {
		if place, there := known[addr]; there {
			found[text] = &place
		}
	}
	return found
}

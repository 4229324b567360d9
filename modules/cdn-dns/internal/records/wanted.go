package records

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"strings"

	"panel/modules/cdn-dns/internal/provider"
	"panel/modules/domains/domainsapi"
	"panel/modules/nodes/nodesapi"
)

// Modes of bindings, as domains has them.
const (
	modeCDN     = "cdn"
	modeForeign = "reality_sni"
)

// wish is what a binding wants of its host name.
type wish struct {
	records []provider.Record
	// any is for a name whose records are the business of somebody else: whatever stands there is as it should be.
	any bool
}

func (w wish) values() []string {
	values := make([]string, len(w.records))
	for i, r := range w.records {
		values[i] = r.Value
	}
	slices.Sort(values)
	return values
}

// wish is the address of the node, one of each family, or where a detour leads instead. The name that a REALITY
// listener shows is a stranger's, and that of a CDN is made when a flow is applied.
func (e *Engine) wish(ctx context.Context, binding domainsapi.Domain) (wish, error) {
	if binding.Mode == modeForeign || binding.Mode == modeCDN {
		return wish{any: true}, nil
	}
	node, err := e.Fleet.Node(ctx, binding.NodeID)
	if errors.Is(err, nodesapi.ErrUnknown) {
		return wish{}, nil
	}
	if err != nil {
		return wish{}, err
	}
	taken, err := e.detours(ctx, "t.domain_id = ?", binding.ID)
	if err != nil {
		return wish{}, err
	}
	var w wish
	for _, addr := range led(node, taken) {
		w.records = append(w.records, provider.Record{
			Name: provider.Canonical(binding.Hostname), Type: provider.AddressType(addr), Value: addr.String(),
			TTL: binding.TTL,
		})
	}
	return w, nil
}

// Values are what the records of a binding are to hold where its node is: none for a name whose records are the
// business of somebody else.
func (e *Engine) Values(ctx context.Context, binding domainsapi.Domain) ([]string, error) {
	wanted, err := e.wish(ctx, binding)
	return wanted.values(), err
}

// Addresses are where others reach the node, at most one of each family: the address that they dial, then what its host
// has and the whole internet can reach.
func Addresses(node nodesapi.Node) []netip.Addr {
	var found []netip.Addr
	add := func(text string, good func(netip.Addr) bool) {
		addr, is := read(text)
		if !is || addr.Zone() != "" || !good(addr) {
			return
		}
		if !slices.ContainsFunc(found, func(other netip.Addr) bool { return other.Is4() == addr.Is4() }) {
			found = append(found, addr)
		}
	}
	add(node.Address, Reachable)
	for _, text := range slices.Sorted(slices.Values(node.Addresses)) {
		add(text, public)
	}
	slices.SortFunc(found, netip.Addr.Compare)
	return found
}

// read reads an address that may have the length of its network behind it.
func read(text string) (addr netip.Addr, is bool) {
	text, _, _ = strings.Cut(text, "/")
	addr, err := netip.ParseAddr(text)
	return addr.Unmap(), err == nil
}

// Reachable tells whether others than the host itself can reach an address.
func Reachable(addr netip.Addr) bool {
	return addr.Zone() == "" && !addr.IsUnspecified() && !addr.IsLoopback() && !addr.IsMulticast() &&
		!addr.IsLinkLocalUnicast()
}

var shared = netip.MustParsePrefix("100.64.0.0/10") // of providers, for their customers behind one address

func public(addr netip.Addr) bool {
	return Reachable(addr) && addr.IsGlobalUnicast() && !addr.IsPrivate() && !shared.Contains(addr)
}

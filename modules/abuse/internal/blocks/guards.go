package blocks

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"panel/platform/access"
	"panel/platform/fault"
)

// Why an address is not blocked.
var (
	errForm     = fault.Invalid("invalid_value", cannot+"is no address and no network")
	errLoopback = fault.Invalid("blocks_loopback", cannot+"contains loopback addresses")
	errPrivate  = fault.Invalid("blocks_private", cannot+"contains private addresses")
	errNode     = fault.Invalid("blocks_node", cannot+"contains the address of a node")
	errPanel    = fault.Invalid("blocks_panel", cannot+"contains the address of the panel")
	errYourself = fault.Invalid("blocks_yourself", cannot+"contains the address that you come from")
	errWide     = fault.Invalid("blocks_too_wide", cannot+"is larger than a /8, or a /24 of IPv6")
)

const cannot = "this network cannot be blocked: it "

// Faults are the codes of this package.
func Faults() []fault.Declared {
	return []fault.Declared{
		{Kind: fault.KindInvalid, Code: errLoopback.Code, Summary: "A block would keep a host from itself"},
		{Kind: fault.KindInvalid, Code: errPrivate.Code, Summary: "A block would concern private addresses"},
		{Kind: fault.KindInvalid, Code: errNode.Code, Summary: "A block would keep nodes from each other"},
		{Kind: fault.KindInvalid, Code: errPanel.Code, Summary: "A block would keep nodes from the panel"},
		{Kind: fault.KindInvalid, Code: errYourself.Code, Summary: "A block would keep out whoever asks for it"},
		{Kind: fault.KindInvalid, Code: errWide.Code, Summary: "A block would concern too large a network"},
		{Kind: fault.KindConflict, Code: errBlocked.Code, Summary: "The network is blocked already"},
		{Kind: fault.KindConflict, Code: errFull.Code, Summary: "Nodes take no more blocks"},
		{Kind: fault.KindConflict, Code: errOver.Code, Summary: "The block is over"},
	}
}

var (
	loopbacks = prefixes("127.0.0.0/8", "::1/128", "0.0.0.0/8", "::/128")
	privates  = prefixes("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "169.254.0.0/16",
		"224.0.0.0/4", "240.0.0.0/4", "fc00::/7", "fe80::/10", "ff00::/8")
)

func prefixes(texts ...string) []netip.Prefix {
	all := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		all[i] = netip.MustParsePrefix(text)
	}
	return all
}

const (
	// The largest networks that may be blocked.
	widest4, widest6 = 8, 24
	resolveLimit     = 2 * time.Second
)

// Guards are the addresses that nobody blocks.
type Guards struct{ nodes, panel, caller []netip.Addr }

// Guards reads which addresses nobody blocks now. It may ask the name service, and so runs in no transaction.
func (b *Blocks) Guards(ctx context.Context) (*Guards, error) {
	out := &Guards{panel: b.ofPanel(ctx)}
	if addr, err := netip.ParseAddr(access.Address(ctx)); err == nil {
		out.caller = []netip.Addr{addr.Unmap().WithZone("")}
	}
	nodes, err := b.Fleet.Nodes(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the addresses of nodes: %w", err)
	}
	for i := range nodes {
		for _, text := range append([]string{nodes[i].Address}, nodes[i].Addresses...) {
			if addr, err := netip.ParseAddr(text); err == nil {
				out.nodes = append(out.nodes, addr.Unmap().WithZone(""))
			}
		}
	}
	return out, nil
}

// ofPanel are the addresses of this host, and those that the panel's address stands for now.
func (b *Blocks) ofPanel(ctx context.Context) (all []netip.Addr) {
	own, _ := net.InterfaceAddrs() // what cannot be read is not known
	for _, one := range own {
		if prefix, err := netip.ParsePrefix(one.String()); err == nil {
			all = append(all, prefix.Addr().Unmap())
		}
	}
	parsed, err := url.Parse(b.PanelURL)
	if err != nil || parsed.Hostname() == "" {
		return all
	}
	ctx, cancel := context.WithTimeout(ctx, resolveLimit)
	defer cancel()
	found, _ := net.DefaultResolver.LookupNetIP(ctx, "ip", parsed.Hostname()) // agents look for themselves as well
	for _, addr := range found {
		all = append(all, addr.Unmap())
	}
	return all
}

// Judge reads an address or network that may be blocked. Faults: those of Faults (422), at the field.
func (g *Guards) Judge(text, field string) (netip.Prefix, error) {
	network, read := parse(strings.TrimSpace(text))
	refused := errForm
	if read {
		refused = g.refusal(network)
	}
	if refused != nil {
		return network, refused.Field(field, refused.Code, refused.Detail)
	}
	return network, nil
}

// refusal says why a network is not blocked; nil: it may be.
func (g *Guards) refusal(network netip.Prefix) *fault.Fault {
	holds := func(addr netip.Addr) bool { return network.Contains(addr) }
	switch {
	case slices.ContainsFunc(loopbacks, network.Overlaps):
		return errLoopback
	case slices.ContainsFunc(privates, network.Overlaps):
		return errPrivate
	case slices.ContainsFunc(g.caller, holds):
		return errYourself
	case slices.ContainsFunc(g.panel, holds):
		return errPanel
	case slices.ContainsFunc(g.nodes, holds):
		return errNode
	case network.Addr().Is4() && network.Bits() < widest4, network.Addr().Is6() && network.Bits() < widest6:
		return errWide
	}
	return nil
}

// parse reads an address or a network. An IPv4 one in the form of IPv6 is the IPv4 one.
func parse(text string) (netip.Prefix, bool) {
	if addr, err := netip.ParseAddr(text); err == nil {
		addr = addr.Unmap()
		return netip.PrefixFrom(addr, addr.BitLen()), addr.Zone() == ""
	}
	network, err := netip.ParsePrefix(text)
	const mapped = 96
	switch {
	case err != nil:
		return netip.Prefix{}, false
	case !network.Addr().Is4In6():
		return network.Masked(), true
	case network.Bits() < mapped:
		return netip.Prefix{}, false
	}
	return netip.PrefixFrom(network.Addr().Unmap(), network.Bits()-mapped).Masked(), true
}

// Text is the one form of a network: an address alone without its length.
func Text(network netip.Prefix) string {
	if network.IsSingleIP() {
		return network.Addr().String()
	}
	return network.String()
}

// around is the network around an address: the /24 or /64 that tells nobody who it is.
func around(text string) string {
	const of4, of6 = 24, 64
	network, _ := parse(text)
	bits := of6
	if network.Addr().Is4() {
		bits = of4
	}
	if network.Bits() <= bits {
		return network.String()
	}
	return netip.PrefixFrom(network.Addr(), bits).Masked().String()
}

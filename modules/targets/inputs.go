package targets

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"panel/modules/domains/domainsapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/agentapi"
	"panel/platform/fault"
	"panel/platform/hostname"
	"panel/platform/outbound"
)

const (
	usualPort = 443
	// mostBits is what a network leaves to its addresses: 256 of them.
	mostBits = 8
)

// inputs turns what somebody asks for into targets. Addresses that are not of the public internet are refused here
// where they are written down, and by the agent where a name leads to them.
type inputs struct {
	domains domainsapi.Domains
	network *outbound.Network
}

// of gives the targets of a search, each once. Faults: invalid_value (422) for each wrong input.
func (i *inputs) of(ctx context.Context, in NewSearch, node nodesapi.Node) (list []agentapi.ScanTarget, err error) {
	port := cmp.Or(in.Port, usualPort)
	switch in.Mode {
	case modeHosts:
		list, err = i.hosts(in.Inputs, port)
	case modeNetwork:
		list, err = i.networks(in.Inputs, port)
	case modeNeighbours:
		list, err = i.neighbours(in.Inputs, node, port)
	default:
		list, err = i.own(ctx, in.Inputs, port)
	}
	if err != nil {
		return nil, err
	}
	list = once(list)
	switch {
	case len(list) == 0 && in.Mode == modeOwn:
		return nil, fault.InvalidValue("mode", "no host name of yours is bound to a node")
	case len(list) == 0:
		return nil, fault.InvalidValue("inputs", "name at least one target")
	case len(list) > agentapi.MaxScanTargets:
		return nil, fault.InvalidValue("inputs",
			fmt.Sprintf("%d targets come out of it; a search has at most %d", len(list), agentapi.MaxScanTargets))
	}
	return list, nil
}

// once keeps the first of equal targets.
func once(list []agentapi.ScanTarget) []agentapi.ScanTarget {
	seen := make(map[agentapi.ScanTarget]bool, len(list))
	return slices.DeleteFunc(list, func(t agentapi.ScanTarget) bool {
		again := seen[t]
		seen[t] = true
		return again
	})
}

// wrong collects the faults of many inputs in one answer.
type wrong struct{ fault *fault.Fault }

// mostTold bounds the fields in one answer.
const mostTold = 20

func (w *wrong) at(field, message string) {
	if w.fault == nil {
		w.fault = fault.Invalid("invalid_value", "a field has a value that is not allowed")
	}
	if len(w.fault.Fields) < mostTold {
		w.fault = w.fault.Field(field, "invalid_value", message)
	}
}

func (w *wrong) err() error {
	if w.fault == nil {
		return nil
	}
	return w.fault
}

func (i *inputs) hosts(texts []string, port int) ([]agentapi.ScanTarget, error) {
	list, bad := make([]agentapi.ScanTarget, 0, len(texts)), wrong{}
	for at, text := range texts {
		target, why := i.host(text, port)
		if why != "" {
			bad.at(fmt.Sprintf("inputs[%d]", at), why)
			continue
		}
		list = append(list, target)
	}
	return list, bad.err()
}

const (
	notHost   = "write a host or host:port, such as www.example.org:443"
	notPublic = "it is not an address of the public internet; such targets are never tried"
)

// host reads one target; why says what is wrong with it.
func (i *inputs) host(text string, port int) (target agentapi.ScanTarget, why string) {
	text = strings.TrimSpace(text)
	host := strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	if _, err := netip.ParseAddr(host); err != nil && strings.Contains(text, ":") {
		var number string
		if host, number, err = net.SplitHostPort(text); err != nil {
			return target, notHost
		}
		if port, err = strconv.Atoi(number); err != nil || port < 1 || port > 65535 {
			return target, notHost
		}
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		if addr.Zone() != "" || !i.public(addr) {
			return target, notPublic
		}
		return agentapi.ScanTarget{Host: addr.Unmap().String(), Port: port}, ""
	}
	name, ok := nameOf(host)
	if !ok {
		return target, notHost
	}
	return agentapi.ScanTarget{Host: name, Port: port}, ""
}

// nameOf reads a host name of the public internet, in any alphabet.
func nameOf(text string) (string, bool) {
	name, err := idna.Lookup.ToASCII(strings.ToLower(strings.TrimSuffix(text, ".")))
	if _, address := netip.ParseAddr(name); address == nil {
		return "", false
	}
	if err != nil || !hostname.Is(name) || !strings.Contains(name, ".") || strings.HasSuffix(name, ".localhost") {
		return "", false
	}
	return name, true
}

func (i *inputs) public(addr netip.Addr) bool {
	at := url.URL{Scheme: "https", Host: netip.AddrPortFrom(addr, usualPort).String()}
	_, err := i.network.Address(at.String(), outbound.PublicOnly)
	return err == nil
}

func (i *inputs) networks(texts []string, port int) (list []agentapi.ScanTarget, _ error) {
	bad := wrong{}
	for at, text := range texts {
		network, err := netip.ParsePrefix(strings.TrimSpace(text))
		field := fmt.Sprintf("inputs[%d]", at)
		switch {
		case err != nil || network.Addr().Is4In6():
			bad.at(field, "write a network, such as 203.0.113.0/24")
		case network.Addr().BitLen()-network.Bits() > mostBits:
			bad.at(field, "a network has at most 256 addresses: /24, and /120 of IPv6")
		case !i.public(network.Masked().Addr()) || !i.public(last(network)):
			bad.at(field, notPublic)
		case len(list) <= agentapi.MaxScanTargets: // one more than may be is refused as a whole
			list = append(list, addressesOf(network, port)...)
		}
	}
	return list, bad.err()
}

func last(network netip.Prefix) netip.Addr {
	raw := network.Masked().Addr().AsSlice()
	raw[len(raw)-1] |= byte(1<<(network.Addr().BitLen()-network.Bits()) - 1)
	addr, _ := netip.AddrFromSlice(raw)
	return addr
}

func addressesOf(network netip.Prefix, port int) (list []agentapi.ScanTarget) {
	for addr := network.Masked().Addr(); network.Contains(addr); addr = addr.Next() {
		list = append(list, agentapi.ScanTarget{Host: addr.String(), Port: port})
	}
	return list
}

// neighbours are the other addresses of the network of 256 that the node's own address is in.
func (i *inputs) neighbours(texts []string, node nodesapi.Node, port int) ([]agentapi.ScanTarget, error) {
	if len(texts) > 0 {
		return nil, fault.InvalidValue("inputs", "a search among the neighbours takes no inputs")
	}
	for _, text := range slices.Concat([]string{node.Address}, node.Addresses) {
		own, err := netip.ParseAddr(text)
		if err != nil || !own.Unmap().Is4() || !i.public(own.Unmap()) {
			continue
		}
		network, err := own.Unmap().Prefix(own.Unmap().BitLen() - mostBits)
		if err != nil {
			return nil, fmt.Errorf("find the neighbours of a node: %w", err)
		}
		list := addressesOf(network, port)
		return slices.DeleteFunc(list, func(t agentapi.ScanTarget) bool { return t.Host == own.Unmap().String() }), nil
	}
	return nil, fault.InvalidValue("node_id", "no public IPv4 address of this node is known")
}

// own are the host names that the caller has bound to nodes.
func (i *inputs) own(ctx context.Context, texts []string, port int) (list []agentapi.ScanTarget, _ error) {
	if len(texts) > 0 {
		return nil, fault.InvalidValue("inputs", "a search among own domains takes no inputs")
	}
	const page = 200
	caller := access.From(ctx)
	for after := ""; len(list) <= agentapi.MaxScanTargets; {
		bound, err := i.domains.All(ctx, after, page)
		if err != nil {
			return nil, fmt.Errorf("list the own domains: %w", err)
		}
		for _, d := range bound {
			if d.OwnerID == caller.AccountID || caller.Permissions.Has(access.All) {
				list = append(list, agentapi.ScanTarget{Host: d.Hostname, Port: port})
			}
			after = d.Hostname
		}
		if len(bound) < page {
			break
		}
	}
	return list[:min(len(list), agentapi.MaxScanTargets)], nil
}

package external

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"

	"panel/modules/flows/flowsapi"
	"panel/modules/health/internal/external/checker"
	"panel/platform/database"
	"panel/platform/fault"
)

// Asked is what somebody wants looked at. Operators are keys; none means all that the service has.
type Asked struct {
	Kind      string   `json:"kind,omitempty" enum:"probe,scan,vless" doc:"probe when left out"`
	NodeID    string   `json:"node_id,omitempty" maxLength:"64" doc:"Which node of the flow; needed where it has several"`
	Operators []string `json:"operators,omitempty" maxItems:"200" doc:"Keys of operators; none: all"`
	Link      string   `json:"link,omitempty" maxLength:"4096" doc:"Of a client of this flow, for vless; the service gets it, so take one made for this"`
}

// flow gives a flow. Fault: not_found (404).
func (s *Service) flow(ctx context.Context, id string) (flowsapi.Flow, error) {
	if !database.IsID(id) {
		return flowsapi.Flow{}, fault.Missing(fault.NoSuchThing)
	}
	flow, err := s.flows.Flow(ctx, id)
	if errors.Is(err, flowsapi.ErrUnknown) {
		return flow, fault.Missing(fault.NoSuchThing)
	}
	return flow, err
}

// aim is a node of a flow and what is looked at there.
type aim struct {
	nodeID, nodeName string
	order            checker.Order
}

// aimed finds what to look at: the first installed entry on the node that outsiders can dial.
// Faults: not_found (404), invalid_value (422).
func (s *Service) aimed(ctx context.Context, flow *flowsapi.Flow, asked Asked) (a aim, err error) {
	entry, err := entryOf(flow, asked.NodeID)
	if err != nil {
		return a, err
	}
	a = aim{nodeID: entry.NodeID, order: checker.Order{Kind: asked.Kind}}
	if a.order.Kind == "" {
		a.order.Kind = checker.Probe
	}
	if a.order.Operators, err = operatorKeys(asked.Operators); err != nil {
		return a, err
	}
	if err := pointed(&a.order, entry, asked.Link); err != nil {
		return a, err
	}
	node, err := s.fleet.Node(ctx, entry.NodeID)
	if err != nil {
		return a, err
	}
	a.nodeName = node.Name
	if a.order.Kind == checker.Scan {
		a.order.Target, err = network(a.order.Target, node.Address)
	}
	return a, err
}

func entryOf(flow *flowsapi.Flow, nodeID string) (*flowsapi.Entry, error) {
	nodes := []string{}
	for _, e := range flow.Entries {
		if !slices.Contains(nodes, e.NodeID) {
			nodes = append(nodes, e.NodeID)
		}
	}
	switch {
	case len(nodes) == 0:
		return nil, fault.InvalidValue("node_id", "nothing of this flow is installed that could be looked at")
	case nodeID == "" && len(nodes) > 1:
		return nil, fault.InvalidValue("node_id", "the flow has several nodes; name one")
	case nodeID == "":
		nodeID = nodes[0]
	}
	at := slices.IndexFunc(flow.Entries, func(e flowsapi.Entry) bool { return e.NodeID == nodeID && e.L4 != "udp" })
	if at < 0 {
		at = slices.IndexFunc(flow.Entries, func(e flowsapi.Entry) bool { return e.NodeID == nodeID })
	}
	if at < 0 {
		return nil, fault.InvalidValue("node_id", "the flow is not installed on this node")
	}
	return &flow.Entries[at], nil
}

// pointed points an order at an entry.
func pointed(o *checker.Order, entry *flowsapi.Entry, link string) error {
	o.Datagrams = entry.L4 == "udp"
	o.Handshake = entry.Security == "tls" || entry.Security == "reality"
	o.ServerName = entry.ServerName
	port, _, _ := strings.Cut(entry.Port, "-")
	o.Target = net.JoinHostPort(entry.Host, port)
	if o.Datagrams {
		o.Target = entry.Host
	}
	if (o.Kind == checker.Tunnel) != (link != "") {
		return fault.InvalidValue("link", "a tunnel is checked with a link, and nothing else is")
	}
	if o.Kind == checker.Tunnel && !linked(link, entry) {
		return fault.InvalidValue("link", "must be a link to this flow on this node")
	}
	o.Link = link
	return nil
}

// linked tells whether a link leads to the entry, so that nothing else is tunnelled to at the panel's expense.
func linked(link string, entry *flowsapi.Entry) bool {
	port, _, _ := strings.Cut(entry.Port, "-")
	_, rest, ok := strings.Cut(link, "://")
	return ok && !strings.ContainsFunc(link, func(r rune) bool { return r <= ' ' || r == 0x7f }) &&
		strings.Contains(rest, "@"+net.JoinHostPort(entry.Host, port))
}

const mostKey = 64

func operatorKeys(keys []string) ([]string, error) {
	sorted := slices.Sorted(slices.Values(keys))
	for _, key := range sorted {
		if key == "" || len(key) > mostKey || strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return nil, fault.InvalidValue("operators", "must be keys as the service lists them")
		}
	}
	return slices.Compact(sorted), nil
}

// network is the /24 around the address of a node.
func network(target, address string) (string, error) {
	host, _, err := net.SplitHostPort(target)
	if err != nil {
		host = target
	}
	for _, text := range []string{host, address} {
		if addr, err := netip.ParseAddr(text); err == nil && addr.Unmap().Is4() {
			around := netip.PrefixFrom(addr.Unmap(), 24)
			return around.Masked().String(), nil
		}
	}
	return "", fault.InvalidValue("node_id", "a scan needs a node with an address of IPv4")
}

// Target is an address of a flow that can be looked at.
type Target struct {
	NodeID   string `json:"node_id" format:"uuid"`
	NodeName string `json:"node_name"`
	Target   string `json:"target"`
}

// Targets are the addresses of a flow, one for each node that it is installed on.
type Targets struct {
	Items []Target `json:"items" maxItems:"1000"`
}

// Targets gives the addresses of a flow. It asks nobody. Fault: not_found (404).
func (s *Service) Targets(ctx context.Context, flowID string) (all Targets, err error) {
	flow, err := s.flow(ctx, flowID)
	if err != nil {
		return all, err
	}
	all.Items = []Target{}
	seen := map[string]bool{}
	for _, e := range flow.Entries {
		if seen[e.NodeID] {
			continue
		}
		seen[e.NodeID] = true
		a, err := s.aimed(ctx, &flow, Asked{NodeID: e.NodeID})
		if err != nil {
			return all, err
		}
		all.Items = append(all.Items, Target{NodeID: a.nodeID, NodeName: a.nodeName, Target: a.order.Target})
	}
	return all, nil
}

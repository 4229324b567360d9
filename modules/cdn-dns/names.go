package cdndns

import (
	"context"
	"fmt"
	"slices"

	"panel/modules/cdn-dns/cdndnsapi"
	"panel/modules/flows/flowsapi"
)

// names are the host names of flows' entries that can lead to another address of their node. It is cdndnsapi.Names.
type names struct {
	*watcher
	flows flowsapi.Flows
}

func exportNames(w *watcher, f flowsapi.Flows) cdndnsapi.Names { return &names{w, f} }

// Elsewhere gives the names that could lead elsewhere, by node.
func (n *names) Elsewhere(ctx context.Context, nodeIDs ...string) (map[string][]cdndnsapi.Name, error) {
	out := map[string][]cdndnsapi.Name{}
	written, err := n.WrittenFor(ctx, nodeIDs...)
	if err != nil || len(written) == 0 {
		return out, err
	}
	nodes, err := n.Fleet.Nodes(ctx, written...)
	if err != nil {
		return nil, fmt.Errorf("read nodes whose names could lead elsewhere: %w", err)
	}
	for i := range nodes {
		node := &nodes[i]
		if len(node.Addresses) < 2 {
			continue
		}
		bindings, err := n.domains.OnNode(ctx, node.ID)
		if err != nil {
			return nil, err
		}
		entries, err := n.entries(ctx, node.ID)
		if err != nil {
			return nil, err
		}
		found, err := n.watcher.Elsewhere(ctx, *node, bindings, entries)
		if err != nil {
			return nil, err
		}
		if len(found) > 0 {
			out[node.ID] = found
		}
	}
	return out, nil
}

// entries gives the flows whose installed entries on a node have a host name, by its binding.
func (n *names) entries(ctx context.Context, nodeID string) (map[string][]string, error) {
	installed, err := n.flows.OnNode(ctx, nodeID)
	if err != nil {
		return nil, fmt.Errorf("read the flows of a node: %w", err)
	}
	out := map[string][]string{}
	for _, f := range installed {
		for _, e := range f.Entries {
			if e.DomainID != "" && e.NodeID == nodeID && !slices.Contains(out[e.DomainID], f.ID) {
				out[e.DomainID] = append(out[e.DomainID], f.ID)
			}
		}
	}
	for _, flowIDs := range out {
		slices.Sort(flowIDs)
	}
	return out, nil
}

// Leading says how far a detour is, and whose entries its names are.
func (n *names) Leading(ctx context.Context, why string) (cdndnsapi.Leading, error) {
	far, err := n.watcher.Leading(ctx, why)
	if err != nil {
		return far, err
	}
	for i := range far.Names {
		name := &far.Names[i]
		found, err := n.domains.ByIDs(ctx, name.DomainID)
		if err != nil {
			return far, err
		}
		entries, err := n.entries(ctx, found[name.DomainID].NodeID)
		if err != nil {
			return far, err
		}
		name.FlowIDs = entries[name.DomainID]
	}
	return far, nil
}

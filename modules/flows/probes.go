package flows

import (
	"context"
	"fmt"
	"slices"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/explain"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/modules/flows/internal/served"
	"panel/modules/nodes/nodesapi"
)

// probes is flowsapi.Probes.
type probes struct{ *service }

// byPanel is who goes through flows, in the words of the agents' orders.
const byPanel = "panel"

// Through goes in at an installed entry from another node.
func (p probes) Through(ctx context.Context, flowID, entry, fromNodeID string) (flowsapi.Probe, error) {
	f, err := p.store.flow(ctx, flowID)
	if err = unknown(err); err == nil && (!f.Enabled || f.InstalledVersionID == nil) {
		err = flowsapi.ErrUnknown
	}
	if err != nil {
		return flowsapi.Probe{}, err
	}
	installed, err := p.installedEntry(ctx, f, entry)
	if err != nil {
		return flowsapi.Probe{}, err
	}
	host := hostIn(f.InstalledHosts, entry)
	if installed.block.Key != entry || host == "" || served.Offer(installed.block) != nil {
		return flowsapi.Probe{}, flowsapi.ErrUnknown
	}
	way, err := p.mainWay(ctx, f, entry)
	if err != nil {
		return flowsapi.Probe{}, err
	}
	nodes, err := p.nodes.byID(ctx, validIDs(slices.Concat(explain.MemberNodes(way), []string{way.NodeID, fromNodeID},
		nodesOf(installed.graph))))
	if err != nil {
		return flowsapi.Probe{}, fmt.Errorf("look up the nodes of a way: %w", err)
	}
	prober := explain.Prober{Commands: p.nodes, Now: p.now, By: byPanel}
	met, err := prober.Through(ctx, nodes[fromNodeID], installed.client(host))
	if err != nil {
		return flowsapi.Probe{}, err
	}
	return flowsapi.Probe{
		OK: met.OK, Millis: met.Millis, ExitIP: met.ExitIP, Code: met.Code, Error: met.Error,
		Elsewhere: elsewhere(way, met.ExitIP, nodes, nodesOf(installed.graph)),
	}, nil
}

// mainWay is the installed way of what no rule chooses.
func (s *service) mainWay(ctx context.Context, f *flowRow, entry string) (out explain.Explanation, err error) {
	version, err := s.store.version(ctx, f.ID, *f.InstalledVersionID)
	if err != nil {
		return out, err
	}
	named, err := s.hooks.policies.Resolve(ctx, version.Graph, version.CatalogueVersion)
	if err != nil {
		return out, err
	}
	return out, s.explained(ctx, f.ID, plan.ExplainRest(named.Graph, entry), &out)
}

// nodesOf lists the nodes that blocks of a drawing stand on.
func nodesOf(g graph.Graph) (ids []string) {
	for _, block := range g.Nodes {
		if block.NodeID != "" {
			ids = append(ids, block.NodeID)
		}
	}
	return ids
}

// elsewhere names the node of a flow whose address the traffic had, where its way does not lead to that node.
func elsewhere(way explain.Explanation, exitIP string, nodes map[string]nodesapi.Node, drawn []string) string {
	ends := append(explain.MemberNodes(way), way.NodeID)
	held := func(id string) bool {
		n := nodes[id]
		return exitIP != "" && (n.Address == exitIP || slices.Contains(n.Addresses, exitIP))
	}
	at := slices.IndexFunc(drawn, held)
	if at < 0 || slices.ContainsFunc(ends, held) {
		return ""
	}
	return nodes[drawn[at]].Name
}

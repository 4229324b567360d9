// Package served joins flows with proxy panels that serve their entries: who knows their nodes, and what these are to
// run.
package served

import (
	"context"
	"fmt"
	"slices"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/explain"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/platform/database"
)

// Sources are who knows the nodes of proxy panels. It is flowsapi.ProxyPanels.
type Sources struct{ all []source }

type asked = func(ctx context.Context, connectionID string, nodeIDs []string) (map[string]flowsapi.PanelNode, error)

type source struct {
	name string
	ask  asked
}

// Add takes one more, while the panel is composed.
func (s *Sources) Add(name string, ask asked) { s.all = append(s.all, source{name, ask}) }

// Nodes gives what is known of the nodes of proxy panels that a drawing names; nil where it names none.
func (s *Sources) Nodes(ctx context.Context, g graph.Graph) (plan.Panels, error) {
	var out plan.Panels
	for connection, nodeIDs := range named(g) {
		if out == nil {
			out = plan.Panels{}
		}
		out[connection] = map[string]flowsapi.PanelNode{}
		for _, source := range s.all {
			found, err := source.ask(ctx, connection, nodeIDs)
			if err != nil {
				return nil, fmt.Errorf("read the nodes of a proxy panel from %s: %w", source.name, err)
			}
			for id, n := range found {
				out[connection][id] = n
			}
		}
	}
	return out, nil
}

// Serves tells which proxy panel serves an entry of a drawing, the first one when none is named; nil where our own
// agent does.
func (s *Sources) Serves(ctx context.Context, g graph.Graph, entry string) (*explain.ServedBy, error) {
	at := g.Find(entry)
	if entry == "" {
		at = slices.IndexFunc(g.Nodes, func(n graph.Node) bool { return n.Kind == graph.Entry })
	}
	if at < 0 || !g.Nodes[at].Served() {
		return nil, nil //nolint:nilnil // nobody does, which is an answer
	}
	panels, err := s.Nodes(ctx, graph.Graph{Nodes: g.Nodes[at : at+1]})
	id := g.Nodes[at].Params.ProxyPanel.ConnectionID
	there := panels[id][g.Nodes[at].NodeID]
	return &explain.ServedBy{ConnectionID: id, Connection: there.Connection, NodeName: there.Name}, err
}

// named lists the nodes that a drawing wants of each connection.
func named(g graph.Graph) map[string][]string {
	out := map[string][]string{}
	for _, n := range g.Nodes {
		if !n.Served() || !database.IsID(n.Params.ProxyPanel.ConnectionID) || !database.IsID(n.NodeID) {
			continue
		}
		if id := n.Params.ProxyPanel.ConnectionID; !slices.Contains(out[id], n.NodeID) {
			out[id] = append(out[id], n.NodeID)
		}
	}
	return out
}

// Offer is who else than our agent serves an entry; nil where nobody does.
func Offer(n graph.Node) *flowsapi.Offer {
	if !n.Served() {
		return nil
	}
	p := n.Params.ProxyPanel
	return &flowsapi.Offer{ConnectionID: p.ConnectionID, SquadIDs: p.SquadIDs, Remark: p.Remark}
}

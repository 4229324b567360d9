package redraw

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/flows/internal/graph"
	"panel/platform/database"
	"panel/platform/fault"
)

// KindNode puts another node in the place of one.
const KindNode = "replace_node"

// ActionNode is the word of a draft's change of nodes in the journal.
const ActionNode = "flow.node_replaced"

// CheckNone is of blocks whose change needs no check.
const CheckNone = "none"

// NewNode asks for another node in the place of one, in many drafts.
type NewNode struct {
	NodeID   string   `json:"node_id" maxLength:"64" doc:"The node that is to be replaced"`
	ByNodeID string   `json:"by_node_id" maxLength:"64" doc:"The node that takes its place"`
	FlowIDs  []string `json:"flow_ids,omitempty" maxItems:"500" doc:"Only these flows, and the host names that they have; without them all flows and all host names of the node"`
	DryRun   bool     `json:"dry_run,omitempty" doc:"Only tell what would be done"`
}

// ReplaceNode puts another node in the place of one, in many drafts and in the domain bindings that they name, as an
// operation. A binding in use moves with the apply of the first of its flows. Faults: invalid_value (422).
func (r *Redraws) ReplaceNode(ctx context.Context, in NewNode) (Change, error) {
	made, err := r.wantedNode(ctx, in)
	if err != nil {
		return Change{}, err
	}
	if !in.DryRun {
		return r.start(ctx, made)
	}
	shown := made.shown()
	shown.DryRun, shown.StartedAt = true, nil
	return shown, nil
}

func (r *Redraws) wantedNode(ctx context.Context, in NewNode) (*row, error) {
	w := wanted{Node: strings.ToLower(in.NodeID), By: strings.ToLower(in.ByNodeID), Some: len(in.FlowIDs) > 0}
	names, err := r.parts.NodeNames(ctx, database.OnlyIDs([]string{w.Node, w.By}))
	if err != nil {
		return nil, err
	}
	w.NodeName, w.ByName = names[w.Node], names[w.By]
	switch {
	case w.NodeName == "":
		return nil, fault.InvalidValue("node_id", "there is no such node")
	case w.ByName == "":
		return nil, fault.InvalidValue("by_node_id", "there is no such node")
	case w.Node == w.By:
		return nil, fault.InvalidValue("by_node_id", "must be another node than the one that is replaced")
	}
	drafts, err := r.draftsOn(ctx, w.Node, in.FlowIDs)
	if err != nil {
		return nil, err
	}
	made := &row{Kind: KindNode, Wanted: w, Checks: []check{}, Items: []Item{}}
	bindings, err := r.parts.Domains.OnNode(ctx, w.Node)
	if err != nil {
		return nil, fmt.Errorf("read the host names of a node: %w", err)
	}
	hosts := map[string]string{}
	for _, d := range bindings {
		hosts[d.ID] = d.Hostname
	}
	for _, d := range drafts {
		made.Items = append(made.Items, w.replaced(d, hosts))
	}
	return made, nil
}

// draftsOn are those of the flows that are named, or of all that have a block on a node.
func (r *Redraws) draftsOn(ctx context.Context, nodeID string, ids []string) (list []draft, err error) {
	where, arg := "exists (select from jsonb_array_elements(graph -> 'nodes') b where b ->> 'node_id' = ?)", any(nodeID)
	if len(ids) > 0 {
		where, arg = "id = any(?::uuid[])", pgdialect.Array(database.OnlyIDs(ids))
	}
	if list, err = r.list(ctx, where, arg); err != nil {
		return nil, err
	}
	if err := complete(list, ids); err != nil {
		return nil, err
	}
	switch {
	case len(list) == 0:
		return nil, fault.Invalid("invalid_value", "a field has a value that is not allowed").Field("node_id", "not_drawn",
			"no draft of a flow has this node; where only transit pools have it, change their members")
	case len(list) > Most:
		return nil, fault.InvalidValue("node_id",
			fmt.Sprintf("more than %d flows have this node; name some as flow_ids", Most))
	}
	return list, nil
}

// replaced is what would become of a draft.
func (w wanted) replaced(d draft, hosts map[string]string) Item {
	item := Item{
		FlowID: d.ID, FlowName: d.Name, Revision: d.Revision, State: Waiting, Blocks: []Block{}, Domains: []string{},
	}
	for _, b := range d.Graph.Nodes {
		if b.NodeID != w.Node {
			continue
		}
		item.Blocks = append(item.Blocks, Block{
			Key: b.Key, NodeID: b.NodeID, NodeName: w.NodeName, From: w.NodeName, To: w.ByName, Check: CheckNone,
		})
		if host := hosts[b.NodeDomainID]; host != "" && !slices.Contains(item.Domains, host) {
			item.Domains = append(item.Domains, host)
		}
	}
	if len(item.Blocks) == 0 {
		item.leave(nothingToChange, "no block of the draft is on this node")
	}
	return item
}

// replace changes the draft of a flow of the operation. Faults: those of a saved draft.
func (r *Redraws) replace(ctx context.Context, of *row, item *Item) error {
	return r.put(ctx, item.FlowID, item.Revision, of.Wanted.Node, of.Wanted.By)
}

// put puts a node in the place of another in the draft of a flow; the bindings that it names are told where they move
// to. Faults: those of a saved draft.
func (r *Redraws) put(ctx context.Context, flowID string, revision int, node, by string) error {
	g, err := r.drawing(ctx, flowID)
	if err != nil {
		return err
	}
	var bindings []string
	for i := range g.Nodes {
		b := &g.Nodes[i]
		if b.NodeID != node {
			continue
		}
		b.NodeID = by
		if b.NodeDomainID != "" && !slices.Contains(bindings, b.NodeDomainID) {
			bindings = append(bindings, b.NodeDomainID)
		}
		for _, l := range []*graph.Listener{b.Params.Listener, b.Params.Hop} {
			if l != nil && l.Reality != nil {
				l.Reality.TargetResultID = "" // a search counts only for the node that it was made from
			}
		}
	}
	if len(bindings) > 0 {
		if err := r.parts.Domains.Move(ctx, by, bindings...); err != nil {
			return fmt.Errorf("move the host names of a flow: %w", err)
		}
	}
	return r.parts.Save(ctx, flowID, revision, ActionNode, g)
}

// drawing reads a draft. Fault: not_found (404).
func (r *Redraws) drawing(ctx context.Context, flowID string) (graph.Graph, error) {
	found, err := r.list(ctx, "id = ?", flowID)
	if err != nil || len(found) == 0 {
		return graph.Graph{}, cmp.Or(err, error(fault.Missing("the flow was deleted in the meantime")))
	}
	return found[0].Graph, nil
}

// rest moves the host names that no flow has, when all drafts of the node were to change.
func (r *Redraws) rest(ctx context.Context, of *row) error {
	if of.Kind != KindNode || of.Wanted.Some {
		return nil
	}
	return r.move(ctx, of.Wanted.Node, of.Wanted.By)
}

// move has the host names of a node lead to another one, where no drawing has them.
func (r *Redraws) move(ctx context.Context, node, by string) error {
	return r.db.InTx(ctx, func(ctx context.Context) error {
		left, err := r.parts.Domains.OnNode(ctx, node)
		if err != nil || len(left) == 0 {
			return err
		}
		ids := make([]string, len(left))
		for i, d := range left {
			ids[i] = d.ID
		}
		if err := r.parts.Domains.Move(ctx, by, ids...); err != nil {
			return fmt.Errorf("move the host names of a node: %w", err)
		}
		return r.parts.Settle(ctx, ids...)
	})
}

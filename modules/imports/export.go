package imports

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"panel/modules/flows/flowsapi"
	"panel/modules/imports/internal/foreign"
	"panel/modules/imports/internal/reading"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/database"
	"panel/platform/httpapi"
)

// export writes the draft of a flow as a file. No secret, key, client or link is in it. Fault: not_found (404).
func (i *imports) export(ctx context.Context, id string) (*httpapi.File, error) {
	if !database.IsID(id) {
		return nil, missing()
	}
	draft, err := i.drafts.Draft(ctx, id)
	if err != nil {
		return nil, err
	}
	named, err := i.named(ctx, draft)
	if err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(Exported{
		Schema: reading.FlowSchema, Name: draft.Name, Description: draft.Description, Tags: draft.Tags,
		Graph: draft.Drawing, Nodes: named,
	}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode a flow: %w", err)
	}
	return &httpapi.File{Name: "flow.json", Type: "application/json", Write: func(_ context.Context, w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	}}, nil
}

// named gives the names of the nodes of a drawing by their ids.
func (i *imports) named(ctx context.Context, draft flowsapi.Draft) (map[string]string, error) {
	drawn, err := drawnOf(draft.Drawing)
	if err != nil {
		return nil, err
	}
	nodes, err := i.nodesOf(ctx, drawn.ids("node_id"))
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, n := range nodes {
		out[n.ID] = n.Name
	}
	return out, nil
}

func (i *imports) nodesOf(ctx context.Context, ids []string) ([]nodesapi.Node, error) {
	ids = slices.DeleteFunc(ids, func(id string) bool { return !database.IsID(id) })
	if len(ids) == 0 {
		return nil, nil // none would be all of them
	}
	nodes, err := i.nodes.Nodes(ctx, ids...)
	if err != nil {
		return nil, fmt.Errorf("look up the nodes of a drawing: %w", err)
	}
	return nodes, nil
}

// drawn is a drawing as far as another panel names things in it.
type drawn struct {
	whole map[string]json.RawMessage
	nodes []map[string]any
}

func drawnOf(drawing json.RawMessage) (*drawn, error) {
	d := &drawn{}
	if err := json.Unmarshal(drawing, &d.whole); err != nil {
		return nil, fmt.Errorf("read a drawing: %w", err)
	}
	if len(d.whole["nodes"]) > 0 {
		if err := json.Unmarshal(d.whole["nodes"], &d.nodes); err != nil {
			return nil, fmt.Errorf("read the blocks of a drawing: %w", err)
		}
	}
	return d, nil
}

// ids lists what blocks name in a member, each once.
func (d *drawn) ids(member string) []string {
	seen := map[string]bool{}
	for _, n := range d.nodes {
		if id, _ := n[member].(string); id != "" {
			seen[id] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// known brings whole flows of other panels to the nodes and bindings of this one: a node is found by its id, else by
// its name, and what is not there is left out and told.
func (i *imports) known(ctx context.Context, c *foreign.Config) error {
	for at := range c.Entries {
		e := &c.Entries[at]
		if e.Flow == nil {
			continue
		}
		d, err := drawnOf(e.Flow.Drawing)
		if err != nil {
			c.Note("graph", foreign.NotReadable, e.Key, "")
			continue // the check of the drawing says what is wrong
		}
		if err := i.moved(ctx, c, e, d); err != nil {
			return err
		}
	}
	return nil
}

func (i *imports) moved(ctx context.Context, c *foreign.Config, e *foreign.Entry, d *drawn) error {
	nodes, err := i.places(ctx, d.ids("node_id"), e.Flow.Nodes)
	if err != nil {
		return err
	}
	bindings := slices.DeleteFunc(d.ids("node_domain_id"), func(id string) bool { return !database.IsID(id) })
	domains, err := i.domains.ByIDs(ctx, bindings...)
	if err != nil {
		return fmt.Errorf("look up the bindings of a drawing: %w", err)
	}
	for at, n := range d.nodes {
		path := fmt.Sprintf("graph.nodes[%d]", at)
		if id, _ := n["node_id"].(string); id != "" && nodes[id] != id {
			if n["node_id"] = nodes[id]; nodes[id] == "" {
				delete(n, "node_id")
				c.Note(path+".node_id", foreign.NodeUnknown, e.Key, e.Flow.Nodes[id])
			}
		}
		if id, _ := n["node_domain_id"].(string); id != "" && domains[id].OwnerID != access.From(ctx).AccountID {
			delete(n, "node_domain_id")
			c.Note(path+".node_domain_id", foreign.DomainNeeded, e.Key, "")
		}
	}
	if d.whole["nodes"], err = json.Marshal(d.nodes); err != nil {
		return fmt.Errorf("write the blocks of a drawing: %w", err)
	}
	if e.Flow.Drawing, err = json.Marshal(d.whole); err != nil {
		return fmt.Errorf("write a drawing: %w", err)
	}
	return nil
}

// places gives the nodes of this panel that stand for those of a drawing.
func (i *imports) places(ctx context.Context, ids []string, named map[string]string) (map[string]string, error) {
	out := map[string]string{}
	there, err := i.nodesOf(ctx, slices.Clone(ids))
	if err != nil {
		return nil, err
	}
	for _, n := range there {
		out[n.ID] = n.ID
	}
	if len(out) == len(ids) {
		return out, nil
	}
	all, err := i.nodes.Nodes(ctx)
	if err != nil {
		return nil, fmt.Errorf("look up nodes by their names: %w", err)
	}
	for _, id := range ids {
		for _, n := range all {
			if out[id] == "" && named[id] != "" && n.Name == named[id] {
				out[id] = n.ID
			}
		}
	}
	return out, nil
}

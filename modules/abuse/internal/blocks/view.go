package blocks

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/keyset"
)

// Block is an address or network that nodes do not answer for a time.
type Block struct {
	ID           string     `json:"id" format:"uuid"`
	Network      string     `json:"network" doc:"An address, or a network with its length"`
	NodeIDs      []string   `json:"node_ids" doc:"Only on these nodes; empty: on all"`
	Reason       string     `json:"reason"`
	By           string     `json:"by"`
	CaseID       *string    `json:"case_id" doc:"null: it belongs to none"`
	ActionID     *string    `json:"action_id" doc:"The act that it is a part of; null: none"`
	State        string     `json:"state" enum:"active,ended,lifted"`
	CreatedAt    time.Time  `json:"created_at"`
	Until        time.Time  `json:"until" doc:"When it ends by itself"`
	LiftedAt     *time.Time `json:"lifted_at"`
	LiftedBy     string     `json:"lifted_by"`
	NodesHeld    int        `json:"nodes_held" doc:"Nodes that do not answer it now"`
	NodesWaiting int        `json:"nodes_waiting" doc:"Nodes whose agents have not taken it over yet"`
	NodesFailed  int        `json:"nodes_failed" doc:"Nodes that cannot hold it"`
	Errors       []Error    `json:"errors" doc:"Of nodes that cannot hold it, at most 50"`
}

// Error says why a node does not hold a block.
type Error struct {
	NodeID string `json:"node_id" format:"uuid"`
	Node   string `json:"node"`
	Error  string `json:"error" doc:"firewall_none: the agent has no right to the firewall; too_old: its agent cannot do this; else in the agent's words"`
	Detail string `json:"detail" doc:"What the agent says of it; may be empty"`
}

const mostErrors = 50

var orders = map[string]keyset.Order{
	"created_at": {Expression: "b.created_at", Kind: httpapi.CursorMoment},
	"until":      {Expression: "b.until", Kind: httpapi.CursorMoment},
	"network":    {Expression: "b.network", Kind: httpapi.CursorText},
}

// Page lists blocks, the newest first.
func (b *Blocks) Page(ctx context.Context, f Filter) (page httpapi.Page[Block], err error) {
	k, err := keyset.New(f.PageQuery, "b.id", "-created_at", orders)
	if err != nil {
		return page, err
	}
	now := b.now()
	var rows []row
	q := f.chosen(b.DB.In(ctx).NewSelect().Model(&rows).ColumnExpr("b.*"), now)
	if err := k.Apply(q, nil).Scan(ctx); err != nil {
		return page, database.Fault(fmt.Errorf("list blocks: %w", err), nil)
	}
	total, err := f.chosen(b.DB.In(ctx).NewSelect().Model((*row)(nil)), now).Count(ctx)
	if err != nil {
		return page, database.Fault(fmt.Errorf("count blocks: %w", err), nil)
	}
	shown, err := b.shown(ctx, rows)
	if err != nil {
		return page, err
	}
	at := 0
	page = keyset.Page(k, rows, int(total), func(*row) Block { at++; return shown[at-1] },
		func(r *row) (string, string) { return r.SortKey, r.ID })
	return page, nil
}

func (f *Filter) chosen(q *bun.SelectQuery, now time.Time) *bun.SelectQuery {
	switch f.State {
	case Active:
		q = q.Where("b.lifted_at is null and b.until > ?", now)
	case Ended:
		q = q.Where("b.lifted_at is null and b.until <= ?", now)
	case Lifted:
		q = q.Where("b.lifted_at is not null")
	}
	if f.Network != "" {
		q = q.Where("strpos(b.network, ?) > 0", strings.ToLower(strings.TrimSpace(f.Network)))
	}
	return q
}

// Get gives one block. Fault: not_found (404).
func (b *Blocks) Get(ctx context.Context, id string) (Block, error) {
	if !database.IsID(id) {
		return Block{}, fault.Missing(fault.NoSuchThing)
	}
	rows := make([]row, 1)
	if err := b.DB.In(ctx).NewSelect().Model(&rows[0]).Where("b.id = ?", id).Scan(ctx); err != nil {
		return Block{}, database.Fault(err, nil)
	}
	shown, err := b.shown(ctx, rows)
	if err != nil {
		return Block{}, err
	}
	return shown[0], nil
}

// shown are blocks with what became of them on the nodes; these are asked once.
func (b *Blocks) shown(ctx context.Context, rows []row) ([]Block, error) {
	out, live, now := make([]Block, len(rows)), false, b.now()
	for i := range rows {
		out[i] = rows[i].block(now)
		live = live || out[i].State == Active
	}
	if !live {
		return out, nil
	}
	f, err := b.fleet(ctx)
	if err != nil {
		return nil, err
	}
	for i := range out {
		if out[i].State == Active {
			f.tell(&out[i], rows[i].Placed)
		}
	}
	return out, nil
}

func (r *row) block(now time.Time) Block {
	out := Block{
		ID: r.ID, Network: r.Network, NodeIDs: r.NodeIDs, Reason: r.Reason, By: r.CreatedBy, CaseID: r.CaseID,
		ActionID: r.ActionID, State: Active, CreatedAt: r.CreatedAt.UTC(), Until: r.Until.UTC(), LiftedBy: r.LiftedBy,
		Errors: []Error{},
	}
	switch {
	case r.LiftedAt != nil:
		at := r.LiftedAt.UTC()
		out.State, out.LiftedAt = Lifted, &at
	case !r.Until.After(now):
		out.State = Ended
	}
	return out
}

// fleet is how the nodes stand to the document of blocks.
type fleet struct {
	nodes  []nodesapi.Node
	states map[string]nodesapi.DocumentState
}

func (b *Blocks) fleet(ctx context.Context) (*fleet, error) {
	nodes, err := b.Fleet.Nodes(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the nodes that block: %w", err)
	}
	ids := make([]string, len(nodes))
	for i := range nodes {
		ids[i] = nodes[i].ID
	}
	states, err := b.Docs.States(ctx, string(agentapi.DocumentBlocks), ids...)
	if err != nil {
		return nil, fmt.Errorf("read what became of blocks: %w", err)
	}
	return &fleet{nodes, states}, nil
}

// tell says of a block which nodes hold it. Nodes that never had an agent are left out.
func (f *fleet) tell(block *Block, placed bool) {
	for i := range f.nodes {
		n := &f.nodes[i]
		if n.SeenAt.IsZero() || len(block.NodeIDs) > 0 && !slices.Contains(block.NodeIDs, n.ID) {
			continue
		}
		why := f.whyNot(n, block.Network)
		switch {
		case why != nil:
			block.NodesFailed++
			if len(block.Errors) < mostErrors {
				block.Errors = append(block.Errors, *why)
			}
		case placed && f.states[n.ID].State == nodesapi.DocumentApplied:
			block.NodesHeld++
		default:
			block.NodesWaiting++
		}
	}
}

// Kinds of the firewalls that agents tell of, as they name them.
const (
	wallNone = "none"        // nothing can be blocked
	wallOurs = "panel_agent" // what is blocked, and what was left out
)

// whyNot says why a node cannot hold a block; nil: it can.
func (f *fleet) whyNot(n *nodesapi.Node, network string) *Error {
	out := &Error{NodeID: n.ID, Node: n.Name}
	if !n.Can(string(agentapi.DocumentBlocks.Capability())) {
		out.Error = "too_old"
		for _, wall := range n.Firewall {
			if wall.Kind == wallNone {
				out.Error, out.Detail = "firewall_none", wall.Detail
			}
		}
		return out
	}
	if state := f.states[n.ID]; state.State == nodesapi.DocumentFailed {
		out.Error = state.Error
		return out
	}
	for _, wall := range n.Firewall {
		if reason := leftOut(wall, network); reason != "" {
			out.Error, out.Detail = reason, wall.Detail
			return out
		}
	}
	return nil
}

// leftOut finds in the words of an agent why it has left a network out: "2 left out: 192.0.2.1/32 (why), ...".
func leftOut(wall nodesapi.Firewall, network string) string {
	_, left, some := strings.Cut(wall.Detail, " left out: ")
	if wall.Kind != wallOurs || !some {
		return ""
	}
	prefix, _ := parse(network)
	for one := range strings.SplitSeq(left, ", ") {
		if reason, found := strings.CutPrefix(one, prefix.String()+" ("); found {
			reason, _, _ = strings.Cut(reason, ")")
			return reason
		}
	}
	return ""
}

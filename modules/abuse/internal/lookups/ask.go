package lookups

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	"panel/modules/flows/flowsapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/agentapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/hostname"
	"panel/platform/jobs"
)

const (
	usualTolerance = 300 // seconds
	// patience is how long an entry may take to answer.
	patience = 20 * time.Second
	// mostLines are the lines that an entry is asked for.
	mostLines = 1000
)

// Ask begins a lookup: what signals tell is in the answer, and entries are asked for more. Fault: invalid_value (422).
func (l *Lookups) Ask(ctx context.Context, in New) (Lookup, error) {
	r, err := l.question(ctx, in)
	if err != nil {
		return Lookup{}, err
	}
	where, err := l.entries(ctx, r.Address)
	if err != nil {
		return Lookup{}, err
	}
	if r.People, r.More, err = l.signals(ctx, r, where); err != nil {
		return Lookup{}, err
	}
	nodes := where.rows(r.ID)
	if !slices.ContainsFunc(nodes, func(n nodeRow) bool { return n.State == asked }) {
		r.State, r.EndedAt = done, &r.AskedAt
	}
	if err := l.DB.InTx(ctx, func(ctx context.Context) error { return l.begin(ctx, r, nodes) }); err != nil {
		return Lookup{}, err
	}
	return shown(r, nodes), nil
}

// question brings a complaint into its one form and refuses what cannot be answered.
func (l *Lookups) question(ctx context.Context, in New) (*row, error) {
	now := l.now()
	r := &row{
		ID: database.NewID(), Port: in.Port, DestPort: in.DestPort, At: in.At.UTC().Truncate(time.Microsecond),
		Tolerance: cmp.Or(in.Tolerance, usualTolerance), Reason: strings.TrimSpace(in.Reason), State: running,
		AskedBy: access.From(ctx).Name(), AskedAt: now, EndsBy: now.Add(patience),
	}
	address, err := netip.ParseAddr(strings.TrimSpace(in.Address))
	if err != nil {
		return nil, fault.InvalidValue("address", "must be an IP address of a node")
	}
	r.Address = address.Unmap().WithZone("").String()
	var fine bool
	if r.Dest, fine = destination(in.Dest); !fine {
		return nil, fault.InvalidValue("dest", "must be an address, a network or a name")
	}
	kept, _, err := l.Kept(ctx)
	switch {
	case err != nil:
		return nil, err
	case r.Reason == "":
		return nil, fault.InvalidValue("reason", "must say why")
	case r.At.After(now):
		return nil, fault.InvalidValue("at", "must not lie in the future")
	case now.Sub(r.At) > kept:
		return nil, fault.InvalidValue("at", fmt.Sprintf("must lie within the last %d days: nothing older is kept",
			int(kept.Hours())/24))
	}
	return r, nil
}

// destination is an address, a network or a name in its one form; empty is none.
func destination(text string) (string, bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	if address, err := netip.ParseAddr(text); err == nil {
		return address.Unmap().WithZone("").String(), true
	}
	if network, err := netip.ParsePrefix(text); err == nil {
		return network.Masked().String(), true
	}
	return strings.TrimSuffix(text, "."), text == "" || hostname.Is(text)
}

// entry is where users of some flows connect.
type entry struct {
	node  nodesapi.Node
	flows []string

	elsewhere bool // proxy panels serve all that its users of these flows connect to
}

// place is where a user may be who reached for something from an address.
type place struct {
	holders []string // ids of the nodes with the address
	flows   []string // that are installed on these
	entries []entry
}

// entries finds the nodes with an address, what is installed on them, and where its users connect: also those of flows
// that send their traffic there by pools.
func (l *Lookups) entries(ctx context.Context, address string) (where place, err error) {
	if where.holders, err = l.Held.HeldBy(ctx, address); err != nil {
		return where, fmt.Errorf("ask whose the address of a lookup is: %w", err)
	}
	served, ours := map[string][]string{}, map[string]bool{}
	for _, id := range where.holders {
		flows, err := l.Flows.OnNode(ctx, id)
		if err != nil {
			return where, fmt.Errorf("read the flows of a lookup: %w", err)
		}
		for i := range flows {
			where.flows = append(where.flows, flows[i].ID)
			enter(served, ours, &flows[i])
		}
	}
	slices.Sort(where.flows)
	where.flows = slices.Compact(where.flows)
	senders, err := l.Flows.Senders(ctx, where.flows...)
	if err != nil {
		return where, fmt.Errorf("read who sends to the flows of a lookup: %w", err)
	}
	for _, id := range senders {
		flow, err := l.Flows.Flow(ctx, id)
		if errors.Is(err, flowsapi.ErrUnknown) {
			continue // deleted meanwhile
		}
		if err != nil {
			return where, fmt.Errorf("read a flow that sends to those of a lookup: %w", err)
		}
		where.flows = append(where.flows, id)
		enter(served, ours, &flow)
	}
	if len(served) == 0 {
		return where, nil
	}
	nodes, err := l.Fleet.Nodes(ctx, slices.Sorted(maps.Keys(served))...)
	if err != nil {
		return where, fmt.Errorf("read the entries of a lookup: %w", err)
	}
	for i := range nodes {
		where.entries = append(where.entries, entry{nodes[i], served[nodes[i].ID], !ours[nodes[i].ID]})
	}
	return where, nil
}

// enter adds the entries of a flow to those of others, and notes the nodes where our own agent has one.
func enter(served map[string][]string, ours map[string]bool, flow *flowsapi.Flow) {
	for _, e := range flow.Entries {
		ours[e.NodeID] = ours[e.NodeID] || e.Offer == nil
		if !slices.Contains(served[e.NodeID], flow.ID) {
			served[e.NodeID] = append(served[e.NodeID], flow.ID)
		}
	}
}

// rows are what is known of the entries before any has answered.
func (p place) rows(lookupID string) []nodeRow {
	out := make([]nodeRow, len(p.entries))
	for i, e := range p.entries {
		out[i] = nodeRow{
			LookupID: lookupID, NodeID: e.node.ID, Node: e.node.Name, FlowIDs: e.flows, State: asked,
			People: []Person{},
		}
		switch {
		case e.elsewhere:
			out[i].State, out[i].Error = noRecord, "a proxy panel serves the entry: who came in is known there alone"
		case !e.node.Online:
			out[i].State, out[i].Error = unreachable, "the agent is not connected"
		case !e.node.Can(string(agentapi.FindConnections.Capability())):
			out[i].State, out[i].Error = noRecord, "the agent keeps no record of connections: update it"
		}
	}
	return out
}

// begin stores a lookup with the orders to entries, the job that follows them, and the line in the journal.
func (l *Lookups) begin(ctx context.Context, r *row, nodes []nodeRow) error {
	if err := l.send(ctx, r, nodes); err != nil {
		return err
	}
	_, err := l.DB.In(ctx).NewInsert().Model(r).Exec(ctx)
	if err == nil && len(nodes) > 0 {
		_, err = l.DB.In(ctx).NewInsert().Model(&nodes).Exec(ctx)
	}
	if err != nil {
		return database.Fault(fmt.Errorf("store a lookup: %w", err), nil)
	}
	if r.State == running {
		err = l.Queue.Insert(ctx, followArgs{LookupID: r.ID}, jobs.Opts{Unique: r.ID})
	}
	return errors.Join(err, l.Journal.Record(ctx, l.DB.In(ctx), audit.Entry{
		Action: ActionAsked, Object: r.object(), Changes: map[string]audit.Change{
			"reason": {To: r.Reason}, "at": {To: r.At}, "tolerance_s": {To: r.Tolerance}, "dest": {To: r.Dest},
			"dest_port": {To: r.DestPort},
		},
	}))
}

func (l *Lookups) send(ctx context.Context, r *row, nodes []nodeRow) error {
	from, to := r.span()
	var orders []nodesapi.Order
	var ordered []*nodeRow
	for i := range nodes {
		if nodes[i].State != asked {
			continue
		}
		ordered = append(ordered, &nodes[i])
		orders = append(orders, nodesapi.Order{
			NodeID: nodes[i].NodeID, Kind: string(agentapi.FindConnections), Deadline: r.EndsBy, By: r.AskedBy,
			Args: agentapi.FindConnectionsArgs{
				From: from, To: to, Dest: r.Dest, Port: r.DestPort, FlowIDs: nodes[i].FlowIDs, Limit: mostLines,
			},
		})
	}
	ids, err := l.Commands.Send(ctx, orders...)
	if err != nil {
		return fmt.Errorf("ask the entries of a lookup: %w", err)
	}
	for i, id := range ids {
		ordered[i].CommandID = id
	}
	return nil
}

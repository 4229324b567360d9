package pools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"panel/modules/flows/flowsapi"
	"panel/platform/access"
	"panel/platform/database"
	"panel/platform/fault"
)

// of is what a member is: the id of a node or of a flow.
func (r *memberRow) of() string {
	if r.FlowID != "" {
		return r.FlowID
	}
	return r.NodeID
}

func (r *memberRow) shape() flowsapi.PoolMember {
	return flowsapi.PoolMember{ID: r.ID, NodeID: r.NodeID, FlowID: r.FlowID}
}

// withMembers are the members that were asked for; a node or a flow that is a member already keeps its id.
func (p *pools) withMembers(
	ctx context.Context, poolID string, before []memberRow, wanted []NewMember,
) ([]memberRow, error) {
	known := map[string]string{}
	for _, m := range before {
		known[m.of()] = m.ID
	}
	out, seen := make([]memberRow, 0, len(wanted)), map[string]bool{}
	for i, w := range wanted {
		m, err := w.row(poolID, i)
		if err != nil {
			return nil, err
		}
		if seen[m.of()] {
			return nil, fault.InvalidValue(m.field(), "is a member already")
		}
		seen[m.of()] = true
		if m.ID = known[m.of()]; m.ID == "" {
			m.ID = database.NewID()
		}
		out = append(out, m)
	}
	return out, p.hold(ctx, out)
}

// row is a member that was asked for. Fault: invalid_value (422).
func (w NewMember) row(poolID string, at int) (memberRow, error) {
	m := memberRow{
		PoolID: poolID, NodeID: strings.ToLower(w.NodeID), FlowID: strings.ToLower(w.FlowID), Position: at,
		Weight: max(1, w.Weight), Priority: w.Priority, Enabled: w.Enabled == nil || *w.Enabled, Drain: w.Drain,
	}
	switch {
	case (w.NodeID == "") == (w.FlowID == ""):
		return m, fault.InvalidValue(fmt.Sprintf("members[%d]", at), "name a node or a flow")
	case !database.IsID(m.of()):
		return m, m.unknown()
	}
	return m, nil
}

// field names the member in the body of a request.
func (r *memberRow) field() string {
	if r.FlowID != "" {
		return fmt.Sprintf("members[%d].flow_id", r.Position)
	}
	return fmt.Sprintf("members[%d].node_id", r.Position)
}

func (r *memberRow) unknown() error {
	if r.FlowID != "" {
		return fault.InvalidValue(r.field(), "there is no such flow")
	}
	return fault.InvalidValue(r.field(), "there is no such node")
}

// hold keeps nodes and flows from being deleted before they are stored as members. Fault: invalid_value (422).
func (p *pools) hold(ctx context.Context, members []memberRow) error {
	nodes, flows := nodesOf(members), flowsOf(members)
	missing, err := p.fleet.Hold(ctx, nodes...)
	if err != nil {
		return fmt.Errorf("hold the nodes of a pool: %w", err)
	}
	held, err := p.flows.Hold(ctx, flows...)
	if err != nil {
		return fmt.Errorf("hold the flows of a pool: %w", err)
	}
	for i := range members {
		m := &members[i]
		if _, there := held[m.FlowID]; m.FlowID != "" && !there || slices.Contains(missing, m.NodeID) {
			return m.unknown()
		}
	}
	return nil
}

func nodesOf(members []memberRow) []string {
	ids := map[string]bool{}
	for _, m := range members {
		if m.NodeID != "" {
			ids[m.NodeID] = true
		}
	}
	return sorted(ids)
}

func flowsOf(members []memberRow) []string {
	ids := map[string]bool{}
	for _, m := range members {
		if m.FlowID != "" {
			ids[m.FlowID] = true
		}
	}
	return sorted(ids)
}

// memberName is the name of a member's node or flow.
func (p *pools) memberName(ctx context.Context, m memberRow) (string, error) {
	if m.FlowID == "" {
		names, err := p.nodeNames(ctx, m.NodeID)
		return names[m.NodeID], err
	}
	names, err := p.flows.Names(ctx, m.FlowID)
	if err != nil {
		return "", fmt.Errorf("read the flow of a pool: %w", err)
	}
	return names[m.FlowID], nil
}

// leads is which pools are behind a pool: those to which flows in it, or in a pool that it falls back on, send traffic.
type leads map[string][]string

// longest is how many pools are one behind the other from one on. Circles elsewhere count once.
func (l leads) longest(from string, seen map[string]bool) int {
	if seen[from] {
		return 0
	}
	seen[from] = true
	most := 0
	for _, next := range l[from] {
		most = max(most, l.longest(next, seen))
	}
	delete(seen, from)
	return most + 1
}

// reaches reports whether traffic of a pool may get to another one.
func (l leads) reaches(from, to string, seen map[string]bool) bool {
	return slices.ContainsFunc(l[from], func(next string) bool {
		if next == to {
			return true
		}
		if seen[next] {
			return false
		}
		seen[next] = true
		return l.reaches(next, to, seen)
	})
}

func (l leads) reversed() leads {
	out := leads{}
	for from, all := range l {
		for _, to := range all {
			out[to] = append(out[to], from)
		}
	}
	return out
}

// checkFlows refuses a pool whose flows lead back into it, and pools of flows that are more than four deep. All pools
// are locked, so that two changes cannot close a circle together. Fault: invalid_value (422).
func (p *pools) checkFlows(ctx context.Context, row *poolRow, members []memberRow) error {
	if _, err := p.store.db.In(ctx).ExecContext(ctx, "lock table transit_pools in share row exclusive mode"); err != nil {
		return database.Fault(fmt.Errorf("lock the pools: %w", err), nil)
	}
	led, err := p.leads(ctx, row, members)
	if err != nil || len(led) == 0 {
		return err
	}
	if led.reaches(row.ID, row.ID, map[string]bool{}) {
		return fault.InvalidValue("members", "a flow in the pool sends its traffic to a pool that leads back into this one")
	}
	behind := led.longest(row.ID, map[string]bool{})
	before := led.reversed().longest(row.ID, map[string]bool{})
	if behind+before-1 > maxDepth {
		return fault.InvalidValue("members", "at most four pools of flows may be one behind the other")
	}
	return nil
}

// leads reads where the flows of all pools send their traffic, with a pool as it would be. It is empty as long as no
// pool has a flow.
func (p *pools) leads(ctx context.Context, row *poolRow, members []memberRow) (leads, error) {
	rows, err := p.store.all(ctx)
	if err != nil {
		return nil, err
	}
	all, err := p.store.members(ctx)
	if err != nil {
		return nil, err
	}
	all[row.ID] = members
	next := map[string]string{}
	for _, r := range append(rows, *row) {
		next[r.ID] = text(r.FallbackPoolID)
	}
	var inPools []memberRow
	for _, some := range all {
		inPools = append(inPools, some...)
	}
	behind, err := p.flows.PoolsOf(ctx, true, flowsOf(inPools)...)
	if err != nil {
		return nil, fmt.Errorf("ask where the flows of pools lead: %w", err)
	}
	out := leads{}
	for id := range next {
		for at, depth := id, 0; at != "" && depth < maxDepth; at, depth = next[at], depth+1 {
			for _, flow := range flowsOf(all[at]) {
				out[id] = append(out[id], behind[flow]...)
			}
		}
	}
	return out, nil
}

// rerender has the flows installed anew that a change of members concerns. Fault: permission_denied (403).
func (p *pools) rerender(ctx context.Context, row *poolRow, before, after []memberRow) error {
	ids, err := p.running(ctx, row, before, after)
	if err != nil || len(ids) == 0 {
		return err
	}
	if !access.From(ctx).Permissions.Has(install) {
		return fault.Forbidden("permission_denied",
			"flows that run use this pool or are in it, and would be installed anew: that needs another permission").
			With("required", string(install))
	}
	return p.flows.RerenderFlows(ctx, "pool "+row.Name, ids...)
}

// running gives the flows that have the pool installed, or one that falls back on it, and those that run and have
// become members or are none any more.
func (p *pools) running(ctx context.Context, row *poolRow, before, after []memberRow) ([]string, error) {
	uses, err := p.uses(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	ids := map[string]bool{}
	for _, use := range uses {
		if use.Installed {
			ids[use.FlowID] = true
		}
	}
	was, is := flowsOf(before), flowsOf(after)
	for _, id := range slices.Concat(was, is) {
		if slices.Contains(was, id) && slices.Contains(is, id) {
			continue
		}
		flow, err := p.flows.Flow(ctx, id)
		if err != nil {
			return nil, fmt.Errorf("read a flow of a pool: %w", err)
		}
		if flow.InstalledRevision > 0 && flow.Enabled {
			ids[id] = true
		}
	}
	return sorted(ids), nil
}

// feeds gives the pools that a flow is a member of.
func (p *pools) feeds(ctx context.Context, flowID string) ([]flowsapi.Pool, error) {
	rows, err := p.store.withFlow(ctx, flowID)
	out := make([]flowsapi.Pool, len(rows))
	for i, row := range rows {
		out[i] = flowsapi.Pool{ID: row.ID, Name: row.Name}
	}
	return out, err
}

// usingFlow refuses to delete a flow that is a member of a pool. Fault: pool_in_use (409).
func (p *pools) usingFlow(ctx context.Context, flowID string) error {
	rows, err := p.store.withFlow(ctx, flowID)
	if err != nil || len(rows) == 0 {
		return err
	}
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	return naming(ctx, fault.Conflict("pool_in_use",
		"a transit pool has this flow as a member; take it out of the pool first"), "pool_ids", ids)
}

// applied has the flows installed anew that send traffic to a flow, because another version of that is installed.
func (p *pools) applied(ctx context.Context, flowID string) error {
	rows, err := p.store.withFlow(ctx, flowID)
	if err != nil {
		return err
	}
	for i := range rows {
		uses, err := p.uses(ctx, rows[i].ID)
		if err != nil {
			return err
		}
		for _, use := range uses {
			if !use.Installed {
				continue
			}
			if err := p.flows.RerenderFlows(ctx, "pool "+rows[i].Name, use.FlowID); err != nil {
				return fmt.Errorf("have a flow installed anew: %w", err)
			}
		}
	}
	return nil
}

package pools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/flows/flowsapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/keyset"
)

// sighting is a row of what nodes say.
type sighting struct {
	PoolID, NodeID, GroupName, MemberID string
	State                               string
	RTTMs                               int64 `bun:"rtt_ms"`
	Reason, Error                       string
	Held                                bool
	Since, At                           time.Time
}

func (p *pools) sightings(ctx context.Context, poolIDs ...string) (map[string][]sighting, error) {
	var rows []sighting
	err := p.store.db.In(ctx).NewRaw(`select m.pool_id, s.* from transit_pool_states s
		join transit_pool_members m on m.id = s.member_id where m.pool_id = any(?::uuid[])
		order by s.member_id, s.node_id, s.group_name`, pgdialect.Array(poolIDs)).Scan(ctx, &rows)
	out := map[string][]sighting{}
	for _, row := range rows {
		out[row.MemberID] = append(out[row.MemberID], row)
	}
	return out, database.Fault(err, nil)
}

type choiceRow struct {
	PoolID string
	choice `bun:",extend"`
}

func (p *pools) choices(ctx context.Context, poolIDs ...string) (map[string][]choiceRow, error) {
	var rows []choiceRow
	err := p.store.db.In(ctx).NewRaw(`select pool_id, node_id, group_name, serves, active_member_id, usable, reason, at
		from transit_pool_choices where pool_id = any(?::uuid[]) order by pool_id, node_id, group_name`,
		pgdialect.Array(poolIDs)).Scan(ctx, &rows)
	out := map[string][]choiceRow{}
	for _, row := range rows {
		out[row.PoolID] = append(out[row.PoolID], row)
	}
	return out, database.Fault(err, nil)
}

// flowOf reads the flow of a group: "flow.<id>.out.…".
func flowOf(group string) string {
	rest, ours := strings.CutPrefix(group, "flow.")
	if !ours {
		return ""
	}
	id, _, _ := strings.Cut(rest, ".")
	return id
}

// stateOf is the state of a pool by the choices of the nodes that forward to it.
func stateOf(placed bool, choices []choiceRow, minimum, down int) string {
	switch {
	case !placed:
		return "unused"
	case len(choices) == 0:
		return agentapi.PoolUnknown
	case slices.ContainsFunc(choices, func(c choiceRow) bool { return c.Serves == agentapi.PoolServesFallback }):
		return agentapi.PoolDown
	case down > 0 || slices.ContainsFunc(choices, func(c choiceRow) bool { return c.Usable < minimum }):
		return agentapi.PoolDegraded
	}
	return agentapi.PoolHealthy
}

func (p *pools) placed(ctx context.Context, poolIDs ...string) (map[string]bool, error) {
	var ids []string
	err := p.store.db.In(ctx).NewRaw("select distinct pool_id from transit_pool_places where pool_id = any(?::uuid[])",
		pgdialect.Array(poolIDs)).Scan(ctx, &ids)
	out := map[string]bool{}
	for _, id := range ids {
		out[id] = true
	}
	return out, database.Fault(err, nil)
}

// page lists pools.
func (p *pools) page(ctx context.Context, in *listInput) (page httpapi.Page[PoolSummary], err error) {
	k, rows, total, err := p.store.page(ctx, in)
	if err != nil {
		return page, err
	}
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	shown, err := p.summaries(ctx, rows, ids)
	if err != nil {
		return page, err
	}
	show := func(r *poolRow) PoolSummary { return shown[r.ID] }
	last := func(r *poolRow) (sortKey, id string) { return r.SortKey, r.ID }
	return keyset.Page(k, rows, total, show, last), nil
}

func (p *pools) summaries(ctx context.Context, rows []poolRow, ids []string) (map[string]PoolSummary, error) {
	out := map[string]PoolSummary{}
	if len(ids) == 0 {
		return out, nil
	}
	f, err := p.found(ctx, ids...)
	if err != nil {
		return nil, err
	}
	flows := map[string]map[string]bool{}
	for _, use := range f.uses {
		if flows[use.PoolID] == nil {
			flows[use.PoolID] = map[string]bool{}
		}
		flows[use.PoolID][use.FlowID] = true
	}
	for i := range rows {
		row := &rows[i]
		s := PoolSummary{
			ID: row.ID, Name: row.Name, Strategy: row.Strategy, Members: len(f.members[row.ID]),
			Fallback: row.FallbackKind, Overridden: row.overridden(p.now()) != nil, Flows: len(flows[row.ID]),
			Revision:  row.Revision,
			CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC(),
		}
		s.Down = f.down(row.ID)
		s.State = stateOf(f.placed[row.ID], f.choices[row.ID], row.MinHealthy, s.Down)
		s.OnFallback = slices.ContainsFunc(f.choices[row.ID], func(c choiceRow) bool {
			return c.Serves == agentapi.PoolServesFallback
		})
		out[row.ID] = s
	}
	return out, nil
}

// found is what is known of some pools.
type found struct {
	members map[string][]memberRow
	seen    map[string][]sighting // by member
	choices map[string][]choiceRow
	placed  map[string]bool
	uses    []flowsapi.PoolUse
}

func (p *pools) found(ctx context.Context, ids ...string) (f found, err error) {
	if f.members, err = p.store.members(ctx, ids...); err != nil {
		return f, err
	}
	if f.seen, err = p.sightings(ctx, ids...); err != nil {
		return f, err
	}
	if f.choices, err = p.choices(ctx, ids...); err != nil {
		return f, err
	}
	if f.placed, err = p.placed(ctx, ids...); err != nil {
		return f, err
	}
	if f.uses, err = p.flows.PoolUses(ctx, ids...); err != nil {
		return f, fmt.Errorf("ask who uses pools: %w", err)
	}
	return f, nil
}

func (f found) down(poolID string) (down int) {
	for _, m := range f.members[poolID] {
		if m.Enabled && statesOf(f.seen[m.ID]) == agentapi.PoolDown {
			down++
		}
	}
	return down
}

func statesOf(seen []sighting) string {
	states := make([]string, len(seen))
	for i, s := range seen {
		states[i] = s.State
	}
	return together(states)
}

// get shows one pool. Fault: not_found (404).
func (p *pools) get(ctx context.Context, id string) (Pool, error) {
	row, f, names, resting, err := p.read(ctx, id)
	if err != nil {
		return Pool{}, err
	}
	pool := Pool{
		ID: row.ID, Name: row.Name, Strategy: row.Strategy, Stickiness: row.Stickiness, Health: row.Health,
		Fallback: Fallback{Kind: row.FallbackKind, PoolID: text(row.FallbackPoolID)}, MinHealthy: row.MinHealthy,
		Override: row.overridden(p.now()), Members: p.shownMembers(ctx, f, id, names, resting),
		UsedByFlows: []PoolUser{},
		State:       stateOf(f.placed[id], f.choices[id], row.MinHealthy, f.down(id)),
		Revision:    row.Revision, CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC(),
	}
	if at := memberAt(f.members[id], text(row.FallbackMemberID)); at >= 0 {
		pool.Fallback.NodeID, pool.Fallback.FlowID = f.members[id][at].NodeID, f.members[id][at].FlowID
	}
	for _, use := range f.uses {
		pool.UsedByFlows = append(pool.UsedByFlows, PoolUser{use.FlowID, use.FlowName, use.Draft, use.Installed})
	}
	switches, err := p.switches(ctx, id, 1, names)
	if len(switches) > 0 {
		pool.LastSwitch = &switches[0]
	}
	return pool, err
}

// read gives a pool with the names of its members and senders by the ids of nodes and flows.
func (p *pools) read(ctx context.Context, id string) (
	row poolRow, f found, names map[string]string, resting map[string]bool, err error,
) {
	if !database.IsID(id) {
		return row, f, nil, nil, fault.Missing(fault.NoSuchThing)
	}
	if row, err = p.store.get(ctx, id); err != nil {
		return row, f, nil, nil, err
	}
	if f, err = p.found(ctx, id); err != nil {
		return row, f, nil, nil, err
	}
	ids := map[string]bool{}
	for _, node := range nodesOf(f.members[id]) {
		ids[node] = true
	}
	for _, c := range f.choices[id] {
		ids[c.NodeID] = true
	}
	resting = map[string]bool{}
	if names, err = p.flows.Names(ctx, flowsOf(f.members[id])...); err != nil {
		return row, f, nil, nil, fmt.Errorf("read the flows of a pool: %w", err)
	}
	if len(ids) == 0 {
		return row, f, names, resting, nil
	}
	nodes, err := p.fleet.Nodes(ctx, sorted(ids)...)
	for _, n := range nodes {
		names[n.ID], resting[n.ID] = n.Name, n.State == "maintenance" || n.State == "disabled"
	}
	return row, f, names, resting, err
}

func (p *pools) shownMembers(
	ctx context.Context, f found, id string, names map[string]string, resting map[string]bool,
) []Member {
	out, beside := make([]Member, 0, len(f.members[id])), p.evidence.of(ctx, f.members[id])
	for _, m := range f.members[id] {
		shown := Member{
			ID: m.ID, Name: names[m.of()], NodeID: m.NodeID, NodeName: names[m.NodeID], FlowID: m.FlowID,
			Weight: m.Weight, Priority: m.Priority, Enabled: m.Enabled, Drain: m.Drain, Resting: resting[m.NodeID],
			Withdrawn: m.Withdrawn != "", State: statesOf(f.seen[m.ID]),
		}
		if health, known := beside[m.of()]; known {
			shown.Health = &health
		}
		for _, s := range f.seen[m.ID] {
			shown.RTTMs, shown.Held = max(shown.RTTMs, s.RTTMs), shown.Held || s.Held
			if since := s.Since.UTC(); shown.LastSwitchAt == nil || since.After(*shown.LastSwitchAt) {
				shown.LastSwitchAt, shown.Reason = &since, s.Reason
			}
		}
		out = append(out, shown)
	}
	return out
}

const shownSwitches = 50

func (p *pools) switches(ctx context.Context, id string, most int, nodes map[string]string) ([]Switch, error) {
	var rows []choice
	err := p.store.db.In(ctx).NewRaw(`select node_id, group_name, serves, active_member_id, usable, reason, at
		from transit_pool_switches where pool_id = ? order by at desc, id desc limit ?`, id, most).Scan(ctx, &rows)
	out := make([]Switch, len(rows))
	for i, row := range rows {
		out[i] = row.shown(nodes)
	}
	return out, database.Fault(err, nil)
}

func (c choice) shown(nodes map[string]string) Switch {
	return Switch{
		At: c.At.UTC(), NodeID: c.NodeID, NodeName: nodes[c.NodeID], FlowID: flowOf(c.GroupName), Serves: c.Serves,
		ActiveMemberID: text(c.ActiveMemberID), Usable: c.Usable, Reason: c.Reason,
	}
}

// status says what became of the members of a pool. Fault: not_found (404).
func (p *pools) status(ctx context.Context, id string) (Status, error) {
	row, f, names, resting, err := p.read(ctx, id)
	if err != nil {
		return Status{}, err
	}
	status := Status{
		PoolID: id, State: stateOf(f.placed[id], f.choices[id], row.MinHealthy, f.down(id)), MinHealthy: row.MinHealthy,
		Override: row.overridden(p.now()), Members: p.shownMembers(ctx, f, id, names, resting), Nodes: []Switch{},
		Seen: []Sighting{},
	}
	for _, c := range f.choices[id] {
		status.Nodes = append(status.Nodes, c.shown(names))
	}
	for _, m := range f.members[id] {
		for _, s := range f.seen[m.ID] {
			status.Seen = append(status.Seen, Sighting{
				MemberID: s.MemberID, NodeID: s.NodeID, NodeName: names[s.NodeID], FlowID: flowOf(s.GroupName),
				State: s.State, RTTMs: s.RTTMs, Reason: s.Reason, Error: s.Error, Held: s.Held, Since: s.Since.UTC(),
				At: s.At.UTC(),
			})
		}
	}
	status.Switches, err = p.switches(ctx, id, shownSwitches, names)
	return status, err
}

package pools

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"panel/modules/pools/poolsapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
)

// Agents report what became of members, and of the choice among them. A batch is taken in one transaction with the
// events that it leads to.

// quiet is how long nobody is told again that a member is down which comes and goes.
const quiet = 10 * time.Minute

// take stores a batch of an agent, once. Faults: invalid_value (422), unavailable (503).
func (p *pools) take(ctx context.Context, nodeID string, batch *agentapi.Batch) error {
	reports := make([]agentapi.PoolReport, len(batch.Items))
	for i, item := range batch.Items {
		if json.Unmarshal(item, &reports[i]) != nil || !reportable(reports[i]) {
			return fault.InvalidValue(fmt.Sprintf("items[%d]", i), "must be a report about a pool")
		}
	}
	return p.store.db.InTx(ctx, func(ctx context.Context) error {
		fresh, err := p.number(ctx, nodeID, batch)
		if err != nil || !fresh {
			return err
		}
		for _, r := range reports {
			if err := p.learn(ctx, nodeID, r); err != nil {
				return err
			}
		}
		return nil
	})
}

const longestText = 300

func reportable(r agentapi.PoolReport) bool {
	known := map[string]bool{
		agentapi.PoolUnknown: true, agentapi.PoolHealthy: true, agentapi.PoolDegraded: true, agentapi.PoolDown: true,
	}
	serves := map[string]bool{
		agentapi.PoolServesMembers: true, agentapi.PoolServesOverride: true, agentapi.PoolServesFallback: true,
	}
	return database.IsID(r.PoolID) && len(r.Group) <= longestText && len(r.Reason) <= longestText &&
		(r.Active == "" || database.IsID(r.Active)) && r.Usable >= 0 &&
		(r.MemberID != "" && database.IsID(r.MemberID) && known[r.State] || r.MemberID == "" && serves[r.Serves])
}

// number says whether the batch is new. A second panel that stores the same batch waits here.
func (p *pools) number(ctx context.Context, nodeID string, batch *agentapi.Batch) (fresh bool, err error) {
	var rows []int64
	err = p.store.db.In(ctx).NewRaw(`insert into transit_pool_streams as s (node_id, stream_id, last_seq, updated_at)
		values (?, ?, ?, ?) on conflict (node_id, stream_id) do update set last_seq = excluded.last_seq, updated_at = excluded.updated_at
		where s.last_seq < excluded.last_seq returning last_seq`,
		nodeID, batch.StreamID, batch.Seq, p.now()).Scan(ctx, &rows)
	return len(rows) > 0, database.Fault(err, nil)
}

// learn takes in one report. One about a pool that is gone, or that the node forwards to no more, is passed over.
func (p *pools) learn(ctx context.Context, nodeID string, r agentapi.PoolReport) error {
	var placed []poolRow
	err := p.store.db.In(ctx).NewSelect().Model(&placed).Join("join transit_pool_places l on l.pool_id = p.id").
		Where("p.id = ? and l.node_id = ?", r.PoolID, nodeID).For("no key update of p").Scan(ctx)
	if err != nil || len(placed) == 0 {
		return database.Fault(err, nil)
	}
	if now := p.now(); r.At.After(now) || r.At.IsZero() {
		r.At = now
	}
	if r.MemberID != "" {
		return p.learnState(ctx, nodeID, &placed[0], r)
	}
	return p.learnChoice(ctx, nodeID, &placed[0], r)
}

func (p *pools) learnState(ctx context.Context, nodeID string, row *poolRow, r agentapi.PoolReport) error {
	before, err := p.seen(ctx, r.MemberID)
	if err != nil {
		return err
	}
	_, err = p.store.db.In(ctx).NewRaw(`insert into transit_pool_states as s
			(node_id, group_name, member_id, state, rtt_ms, reason, error, held, since, at)
		select ?, ?, id, ?, ?, ?, ?, ?, ?, ? from transit_pool_members where id = ? and pool_id = ?
		on conflict (member_id, node_id, group_name) do update set state = excluded.state, rtt_ms = excluded.rtt_ms,
			reason = excluded.reason, error = excluded.error, held = excluded.held, at = excluded.at,
			since = case when s.state = excluded.state then s.since else excluded.since end
		where s.at <= excluded.at`, nodeID, r.Group, r.State, max(0, r.RTTMs), r.Reason, cut(r.Error), r.Held, r.At, r.At,
		r.MemberID, row.ID).Exec(ctx)
	if err != nil {
		return database.Fault(fmt.Errorf("store the state of a member: %w", err), nil)
	}
	after, err := p.seen(ctx, r.MemberID)
	if err != nil {
		return err
	}
	return p.tell(ctx, row, r, before, after)
}

func cut(text string) string {
	runes := []rune(text)
	return string(runes[:min(len(runes), longestText)])
}

// seen is the state of a member, from what all nodes say.
func (p *pools) seen(ctx context.Context, memberID string) (string, error) {
	var states []string
	err := p.store.db.In(ctx).NewRaw("select state from transit_pool_states where member_id = ?", memberID).
		Scan(ctx, &states)
	return together(states), database.Fault(err, nil)
}

// together makes one state of those that nodes have seen: a member is down when all of them say so.
func together(states []string) string {
	count := map[string]int{}
	for _, s := range states {
		count[s]++
	}
	switch {
	case len(states) == count[agentapi.PoolUnknown]:
		return agentapi.PoolUnknown
	case count[agentapi.PoolDown] == len(states):
		return agentapi.PoolDown
	case count[agentapi.PoolDown]+count[agentapi.PoolDegraded] > 0:
		return agentapi.PoolDegraded
	}
	return agentapi.PoolHealthy
}

// tell emits that a member is down or up again, when all nodes agree. Of one that comes and goes people hear once.
func (p *pools) tell(ctx context.Context, row *poolRow, r agentapi.PoolReport, before, after string) error {
	down := agentapi.PoolDown
	if (before == down) == (after == down) {
		return nil
	}
	members, err := p.store.members(ctx, row.ID)
	if err != nil {
		return err
	}
	at := memberAt(members[row.ID], r.MemberID)
	if at < 0 {
		return nil
	}
	m := members[row.ID][at]
	name, err := p.memberName(ctx, m)
	if err != nil {
		return err
	}
	news := poolsapi.MemberNews{Name: row.Name, MemberID: m.ID, Member: name, Reason: r.Reason}
	now := p.now()
	recently := m.ToldAt != nil && now.Sub(*m.ToldAt) < quiet
	switch {
	case after != down:
		return p.emit(ctx, poolsapi.EventMemberUp, row, news)
	case recently:
		return nil
	}
	m.ToldAt = &now
	if err := p.store.updateMember(ctx, &m, "told_at"); err != nil {
		return err
	}
	return p.emit(ctx, poolsapi.EventMemberDown, row, news)
}

func (p *pools) emit(ctx context.Context, kind string, row *poolRow, data any) error {
	err := p.bus.Emit(ctx, events.Event{Kind: kind, SubjectID: row.ID, At: p.now(), Data: data})
	if err != nil {
		return fmt.Errorf("emit what became of a pool: %w", err)
	}
	return nil
}

// choice is who carries the traffic of a pool on one edge of one node.
type choice struct {
	NodeID, GroupName string
	Serves            string
	ActiveMemberID    *string
	Usable            int
	Reason            string
	At                time.Time
}

func (p *pools) learnChoice(ctx context.Context, nodeID string, row *poolRow, r agentapi.PoolReport) error {
	var before []choice
	err := p.store.db.In(ctx).NewRaw(`select serves, active_member_id, usable from transit_pool_choices
		where pool_id = ? and node_id = ? and group_name = ? and at > ?`, row.ID, nodeID, r.Group, r.At).Scan(ctx, &before)
	if err != nil || len(before) > 0 { // something newer is known
		return database.Fault(err, nil)
	}
	var was []choice
	err = p.store.db.In(ctx).NewRaw(`with was as (select * from transit_pool_choices
			where pool_id = ? and node_id = ? and group_name = ?),
		put as (insert into transit_pool_choices
				(node_id, group_name, pool_id, serves, active_member_id, usable, reason, at)
			values (?, ?, ?, ?, ?, ?, ?, ?) on conflict (pool_id, node_id, group_name) do update set
				serves = excluded.serves, active_member_id = excluded.active_member_id, usable = excluded.usable,
				reason = excluded.reason, at = excluded.at)
		select serves, active_member_id, usable from was`, row.ID, nodeID, r.Group, nodeID, r.Group, row.ID, r.Serves,
		orNil(r.Active), r.Usable, r.Reason, r.At).Scan(ctx, &was)
	if err != nil {
		return database.Fault(fmt.Errorf("store the choice of a pool: %w", err), nil)
	}
	if r.Reason == agentapi.PoolReasonStarted || len(was) == 0 || !switched(was[0], r) {
		return p.minimum(ctx, row)
	}
	_, err = p.store.db.In(ctx).NewRaw(`insert into transit_pool_switches
		(pool_id, node_id, group_name, serves, active_member_id, usable, reason, at) values (?, ?, ?, ?, ?, ?, ?, ?)`,
		row.ID, nodeID, r.Group, r.Serves, orNil(r.Active), r.Usable, r.Reason, r.At).Exec(ctx)
	if err != nil {
		return database.Fault(fmt.Errorf("store a switch of a pool: %w", err), nil)
	}
	news := poolsapi.SwitchNews{
		Name: row.Name, NodeID: nodeID, Serves: r.Serves, Active: r.Active, Usable: r.Usable, Reason: r.Reason,
	}
	if err := p.emit(ctx, poolsapi.EventSwitched, row, news); err != nil {
		return err
	}
	return p.minimum(ctx, row)
}

// switched says whether other members carry the traffic now.
func switched(was choice, r agentapi.PoolReport) bool {
	return was.Serves != r.Serves || text(was.ActiveMemberID) != r.Active || was.Usable != r.Usable
}

// minimum tells when too few members are usable on some node, and when there are enough again.
func (p *pools) minimum(ctx context.Context, row *poolRow) error {
	var fewest []int
	err := p.store.db.In(ctx).NewRaw("select min(usable) from transit_pool_choices where pool_id = ? having count(*) > 0",
		row.ID).Scan(ctx, &fewest)
	if err != nil || len(fewest) == 0 {
		return database.Fault(err, nil)
	}
	below := fewest[0] < row.MinHealthy
	if below == row.Below {
		return nil
	}
	row.Below = below
	if _, err := p.store.db.In(ctx).NewUpdate().Model(row).Column("below").WherePK().Exec(ctx); err != nil {
		return database.Fault(fmt.Errorf("note that a pool is short of members: %w", err), nil)
	}
	kind := poolsapi.EventMinimumRestored
	if below {
		kind = poolsapi.EventBelowMinimum
	}
	return p.emit(ctx, kind, row, poolsapi.CountNews{Name: row.Name, Usable: fewest[0], Minimum: row.MinHealthy})
}

package clients

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
)

const (
	sharedAtOnce  = 1000   // clients in one transaction
	mostInOne     = 50_000 // shares in one document
	confirmLimit  = 5 * time.Second
	confirmPause  = 250 * time.Millisecond
	silentForGood = 24 * time.Hour
	littleUse     = 1 << 20 // bytes; what was used long ago says less about where a client uses its quota
)

// sharesDocument is the name of the agents' document.
var sharesDocument = string(agentapi.DocumentShares)

// shareOut looks at every client whose quota, use or entries have changed, and gives the agents of its entries their
// shares. With a limit it waits so long for agents to confirm less, because others get more then.
func (c *clients) shareOut(ctx context.Context, limit time.Duration) error {
	due := limit > 0 // an agent may have lost what it held
	for until := c.clock.Now().Add(limit); ; due = false {
		more, err := c.sharePass(ctx, due)
		if err != nil {
			return fmt.Errorf("share out quotas: %w", err)
		}
		if more {
			continue
		}
		if waits, err := c.store.waitsForLess(ctx); err != nil || !waits || !c.clock.Now().Before(until) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-c.clock.After(confirmPause):
		}
	}
}

// sharePass looks at some clients. More says that there are others.
func (c *clients) sharePass(ctx context.Context, due bool) (more bool, err error) {
	if !due {
		if due, err = c.store.sharesDue(ctx); err != nil || !due {
			return false, err
		}
	}
	err = c.store.db.InTx(ctx, func(ctx context.Context) error {
		if err := c.store.onLists(ctx); err != nil {
			return err
		}
		if err := c.confirm(ctx); err != nil {
			return err
		}
		wanted, err := c.store.unshared(ctx)
		if err != nil {
			return err
		}
		more = len(wanted) == sharedAtOnce
		if err := c.divide(ctx, wanted); err != nil {
			return err
		}
		return c.publishShares(ctx)
	})
	return more, database.Fault(err, nil)
}

// sharesDue says whether there is anything to look at.
func (s *store) sharesDue(ctx context.Context) (due bool, err error) {
	err = s.db.In(ctx).NewRaw(`select exists (select from client_profiles where unshared)
		or exists (select from client_shares where not confirmed)`).Scan(ctx, &due)
	return due, database.Fault(err, nil)
}

// waitsForLess says whether some agent has not confirmed yet that it goes by less than before.
func (s *store) waitsForLess(ctx context.Context) (waits bool, err error) {
	err = s.db.In(ctx).NewRaw("select exists (select from client_shares where not confirmed and held > granted)").
		Scan(ctx, &waits)
	return waits, database.Fault(err, nil)
}

// shareList is shareOut after other agents hold a list: the quotas of all of its clients are shared out anew.
func (c *clients) shareList(ctx context.Context, flowID string) error {
	list, err := c.store.list(ctx, flowID)
	if err != nil {
		return err
	}
	if list.Reshare {
		if err := c.reshare(ctx, list); err != nil {
			return err
		}
	}
	return c.shareOut(ctx, 0)
}

func (c *clients) reshare(ctx context.Context, list *listRow) error {
	holders, err := c.store.holders(ctx, list.FlowID)
	if err != nil {
		return err
	}
	if _, err := c.able(ctx, nodesOf(holders)); err != nil {
		return err
	}
	_, err = c.store.db.In(ctx).NewRaw(`update client_profiles c set unshared = true where not c.unshared
		and (c.quota_bytes is not null or exists (select from client_shares s where s.client_id = c.id))
		and c.id in (select client_id from client_flows where flow_id = ?)`, list.FlowID).Exec(ctx)
	if err == nil {
		_, err = c.store.db.In(ctx).NewRaw("update client_lists set reshare = false where flow_id = ? and changes = ?",
			list.FlowID, list.Changes).Exec(ctx)
	}
	return database.Fault(err, nil)
}

func nodesOf(holders []holderRow) []string {
	ids := make([]string, len(holders))
	for i := range holders {
		ids[i] = holders[i].NodeID
	}
	return ids
}

// able notes which of the agents keep to shares, and gives those lists that one holds of which that was not known.
func (c *clients) able(ctx context.Context, nodeIDs []string) (flowIDs []string, err error) {
	agents, err := c.agents(ctx, nodeIDs)
	if err != nil {
		return nil, err
	}
	able := []string{}
	for id, agent := range agents {
		if agent.Can(string(agentapi.DocumentShares.Capability())) {
			able = append(able, id)
		}
	}
	err = c.store.db.In(ctx).NewRaw(`update client_list_nodes set shares = true
		where not shares and node_id = any(?::uuid[]) returning flow_id::text`, pgdialect.Array(able)).Scan(ctx, &flowIDs)
	return distinct(flowIDs), database.Fault(err, nil)
}

// relistAble has the quotas shared out anew on lists that an agent holds which keeps to shares by now.
func (c *clients) relistAble(ctx context.Context) error {
	var nodeIDs []string
	err := c.store.db.In(ctx).NewRaw("select distinct node_id::text from client_list_nodes where not shares").
		Scan(ctx, &nodeIDs)
	if err != nil {
		return database.Fault(err, nil)
	}
	return c.store.db.InTx(ctx, func(ctx context.Context) error {
		flowIDs, err := c.able(ctx, nodeIDs)
		if err != nil || len(flowIDs) == 0 {
			return err
		}
		_, err = c.store.db.In(ctx).NewRaw("update client_lists set reshare = true where flow_id = any(?::uuid[])",
			pgdialect.Array(flowIDs)).Exec(ctx)
		if err != nil {
			return database.Fault(err, nil)
		}
		return c.relist(ctx, flowIDs...)
	})
}

// confirm notes which shares agents have in force by now. An agent that has lost its documents gets all of them anew.
func (c *clients) confirm(ctx context.Context) error {
	db := c.store.db.In(ctx)
	var nodeIDs []string
	err := db.NewRaw(`select node_id::text from client_list_nodes where shares
		union select node_id::text from client_shares where not confirmed`).Scan(ctx, &nodeIDs)
	if err != nil || len(nodeIDs) == 0 {
		return database.Fault(err, nil)
	}
	states, err := c.held.States(ctx, sharesDocument, nodeIDs...)
	if err != nil {
		return fmt.Errorf("read which shares agents hold: %w", err)
	}
	var ids []string
	var applied []int64
	for id, state := range states {
		ids, applied = append(ids, id), append(applied, state.Applied)
	}
	_, err = db.NewRaw(`with agents as (
			select * from unnest(?::uuid[], ?::bigint[]) as u (node_id, applied)
		), lost as (
			update client_shares s set confirmed = false, document = 0 from agents u
				where s.node_id = u.node_id and u.applied = 0 and s.confirmed
		), gone as (
			delete from client_shares s using agents u where s.node_id = u.node_id and s.no_quota
				and not s.confirmed and s.document between 1 and u.applied
		), held as (
			update client_shares s set confirmed = true, held = s.granted from agents u, client_shares o
				where s.node_id = u.node_id and not s.no_quota and not s.confirmed and s.document between 1 and u.applied
				and o.client_id = s.client_id and o.node_id = s.node_id
				returning s.client_id, o.held > s.granted as less
		)
		update client_profiles c set unshared = true from held h where h.less and c.id = h.client_id`,
		pgdialect.Array(append([]string{}, ids...)), pgdialect.Array(append([]int64{}, applied...))).Exec(ctx)
	return database.Fault(err, nil)
}

// quotaRow is a client with what is left of its quota.
type quotaRow struct {
	ID    string
	Quota *int64
	Used  int64
}

// unshared gives clients to be looked at, and notes that they are. One that is being changed waits for the next time.
func (s *store) unshared(ctx context.Context) (rows []quotaRow, err error) {
	err = s.db.In(ctx).NewRaw(`update client_profiles c set unshared = false where c.id in (
			select u.id from client_profiles u where u.unshared order by u.id limit ? for no key update skip locked)
		returning c.id, case when c.revoked_at is null then c.quota_bytes end as quota, c.used_up + c.used_down as used`,
		sharedAtOnce).Scan(ctx, &rows)
	return rows, database.Fault(err, nil)
}

// divide gives the entries of clients their shares. What an agent holds that was silent for long counts no more.
func (c *clients) divide(ctx context.Context, wanted []quotaRow) error {
	if len(wanted) == 0 {
		return nil
	}
	ids := make([]string, len(wanted))
	for i := range wanted {
		ids[i] = wanted[i].ID
	}
	rows, err := c.entries(ctx, ids)
	if err != nil {
		return err
	}
	var changed []*shareRow
	for _, client := range wanted {
		of := rows[client.ID]
		if client.Quota == nil {
			for _, r := range of {
				r.end()
			}
		} else {
			live := slices.DeleteFunc(slices.Clone(of), func(r *shareRow) bool { return r.NoQuota || r.lost })
			byUse(live)
			split(max(0, *client.Quota-client.Used), slackOf(*client.Quota), live)
		}
		for _, r := range of {
			if r.changed {
				changed = append(changed, r)
			}
		}
	}
	return c.store.putShares(ctx, changed)
}

// end takes a share away: the agent forgets the quota.
func (r *shareRow) end() {
	if !r.NoQuota {
		r.NoQuota, r.changed = true, true
	}
}

// entries gives the shares of clients, also those that are to be made. An entry whose agent knows no shares has none.
func (c *clients) entries(ctx context.Context, clientIDs []string) (map[string][]*shareRow, error) {
	var rows []struct {
		shareRow
		Wanted, Known bool
	}
	err := c.store.db.In(ctx).NewRaw(`with wanted as (
			select distinct a.client_id, n.node_id from client_flows a join client_list_nodes n on n.flow_id = a.flow_id
			where a.client_id = any(?0::uuid[]) and a.revoked_at is null and not n.leaves
		)
		select client_id, node_id, w.client_id is not null as wanted, s.client_id is not null as known,
			coalesce(s.counted, 0) as counted, coalesce(s.recent, 0) as recent, coalesce(s.granted, 0) as granted,
			coalesce(s.held, 0) as held, coalesce(s.no_quota, false) as no_quota, coalesce(s.document, 0) as document,
			coalesce(s.confirmed, false) as confirmed
		from wanted w full join (select * from client_shares where client_id = any(?0::uuid[])) s using (client_id, node_id)
		order by client_id, node_id`, pgdialect.Array(clientIDs)).Scan(ctx, &rows)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read the shares of clients: %w", err), nil)
	}
	var nodeIDs []string
	for i := range rows {
		nodeIDs = append(nodeIDs, rows[i].NodeID)
	}
	agents, err := c.agents(ctx, distinct(nodeIDs))
	if err != nil {
		return nil, err
	}
	found, gone := map[string][]*shareRow{}, []string{}
	for i := range rows {
		r := &rows[i]
		agent, there := agents[r.NodeID]
		able := there && agent.Can(string(agentapi.DocumentShares.Capability()))
		switch {
		case !there:
			gone = append(gone, r.NodeID)
			continue
		case !r.Known && (!r.Wanted || !able):
			continue
		case !r.Wanted:
			r.end()
		case r.NoQuota: // it comes back before the agent has forgotten it
			r.NoQuota, r.changed = false, true
		case !r.Known:
			r.changed = true
		}
		r.lost = !agent.Online && c.now().Sub(agent.SeenAt) > silentForGood
		found[r.ClientID] = append(found[r.ClientID], &r.shareRow)
	}
	return found, c.store.forgetShares(ctx, distinct(gone))
}

func (c *clients) agents(ctx context.Context, nodeIDs []string) (map[string]nodesapi.Node, error) {
	agents := map[string]nodesapi.Node{}
	if len(nodeIDs) == 0 {
		return agents, nil
	}
	all, err := c.fleet.Nodes(ctx, nodeIDs...)
	if err != nil {
		return nil, fmt.Errorf("read which agents know shares: %w", err)
	}
	for _, node := range all {
		agents[node.ID] = node
	}
	return agents, nil
}

func (s *store) forgetShares(ctx context.Context, nodeIDs []string) error {
	if len(nodeIDs) == 0 {
		return nil
	}
	_, err := s.db.In(ctx).NewRaw("delete from client_shares where node_id = any(?::uuid[])", pgdialect.Array(nodeIDs)).
		Exec(ctx)
	return database.Fault(err, nil)
}

// putShares stores shares that have changed; no document brings them yet.
func (s *store) putShares(ctx context.Context, rows []*shareRow) error {
	if len(rows) == 0 {
		return nil
	}
	clientIDs, nodeIDs := make([]string, len(rows)), make([]string, len(rows))
	granted, held, noQuota := make([]int64, len(rows)), make([]int64, len(rows)), make([]bool, len(rows))
	for i, r := range rows {
		clientIDs[i], nodeIDs[i], granted[i], held[i], noQuota[i] = r.ClientID, r.NodeID, r.Granted, r.Held, r.NoQuota
	}
	_, err := s.db.In(ctx).NewRaw(`insert into client_shares as s (client_id, node_id, granted, held, no_quota)
			select * from unnest(?::uuid[], ?::uuid[], ?::bigint[], ?::bigint[], ?::boolean[])
		on conflict (client_id, node_id) do update set granted = excluded.granted, held = excluded.held,
			no_quota = excluded.no_quota, document = 0, confirmed = false`,
		pgdialect.Array(clientIDs), pgdialect.Array(nodeIDs), pgdialect.Array(granted), pgdialect.Array(held),
		pgdialect.Array(noQuota)).Exec(ctx)
	return database.Fault(err, nil)
}

// publishShares gives agents the documents of the shares that no document brings yet, with those beside them that have
// not arrived: an agent keeps what a document does not name.
func (c *clients) publishShares(ctx context.Context) error {
	var nodeIDs []string
	err := c.store.db.In(ctx).NewRaw(`select distinct node_id::text from client_shares
		where not confirmed and document = 0 order by 1`).Scan(ctx, &nodeIDs)
	if err != nil {
		return database.Fault(err, nil)
	}
	for _, nodeID := range nodeIDs {
		if err := c.publishTo(ctx, nodeID); err != nil {
			return err
		}
	}
	return nil
}

func (c *clients) publishTo(ctx context.Context, nodeID string) error {
	var rows []shareRow
	err := c.store.db.In(ctx).NewRaw(`select client_id, node_id, counted, granted, no_quota from client_shares
		where node_id = ? and not confirmed order by client_id limit ?`, nodeID, mostInOne).Scan(ctx, &rows)
	if err != nil {
		return database.Fault(err, nil)
	}
	content, ids := agentapi.Shares{Clients: make([]agentapi.Share, len(rows))}, make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.ClientID
		content.Clients[i] = agentapi.Share{
			ClientID: r.ClientID, Counted: r.Counted, Limit: r.Granted, NoQuota: r.NoQuota,
		}
	}
	err = c.held.Set(ctx, nodesapi.Document{NodeID: nodeID, Name: sharesDocument, Content: content})
	if err != nil {
		return fmt.Errorf("give shares to an agent: %w", err)
	}
	states, err := c.held.States(ctx, sharesDocument, nodeID)
	if err != nil {
		return fmt.Errorf("read what an agent was given: %w", err)
	}
	_, err = c.store.db.In(ctx).NewRaw(`update client_shares set document = ? where node_id = ? and not confirmed
		and client_id = any(?::uuid[])`, states[nodeID].Wanted, nodeID, pgdialect.Array(ids)).Exec(ctx)
	return database.Fault(err, nil)
}

// counted notes what agents have counted, and where clients have used something since the time before.
func (s *store) counted(ctx context.Context, counts []nodesapi.ClientCount) error {
	var nodeIDs, clientIDs []string
	var bytes []int64
	for _, count := range counts {
		if database.IsID(count.ClientID) && count.Bytes >= 0 {
			nodeIDs, clientIDs = append(nodeIDs, count.NodeID), append(clientIDs, count.ClientID)
			bytes = append(bytes, count.Bytes)
		}
	}
	db := s.db.In(ctx)
	_, err := db.NewRaw("update client_shares set recent = case when recent < ? then 0 else recent / 2 end where recent > 0",
		littleUse).Exec(ctx)
	if err == nil && len(bytes) > 0 {
		_, err = db.NewRaw(`with told as (
				update client_shares s set counted = greatest(s.counted, t.bytes), recent = greatest(0, t.bytes - s.counted)
				from unnest(?::uuid[], ?::uuid[], ?::bigint[]) as t (node_id, client_id, bytes)
				where s.node_id = t.node_id and s.client_id = t.client_id returning s.client_id
			)
			update client_profiles c set unshared = true from told where c.id = told.client_id and not c.unshared`,
			pgdialect.Array(nodeIDs), pgdialect.Array(clientIDs), pgdialect.Array(bytes)).Exec(ctx)
	}
	return database.Fault(err, nil)
}

package clients

import (
	"context"
	"fmt"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/clients/internal/quota"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
)

// entries gives the shares of clients, also those that are to be made. An entry whose agent knows no shares has none.
func (c *clients) entries(ctx context.Context, clientIDs []string) (map[string][]*quota.Share, error) {
	var rows []struct {
		quota.Share
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
	found, gone := map[string][]*quota.Share{}, []string{}
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
			r.End()
		case r.NoQuota: // it comes back before the agent has forgotten it
			r.Resume()
		case !r.Known:
			r.Changed = true
		}
		r.Lost = !agent.Online && c.now().Sub(agent.SeenAt) > silentForGood
		found[r.ClientID] = append(found[r.ClientID], &r.Share)
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
func (s *store) putShares(ctx context.Context, rows []*quota.Share) error {
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
	var rows []quota.Share
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

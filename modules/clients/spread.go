package clients

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/segmentio/encoding/json"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/clients/clientsapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/lease"
	"panel/platform/restored"
)

// spreading brings the lists of flows to the agents that shall hold them: a list is open until each of them does.
func (c *clients) spreading() lease.Process {
	const parallel = 32
	return lease.Process{
		Name: "list of clients", Table: lease.Table{Name: "client_lists", Key: "flow_id", Open: "open"}, Step: c.spread,
		Parallel: parallel,
	}
}

// spread makes the newest revision of a list, gives it to the agents that do not have it in their documents, and notes
// which of them hold it by what they say.
func (c *clients) spread(ctx context.Context, claim *lease.Claim) (lease.Next, error) {
	if err := c.shareList(ctx, claim.ID); err != nil { // before anybody is let in who has a quota
		return lease.Next{}, err
	}
	if err := claim.InTx(ctx, func(ctx context.Context) error { return c.revise(ctx, claim.ID) }); err != nil {
		return lease.Next{}, err
	}
	if left, err := c.store.note(ctx, claim.ID); err != nil || left {
		return lease.After(patience(0)), err
	}
	left, waiting, err := c.observe(ctx, claim)
	switch {
	case err != nil:
		return lease.Next{}, err
	case !left:
		return lease.Done(), nil
	}
	return lease.After(patience(waiting)), nil
}

// patience is the pause before agents are looked at again that have not answered for a time.
func patience(waiting time.Duration) time.Duration {
	const shortest, longest = 100 * time.Millisecond, 10 * time.Second
	return min(max(waiting/10, shortest), longest)
}

// revise makes the next revision of a list when others are on it, and gives it to the agents.
func (c *clients) revise(ctx context.Context, flowID string) error {
	if err := c.store.onLists(ctx); err != nil {
		return err
	}
	list, err := c.store.list(ctx, flowID)
	if err != nil {
		return err
	}
	if list.Changes != list.Seen {
		if err := c.renumber(ctx, list); err != nil {
			return err
		}
	}
	holders, err := c.store.holders(ctx, flowID)
	if err != nil {
		return err
	}
	return c.hand(ctx, list, holders)
}

// renumber counts the list up when who is on it has changed.
func (c *clients) renumber(ctx context.Context, list *listRow) error {
	ids, err := c.store.changedClients(ctx, list.FlowID)
	if err != nil {
		return fmt.Errorf("read who has changed on a list: %w", err)
	}
	changed := 0
	if list.Whole || len(ids) > 0 {
		changed, err = c.store.relisted(ctx, list.FlowID, list.Revision+1, list.Whole, ids, c.now())
		if err != nil {
			return fmt.Errorf("write the list of a flow: %w", err)
		}
	}
	if changed > 0 || list.Revision == 0 { // an empty list is one, too
		list.Revision++
	}
	list.Seen, list.Whole = list.Changes, false
	_, err = c.store.db.In(ctx).NewUpdate().Model(list).Column("revision", "seen", "whole").WherePK().Exec(ctx)
	return database.Fault(err, nil)
}

// hand gives a list to the agents that do not have its newest revision, and takes it from those that shall not.
func (c *clients) hand(ctx context.Context, list *listRow, holders []holderRow) error {
	var behind []string
	for _, h := range holders {
		if h.Leaves || h.Given != list.Revision {
			behind = append(behind, h.NodeID)
		}
	}
	if len(behind) == 0 {
		return nil
	}
	asks, err := c.asking(ctx, behind)
	if err != nil {
		return err
	}
	wanted, err := c.documents(ctx, behind, asks)
	if err != nil {
		return err
	}
	if err := c.held.Set(ctx, wanted...); err != nil {
		return fmt.Errorf("give lists of clients to agents: %w", err)
	}
	states := map[string]nodesapi.DocumentState{}
	for _, given := range wanted {
		of, err := c.held.States(ctx, given.Name, given.NodeID)
		if err != nil {
			return fmt.Errorf("read what agents were given: %w", err)
		}
		maps.Copy(states, of)
	}
	return c.store.handed(ctx, list, behind, states, asks)
}

// asking tells of agents whether they ask for what has changed on their lists.
func (c *clients) asking(ctx context.Context, nodeIDs []string) (map[string]bool, error) {
	agents, err := c.agents(ctx, nodeIDs)
	if err != nil {
		return nil, err
	}
	asks := map[string]bool{}
	for id, agent := range agents {
		asks[id] = agent.Can(string(agentapi.DocumentClientLists.Capability()))
	}
	return asks, nil
}

// handOld gives whole lists to agents that asked for changes and do so no more: an earlier release runs there again.
func (c *clients) handOld(ctx context.Context) error {
	var nodeIDs []string
	err := c.store.db.In(ctx).NewRaw("select distinct node_id::text from client_list_nodes where by_changes").
		Scan(ctx, &nodeIDs)
	if err != nil || len(nodeIDs) == 0 {
		return database.Fault(err, nil)
	}
	asks, err := c.asking(ctx, nodeIDs)
	if err != nil {
		return err
	}
	nodeIDs = slices.DeleteFunc(nodeIDs, func(id string) bool { return asks[id] })
	if len(nodeIDs) == 0 {
		return nil
	}
	return c.store.db.InTx(ctx, func(ctx context.Context) error {
		var flowIDs []string
		err := c.store.db.In(ctx).NewRaw(`select flow_id::text from client_list_nodes
			where by_changes and node_id = any(?::uuid[])`, pgdialect.Array(nodeIDs)).Scan(ctx, &flowIDs)
		if err != nil {
			return database.Fault(err, nil)
		}
		if _, err := c.open(ctx, flowIDs, false); err != nil { // before who holds it, as everywhere
			return err
		}
		_, err = c.store.db.In(ctx).NewRaw(`update client_list_nodes set given = 0, document = 0, by_changes = false
			where by_changes and node_id = any(?::uuid[])`, pgdialect.Array(nodeIDs)).Exec(ctx)
		return database.Fault(err, nil)
	})
}

// handed notes the documents with which a list came to its agents. A node that is gone or leaves is forgotten.
func (s *store) handed(
	ctx context.Context, list *listRow, nodeIDs []string, states map[string]nodesapi.DocumentState,
	asks map[string]bool,
) error {
	there, documents, by := []string{}, []int64{}, []bool{}
	for _, id := range nodeIDs {
		if state, known := states[id]; known {
			there, documents, by = append(there, id), append(documents, state.Wanted), append(by, asks[id])
		}
	}
	_, err := s.db.In(ctx).NewRaw(`delete from client_list_nodes n where n.flow_id = ?
		and (n.leaves or n.node_id = any(?::uuid[]) and not n.node_id = any(?::uuid[]))`,
		list.FlowID, pgdialect.Array(nodeIDs), pgdialect.Array(there)).Exec(ctx)
	if err == nil {
		_, err = s.db.In(ctx).NewRaw(`update client_list_nodes n set given = ?, document = w.document,
				by_changes = w.by_changes
			from unnest(?::uuid[], ?::bigint[], ?::boolean[]) as w (node_id, document, by_changes)
			where n.flow_id = ? and n.node_id = w.node_id`, list.Revision, pgdialect.Array(there),
			pgdialect.Array(documents), pgdialect.Array(by), list.FlowID).Exec(ctx)
	}
	return database.Fault(err, nil)
}

// observe notes which agents hold the list, and closes it when all do and nothing has changed meanwhile.
func (c *clients) observe(ctx context.Context, claim *lease.Claim) (left bool, waiting time.Duration, err error) {
	holders, err := c.store.holders(ctx, claim.ID)
	if err != nil {
		return false, 0, err
	}
	states := map[string]map[string]nodesapi.DocumentState{}
	for _, name := range []string{document, listsDocument} {
		if states[name], err = c.held.States(ctx, name, nodesOf(holders)...); err != nil {
			return false, 0, fmt.Errorf("read what agents hold: %w", err)
		}
	}
	var holding []string
	for _, h := range holders {
		state, there := states[h.document()][h.NodeID]
		if there && state.Applied >= h.Document && h.Given != h.Installed {
			holding = append(holding, h.NodeID)
		}
	}
	err = claim.InTx(ctx, func(ctx context.Context) error {
		left, waiting, err = c.store.observed(ctx, claim.ID, holding)
		if err != nil || left || len(holding) == 0 {
			return err
		}
		return c.bus.Emit(ctx, events.Event{Kind: clientsapi.EventListInstalled, SubjectID: claim.ID, At: c.now()})
	})
	return left, waiting, err
}

// observed notes agents that hold what they were given. It gives whether the list stays open, and how long it is.
func (s *store) observed(
	ctx context.Context, flowID string, nodeIDs []string,
) (left bool, waiting time.Duration, err error) {
	db := s.db.In(ctx)
	if len(nodeIDs) > 0 {
		_, err = db.NewRaw("update client_list_nodes set installed = given where flow_id = ? and node_id = any(?::uuid[])",
			flowID, pgdialect.Array(nodeIDs)).Exec(ctx)
		if err != nil {
			return false, 0, database.Fault(err, nil)
		}
	}
	var seconds float64
	err = db.NewRaw(`update client_lists l set noted = l.revision,
			installed = coalesce((select min(n.installed) from client_list_nodes n where n.flow_id = l.flow_id), 0),
			open = l.changes <> l.seen or exists (select from client_list_nodes n where n.flow_id = l.flow_id
				and (n.leaves or n.installed <> l.revision))
		where l.flow_id = ? returning l.open, extract(epoch from now() - l.since)::float8`, flowID).
		Scan(ctx, &left, &seconds)
	if err == nil && !left {
		err = s.purge(ctx, flowID)
	}
	if err == nil && !left {
		_, err = db.NewRaw(`delete from client_lists l where l.flow_id = ? and l.nodes = 0
			and not exists (select from client_list_nodes n where n.flow_id = l.flow_id)
			and not exists (select from client_flows a where a.flow_id = l.flow_id)`, flowID).Exec(ctx)
	}
	return left, time.Duration(seconds * float64(time.Second)), database.Fault(err, nil)
}

// purge forgets who has gone from a list, once all agents have heard of it.
func (s *store) purge(ctx context.Context, flowID string) error {
	_, err := s.db.In(ctx).NewRaw(`with old as (
			delete from client_listed li using client_lists l where l.flow_id = ? and li.flow_id = l.flow_id
				and li.gone and li.changed <= l.installed
			returning li.flow_id, li.changed
		)
		update client_lists l set purged = greatest(l.purged, o.changed)
			from (select flow_id, max(changed) as changed from old group by 1) o where l.flow_id = o.flow_id`, flowID).
		Exec(ctx)
	return database.Fault(err, nil)
}

// restored has every list and share given anew: agents may hold what a database that came from a backup does not
// know. Links go on meanwhile with what agents held at the backup, so that no program empties its subscription after a
// restore.
func (c *clients) restored(ctx context.Context, _ json.RawMessage, _ *restored.Restoration) error {
	db := c.store.db.In(ctx)
	_, err := db.NewRaw("update client_list_nodes set given = 0").Exec(ctx)
	if err == nil {
		_, err = db.NewRaw(`update client_lists set changes = changes + 1, open = true, since = now(), whole = true,
			epoch = gen_random_uuid()`).Exec(ctx)
	}
	if err == nil {
		_, err = db.NewRaw("update client_shares set document = 0, confirmed = false").Exec(ctx)
	}
	if err == nil {
		_, err = db.NewRaw("update client_profiles set unshared = true where quota_bytes is not null").Exec(ctx)
	}
	return database.Fault(err, nil)
}

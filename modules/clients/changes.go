package clients

import (
	"context"
	"fmt"

	"panel/platform/access"
	"panel/platform/agentapi"
	"panel/platform/database"
)

// changesInput is how far an agent has the list of a flow.
type changesInput struct {
	ID    string `path:"id" doc:"Id of the flow"`
	Epoch string `query:"epoch" maxLength:"64" doc:"Of what the agent holds; absent: nothing"`
	Since int64  `query:"since" minimum:"0"`
	After string `query:"after" maxLength:"64"`
	Known int64  `query:"known" minimum:"0"`
}

type changesOutput struct{ Body agentapi.ClientChanges }

// changes tells an agent what has changed on a list that it holds. Fault: not_found (404).
func (h *handlers) changes(ctx context.Context, in *changesInput) (*changesOutput, error) {
	from := agentapi.ListPosition{Epoch: in.Epoch, Since: in.Since, After: in.After, Known: in.Known}
	found, err := h.clients.changesOf(ctx, access.From(ctx).NodeID, in.ID, from)
	if err != nil {
		return nil, err
	}
	return &changesOutput{Body: *found}, nil
}

// changeRow is a client that has come to a list, changed on it or gone from it, beside what is known of the list; one
// without a client says that of a list on which nothing has changed.
type changeRow struct {
	accessRow
	Epoch    string
	Revision int64
	Fresh    bool
	Changed  int64
	Gone     bool
	term
}

// changesOf gives what has changed on a list since a position, from the beginning where that is not known any more. Who
// is on the list and has lost the right to it at this moment is named as gone: the next revision says so, too.
func (c *clients) changesOf(
	ctx context.Context, nodeID, flowID string, from agentapi.ListPosition,
) (*agentapi.ClientChanges, error) {
	if !database.IsID(flowID) {
		return nil, missing()
	}
	rows, err := c.store.changes(ctx, nodeID, flowID, from)
	if err != nil {
		return nil, fmt.Errorf("read what has changed on a list: %w", err)
	}
	if len(rows) == 0 {
		return nil, missing()
	}
	answer := &agentapi.ClientChanges{FlowID: flowID, From: from, Fresh: rows[0].Fresh}
	answer.To = agentapi.ListPosition{Epoch: rows[0].Epoch, Since: rows[0].Revision, Known: from.Known}
	if answer.Fresh {
		answer.To.Known = rows[0].Revision
	}
	return answer, c.tell(answer, rows)
}

// changes gives one more than an answer names, when there are so many. All of it is of one moment: who has gone is
// forgotten when all agents have heard of it.
func (s *store) changes(
	ctx context.Context, nodeID, flowID string, from agentapi.ListPosition,
) (rows []changeRow, err error) {
	const last = "ffffffff-ffff-ffff-ffff-ffffffffffff"
	after := from.After
	if !database.IsID(after) {
		after = last
	}
	err = s.db.In(ctx).NewRaw(`with list as (
			select l.flow_id, l.epoch::text as epoch, l.revision,
				l.epoch::text <> ?2 or greatest(?3, ?5) < l.purged or ?3 > l.revision as fresh
			from client_lists l where l.flow_id = ?0 and l.revision > 0 and exists (
				select from client_list_nodes n where n.flow_id = l.flow_id and n.node_id = ?1 and not n.leaves)
		)
		select l.flow_id, l.epoch, l.revision, l.fresh, li.client_id, coalesce(li.changed, 0) as changed,
			li.expires_at, coalesce(li.speed_mbps, 0) as speed_mbps, coalesce(li.addresses, 0) as addresses,
			coalesce(a.secret, '') as secret, coalesce(a.moved, false) as moved,
			coalesce(a.number, 0) as number,
			li.gone or a.client_id is null or a.revoked_at is not null or li.ref <> `+accessRef+` as gone
		from list l left join lateral (
			select * from client_listed li where li.flow_id = l.flow_id and (li.changed, li.client_id)
				> (case when l.fresh then 0 else ?3 end, case when l.fresh then ?7::uuid else ?4::uuid end)
			order by li.changed, li.client_id limit ?6
		) li on true left join client_flows a on a.flow_id = li.flow_id and a.client_id = li.client_id
		order by li.changed, li.client_id`, flowID, nodeID, from.Epoch, from.Since, after, from.Known,
		agentapi.MostChanges+1, last).Scan(ctx, &rows)
	return rows, database.Fault(err, nil)
}

// tell names the clients of rows, and how far the answer goes: to their end, or to the last one that it names.
func (c *clients) tell(answer *agentapi.ClientChanges, rows []changeRow) error {
	if answer.More = len(rows) > agentapi.MostChanges; answer.More {
		rows = rows[:agentapi.MostChanges]
		answer.To.Since, answer.To.After = rows[len(rows)-1].Changed, rows[len(rows)-1].ClientID
	}
	for i := range rows {
		row := &rows[i]
		switch {
		case row.ClientID == "":
		case row.Gone:
			answer.Gone = append(answer.Gone, row.ClientID)
		default:
			client, err := c.member(&row.accessRow, row.term)
			if err != nil {
				return err
			}
			answer.Clients = append(answer.Clients, client)
		}
	}
	return nil
}

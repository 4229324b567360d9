package clients

import (
	"context"
	"fmt"
	"time"

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

// changeRow is a client that has come to a list, changed on it or gone from it.
type changeRow struct {
	accessRow
	Changed int64
	Gone    bool
	Ends    *time.Time
}

// changesOf gives what has changed on a list since a position, from the beginning where that is not known any more. Who
// is on the list and has lost the right to it at this moment is left out: the next revision says so.
func (c *clients) changesOf(
	ctx context.Context, nodeID, flowID string, from agentapi.ListPosition,
) (*agentapi.ClientChanges, error) {
	if !database.IsID(flowID) {
		return nil, missing()
	}
	list := new(listRow)
	err := c.store.db.In(ctx).NewSelect().Model(list).Where(`l.flow_id = ? and l.revision > 0
		and exists (select from client_list_nodes n where n.flow_id = l.flow_id and n.node_id = ? and not n.leaves)`,
		flowID, nodeID).Scan(ctx)
	if err != nil {
		return nil, database.Fault(err, nil)
	}
	answer := &agentapi.ClientChanges{FlowID: flowID, From: from}
	if from.Epoch != list.Epoch || max(from.Since, from.Known) < list.Purged || from.Since > list.Revision {
		answer.Fresh, from = true, agentapi.ListPosition{Epoch: list.Epoch, Known: list.Revision}
	}
	answer.To = agentapi.ListPosition{Epoch: list.Epoch, Since: list.Revision, Known: from.Known}
	rows, err := c.store.changes(ctx, flowID, from)
	if err != nil {
		return nil, fmt.Errorf("read what has changed on a list: %w", err)
	}
	return answer, c.tell(answer, list, rows)
}

// changes gives one more than an answer names, when there are so many.
func (s *store) changes(ctx context.Context, flowID string, from agentapi.ListPosition) (rows []changeRow, err error) {
	after := from.After
	if !database.IsID(after) {
		after = "ffffffff-ffff-ffff-ffff-ffffffffffff"
	}
	err = s.db.In(ctx).NewRaw(`select li.client_id, li.flow_id, li.changed, li.expires_at as ends,
			coalesce(a.secret, '') as secret, coalesce(a.moved, false) as moved,
			li.gone or a.client_id is null or a.revoked_at is not null or li.ref <> `+accessRef+` as gone
		from client_listed li left join client_flows a on a.flow_id = li.flow_id and a.client_id = li.client_id
		where li.flow_id = ? and (li.changed, li.client_id) > (?, ?::uuid)
		order by li.changed, li.client_id limit ?`, flowID, from.Since, after, agentapi.MostChanges+1).Scan(ctx, &rows)
	return rows, database.Fault(err, nil)
}

func (c *clients) tell(answer *agentapi.ClientChanges, list *listRow, rows []changeRow) error {
	if answer.More = len(rows) > agentapi.MostChanges; answer.More {
		rows = rows[:agentapi.MostChanges]
	}
	for i := range rows {
		row := &rows[i]
		if row.Gone {
			answer.Gone = append(answer.Gone, row.ClientID)
			continue
		}
		client, err := c.member(&row.accessRow, row.Ends)
		if err != nil {
			return err
		}
		answer.Clients = append(answer.Clients, client)
	}
	if last := len(rows) - 1; last >= 0 && answer.More {
		answer.To.Since, answer.To.After = rows[last].Changed, rows[last].ClientID
	} else if last >= 0 {
		answer.To.Since = max(list.Revision, rows[last].Changed)
	}
	return nil
}

package clients

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/clients/clientsapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
)

// listRow is the list of one flow.
type listRow struct {
	bun.BaseModel `bun:"table:client_lists,alias:l"`

	FlowID    string `bun:"flow_id,pk,type:uuid"`
	Revision  int64  `bun:"revision"`
	Installed int64  `bun:"installed"`
	Digest    string `bun:"digest"`
	Changes   int64  `bun:"changes"`
	Seen      int64  `bun:"seen"`
	Reshare   bool   `bun:"reshare"` // other agents hold it: quotas are to be shared out anew
}

// memberRow is one client on the list of a flow.
type memberRow struct {
	bun.BaseModel `bun:"table:client_listed,alias:li"`

	FlowID    string     `bun:"flow_id,pk,type:uuid"`
	ClientID  string     `bun:"client_id,pk,type:uuid"`
	Ref       string     `bun:"ref"`
	ExpiresAt *time.Time `bun:"expires_at"`
	Since     int64      `bun:"since"`
}

// holderRow is one node whose agent holds the list of a flow.
type holderRow struct {
	bun.BaseModel `bun:"table:client_list_nodes,alias:n"`

	FlowID    string `bun:"flow_id,pk,type:uuid"`
	NodeID    string `bun:"node_id,pk,type:uuid"`
	Given     int64  `bun:"given"`
	Document  int64  `bun:"document"`
	Installed int64  `bun:"installed"`
	Leaves    bool   `bun:"leaves"`
	Shares    bool   `bun:"shares"` // the agent keeps to shares of quotas
}

// installedNow says whether the entries of a flow let in the client with what it has now: where agents hold lists,
// when all of them hold the one that it is on; else, and beside, when it is in the configurations.
const installedNow = `coalesce((select (not l.fixed or a.installed) and exists (select from client_listed li
			where li.flow_id = a.flow_id and li.client_id = a.client_id and li.ref = ` + accessRef + `
			and li.since <= l.installed)
		from client_lists l where l.flow_id = a.flow_id and l.nodes > 0), a.installed)`

// byApply says whether clients of the flow come and go by an apply: nothing is installed yet, or some entry has
// them in its configuration.
const byApply = `not exists (select from client_lists l where l.flow_id = a.flow_id and l.nodes > 0 and not l.fixed)`

// document is the name of the agents' document.
var document = string(agentapi.DocumentClients)

// relist has the lists of flows made anew, in the transaction of a change of their clients.
func (c *clients) relist(ctx context.Context, flowIDs ...string) error {
	flowIDs = distinct(flowIDs)
	if len(flowIDs) == 0 {
		return nil
	}
	var there []string
	err := c.store.db.In(ctx).NewRaw(`update client_lists set changes = changes + 1, open = true,
			since = case when open then since else now() end
		where flow_id in (select flow_id from client_lists where flow_id = any(?::uuid[]) order by flow_id for no key update)
		returning flow_id::text`, pgdialect.Array(flowIDs)).Scan(ctx, &there)
	if err != nil {
		return database.Fault(fmt.Errorf("open the lists of clients: %w", err), nil)
	}
	for _, id := range there {
		if err := c.lists.Wake(ctx, id); err != nil {
			return fmt.Errorf("wake the list of a flow: %w", err)
		}
	}
	return nil
}

// relistUses is relist for all flows that some clients use.
func (c *clients) relistUses(ctx context.Context, clientIDs ...string) error {
	var flowIDs []string
	err := c.store.db.In(ctx).NewRaw(`select distinct flow_id::text from client_flows where client_id = any(?::uuid[])`,
		pgdialect.Array(database.OnlyIDs(clientIDs))).Scan(ctx, &flowIDs)
	if err != nil {
		return database.Fault(fmt.Errorf("read the flows of clients: %w", err), nil)
	}
	return c.relist(ctx, flowIDs...)
}

// byApply says whether clients of a flow come and go by an apply.
func (s *store) byApply(ctx context.Context, flowID string) (by bool, err error) {
	err = s.db.In(ctx).NewRaw("select "+byApply+" from (select ?::uuid as flow_id) a", flowID).Scan(ctx, &by)
	return by, database.Fault(err, nil)
}

// onLists lets one transaction at a time decide what agents hold: each reads what all others have committed.
func (s *store) onLists(ctx context.Context) error {
	_, err := s.db.In(ctx).NewRaw("select pg_advisory_xact_lock(731204523)").Exec(ctx)
	return database.Fault(err, nil)
}

func (s *store) list(ctx context.Context, flowID string) (*listRow, error) {
	row := new(listRow)
	err := s.db.In(ctx).NewSelect().Model(row).Where("l.flow_id = ?", flowID).Scan(ctx)
	return row, database.Fault(err, nil)
}

func (s *store) holders(ctx context.Context, flowID string) ([]holderRow, error) {
	var rows []holderRow
	err := s.db.In(ctx).NewSelect().Model(&rows).Where("n.flow_id = ?", flowID).Order("n.node_id").Scan(ctx)
	return rows, database.Fault(err, nil)
}

// admitted are the active clients of a flow at a moment.
func (s *store) admitted(ctx context.Context, flowID string, now time.Time) ([]memberRow, error) {
	var rows []memberRow
	err := s.db.In(ctx).NewSelect().TableExpr("client_flows as a").Join("join client_profiles as c on c.id = a.client_id").
		ColumnExpr("a.flow_id, a.client_id, "+accessRef+" as ref, c.expires_at").
		Where("a.flow_id = ? and a.revoked_at is null and "+stateAt+" = 'active'", flowID, now).
		OrderExpr("a.client_id").Scan(ctx, &rows)
	return rows, database.Fault(err, nil)
}

// exactly is a moment as the database reads it; empty for none.
func exactly(at *time.Time) string {
	if at == nil {
		return ""
	}
	return at.UTC().Format(time.RFC3339Nano)
}

// digestOf names a list by who is on it.
func digestOf(rows []memberRow) string {
	sum := sha256.New()
	for i := range rows {
		fmt.Fprintf(sum, "%s %s\n", rows[i].Ref, exactly(rows[i].ExpiresAt))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// relisted makes these the clients on a list; those who stay keep the revision since which they are on it.
func (s *store) relisted(ctx context.Context, flowID string, revision int64, rows []memberRow) error {
	ids, refs, ends := make([]string, len(rows)), make([]string, len(rows)), make([]string, len(rows))
	for i := range rows {
		ids[i], refs[i], ends[i] = rows[i].ClientID, rows[i].Ref, exactly(rows[i].ExpiresAt)
	}
	_, err := s.db.In(ctx).NewRaw(`with wanted as (
			select u.client_id, u.ref, nullif(u.ends, '')::timestamptz as expires_at
			from unnest(?1::uuid[], ?2::text[], ?3::text[]) as u (client_id, ref, ends)
		), gone as (
			delete from client_listed li where li.flow_id = ?0
				and not exists (select from wanted w where w.client_id = li.client_id)
		)
		insert into client_listed as li (flow_id, client_id, ref, expires_at, since)
			select ?0, w.client_id, w.ref, w.expires_at, ?4 from wanted w
			on conflict (flow_id, client_id) do update set ref = excluded.ref, expires_at = excluded.expires_at,
				since = case when li.ref = excluded.ref then li.since else excluded.since end
				where (li.ref, coalesce(li.expires_at, 'infinity')) <> (excluded.ref, coalesce(excluded.expires_at, 'infinity'))`,
		flowID, pgdialect.Array(ids), pgdialect.Array(refs), pgdialect.Array(ends), revision).Exec(ctx)
	return database.Fault(err, nil)
}

// documents are what the agents of nodes hold: the lists of all flows that have an entry there.
func (c *clients) documents(ctx context.Context, nodeIDs []string) ([]nodesapi.Document, error) {
	var held []struct {
		NodeID, FlowID string
		Revision       int64
	}
	err := c.store.db.In(ctx).NewRaw(`select n.node_id::text, n.flow_id::text, l.revision from client_list_nodes n
		join client_lists l on l.flow_id = n.flow_id
		where n.node_id = any(?::uuid[]) and not n.leaves and l.revision > 0 order by n.node_id, n.flow_id`,
		pgdialect.Array(nodeIDs)).Scan(ctx, &held)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read which lists nodes hold: %w", err), nil)
	}
	contents, lists := map[string]agentapi.Clients{}, map[string][]agentapi.Client{}
	for _, one := range held {
		if _, read := lists[one.FlowID]; !read {
			if lists[one.FlowID], err = c.members(ctx, one.FlowID); err != nil {
				return nil, err
			}
		}
		content := contents[one.NodeID]
		content.Flows = append(content.Flows, agentapi.FlowClients{
			FlowID: one.FlowID, Revision: one.Revision, Clients: lists[one.FlowID],
		})
		contents[one.NodeID] = content
	}
	wanted := make([]nodesapi.Document, len(nodeIDs))
	for i, id := range nodeIDs {
		content := contents[id]
		content.Flows = slices.Clone(content.Flows)
		wanted[i] = nodesapi.Document{NodeID: id, Name: document, Content: content}
	}
	return wanted, nil
}

// members opens the secrets of who is on the list of a flow.
func (c *clients) members(ctx context.Context, flowID string) ([]agentapi.Client, error) {
	var rows []struct {
		accessRow
		ExpiresAt *time.Time
	}
	err := c.store.db.In(ctx).NewSelect().TableExpr("client_listed as li").
		Join("join client_flows as a on a.flow_id = li.flow_id and a.client_id = li.client_id").
		ColumnExpr("a.client_id, a.flow_id, a.secret, a.moved, a.number, li.expires_at").
		Where("li.flow_id = ? and a.revoked_at is null and li.ref = "+accessRef, flowID).OrderExpr("a.client_id").
		Scan(ctx, &rows)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read the list of a flow: %w", err), nil)
	}
	all := make([]agentapi.Client, len(rows))
	for i := range rows {
		opened, err := rows[i].open(c.store.vault)
		if err != nil {
			return nil, err
		}
		all[i] = agentapi.Client{
			ID: rows[i].ClientID, UUID: opened.UUID, Key: opened.Key, Number: rows[i].Number, Own: opened.Password,
		}
		if rows[i].ExpiresAt != nil {
			all[i].Expires = rows[i].ExpiresAt.UTC()
		}
	}
	return all, nil
}

// Reach has the agents of nodes hold the clients of a flow, beside those that do already.
func (e exported) Reach(ctx context.Context, flowID string, nodeIDs ...string) error {
	if len(nodeIDs) == 0 {
		return nil
	}
	return e.store.db.InTx(ctx, func(ctx context.Context) error { return e.hold(ctx, flowID, nodeIDs) })
}

// hold locks the list of a flow before who holds it.
func (e exported) hold(ctx context.Context, flowID string, nodeIDs []string) error {
	db := e.store.db.In(ctx)
	_, err := db.NewRaw("insert into client_lists (flow_id) values (?) on conflict do nothing", flowID).Exec(ctx)
	if err != nil {
		return database.Fault(err, nil)
	}
	if err := e.relist(ctx, flowID); err != nil {
		return err
	}
	var rows []holderRow
	for _, id := range distinct(database.OnlyIDs(nodeIDs)) {
		rows = append(rows, holderRow{FlowID: flowID, NodeID: id})
	}
	if len(rows) == 0 {
		return nil
	}
	_, err = db.NewInsert().Model(&rows).On("conflict (flow_id, node_id) do update").Set("leaves = false").Exec(ctx)
	if err == nil {
		_, err = db.NewRaw("update client_lists set reshare = true where flow_id = ?", flowID).Exec(ctx)
	}
	return database.Fault(err, nil)
}

// SetInstalled takes how the installed parts of a flow know its clients.
func (e exported) SetInstalled(ctx context.Context, flowID string, by clientsapi.Installed) error {
	return e.store.db.InTx(ctx, func(ctx context.Context) error {
		if err := e.store.setInstalled(ctx, flowID, by.Refs); err != nil {
			return err
		}
		if err := e.hold(ctx, flowID, by.NodeIDs); err != nil {
			return err
		}
		return e.keepTo(ctx, flowID, by)
	})
}

// keepTo has all agents but some drop the list of a flow.
func (e exported) keepTo(ctx context.Context, flowID string, by clientsapi.Installed) error {
	db, nodeIDs := e.store.db.In(ctx), append([]string{}, by.NodeIDs...)
	_, err := db.NewRaw(`update client_list_nodes set leaves = true
		where flow_id = ? and not node_id::text = any(?::text[])`,
		flowID, pgdialect.Array(nodeIDs)).Exec(ctx)
	if err == nil {
		_, err = db.NewRaw("update client_lists set nodes = ?, fixed = ?, reshare = true where flow_id = ?", len(nodeIDs), by.Fixed, flowID).
			Exec(ctx)
	}
	if err != nil {
		return database.Fault(fmt.Errorf("note who holds the list of a flow: %w", err), nil)
	}
	return nil
}

// Holding gives those of the nodes whose agents hold a list of the flow, and for a client those that let it in.
func (e exported) Holding(ctx context.Context, flowID, clientID string) (nodeIDs []string, err error) {
	q := e.store.db.In(ctx).NewSelect().TableExpr("client_list_nodes as n").ColumnExpr("n.node_id::text").
		Where("n.flow_id = ? and n.installed > 0", flowID)
	if clientID != "" {
		q = q.Where(`exists (select from client_listed li join client_flows a using (flow_id, client_id)
			where li.flow_id = n.flow_id and li.client_id = ? and li.ref = `+accessRef+` and li.since <= n.installed)`, clientID)
	}
	err = q.Scan(ctx, &nodeIDs)
	return nodeIDs, database.Fault(err, nil)
}

// Any reports whether a flow has an active client.
func (e exported) Any(ctx context.Context, flowID string) (bool, error) {
	there, err := e.live(ctx).Where("a.flow_id = ?", flowID).Limit(1).Exists(ctx)
	return there, database.Fault(err, nil)
}

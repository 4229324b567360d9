package clients

import (
	"context"
	"fmt"
	"strings"
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
	Epoch     string `bun:"epoch,type:uuid"` // of the numbering; a restored panel begins another one
	Whole     bool   `bun:"whole"`           // everybody on it is to be looked at
	Noted     int64  `bun:"noted"`           // the newest revision that accesses know
	Purged    int64  `bun:"purged"`          // the newest revision of which not all is known any more
	Changes   int64  `bun:"changes"`
	Seen      int64  `bun:"seen"`
	Reshare   bool   `bun:"reshare"` // other agents hold it: quotas are to be shared out anew
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
	Shares    bool   `bun:"shares"`     // the agent keeps to shares of quotas
	ByChanges bool   `bun:"by_changes"` // the agent was given the number of the list, and asks for what has changed
}

// document is the name of the document by which the agent knows the list.
func (h *holderRow) document() string {
	if h.ByChanges {
		return listsDocument
	}
	return document
}

// installedNow says whether the entries of a flow let in the client with what it has now: where agents hold lists,
// when all of them hold the one that it is on; else, and beside, when it is in the configurations.
const installedNow = `coalesce((select ` + onInstalled + ` from client_lists l where l.flow_id = a.flow_id and l.nodes > 0),
	a.installed)`

// onInstalled says of a flow whose agents hold a list whether they let a client in. What an access knows of the list
// spares a page of clients to look each of them up there.
const onInstalled = "((not l.fixed or a.installed) and a.listed is not null and a.listed <= l.installed)"

// onList joins the lists of flows. With it letIn says what installedNow does, for many rows at once; needsApply whether
// clients come and go by an apply, as nothing is installed yet or some entry has them in its configuration; isElsewhere
// whether proxy panels serve all entries of the flow to users of their own.
const (
	onList      = "left join client_lists l on l.flow_id = a.flow_id"
	letIn       = "case when l.nodes > 0 then " + onInstalled + " else a.installed end"
	needsApply  = "(coalesce(l.nodes, 0) = 0 or l.fixed)"
	isElsewhere = "coalesce(l.elsewhere, false)"
)

// Names of the agents' documents: the lists with all clients, and their numbers alone.
var (
	document      = string(agentapi.DocumentClients)
	listsDocument = string(agentapi.DocumentClientLists)
)

// relist has everybody on the lists of flows looked at, in the transaction of a change of their clients.
func (c *clients) relist(ctx context.Context, flowIDs ...string) error {
	_, err := c.open(ctx, flowIDs, true)
	return err
}

// relistOf is relist for those alone of some clients who use the flows or have used them.
func (c *clients) relistOf(ctx context.Context, flowIDs, clientIDs []string) error {
	there, err := c.open(ctx, flowIDs, false)
	if err != nil || len(there) == 0 {
		return err
	}
	_, err = c.store.db.In(ctx).NewRaw(`insert into client_list_changes (flow_id, client_id)
		select a.flow_id, a.client_id from client_flows a
		where a.flow_id = any(?::uuid[]) and a.client_id = any(?::uuid[]) on conflict do nothing`,
		pgdialect.Array(there), pgdialect.Array(database.OnlyIDs(clientIDs))).Exec(ctx)
	return database.Fault(err, nil)
}

// open has agents be given lists again, and gives those of them that there are. Whole: everybody on them is looked at.
func (c *clients) open(ctx context.Context, flowIDs []string, whole bool) (there []string, err error) {
	flowIDs = distinct(flowIDs)
	if len(flowIDs) == 0 {
		return nil, nil
	}
	err = c.store.db.In(ctx).NewRaw(`update client_lists set changes = changes + 1, open = true, whole = whole or ?,
			since = case when open then since else now() end
		where flow_id in (select flow_id from client_lists where flow_id = any(?::uuid[]) order by flow_id for no key update)
		returning flow_id::text`, whole, pgdialect.Array(flowIDs)).Scan(ctx, &there)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("open the lists of clients: %w", err), nil)
	}
	for _, id := range there {
		if err := c.lists.Wake(ctx, id); err != nil {
			return nil, fmt.Errorf("wake the list of a flow: %w", err)
		}
	}
	return there, nil
}

// relistUses is relistOf for all flows that the clients use or have used.
func (c *clients) relistUses(ctx context.Context, clientIDs ...string) error {
	var flowIDs []string
	err := c.store.db.In(ctx).NewRaw(`select distinct flow_id::text from client_flows where client_id = any(?::uuid[])`,
		pgdialect.Array(database.OnlyIDs(clientIDs))).Scan(ctx, &flowIDs)
	if err != nil {
		return database.Fault(fmt.Errorf("read the flows of clients: %w", err), nil)
	}
	return c.relistOf(ctx, flowIDs, clientIDs)
}

// comes says how clients of a flow come and go: by an apply, or not at all where proxy panels serve it.
func (s *store) comes(ctx context.Context, flowID string) (byApply, elsewhere bool, err error) {
	err = s.db.In(ctx).NewRaw("select "+needsApply+", "+isElsewhere+" from (select ?::uuid as flow_id) a "+onList, flowID).
		Scan(ctx, &byApply, &elsewhere)
	return byApply, elsewhere, database.Fault(err, nil)
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

// changedClients are those who are to be looked at; nobody else is until the transaction ends.
func (s *store) changedClients(ctx context.Context, flowID string) (ids []string, err error) {
	err = s.db.In(ctx).NewRaw("delete from client_list_changes where flow_id = ? returning client_id::text", flowID).
		Scan(ctx, &ids)
	return ids, database.Fault(err, nil)
}

// relisted brings a list up to date under a revision, all of it or for some clients, and gives how many have changed.
// Those who stay keep the revision since which they are on it.
func (s *store) relisted(
	ctx context.Context, flowID string, revision int64, whole bool, clientIDs []string, now time.Time,
) (changed int, err error) {
	some := func(column string) string {
		if whole {
			return ""
		}
		return " and " + column + " = any(?2::uuid[])"
	}
	err = s.db.In(ctx).NewRaw(`with wanted as (
			select a.client_id, `+accessRef+` as ref, c.expires_at, c.speed_mbps, c.addresses
			from client_flows a join client_profiles c on c.id = a.client_id
			where a.flow_id = ?0`+some("a.client_id")+` and a.revoked_at is null
				and `+strings.Replace(stateAt, "?", "?3", 1)+` = 'active'
		), went as (
			update client_listed li set gone = true, changed = ?1 where li.flow_id = ?0`+some("li.client_id")+`
				and not li.gone and not exists (select from wanted w where w.client_id = li.client_id)
			returning 1
		), came as (
			insert into client_listed as li (flow_id, client_id, ref, expires_at, speed_mbps, addresses, since, changed)
			select ?0, w.client_id, w.ref, w.expires_at, w.speed_mbps, w.addresses, ?1, ?1 from wanted w
			on conflict (flow_id, client_id) do update set ref = excluded.ref, expires_at = excluded.expires_at,
				speed_mbps = excluded.speed_mbps, addresses = excluded.addresses,
				changed = excluded.changed, gone = false,
				since = case when li.ref = excluded.ref and not li.gone then li.since else excluded.since end
				where li.gone or (li.ref, li.expires_at, li.speed_mbps, li.addresses)
					is distinct from (excluded.ref, excluded.expires_at, excluded.speed_mbps, excluded.addresses)
			returning 1
		)
		select (select count(*) from went) + (select count(*) from came)`,
		flowID, revision, pgdialect.Array(append([]string{}, clientIDs...)), now).Scan(ctx, &changed)
	return changed, database.Fault(err, nil)
}

// note has accesses know since which revision they are on the list, up to its newest one. It is no part of the
// transaction that makes a revision, which holds the list and would wait here for whoever changes a client and waits
// for the list; for the same reason it leaves alone what others hold, and says that something is left.
func (s *store) note(ctx context.Context, flowID string) (left bool, err error) {
	list, err := s.list(ctx, flowID)
	if err != nil || list.Noted >= list.Revision {
		return false, err
	}
	const since = "case when not li.gone and li.ref = " + accessRef + " then li.since end"
	const due = `from client_listed li join client_flows a on a.flow_id = li.flow_id and a.client_id = li.client_id
		where li.flow_id = ?0 and li.changed > ?1 and a.listed is distinct from ` + since
	_, err = s.db.In(ctx).NewRaw(`with due as (select a.client_id, `+since+` as listed `+due+` for update of a skip locked)
		update client_flows a set listed = due.listed from due where a.flow_id = ?0 and a.client_id = due.client_id`,
		flowID, list.Noted).Exec(ctx)
	if err == nil {
		err = s.db.In(ctx).NewRaw("select exists (select "+due+")", flowID, list.Noted).Scan(ctx, &left)
	}
	return left, database.Fault(err, nil)
}

// heldRow is a list that the agent of a node shall hold.
type heldRow struct {
	NodeID, FlowID, Epoch string
	Revision              int64
}

// documents are what the agents of nodes hold: the lists of all flows that have an entry there. An agent that asks for
// changes is given their numbers alone.
func (c *clients) documents(ctx context.Context, nodeIDs []string, asks map[string]bool) ([]nodesapi.Document, error) {
	var held []heldRow
	err := c.store.db.In(ctx).NewRaw(`select n.node_id::text, n.flow_id::text, l.epoch::text, l.revision
		from client_list_nodes n join client_lists l on l.flow_id = n.flow_id
		where n.node_id = any(?::uuid[]) and not n.leaves and l.revision > 0 order by n.node_id, n.flow_id`,
		pgdialect.Array(nodeIDs)).Scan(ctx, &held)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read which lists nodes hold: %w", err), nil)
	}
	of := map[string][]heldRow{}
	for _, one := range held {
		of[one.NodeID] = append(of[one.NodeID], one)
	}
	wanted, read := make([]nodesapi.Document, len(nodeIDs)), map[string][]agentapi.Client{}
	for i, id := range nodeIDs {
		wanted[i] = nodesapi.Document{NodeID: id, Name: listsDocument, Content: numbersOf(of[id])}
		if asks[id] {
			continue
		}
		whole, err := c.wholeOf(ctx, of[id], read)
		if err != nil {
			return nil, err
		}
		wanted[i].Name, wanted[i].Content = document, whole
	}
	return wanted, nil
}

func numbersOf(held []heldRow) agentapi.ClientLists {
	var numbers agentapi.ClientLists
	for _, one := range held {
		numbers.Flows = append(numbers.Flows, agentapi.ListRef{
			FlowID: one.FlowID, Epoch: one.Epoch, Revision: one.Revision,
		})
	}
	return numbers
}

// wholeOf gives lists with all clients; each list is read once.
func (c *clients) wholeOf(
	ctx context.Context, held []heldRow, read map[string][]agentapi.Client,
) (whole agentapi.Clients, err error) {
	for _, one := range held {
		if _, done := read[one.FlowID]; !done {
			if read[one.FlowID], err = c.members(ctx, one.FlowID); err != nil {
				return whole, err
			}
		}
		whole.Flows = append(whole.Flows, agentapi.FlowClients{
			FlowID: one.FlowID, Revision: one.Revision, Clients: read[one.FlowID],
		})
	}
	return whole, nil
}

// members opens the secrets of who is on the list of a flow.
func (c *clients) members(ctx context.Context, flowID string) ([]agentapi.Client, error) {
	var rows []struct {
		accessRow
		term
	}
	err := c.store.db.In(ctx).NewSelect().TableExpr("client_listed as li").
		Join("join client_flows as a on a.flow_id = li.flow_id and a.client_id = li.client_id").
		ColumnExpr("a.client_id, a.flow_id, a.secret, a.moved, a.number, li.expires_at, li.speed_mbps, li.addresses").
		Where("li.flow_id = ? and not li.gone and a.revoked_at is null and li.ref = "+accessRef, flowID).
		OrderExpr("a.client_id").
		Scan(ctx, &rows)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read the list of a flow: %w", err), nil)
	}
	all := make([]agentapi.Client, len(rows))
	for i := range rows {
		if all[i], err = c.member(&rows[i].accessRow, rows[i].term); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// term is until when and within which limits a client on a list is let in.
type term struct {
	ExpiresAt *time.Time
	SpeedMbps int
	Addresses int
}

// member opens the secret of a client on a list.
func (c *clients) member(row *accessRow, on term) (agentapi.Client, error) {
	opened, err := row.open(c.store.vault)
	if err != nil {
		return agentapi.Client{}, err
	}
	client := agentapi.Client{
		ID: row.ClientID, UUID: opened.UUID, Key: opened.Key, Number: row.Number, Own: opened.Password,
		Limits: agentapi.ClientLimits{Mbit: on.SpeedMbps, Addresses: on.Addresses},
	}
	if on.ExpiresAt != nil {
		client.Expires = on.ExpiresAt.UTC()
	}
	return client, nil
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
		_, err = db.NewRaw("update client_lists set nodes = ?, fixed = ?, elsewhere = ?, reshare = true where flow_id = ?",
			len(nodeIDs), by.Fixed, by.Elsewhere, flowID).Exec(ctx)
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
			where li.flow_id = n.flow_id and li.client_id = ? and li.ref = `+accessRef+` and li.since <= n.installed
				and not li.gone)`, clientID)
	}
	err = q.Scan(ctx, &nodeIDs)
	return nodeIDs, database.Fault(err, nil)
}

// Any reports whether a flow has an active client.
func (e exported) Any(ctx context.Context, flowID string) (bool, error) {
	there, err := e.live(ctx).Where("a.flow_id = ?", flowID).Limit(1).Exists(ctx)
	return there, database.Fault(err, nil)
}

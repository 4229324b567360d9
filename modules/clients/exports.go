package clients

import (
	"context"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"panel/modules/clients/clientsapi"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/owners"
)

// exported is clientsapi.Clients.
type exported struct{ *clients }

func exportClients(c *clients) clientsapi.Clients { return exported{c} }

// Add makes a client that may use a flow.
func (e exported) Add(ctx context.Context, flowID, label string) error {
	row := e.made(ctx, label)
	if err := e.store.insert(ctx, row); err != nil {
		return err
	}
	if err := e.insertAccess(ctx, row.ID, flowID); err != nil {
		return err
	}
	return e.publish(ctx, clientsapi.EventCreated, row, nil)
}

// OfFlow gives what clients have on a flow.
func (e exported) OfFlow(ctx context.Context, flowID string, most int) ([]clientsapi.Access, error) {
	var rows []clientsapi.Access
	args := new(database.Arguments)
	q := e.store.usesOf().Join(onList).
		ColumnExpr("a.client_id, "+accessRef+" as ref, c.label, c.public_hash is not null as public").
		ColumnExpr(useStateAt+" as state", args.Add(e.now())).
		ColumnExpr(letIn+" as installed, "+needsApply+" as by_apply, "+isElsewhere+" as elsewhere").
		ColumnExpr("a.created_at, "+useRevoked+" as revoked_at").
		Where("a.flow_id = ?", args.Add(flowID)).OrderExpr("a.created_at, a.client_id")
	if most > 0 {
		q = q.Limit(int64(most))
	}
	return rows, database.Fault(database.Read(ctx, e.store.db, &rows, q, args), nil)
}

// CountsSQL counts the clients of flows within a query of another module.
func (e exported) CountsSQL(flowIDs, at string) string {
	return `select u.flow_id, count(*) filter (where u.state <> 'revoked') as clients_total,
			count(*) filter (where u.state = 'active') as clients_active,
			count(*) filter (where u.by_apply and u.installed = (u.state <> 'active')) as clients_waiting
		from (select a.flow_id, a.installed, l.flow_id is null as by_apply,
				` + strings.Replace(shownState, "?", at, 1) + ` as state
			from client_flows a left join client_lists l on l.flow_id = a.flow_id
				and (l.nodes > 0 and not l.fixed or l.elsewhere)
			where a.flow_id = ` + flowIDs + `) u
		group by u.flow_id`
}

// Credentials opens those of the live clients of a flow.
func (e exported) Credentials(ctx context.Context, flowID, clientID string) ([]clientsapi.Credentials, error) {
	if clientID != "" && !database.IsID(clientID) {
		return nil, nil
	}
	var rows []struct {
		accessRow
		Label, Ref string
	}
	q := e.live(ctx).ColumnExpr("a.client_id, a.flow_id, a.secret, a.moved, a.number, c.label, "+accessRef+" as ref").
		Where("a.flow_id = ?", flowID).OrderExpr("a.created_at, a.client_id")
	if clientID != "" {
		q = q.Where("a.client_id = ?", clientID)
	}
	if err := q.Scan(ctx, &rows); err != nil {
		return nil, database.Fault(err, nil)
	}
	out := make([]clientsapi.Credentials, len(rows))
	for i := range rows {
		var err error
		if out[i], err = e.credentials(&rows[i].accessRow, rows[i].Label, rows[i].Ref); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// credentials opens the secret of an access.
func (e exported) credentials(row *accessRow, label, ref string) (clientsapi.Credentials, error) {
	opened, err := row.open(e.store.vault)
	return clientsapi.Credentials{
		ClientID: row.ClientID, Ref: ref, Label: label, UUID: opened.UUID, Key: opened.Key, Number: row.Number,
		Password: opened.Password,
	}, err
}

// live selects accesses that are in force.
func (e exported) live(ctx context.Context) *bun.SelectQuery {
	return e.store.db.In(ctx).NewSelect().TableExpr("client_flows as a").
		Join("join client_profiles as c on c.id = a.client_id").
		Where("a.revoked_at is null and "+stateAt+" = 'active'", e.now())
}

// Forget takes a flow that is being deleted from its clients.
func (e exported) Forget(ctx context.Context, flowID string) error {
	if err := e.relist(ctx, flowID); err != nil {
		return err
	}
	return e.store.forget(ctx, flowID)
}

// Client gives a client by its id.
func (e exported) Client(ctx context.Context, id string) (clientsapi.Client, error) {
	if !database.IsID(id) {
		return clientsapi.Client{}, clientsapi.ErrUnknown
	}
	row, err := e.store.get(ctx, id)
	if err != nil {
		return clientsapi.Client{}, unknown(err)
	}
	return e.outside(ctx, row)
}

func unknown(err error) error {
	if fault.KindOf(err) == fault.KindMissing {
		return clientsapi.ErrUnknown
	}
	return err
}

func (e exported) outside(ctx context.Context, row *clientRow) (clientsapi.Client, error) {
	uses, err := e.store.uses(ctx, row.ID)
	if err != nil {
		return clientsapi.Client{}, err
	}
	out := clientsapi.Client{ID: row.ID, Label: row.Label, State: row.state(e.now())}
	for _, use := range uses[row.ID] {
		out.FlowIDs = append(out.FlowIDs, use.FlowID)
	}
	return out, nil
}

// heldUse is a client beside what it has on one of its flows; without a flow, it has none.
type heldUse struct {
	ID, Label, State string
	ExpiresAt        *time.Time
	LastsDays        int
	Quota, Up, Down  int64
	FlowID           string
	Secret, Ref      string
	Moved            bool
	Number           int64
	Holding          []string `bun:",array"`
}

// Subscriber gives who holds a token with what it has on all of its flows, by one statement. An unknown and a revoked
// token are told apart by nothing.
func (e exported) Subscriber(ctx context.Context, token string) (clientsapi.Subscriber, error) {
	var rows []heldUse
	err := e.store.db.In(ctx).NewRaw(`select c.id, c.label, `+strings.Replace(stateAt, "?", "?0", 1)+` as state, c.expires_at,
			coalesce(c.lasts_days, 0) as lasts_days,
			coalesce(c.quota_bytes, 0) as quota, c.used_up as up, c.used_down as down,
			coalesce(a.flow_id::text, '') as flow_id, coalesce(a.secret, '') as secret, coalesce(a.moved, false) as moved,
			coalesce(a.number, 0) as number, coalesce(`+accessRef+`, '') as ref,
			array(select n.node_id::text from client_list_nodes n where n.flow_id = a.flow_id and n.installed > 0
				and exists (select from client_listed li where li.flow_id = a.flow_id and li.client_id = c.id
					and li.ref = `+accessRef+` and li.since <= n.installed and not li.gone)) as holding
		from client_profiles c left join client_flows a on a.client_id = c.id and a.revoked_at is null
		where c.public_hash = ?1 and c.revoked_at is null order by a.created_at, a.flow_id`, e.now(), hashToken(token)).
		Scan(ctx, &rows)
	switch {
	case err != nil:
		return clientsapi.Subscriber{}, database.Fault(err, nil)
	case len(rows) == 0:
		return clientsapi.Subscriber{}, clientsapi.ErrUnknown
	}
	c := &rows[0]
	out := clientsapi.Subscriber{
		Client:    clientsapi.Client{ID: c.ID, Label: c.Label, State: c.State},
		ExpiresAt: utc(c.ExpiresAt), LastsDays: c.LastsDays, Up: c.Up, Down: c.Down, Quota: c.Quota,
	}
	return out, e.holds(&out, rows)
}

// holds adds the flows of a subscriber, with its secrets while it is active.
func (e exported) holds(s *clientsapi.Subscriber, rows []heldUse) error {
	for i := range rows {
		row := &rows[i]
		if row.FlowID == "" {
			continue
		}
		s.FlowIDs = append(s.FlowIDs, row.FlowID)
		if s.State != clientsapi.Active {
			continue
		}
		access := accessRow{
			ClientID: s.ID, FlowID: row.FlowID, Secret: row.Secret, Moved: row.Moved, Number: row.Number,
		}
		known, err := e.credentials(&access, s.Label, row.Ref)
		if err != nil {
			return err
		}
		s.Uses = append(s.Uses, clientsapi.SubscriberUse{FlowID: row.FlowID, Credentials: known, Holding: row.Holding})
	}
	return nil
}

// owned are the clients as things that accounts own.
func (c *clients) owned() owners.Kind {
	return owners.Kind{Name: object, Owned: c.ownedBy, HandOver: c.handOver}
}

func (c *clients) ownedBy(ctx context.Context, accountID string, most int) ([]owners.Thing, int, error) {
	var rows []clientRow
	total, err := c.store.db.In(ctx).NewSelect().Model(&rows).Column("id", "label").
		Where("c.owner_id = ? and c.revoked_at is null", accountID).Order("c.label").Limit(int64(max(most, 1))).
		ScanAndCount(ctx)
	if err != nil {
		return nil, 0, database.Fault(err, nil)
	}
	things := []owners.Thing{}
	for i := range rows[:min(max(most, 0), len(rows))] {
		things = append(things, owners.Thing{Type: object, ID: rows[i].ID, Name: rows[i].Label})
	}
	return things, int(total), nil
}

// handOver changes the owner of all clients of an account; that the account went is what the journal says.
func (c *clients) handOver(ctx context.Context, from, to string) error {
	_, err := c.store.db.In(ctx).NewRaw(
		"update client_profiles set owner_id = ?, revision = revision + 1, updated_at = ? where owner_id = ?", to, c.now(), from).
		Exec(ctx)
	return database.Fault(err, nil)
}

// Among gives which of the flows each of the clients has, or had, to do with.
func (e exported) Among(ctx context.Context, flowIDs, clientIDs []string) (map[string][]string, error) {
	found := map[string][]string{}
	flows, clients := database.OnlyIDs(flowIDs), database.OnlyIDs(clientIDs)
	if len(flows) == 0 || len(clients) == 0 {
		return found, nil
	}
	var rows []struct{ ClientID, FlowID string }
	args := new(database.Arguments)
	q := e.store.db.In(ctx).NewSelect().TableExpr("client_flows as a").
		ColumnExpr("distinct a.client_id::text, a.flow_id::text").
		Where("a.client_id = ?", args.AnyOf(clients)).Where("a.flow_id = ?", args.AnyOf(flows)).OrderExpr("2")
	err := database.Read(ctx, e.store.db, &rows, q, args)
	for _, row := range rows {
		found[row.ClientID] = append(found[row.ClientID], row.FlowID)
	}
	return found, database.Fault(err, nil)
}

// Labels gives the names of clients.
func (e exported) Labels(ctx context.Context, ids ...string) (map[string]string, error) {
	out := map[string]string{}
	wanted := database.OnlyIDs(ids)
	if len(wanted) == 0 {
		return out, nil
	}
	var rows []struct{ ID, Label string }
	args := new(database.Arguments)
	q := e.store.db.In(ctx).NewSelect().TableExpr("client_profiles as c").ColumnExpr("c.id, c.label").
		Where("c.id = ?", args.AnyOf(wanted))
	err := database.Read(ctx, e.store.db, &rows, q, args)
	for _, row := range rows {
		out[row.ID] = row.Label
	}
	return out, database.Fault(err, nil)
}

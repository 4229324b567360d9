package clients

import (
	"context"
	"strings"

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
	q := e.store.usedBy(ctx).
		ColumnExpr("a.client_id, "+accessRef+" as ref, c.label, c.public_hash is not null as public").
		ColumnExpr(useStateAt+" as state", e.now()).
		ColumnExpr(installedNow+" as installed, "+byApply+" as by_apply, a.created_at, "+useRevoked+" as revoked_at").
		Where("a.flow_id = ?", flowID).OrderExpr("a.created_at, a.client_id")
	if most > 0 {
		q = q.Limit(int64(most))
	}
	return rows, database.Fault(q.Scan(ctx, &rows), nil)
}

// CountsSQL counts the clients of flows within a query of another module.
func (e exported) CountsSQL(flowIDs, at string) string {
	return `select u.flow_id, jsonb_build_object('total', count(*) filter (where u.state <> 'revoked'),
			'active', count(*) filter (where u.state = 'active'),
			'waiting', count(*) filter (where u.by_apply and u.installed = (u.state <> 'active'))) as clients
		from (select a.flow_id, a.installed, l.flow_id is null as by_apply,
				` + strings.Replace(useStateAt, "?", at, 1) + ` as state
			from client_flows a join client_profiles c on c.id = a.client_id
				left join client_lists l on l.flow_id = a.flow_id and l.nodes > 0 and not l.fixed
			where a.flow_id in (` + flowIDs + `)) u
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
		opened, err := rows[i].open(e.store.vault)
		if err != nil {
			return nil, err
		}
		out[i] = clientsapi.Credentials{
			ClientID: rows[i].ClientID, Ref: rows[i].Ref, Label: rows[i].Label, UUID: opened.UUID, Key: opened.Key,
			Number: rows[i].Number, Password: opened.Password,
		}
	}
	return out, nil
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

// Subscriber gives who holds a token. An unknown and a revoked token are told apart by nothing.
func (e exported) Subscriber(ctx context.Context, token string) (clientsapi.Subscriber, error) {
	row := new(clientRow)
	err := e.store.db.In(ctx).NewSelect().Model(row).
		Where("c.public_hash = ? and c.revoked_at is null", hashToken(token)).Scan(ctx)
	if err != nil {
		return clientsapi.Subscriber{}, unknown(database.Fault(err, nil))
	}
	found, err := e.outside(ctx, row)
	out := clientsapi.Subscriber{
		Client: found, ExpiresAt: utc(row.ExpiresAt), Up: row.UsedUp, Down: row.UsedDown,
	}
	if row.QuotaBytes != nil {
		out.Quota = *row.QuotaBytes
	}
	return out, err
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

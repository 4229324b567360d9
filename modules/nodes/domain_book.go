package nodes

import (
	"context"
	"errors"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun"

	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/owners"
)

// domainBook keeps which host names belong to which nodes and to whom. Somebody else's binding is answered exactly like one
// that does not exist; full access sees and changes all of them. A flow may name its owner's bindings alone, whoever draws
// it. It is nodesapi.Domains.
type domainBook struct {
	db       *database.DB
	journal  audit.Journal
	clock    clockwork.Clock
	accounts owners.Accounts
}

func newDomainBook(db *database.DB, j audit.Journal, clock clockwork.Clock, a owners.Accounts) *domainBook {
	return &domainBook{db: db, journal: j, clock: clock, accounts: a}
}

var domainConstraints = map[string]*fault.Fault{
	"node_domains_hostname":           fault.Conflict("domain_conflict", "this host name is already bound to a node"),
	"node_domains_node_id_fkey":       fault.InvalidValue("node_id", "there is no such node"),
	"node_domain_uses_domain_id_fkey": fault.Conflict("domain_conflict", "a flow uses this domain; change the flow first"),
}

// seen narrows a query down to what the caller may know of.
func seen[Q interface{ Where(string, ...any) Q }](ctx context.Context, q Q) Q {
	if caller := access.From(ctx); !caller.Permissions.Has(access.All) {
		return q.Where("d.owner_id = ?", caller.AccountID)
	}
	return q
}

func withUses(q *bun.SelectQuery) *bun.SelectQuery {
	return q.ColumnExpr("d.*").ColumnExpr("array(select u.flow_id::text from node_domain_uses u where u.domain_id = d.id order by 1) AS used_by")
}

func (b *domainBook) list(ctx context.Context, in *domainsInput, k *keyset) ([]domainRow, int, error) {
	if in.NodeID != "" && !database.IsID(in.NodeID) {
		return nil, 0, nil
	}
	filter := func(q *bun.SelectQuery) *bun.SelectQuery {
		if in.NodeID != "" {
			q = q.Where("d.node_id = ?", in.NodeID)
		}
		return seen(ctx, q)
	}
	var rows []domainRow
	if err := k.apply(filter(withUses(b.db.NewSelect().Model(&rows)))).Scan(ctx); err != nil {
		return nil, 0, database.Fault(err, nil)
	}
	total, err := filter(b.db.NewSelect().Model((*domainRow)(nil))).Count(ctx)
	return rows, int(total), database.Fault(err, nil)
}

func (b *domainBook) get(ctx context.Context, id string) (*Domain, error) {
	row := new(domainRow)
	if err := seen(ctx, withUses(b.db.NewSelect().Model(row))).Where("d.id = ?", id).Scan(ctx); err != nil {
		return nil, database.Fault(err, nil)
	}
	shown := row.shown()
	return &shown, nil
}

// create binds a host name. Faults: domain_conflict (409), invalid_value (422).
func (b *domainBook) create(ctx context.Context, in *domainInput) (*Domain, error) {
	now := b.clock.Now().UTC()
	row := &domainRow{
		ID: database.NewID(), NodeID: in.Body.NodeID, ZoneID: in.Body.ZoneID, Zone: in.Body.Zone, Label: in.Body.Label, Mode: in.Body.Mode,
		TTL: in.Body.TTL, OwnerID: access.From(ctx).AccountID, CreatedAt: now, UpdatedAt: now, Revision: 1,
	}
	err := b.db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if err := b.heir(ctx, &row.OwnerID); err != nil {
			return err
		}
		if err := row.derive(ctx, tx); err != nil {
			return err
		}
		if _, err := tx.NewInsert().Model(row).Exec(ctx); err != nil {
			return err
		}
		return b.journal.Record(ctx, tx, audit.Entry{Action: "domain.created", Object: row.object(), Changes: map[string]audit.Change{
			"hostname": {To: row.Hostname}, "node_id": {To: row.NodeID}, "mode": {To: row.Mode},
		}})
	})
	if err != nil {
		return nil, database.Fault(err, domainConstraints)
	}
	return b.get(ctx, row.ID)
}

// patch changes a binding that the caller sees. Handing it over needs full access; what the links of a flow depend on
// changes only while no flow names the binding.
// Faults: not_found (404), revision_conflict, domain_conflict (409), permission_denied (403), invalid_value (422).
func (b *domainBook) patch(ctx context.Context, in *domainPatch, want int64) (*Domain, error) {
	if in.Body.OwnerID != nil && !access.From(ctx).Permissions.Has(access.All) {
		return nil, fault.Forbidden("permission_denied", "only full access hands a binding over").With("required", []string{string(access.All)})
	}
	if _, err := b.get(ctx, in.ID); err != nil {
		return nil, err
	}
	err := b.db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if err := b.heir(ctx, in.Body.OwnerID); err != nil {
			return err
		}
		row := new(domainRow)
		if err := seen(ctx, tx.NewSelect().Model(row)).Where("d.id = ?", in.ID).For("UPDATE OF d").Scan(ctx); err != nil {
			return err
		}
		if row.Revision != want {
			return errRevision
		}
		return b.save(ctx, tx, row, in)
	})
	if err != nil {
		return nil, database.Fault(err, domainConstraints)
	}
	return b.get(ctx, in.ID)
}

// heir makes sure that a new owner exists. It is asked before the binding is locked, in the order of the deletion of an
// account. Fault: invalid_value (422).
func (b *domainBook) heir(ctx context.Context, accountID *string) error {
	if accountID == nil {
		return nil
	}
	err := b.accounts.Hold(ctx, *accountID)
	if errors.Is(err, owners.ErrUnknown) {
		return fault.InvalidValue("owner_id", "there is no such account")
	}
	return err
}

func (b *domainBook) save(ctx context.Context, tx bun.Tx, row *domainRow, in *domainPatch) error {
	before := *row
	set(&row.NodeID, in.Body.NodeID)
	set(&row.Zone, in.Body.Zone)
	set(&row.Label, in.Body.Label)
	set(&row.Mode, in.Body.Mode)
	set(&row.TTL, in.Body.TTL)
	set(&row.OwnerID, in.Body.OwnerID)
	if err := row.derive(ctx, tx); err != nil {
		return err
	}
	if err := b.unused(ctx, &before, row); err != nil {
		return err
	}
	row.Revision, row.UpdatedAt = row.Revision+1, b.clock.Now().UTC()
	if _, err := tx.NewUpdate().Model(row).WherePK().Exec(ctx); err != nil {
		return err
	}
	return b.journal.Record(ctx, tx, audit.Entry{Action: "domain.updated", Object: row.object(), Changes: map[string]audit.Change{
		"hostname": {From: before.Hostname, To: row.Hostname}, "node_id": {From: before.NodeID, To: row.NodeID},
		"mode": {From: before.Mode, To: row.Mode}, "owner_id": {From: before.OwnerID, To: row.OwnerID},
	}})
}

// delete removes a binding that no flow uses. Faults: not_found (404), domain_conflict (409).
func (b *domainBook) delete(ctx context.Context, id string) error {
	err := b.db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		row := new(domainRow)
		err := seen(ctx, tx.NewDelete().Model(row)).Where("d.id = ?", id).Returning("*").Scan(ctx)
		if err != nil {
			return err
		}
		return b.journal.Record(ctx, tx, audit.Entry{Action: "domain.deleted", Object: row.object()})
	})
	return database.Fault(err, domainConstraints)
}

func (row *domainRow) object() audit.Object {
	return audit.Object{Type: "node_domain", ID: row.ID, Name: row.Hostname}
}

// shown has no DNS and certificate state yet: nobody has looked, so the states say just that.
func (row *domainRow) shown() Domain {
	return Domain{
		ID: row.ID, NodeID: row.NodeID, ZoneID: row.ZoneID, Zone: row.Zone, Hostname: row.Hostname, Mode: row.Mode,
		Record: Record{Type: "A", TTL: row.TTL, Proxied: row.Mode == "cdn"}, DNSState: "pending", ResolvedIPs: []string{},
		Certificate: Certificate{State: "none"}, UsedByFlows: list(row.UsedBy), OwnerID: row.OwnerID,
		CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC(), Revision: row.Revision,
	}
}

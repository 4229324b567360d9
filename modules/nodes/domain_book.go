package nodes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
)

// domainBook keeps which host names belong to which nodes and to whom. Somebody else's binding is answered exactly like one
// that does not exist, also to full access. It is nodesapi.Domains.
type domainBook struct {
	db      *database.DB
	journal audit.Journal
	clock   clockwork.Clock
}

func newDomainBook(db *database.DB, j audit.Journal, clock clockwork.Clock) *domainBook {
	return &domainBook{db: db, journal: j, clock: clock}
}

func exportDomains(b *domainBook) nodesapi.Domains { return b }

var domainConstraints = map[string]*fault.Fault{
	"node_domains_hostname":           fault.Conflict("domain_conflict", "this host name is already bound to a node"),
	"node_domains_node_id_fkey":       fault.InvalidValue("node_id", "there is no such node"),
	"node_domain_uses_domain_id_fkey": fault.Conflict("domain_conflict", "a flow uses this domain; change the flow first"),
}

func (b *domainBook) rows(db bun.IDB, into any, owner string) *bun.SelectQuery {
	return withUses(db.NewSelect().Model(into)).Where("d.owner_id = ?", owner)
}

func withUses(q *bun.SelectQuery) *bun.SelectQuery {
	return q.ColumnExpr("d.*").ColumnExpr("array(select u.flow_id::text from node_domain_uses u where u.domain_id = d.id order by 1) AS used_by")
}

func (b *domainBook) list(ctx context.Context, in *domainsInput, k *keyset) ([]domainRow, int, error) {
	owner := access.From(ctx).AccountID
	if in.NodeID != "" && !database.IsID(in.NodeID) {
		return nil, 0, nil
	}
	filter := func(q *bun.SelectQuery) *bun.SelectQuery {
		if in.NodeID != "" {
			q = q.Where("d.node_id = ?", in.NodeID)
		}
		return q
	}
	var rows []domainRow
	if err := k.apply(filter(b.rows(b.db, &rows, owner))).Scan(ctx); err != nil {
		return nil, 0, database.Fault(err, nil)
	}
	total, err := filter(b.db.NewSelect().Model((*domainRow)(nil)).Where("d.owner_id = ?", owner)).Count(ctx)
	return rows, int(total), database.Fault(err, nil)
}

func (b *domainBook) get(ctx context.Context, id string) (*Domain, error) {
	row := new(domainRow)
	if err := b.rows(b.db, row, access.From(ctx).AccountID).Where("d.id = ?", id).Scan(ctx); err != nil {
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

// derive makes the host name from label and zone; without a label the node's name gives it.
func (row *domainRow) derive(ctx context.Context, tx bun.IDB) error {
	row.Zone = strings.ToLower(strings.TrimSuffix(row.Zone, "."))
	row.Label = strings.ToLower(row.Label)
	if row.Label == "" {
		var name string
		if err := tx.NewRaw("select name from nodes where id = ?", row.NodeID).Scan(ctx, &name); err != nil {
			return fault.InvalidValue("node_id", "there is no such node").Wrap(err)
		}
		row.Label = labelOf(name, row.ID)
	}
	if row.Hostname = row.Label + "." + row.Zone; row.Label == "@" {
		row.Hostname = row.Zone
	}
	switch {
	case !isHost(row.Zone) || !strings.Contains(row.Zone, "."):
		return fault.InvalidValue("zone", "must be a domain name")
	case !isHost(row.Hostname) || strings.Contains(row.Label, ".") || len(row.Hostname) > 253:
		return fault.InvalidValue("label", "must be one part of a host name: letters, digits and dashes")
	}
	return nil
}

func labelOf(name, id string) string {
	label := strings.ToLower(tidyLabel(name))
	if label == "" {
		label = "node-" + id[len(id)-8:]
	}
	return label
}

func tidyLabel(name string) string {
	kept := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, name)
	return strings.Trim(kept[:min(len(kept), 63)], "-")
}

// patch changes a binding of the caller. Handing it over needs full access, which may also take one from another owner.
// Faults: not_found (404), revision_conflict (409), domain_conflict (409), permission_denied (403), invalid_value (422).
func (b *domainBook) patch(ctx context.Context, in *domainPatch, want int64) (*Domain, error) {
	caller := access.From(ctx)
	handsOver := in.Body.OwnerID != nil
	if handsOver && !slices.Contains(caller.Permissions, access.All) {
		return nil, fault.Forbidden("permission_denied", "only full access hands a binding over").With("required", []string{string(access.All)})
	}
	row := new(domainRow)
	err := b.db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		q := withUses(tx.NewSelect().Model(row)).Where("d.id = ?", in.ID).For("UPDATE OF d")
		if !handsOver {
			q = q.Where("d.owner_id = ?", caller.AccountID)
		}
		if err := q.Scan(ctx); err != nil {
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
	shown := row.shown()
	return &shown, nil
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
		err := tx.NewDelete().Model(row).Where("d.id = ?", id).Where("d.owner_id = ?", access.From(ctx).AccountID).Returning("*").Scan(ctx)
		if err != nil {
			return err
		}
		return b.journal.Record(ctx, tx, audit.Entry{Action: "domain.deleted", Object: row.object()})
	})
	return database.Fault(err, domainConstraints)
}

// Domain gives a binding of this owner to another module.
func (b *domainBook) Domain(ctx context.Context, id, ownerID string) (nodesapi.Domain, error) {
	if !database.IsID(id) || !database.IsID(ownerID) {
		return nodesapi.Domain{}, nodesapi.ErrUnknown
	}
	row := new(domainRow)
	err := b.rows(b.db.In(ctx), row, ownerID).Where("d.id = ?", id).Scan(ctx)
	if err != nil {
		return nodesapi.Domain{}, unknown(database.Fault(err, nil))
	}
	return nodesapi.Domain{ID: row.ID, NodeID: row.NodeID, Hostname: row.Hostname, Mode: row.Mode, OwnerID: row.OwnerID}, nil
}

// SetUses notes which bindings a flow uses.
func (b *domainBook) SetUses(ctx context.Context, flowID string, domainIDs ...string) error {
	err := b.db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, removing := tx.NewRaw("delete from node_domain_uses where flow_id = ? and not domain_id = any(?::uuid[])", flowID, pgdialect.Array(list(domainIDs))).Exec(ctx)
		_, adding := tx.NewRaw("insert into node_domain_uses (flow_id, domain_id) select ?, unnest(?::uuid[]) on conflict do nothing",
			flowID, pgdialect.Array(list(domainIDs))).Exec(ctx)
		return errors.Join(removing, adding)
	})
	if database.Constraint(err) == "node_domain_uses_domain_id_fkey" {
		return nodesapi.ErrUnknown
	}
	if err != nil {
		return database.Fault(fmt.Errorf("noting the domains of a flow: %w", err), nil)
	}
	return nil
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

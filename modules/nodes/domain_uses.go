package nodes

import (
	"context"
	"errors"
	"fmt"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/nodes/nodesapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/owners"
)

func exportDomains(b *domainBook) nodesapi.Domains { return b }

// ByIDs gives bindings to another module; within a transaction they stay as they are until its end.
func (b *domainBook) ByIDs(ctx context.Context, ids ...string) (map[string]nodesapi.Domain, error) {
	found := make(map[string]nodesapi.Domain, len(ids))
	known := onlyIDs(ids)
	if len(known) == 0 {
		return found, nil
	}
	var rows []domainRow
	q := b.db.In(ctx).NewSelect().Model(&rows).Where("d.id in (?)", bun.List(known))
	if database.InTransaction(ctx) {
		q = q.Order("id").For("SHARE OF d")
	}
	if err := q.Scan(ctx); err != nil {
		return nil, database.Fault(fmt.Errorf("reading node domains: %w", err), nil)
	}
	for _, row := range rows {
		found[row.ID] = nodesapi.Domain{ID: row.ID, NodeID: row.NodeID, Hostname: row.Hostname, Mode: row.Mode, OwnerID: row.OwnerID}
	}
	return found, nil
}

func onlyIDs(texts []string) []string {
	var ids []string
	for _, text := range texts {
		if database.IsID(text) {
			ids = append(ids, text)
		}
	}
	return ids
}

// SetUses notes which bindings a flow uses, in the context's transaction.
func (b *domainBook) SetUses(ctx context.Context, flowID string, domainIDs ...string) error {
	wanted := pgdialect.Array(list(domainIDs))
	err := b.db.InTx(ctx, func(ctx context.Context) error {
		_, removing := b.db.In(ctx).NewRaw("delete from node_domain_uses where flow_id = ? and not domain_id = any(?::uuid[])",
			flowID, wanted).Exec(ctx)
		_, adding := b.db.In(ctx).NewRaw(`insert into node_domain_uses (flow_id, domain_id) select ?, unnest(?::uuid[])
			on conflict do nothing`, flowID, wanted).Exec(ctx)
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

// owned is what the deletion of an account asks about bindings.
func (b *domainBook) owned() owners.Kind {
	return owners.Kind{Name: "node_domain", Owned: b.ownedBy, HandOver: b.handOver}
}

func (b *domainBook) ownedBy(ctx context.Context, accountID string, most int) ([]owners.Thing, int, error) {
	var rows []domainRow
	q := b.db.In(ctx).NewSelect().Model(&rows).Where("d.owner_id = ?", accountID).Order("hostname").Limit(int64(max(most, 1)))
	total, err := q.ScanAndCount(ctx)
	if err != nil {
		return nil, 0, database.Fault(err, nil)
	}
	things := []owners.Thing{}
	for _, row := range rows[:min(most, len(rows))] {
		things = append(things, owners.Thing{Type: "node_domain", ID: row.ID, Name: row.Hostname})
	}
	return things, int(total), nil
}

// handOver changes the owner of all bindings of an account. Their flows go with them, so that the rule of one owner for a
// flow and its bindings holds.
func (b *domainBook) handOver(ctx context.Context, from, to string) error {
	var rows []domainRow
	err := b.db.In(ctx).NewRaw(`update node_domains set owner_id = ?, revision = revision + 1, updated_at = ? where owner_id = ?
		returning *`, to, b.clock.Now().UTC(), from).Scan(ctx, &rows)
	if err != nil {
		return database.Fault(err, nil)
	}
	for _, row := range rows {
		entry := audit.Entry{Action: "domain.updated", Object: row.object(), Changes: map[string]audit.Change{"owner_id": {From: from, To: to}}}
		if err := b.journal.Record(ctx, b.db.In(ctx), entry); err != nil {
			return err
		}
	}
	return nil
}

// unused refuses what would change the links of a flow that names the binding: they match what is installed, and neither
// a flow nor its clients are asked. The row is locked. Fault: domain_conflict (409).
func (b *domainBook) unused(ctx context.Context, before, after *domainRow) error {
	if before.Hostname == after.Hostname && before.NodeID == after.NodeID && before.OwnerID == after.OwnerID {
		return nil
	}
	flows := []string{}
	err := b.db.In(ctx).NewRaw("select flow_id from node_domain_uses where domain_id = ? order by 1", before.ID).Scan(ctx, &flows)
	if err != nil || len(flows) == 0 {
		return database.Fault(err, nil)
	}
	return fault.Conflict("domain_conflict", "flows use this domain, and their links name it; take it out of the flows and apply them, "+
		"then change it").With("flow_ids", flows)
}

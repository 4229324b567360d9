package domains

import (
	"context"
	"errors"
	"fmt"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/domains/domainsapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/owners"
)

// ByIDs gives bindings to another module; within a transaction they stay as they are until its end.
func (s *domains) ByIDs(ctx context.Context, ids ...string) (map[string]domainsapi.Domain, error) {
	found := make(map[string]domainsapi.Domain, len(ids))
	known := database.OnlyIDs(ids)
	if len(known) == 0 {
		return found, nil
	}
	var rows []domainRow
	q := s.db.In(ctx).NewSelect().Model(&rows).Where("d.id in (?)", bun.List(known))
	if database.InTransaction(ctx) {
		q = q.Order("id").For("SHARE OF d")
	}
	if err := q.Scan(ctx); err != nil {
		return nil, database.Fault(fmt.Errorf("reading node domains: %w", err), nil)
	}
	for i := range rows {
		found[rows[i].ID] = rows[i].outside()
	}
	return found, nil
}

// ByHostnames gives bindings by their host names.
func (s *domains) ByHostnames(ctx context.Context, hostnames ...string) (map[string]domainsapi.Domain, error) {
	var rows []domainRow
	err := s.db.In(ctx).NewSelect().Model(&rows).Where("d.hostname = any(?::text[])", pgdialect.Array(hostnames)).Scan(ctx)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("reading node domains: %w", err), nil)
	}
	found := make(map[string]domainsapi.Domain, len(rows))
	for i := range rows {
		found[rows[i].Hostname] = rows[i].outside()
	}
	return found, nil
}

// All gives bindings in the order of their host names.
func (s *domains) All(ctx context.Context, after string, most int) ([]domainsapi.Domain, error) {
	var rows []domainRow
	err := s.db.In(ctx).NewSelect().Model(&rows).Where("d.hostname > ?", after).Order("hostname").Limit(int64(most)).
		Scan(ctx)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("reading node domains: %w", err), nil)
	}
	found := make([]domainsapi.Domain, len(rows))
	for i := range rows {
		found[i] = rows[i].outside()
	}
	return found, nil
}

// SetUses notes which bindings a flow uses, in the context's transaction.
func (s *domains) SetUses(ctx context.Context, flowID string, domainIDs ...string) error {
	wanted := pgdialect.Array(append([]string{}, domainIDs...))
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		_, removing := s.db.In(ctx).
			NewRaw("delete from node_domain_uses where flow_id = ? and not domain_id = any(?::uuid[])",
				flowID, wanted).Exec(ctx)
		_, adding := s.db.In(ctx).NewRaw(`insert into node_domain_uses (flow_id, domain_id) select ?, unnest(?::uuid[])
			on conflict do nothing`, flowID, wanted).Exec(ctx)
		return errors.Join(removing, adding)
	})
	if database.Constraint(err) == "node_domain_uses_domain_id_fkey" {
		return domainsapi.ErrUnknown
	}
	if err != nil {
		return database.Fault(fmt.Errorf("noting the domains of a flow: %w", err), nil)
	}
	return nil
}

// usedOn gives the flows that use bindings of the node. Its bindings are locked, so that no flow takes one until the
// node is deleted with them.
func (s *domains) usedOn(ctx context.Context, nodeID string) ([]string, error) {
	var own, flows []string
	err := s.db.In(ctx).NewRaw(`select id from node_domains where ?0 in (node_id, moving_to, moved_from) order by id
		for update`, nodeID).Scan(ctx, &own)
	if err != nil || len(own) == 0 {
		return nil, database.Fault(err, nil)
	}
	err = s.db.In(ctx).
		NewRaw("select distinct flow_id from node_domain_uses where domain_id = any(?::uuid[]) order by 1",
			pgdialect.Array(own)).Scan(ctx, &flows)
	return flows, database.Fault(err, nil)
}

// owned is what the deletion of an account asks about bindings.
func (s *domains) owned() owners.Kind {
	return owners.Kind{Name: "node_domain", Owned: s.ownedBy, HandOver: s.handOver}
}

func (s *domains) ownedBy(ctx context.Context, accountID string, most int) ([]owners.Thing, int, error) {
	var rows []domainRow
	q := s.db.In(ctx).NewSelect().Model(&rows).Where("d.owner_id = ?", accountID).Order("hostname").
		Limit(int64(max(most, 1)))
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

// handOver changes the owner of all bindings of an account. Their flows go with them, so that the rule of one owner for
// a flow and its bindings holds.
func (s *domains) handOver(ctx context.Context, from, to string) error {
	var rows []domainRow
	err := s.db.In(ctx).NewRaw(`update node_domains set owner_id = ?, revision = revision + 1, updated_at = ? where owner_id = ?
		returning *`, to, s.clock.Now().UTC(), from).Scan(ctx, &rows)
	if err != nil {
		return database.Fault(err, nil)
	}
	for _, row := range rows {
		entry := audit.Entry{
			Action: "domain.updated", Object: row.object(),
			Changes: map[string]audit.Change{"owner_id": {From: from, To: to}},
		}
		if err := s.journal.Record(ctx, s.db.In(ctx), entry); err != nil {
			return err
		}
	}
	return nil
}

// unused refuses what would change the links of a flow that names the binding, or the way to it: they match what is
// installed, and neither a flow nor its clients are asked. The row is locked. Fault: domain_conflict (409).
func (s *domains) unused(ctx context.Context, before, after *domainRow) error {
	if before.Hostname == after.Hostname && before.NodeID == after.NodeID && before.OwnerID == after.OwnerID &&
		before.network() == after.network() {
		return nil
	}
	flows := []string{}
	err := s.db.In(ctx).NewRaw("select flow_id from node_domain_uses where domain_id = ? order by 1", before.ID).
		Scan(ctx, &flows)
	if err != nil || len(flows) == 0 {
		return database.Fault(err, nil)
	}
	return fault.Conflict("domain_conflict",
		"flows use this domain, and their links name it; take it out of the flows and apply them, "+
			"then change it").With("flow_ids", flows)
}

// network names the one that the binding leads through; empty for none.
func (row *domainRow) network() string {
	switch {
	case row.Mode != modeCDN:
		return ""
	case row.CDNID != nil:
		return *row.CDNID
	}
	return modeCDN
}

package domains

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/domains/domainsapi"
	"panel/platform/audit"
	"panel/platform/database"
)

// A binding in use changes its node in one way alone: with the flows that serve it. It is told where to, and the apply
// that installs the first of its flows there makes it so, in the transaction that decides the apply: before that its
// record would lead clients to a node without a listener.

// OnNode gives the bindings of a node, by their host names.
func (s *domains) OnNode(ctx context.Context, nodeID string) ([]domainsapi.Domain, error) {
	var rows []domainRow
	err := s.db.In(ctx).NewSelect().Model(&rows).Where("d.node_id = ?", nodeID).Order("hostname").Scan(ctx)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("reading the domains of a node: %w", err), nil)
	}
	found := make([]domainsapi.Domain, len(rows))
	for i := range rows {
		found[i] = rows[i].outside()
	}
	return found, nil
}

// Move leads bindings to another node: those that no flow uses at once, the others when a flow serves them there.
func (s *domains) Move(ctx context.Context, nodeID string, ids ...string) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		rows, err := s.locked(ctx, ids)
		if err != nil {
			return err
		}
		var used []string
		err = s.db.In(ctx).NewRaw("select distinct domain_id from node_domain_uses where domain_id = any(?::uuid[])",
			pgdialect.Array(ids)).Scan(ctx, &used)
		if err != nil {
			return database.Fault(fmt.Errorf("reading which domains are in use: %w", err), nil)
		}
		for i := range rows {
			row := &rows[i]
			switch {
			case row.NodeID == nodeID:
				err = s.keep(ctx, row, nil, row.MovedFrom)
			case slices.Contains(used, row.ID):
				err = s.keep(ctx, row, &nodeID, row.MovedFrom)
			default:
				err = s.arrived(ctx, row, nodeID, nil)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Arrive makes bindings those of the nodes that they were to move to. Those that were not stay as they are.
func (s *domains) Arrive(ctx context.Context, to map[string]string) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		rows, err := s.locked(ctx, slices.Collect(maps.Keys(to)))
		if err != nil {
			return err
		}
		for i := range rows {
			row := &rows[i]
			if nodeID := to[row.ID]; row.MovingTo != nil && *row.MovingTo == nodeID {
				before := row.NodeID
				if err := s.arrived(ctx, row, nodeID, &before); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Settle forgets where bindings were to move to, or have moved from, when no drawing names them there any more.
func (s *domains) Settle(ctx context.Context, named map[string][]string) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		rows, err := s.locked(ctx, slices.Collect(maps.Keys(named)))
		if err != nil {
			return err
		}
		for i := range rows {
			row := &rows[i]
			to, from := still(row.MovingTo, named[row.ID]), still(row.MovedFrom, named[row.ID])
			if err := s.keep(ctx, row, to, from); err != nil {
				return err
			}
		}
		return nil
	})
}

func still(node *string, named []string) *string {
	if node == nil || !slices.Contains(named, *node) {
		return nil
	}
	return node
}

// locked reads bindings for a change, in the order in which every change locks them.
func (s *domains) locked(ctx context.Context, ids []string) (rows []domainRow, err error) {
	err = s.db.In(ctx).NewSelect().Model(&rows).Where("d.id = any(?::uuid[])", pgdialect.Array(database.OnlyIDs(ids))).
		Order("id").For("UPDATE OF d").Scan(ctx)
	return rows, database.Fault(err, nil)
}

// keep notes where a binding is to move to and has moved from; its node stays.
func (s *domains) keep(ctx context.Context, row *domainRow, to, from *string) error {
	if same(row.MovingTo, to) && same(row.MovedFrom, from) {
		return nil
	}
	changes := map[string]audit.Change{}
	if !same(row.MovingTo, to) {
		changes["moving_to"] = audit.Change{From: row.MovingTo, To: to}
	}
	row.MovingTo, row.MovedFrom = to, from
	return s.moved(ctx, row, changes)
}

func same(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

// arrived makes a binding that of another node.
func (s *domains) arrived(ctx context.Context, row *domainRow, nodeID string, from *string) error {
	changes := map[string]audit.Change{"node_id": {From: row.NodeID, To: nodeID}}
	row.NodeID, row.MovingTo, row.MovedFrom = nodeID, nil, from
	return s.moved(ctx, row, changes)
}

func (s *domains) moved(ctx context.Context, row *domainRow, changes map[string]audit.Change) error {
	row.Revision, row.UpdatedAt = row.Revision+1, s.clock.Now().UTC()
	_, err := s.db.In(ctx).NewUpdate().Model(row).
		Column("node_id", "moving_to", "moved_from", "revision", "updated_at").WherePK().Exec(ctx)
	if err != nil {
		return database.Fault(fmt.Errorf("moving a domain: %w", err), domainConstraints)
	}
	return s.publish(ctx, domainsapi.Updated, row, changes)
}

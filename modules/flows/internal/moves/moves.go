// Package moves takes domain bindings along when flows go to another node. A binding in use leads to its old node until
// the first flow that serves it on the new one is installed there, and flows that are still on the old one keep their
// right to it.
package moves

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/domains/domainsapi"
	"panel/modules/flows/internal/graph"
	"panel/platform/database"
)

// NodeOf is the node that a binding counts for in a drawing: on its way between two, the one on which the drawing has
// it.
func NodeOf(d domainsapi.Domain, g graph.Graph) string {
	for _, n := range g.Nodes {
		if n.NodeDomainID == d.ID && d.On(n.NodeID) {
			return n.NodeID
		}
	}
	return d.NodeID
}

// Left gives the bindings that a drawing has no more, or on another node.
func Left(before, after graph.Graph) (ids []string) {
	for _, n := range before.Nodes {
		stays := func(o graph.Node) bool { return o.NodeDomainID == n.NodeDomainID && o.NodeID == n.NodeID }
		if n.NodeDomainID != "" && !slices.ContainsFunc(after.Nodes, stays) {
			ids = append(ids, n.NodeDomainID)
		}
	}
	return ids
}

// Arrive moves the bindings that were to move with a drawing, in the transaction that makes it the installed one and
// after the flow says so.
func Arrive(ctx context.Context, db *database.DB, domains domainsapi.Domains, g graph.Graph) error {
	to := map[string]string{}
	for _, n := range g.Nodes {
		if n.NodeDomainID != "" {
			to[n.NodeDomainID] = n.NodeID
		}
	}
	if len(to) == 0 {
		return nil
	}
	if err := domains.Arrive(ctx, to); err != nil {
		return fmt.Errorf("move domain bindings: %w", err)
	}
	return Settle(ctx, db, domains, slices.Sorted(maps.Keys(to))...)
}

// Settle forgets the moves of bindings that no drawing takes part in any more, in the transaction of the change.
func Settle(ctx context.Context, db *database.DB, domains domainsapi.Domains, ids ...string) error {
	if len(ids) == 0 {
		return nil
	}
	found, err := domains.ByIDs(ctx, ids...)
	if err != nil {
		return fmt.Errorf("look up domain bindings: %w", err)
	}
	named := map[string][]string{}
	for id, d := range found {
		if d.MovingTo != "" || d.MovedFrom != "" {
			named[id] = []string{}
		}
	}
	if len(named) == 0 {
		return nil
	}
	places, err := drawn(ctx, db, slices.Sorted(maps.Keys(named)))
	if err != nil {
		return err
	}
	for _, p := range places {
		named[p.DomainID] = append(named[p.DomainID], p.NodeID)
	}
	if err := domains.Settle(ctx, named); err != nil {
		return fmt.Errorf("settle domain bindings: %w", err)
	}
	return nil
}

// place is a node on which a drawing has a binding.
type place struct{ DomainID, NodeID string }

// drawn gives where drawings have bindings: drafts, what is installed, and what is about to be.
func drawn(ctx context.Context, db *database.DB, ids []string) (places []place, err error) {
	err = db.In(ctx).NewRaw(`select distinct b ->> 'node_domain_id' as domain_id, b ->> 'node_id' as node_id
		from (select graph from flows where not deleting
			union all select v.graph from flow_versions v join flows f on f.installed_version_id = v.id
				where f.enabled and not f.deleting
			union all select graph from flow_applies where finished_at is null and graph is not null) g
		cross join lateral jsonb_array_elements(g.graph -> 'nodes') b
		where b ->> 'node_domain_id' = any(?::text[])`, pgdialect.Array(ids)).Scan(ctx, &places)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read where drawings have bindings: %w", err), nil)
	}
	return places, nil
}

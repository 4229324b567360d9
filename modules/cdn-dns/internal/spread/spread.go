// Package spread gives certificates to the nodes that show them.
//
// A node is given the certificates of the host names that a flow has a listener with TLS for there, and no others: as a
// document of its agent, so with a revision of its own, sealed in the database and fetched by that agent alone. A
// certificate that is issued, renewed or uploaded is in the documents of its nodes by the same transaction, so nothing
// has to be remembered in between; an agent that is away fetches it when it returns.
package spread

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/cdn-dns/internal/certificates"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/fault"
)

// Spread knows which node shows which certificate.
type Spread struct {
	db        *database.DB
	engine    *certificates.Engine
	documents nodesapi.Documents
}

// New makes a spread; the engine tells it of every change.
func New(db *database.DB, e *certificates.Engine, d nodesapi.Documents) *Spread {
	s := &Spread{db: db, engine: e, documents: d}
	e.Changed = s.changed
	return s
}

// Use is a host name with a listener on a node.
type Use struct {
	bun.BaseModel `bun:"table:certificate_uses,alias:u"`

	FlowID   string `bun:"flow_id,type:uuid"`
	NodeID   string `bun:"node_id,type:uuid"`
	Hostname string `bun:"hostname"`
	Port     int    `bun:"port"`
}

var name = string(agentapi.DocumentCertificates)

// lock lets one transaction at a time decide what nodes are given: each reads the uses that all others have committed.
func (s *Spread) lock(ctx context.Context) error {
	_, err := s.db.In(ctx).NewRaw("select pg_advisory_xact_lock(731204520)").Exec(ctx)
	return database.Fault(err, nil)
}

// Set notes what a flow uses, in place of what was noted before, and gives the nodes concerned what they need then.
func (s *Spread) Set(ctx context.Context, flowID string, uses ...Use) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.lock(ctx); err != nil {
			return err
		}
		var nodes []string
		err := s.db.In(ctx).NewRaw("delete from certificate_uses where flow_id = ? returning node_id::text", flowID).
			Scan(ctx, &nodes)
		if err == nil && len(uses) > 0 {
			_, err = s.db.In(ctx).NewInsert().Model(&uses).On("conflict do nothing").Exec(ctx)
		}
		if err != nil {
			return database.Fault(fmt.Errorf("note the certificates of a flow: %w", err), nil)
		}
		for _, use := range uses {
			nodes = append(nodes, use.NodeID)
		}
		return s.give(ctx, nodes)
	})
}

// changed gives the new certificates for names to the nodes that show them. A change that leaves a host name in use
// without any is refused. Fault: certificate_in_use (409).
func (s *Spread) changed(ctx context.Context, names []string) error {
	if err := s.lock(ctx); err != nil {
		return err
	}
	var uses []Use
	err := s.db.In(ctx).NewSelect().Model(&uses).
		Where("hostname = any(?0::text[]) or '*' || substr(hostname, strpos(hostname, '.')) = any(?0::text[])",
			pgdialect.Array(names)).Scan(ctx)
	if err != nil {
		return database.Fault(fmt.Errorf("look for nodes that show a certificate: %w", err), nil)
	}
	hosts, nodes := make([]string, len(uses)), make([]string, len(uses))
	for i, use := range uses {
		hosts[i], nodes[i] = use.Hostname, use.NodeID
	}
	covered, err := s.engine.Pairs(ctx, hosts...)
	if err != nil {
		return err
	}
	for _, host := range hosts {
		if _, still := covered[host]; !still {
			return fault.Conflict("certificate_in_use", "a flow shows this certificate, and there is no other one for the host name")
		}
	}
	return s.give(ctx, nodes)
}

// give sets the documents of nodes from what is noted. A host name without a certificate is left out; the stage of its
// apply sees to it that it gets one.
func (s *Spread) give(ctx context.Context, nodes []string) error {
	nodes = slices.Compact(slices.Sorted(slices.Values(nodes)))
	if len(nodes) == 0 {
		return nil
	}
	var uses []Use
	err := s.db.In(ctx).NewSelect().Model(&uses).Distinct().Column("node_id", "hostname").
		Where("node_id = any(?::uuid[])", pgdialect.Array(nodes)).Scan(ctx)
	if err != nil {
		return database.Fault(fmt.Errorf("read which certificates nodes show: %w", err), nil)
	}
	hosts := make([]string, len(uses))
	for i, use := range uses {
		hosts[i] = use.Hostname
	}
	pairs, err := s.engine.Pairs(ctx, slices.Compact(slices.Sorted(slices.Values(hosts)))...)
	if err != nil {
		return err
	}
	return s.documents.Set(ctx, documents(nodes, uses, pairs)...)
}

// documents are those of nodes, whatever the order of what they are made of.
func documents(nodes []string, uses []Use, pairs map[string]certificates.Pair) []nodesapi.Document {
	held := map[string][]agentapi.HostCertificate{}
	for _, use := range uses {
		if pair, known := pairs[use.Hostname]; known {
			one := agentapi.HostCertificate{Host: use.Hostname, Chain: pair.Chain, Key: pair.Key}
			held[use.NodeID] = append(held[use.NodeID], one)
		}
	}
	wanted := make([]nodesapi.Document, len(nodes))
	for i, node := range nodes {
		all := append([]agentapi.HostCertificate{}, held[node]...)
		slices.SortFunc(all, func(a, b agentapi.HostCertificate) int { return cmp.Compare(a.Host, b.Host) })
		wanted[i] = nodesapi.Document{NodeID: node, Name: name, Content: agentapi.Certificates{Certificates: all}}
	}
	return wanted
}

// Behind counts the nodes that do not show yet what they are given, for metrics.
func (s *Spread) Behind(ctx context.Context) (float64, error) {
	var nodes []string
	err := s.db.In(ctx).NewRaw("select distinct node_id::text from certificate_uses").Scan(ctx, &nodes)
	if err != nil || len(nodes) == 0 {
		return 0, database.Fault(err, nil)
	}
	states, err := s.documents.States(ctx, name, nodes...)
	behind := 0.0
	for _, state := range states {
		if state.State != nodesapi.DocumentApplied {
			behind++
		}
	}
	return behind, err
}

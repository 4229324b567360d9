package flows

import (
	"context"
	"fmt"
	"slices"

	"github.com/uptrace/bun"

	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/modules/nodes/nodesapi"
	"panel/platform/database"
)

// surroundings are the rows around a page of flows, read in one statement each.
type surroundings struct {
	clients   map[string][]clientRow
	fragments map[string][]fragmentRow
	versions  map[string]versionRow
	applies   map[string]applyRow
	nodes     map[string]nodesapi.Node
	domains   map[string]nodesapi.Domain
}

// shown turns rows into what the API tells. What a server does is derived from its reports at this moment.
func (s *service) shown(ctx context.Context, rows []flowRow) ([]Flow, error) {
	around, err := s.around(ctx, rows)
	if err != nil {
		return nil, err
	}
	out := make([]Flow, len(rows))
	for i := range rows {
		out[i] = around.flow(&rows[i])
	}
	return out, nil
}

func (s *service) shownOne(ctx context.Context, id string) (Flow, error) {
	row, err := s.store.flow(ctx, id)
	if err != nil {
		return Flow{}, err
	}
	out, err := s.shown(ctx, []flowRow{*row})
	if err != nil {
		return Flow{}, err
	}
	return out[0], nil
}

func (s *service) around(ctx context.Context, rows []flowRow) (*surroundings, error) {
	a := &surroundings{
		clients: map[string][]clientRow{}, fragments: map[string][]fragmentRow{}, versions: map[string]versionRow{},
		applies: map[string]applyRow{},
	}
	if len(rows) == 0 {
		return a, nil
	}
	ids, versions, applies := references(rows)
	clients, err := s.store.clients(ctx, ids...)
	if err != nil {
		return nil, err
	}
	for _, c := range clients {
		a.clients[c.FlowID] = append(a.clients[c.FlowID], c)
	}
	if err := s.installedAround(ctx, a, ids, versions, applies); err != nil {
		return nil, err
	}
	if err := s.domainsAround(ctx, a, rows); err != nil {
		return nil, err
	}
	return a, s.serversAround(ctx, a, rows)
}

func references(rows []flowRow) (ids, versions, applies []string) {
	for _, f := range rows {
		ids = append(ids, f.ID)
		if f.InstalledVersionID != nil {
			versions = append(versions, *f.InstalledVersionID)
		}
		if f.LastApplyID != nil {
			applies = append(applies, *f.LastApplyID)
		}
	}
	return ids, versions, applies
}

func (s *service) installedAround(ctx context.Context, a *surroundings, ids, versions, applies []string) error {
	var fragments []fragmentRow
	err := s.db.NewSelect().Model(&fragments).Column("flow_id", "node_id", "client_ids").Where("flow_id in (?)", bun.List(ids)).Order("node_id").Scan(ctx)
	if err != nil {
		return database.Fault(err, nil)
	}
	for _, f := range fragments {
		a.fragments[f.FlowID] = append(a.fragments[f.FlowID], f)
	}
	var known []versionRow
	if len(versions) > 0 {
		if err := s.db.NewSelect().Model(&known).Column("id", "number", "bypassed").Where("id in (?)", bun.List(versions)).Scan(ctx); err != nil {
			return database.Fault(err, nil)
		}
	}
	for _, v := range known {
		a.versions[v.ID] = v
	}
	var last []applyRow
	if len(applies) > 0 {
		if err := s.db.NewSelect().Model(&last).Column("id", "stage", "finished_at").Where("id in (?)", bun.List(applies)).Scan(ctx); err != nil {
			return database.Fault(err, nil)
		}
	}
	for _, row := range last {
		a.applies[row.ID] = row
	}
	return nil
}

func (s *service) serversAround(ctx context.Context, a *surroundings, rows []flowRow) error {
	var wanted []string
	for _, list := range a.fragments {
		for _, f := range list {
			wanted = append(wanted, f.NodeID)
		}
	}
	for _, f := range rows {
		if e := firstEntry(f.Graph); e != nil {
			wanted = append(wanted, e.NodeID)
		}
	}
	slices.Sort(wanted)
	nodes, err := s.servers.byID(ctx, validIDs(slices.Compact(wanted)))
	if err != nil {
		return fmt.Errorf("look up the nodes of flows: %w", err)
	}
	a.nodes = nodes
	return nil
}

// domainsAround reads the bindings of a whole page in one statement, or none when no flow names one.
func (s *service) domainsAround(ctx context.Context, a *surroundings, rows []flowRow) error {
	var ids []string
	for _, f := range rows {
		if e := firstEntry(f.Graph); e != nil && e.NodeDomainID != "" {
			ids = append(ids, e.NodeDomainID)
		}
		for _, h := range f.InstalledHosts {
			if h.DomainID != "" {
				ids = append(ids, h.DomainID)
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	found, err := s.servers.ByIDs(ctx, slices.Compact(ids)...)
	if err != nil {
		return fmt.Errorf("look up the domain bindings of flows: %w", err)
	}
	a.domains = found
	return nil
}

func firstEntry(g graph.Graph) *graph.Node {
	for i := range g.Nodes {
		if g.Nodes[i].Kind == graph.Entry {
			return &g.Nodes[i]
		}
	}
	return nil
}

func (a *surroundings) flow(f *flowRow) Flow {
	out := Flow{
		ID: f.ID, Name: f.Name, Description: f.Description, Tags: f.Tags, State: a.state(f), Enabled: f.Enabled, OwnerID: f.OwnerID,
		DraftRevision: f.DraftRevision, InstalledRevision: f.InstalledRevision, InstalledVersionID: f.InstalledVersionID,
		InstalledAt: f.InstalledAt, LastApplyID: f.LastApplyID, BypassedChecks: []BypassCheck{}, NodeIDs: []string{},
		Revision: f.Revision, CreatedAt: f.CreatedAt, UpdatedAt: f.UpdatedAt, Entry: a.entry(f), Clients: a.clientsOf(f),
	}
	if f.Tags == nil {
		out.Tags = []string{}
	}
	for _, part := range a.fragments[f.ID] {
		out.NodeIDs = append(out.NodeIDs, part.NodeID)
	}
	if f.InstalledVersionID != nil {
		v := a.versions[*f.InstalledVersionID]
		out.InstalledVersionNumber, out.BypassedChecks = &v.Number, orEmpty(v.Bypassed)
	}
	out.Drift, out.HealthState = a.drift(f, out.NodeIDs), a.health(out.NodeIDs)
	return out
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// state follows domain 4.15: what is being installed, what became of the last try, what is installed, what is compiled.
func (a *surroundings) state(f *flowRow) string {
	last, tried := a.applies[deref(f.LastApplyID)]
	switch {
	case tried && last.FinishedAt == nil:
		return "applying"
	case tried && last.Stage == stageFailed:
		return stageFailed
	case f.InstalledVersionID != nil:
		return stageApplied
	case f.CompiledRevision != nil && *f.CompiledRevision == f.DraftRevision:
		return "compiled"
	}
	return "draft"
}

func deref(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

func (a *surroundings) entry(f *flowRow) *FlowEntry {
	e := firstEntry(f.Graph)
	if e == nil {
		return nil
	}
	out := &FlowEntry{Key: e.Key, NodeID: e.NodeID, Listener: e.Params.Listener, Host: a.nodes[e.NodeID].Address}
	if e.NodeDomainID != "" {
		out.NodeDomainID, out.Host = &e.NodeDomainID, ""
		if d := a.domains[e.NodeDomainID]; d.OwnerID == f.OwnerID {
			out.Host = d.Hostname
		}
	}
	return out
}

func (a *surroundings) clientsOf(f *flowRow) []Client {
	out := []Client{}
	for _, c := range a.clients[f.ID] {
		out = append(out, shownClient(c, a.fragments[f.ID]))
	}
	return out
}

func shownClient(c clientRow, parts []fragmentRow) Client {
	installed := slices.ContainsFunc(parts, func(p fragmentRow) bool { return slices.Contains(p.ClientIDs, c.ID) })
	return Client{
		ID: c.ID, Label: c.Label, HasSecret: true, HasPublicLink: c.PublicHash != nil, Installed: installed,
		CreatedAt: c.CreatedAt, RevokedAt: c.RevokedAt,
	}
}

// drift compares what each server reports with what it shall serve, and what the links name with where clients would have
// to go. A server that is not heard tells nothing.
func (a *surroundings) drift(f *flowRow, nodeIDs []string) Drift {
	d := Drift{State: "in_sync", NodeIDs: []string{}}
	silent := len(nodeIDs) == 0
	for _, id := range nodeIDs {
		n, known := a.nodes[id]
		switch {
		case known && a.outdated(f, n):
			d.NodeIDs = append(d.NodeIDs, id)
		case !known || !n.Online:
			silent = true
		case n.RevisionInstalled != n.RevisionDesired:
			d.NodeIDs = append(d.NodeIDs, id)
		}
	}
	switch {
	case len(d.NodeIDs) > 0:
		d.State = "drifted"
	case silent:
		d.State = "unknown"
	}
	return d
}

// outdated reports whether links name another host than an entry on the server has now; installing the flow again
// changes them.
func (a *surroundings) outdated(f *flowRow, n nodesapi.Node) bool {
	return slices.ContainsFunc(f.InstalledHosts, func(h plan.Host) bool {
		if h.NodeID != n.ID {
			return false
		}
		if d, bound := a.domains[h.DomainID]; bound {
			return h.Host != d.Hostname
		}
		return h.DomainID == "" && h.Host != n.Address
	})
}

// health is what the servers' own reports allow to say: whether their agents are heard and their cores run.
func (a *surroundings) health(nodeIDs []string) string {
	up, down := 0, 0
	for _, id := range nodeIDs {
		switch n := a.nodes[id]; {
		case n.Online && n.CoreState == "running":
			up++
		case n.Online:
			down++
		}
	}
	switch {
	case len(nodeIDs) > 0 && up == len(nodeIDs):
		return "healthy"
	case down == 0:
		return "unknown"
	case up == 0:
		return "down"
	}
	return "degraded"
}

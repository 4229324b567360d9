package flows

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"panel/modules/clients/clientsapi"
	"panel/modules/domains/domainsapi"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/modules/flows/internal/traffic"
	"panel/modules/nodes/nodesapi"
	"panel/platform/database"
	"panel/platform/fault"
)

// shownRow is a flow with everything else that the database knows of it and that is shown. The drawing stays in the
// database but for its first entry: it may hold hundreds of nodes.
type shownRow struct {
	flowRow

	ClientCounts  clientsapi.Counts `bun:"embed:clients_"`
	Entry         *graph.Node       `bun:"entry_listed,type:json"`
	NodeIDs       []string          `bun:"node_ids,array"` // of the installed fragments
	VersionNumber *int
	Bypassed      []BypassCheck `bun:"bypassed,type:jsonb"` // by the installed version
	LastStage     *string       // of the last apply
	LastFinished  bool
	Pending       []Stage `bun:"pending,type:jsonb"` // parts of applies that do not hold yet
	SortKey       string
	Total         int // of all that match
}

// pageColumns are what the flow's own row has of it.
const pageColumns = `f.id, f.name, f.description, f.tags, f.owner_id, f.enabled, f.draft_revision, f.draft_changes, f.compiled_revision,
	f.installed_version_id, f.installed_revision, f.installed_at, f.installed_hosts,
	f.last_apply_id, f.revision, f.created_at, f.updated_at, f.entry_listed`

// What belongs to the flows of a page is read for all of them at once, because a subquery of each row costs as much as
// the row.
const (
	pageIDs       = "any(array(select id from p))"
	pageFragments = `left join (select g.flow_id, array_agg(g.node_id::text order by g.node_id) as node_ids
		from flow_fragments g where g.flow_id = ` + pageIDs + ` group by g.flow_id) as g on g.flow_id = p.id`
	pagePending = `left join (select u.flow_id, jsonb_agg(u.record order by u.stage) as pending
		from flow_followups u where u.flow_id = ` + pageIDs + ` and (u.undo or (u.record ->> 'attempts')::int > 0)
		group by u.flow_id) as u on u.flow_id = p.id`
)

// shownFlows selects flows as they are shown. The page, a query of flows as f with pageColumns, comes first: all else
// is asked of its flows alone.
func (s *service) shownFlows(page *bun.SelectQuery, args *database.Arguments) *bun.SelectQuery {
	counts := s.clients.CountsSQL(pageIDs, args.Place(s.now()))
	return s.db.NewSelect().With("p", page.ColumnExpr(pageColumns)).TableExpr("p").
		ColumnExpr("p.*, g.node_ids, u.pending, n.clients_total, n.clients_active, n.clients_waiting").
		ColumnExpr("v.number as version_number, v.bypassed, a.stage as last_stage").
		ColumnExpr("a.finished_at is not null as last_finished").
		Join(pageFragments).Join(pagePending).
		Join("left join (" + counts + ") as n on n.flow_id = p.id").
		Join("left join flow_versions as v on v.id = p.installed_version_id").
		Join("left join flow_applies as a on a.id = p.last_apply_id")
}

// relations are what other modules know of the nodes of a page of flows.
type relations struct {
	nodes   map[string]nodesapi.Serving
	domains map[string]domainsapi.Domain
	health  map[string]string // of the flows
}

// shown turns rows into what the API tells. What a node does is derived from its reports at this moment.
func (s *service) shown(ctx context.Context, rows []shownRow) ([]Flow, error) {
	ids := make([]string, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID
	}
	around := &relations{health: s.hooks.health(ctx, ids)}
	if err := s.domainsAround(ctx, around, rows); err != nil {
		return nil, err
	}
	if err := s.nodesAround(ctx, around, rows); err != nil {
		return nil, err
	}
	out := make([]Flow, len(rows))
	for i := range rows {
		out[i] = around.flow(&rows[i])
	}
	return out, nil
}

// shownOne gives one flow with its first clients. Fault: not_found (404).
func (s *service) shownOne(ctx context.Context, id string) (FlowDetail, error) {
	var rows []shownRow
	args := new(database.Arguments)
	page := s.db.NewSelect().TableExpr("flows as f").
		Where("f.id = ? and not f.deleting", args.Add(id))
	if err := database.Read(ctx, s.db, &rows, s.shownFlows(page, args), args); err != nil {
		return FlowDetail{}, database.Fault(err, nil)
	}
	if len(rows) == 0 {
		return FlowDetail{}, fault.Missing(fault.NoSuchThing)
	}
	found, err := s.shown(ctx, rows)
	if err != nil {
		return FlowDetail{}, err
	}
	out := FlowDetail{Flow: found[0], Clients: []Client{}}
	clients, err := s.clients.OfFlow(ctx, rows[0].ID, firstClients)
	if err != nil {
		return FlowDetail{}, fmt.Errorf("read the clients of a flow: %w", err)
	}
	for _, c := range clients {
		out.Clients = append(out.Clients, shownClient(c))
	}
	return out, nil
}

// How many clients of a flow are read.
const (
	everyClient  = 0
	firstClients = 100 // with the flow itself; there may be tens of thousands, which have a list of their own
)

// traffic tells what a flow carries: nothing where it is not installed or switched off. Fault: not_found (404).
func (s *service) traffic(ctx context.Context, id string) (traffic.Traffic, error) {
	var rows []struct {
		Graph   graph.Graph `bun:"graph,type:jsonb"`
		NodeIDs []string    `bun:"node_ids,array"`
	}
	err := s.db.NewRaw(`select coalesce(v.graph, '{}') as graph,
			(select array_agg(g.node_id::text) from flow_fragments g where g.flow_id = f.id) as node_ids
		from flows f left join flow_versions v on v.id = f.installed_version_id and f.enabled
		where f.id = ? and not f.deleting`, id).Scan(ctx, &rows)
	if err != nil {
		return traffic.Traffic{}, database.Fault(fmt.Errorf("read what a flow has installed: %w", err), nil)
	}
	if len(rows) == 0 {
		return traffic.Traffic{}, fault.Missing(fault.NoSuchThing)
	}
	readings, err := s.nodes.readings.Newest(ctx, validIDs(rows[0].NodeIDs)...)
	if err != nil {
		return traffic.Traffic{}, fmt.Errorf("read what the nodes of a flow carry: %w", err)
	}
	return traffic.Of(id, rows[0].Graph, readings, s.now()), nil
}

// replay tells what is known around an apply. Fault: not_found (404).
func (s *service) replay(ctx context.Context, flowID, id string) (traffic.Replay, error) {
	row, err := s.store.apply(ctx, id)
	if err != nil {
		return traffic.Replay{}, err
	}
	if row.FlowID != flowID {
		return traffic.Replay{}, fault.Missing(fault.NoSuchThing)
	}
	out := traffic.Replay{Graph: drawnOr(row.Graph), Nodes: []traffic.NodeSessions{}}
	out.From, out.To = traffic.Around(row.StartedAt, row.FinishedAt, s.now())
	ids := make([]string, len(row.Steps))
	for i := range row.Steps {
		ids[i] = row.Steps[i].NodeID
	}
	course, err := s.nodes.readings.Sessions(ctx, out.From, out.To, ids...)
	if err != nil {
		return traffic.Replay{}, fmt.Errorf("read the sessions around an apply: %w", err)
	}
	out.StepSeconds = int(course.Step / time.Second)
	for _, nodeID := range ids {
		if points := course.Points[nodeID]; len(points) > 0 {
			out.Nodes = append(out.Nodes, traffic.NodeSessions{NodeID: nodeID, Sessions: points})
		}
	}
	return out, nil
}

func (s *service) nodesAround(ctx context.Context, a *relations, rows []shownRow) error {
	var wanted []string
	for i := range rows {
		wanted = append(wanted, rows[i].NodeIDs...)
		if e := rows[i].Entry; e != nil {
			wanted = append(wanted, e.NodeID)
		}
	}
	slices.Sort(wanted)
	a.nodes = map[string]nodesapi.Serving{}
	wanted = validIDs(slices.Compact(wanted))
	if len(wanted) == 0 {
		return nil
	}
	nodes, err := s.nodes.readings.Serving(ctx, wanted...)
	if err != nil {
		return fmt.Errorf("look up the nodes of flows: %w", err)
	}
	for _, n := range nodes {
		a.nodes[n.ID] = n
	}
	return nil
}

// domainsAround reads the bindings of a whole page in one statement, or none when no flow names one.
func (s *service) domainsAround(ctx context.Context, a *relations, rows []shownRow) error {
	var ids []string
	for i := range rows {
		f := &rows[i]
		if e := f.Entry; e != nil && e.NodeDomainID != "" {
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
	found, err := s.nodes.ByIDs(ctx, slices.Compact(ids)...)
	if err != nil {
		return fmt.Errorf("look up the domain bindings of flows: %w", err)
	}
	a.domains = found
	return nil
}

func (a *relations) flow(f *shownRow) Flow {
	out := Flow{
		ID:                 f.ID,
		Name:               f.Name,
		Description:        f.Description,
		Tags:               f.Tags,
		State:              f.state(),
		Enabled:            f.Enabled,
		OwnerID:            f.OwnerID,
		DraftRevision:      f.DraftRevision,
		DraftChanges:       f.DraftChanges,
		InstalledRevision:  f.InstalledRevision,
		InstalledVersionID: f.InstalledVersionID,
		InstalledAt:        f.InstalledAt,
		LastApplyID:        f.LastApplyID,
		BypassedChecks:     []BypassCheck{},
		NodeIDs:            orEmpty(f.NodeIDs),
		Revision:           f.Revision,
		CreatedAt:          f.CreatedAt,
		UpdatedAt:          f.UpdatedAt,
		Entry:              a.entry(f),
		ClientCounts:       ClientCounts(f.ClientCounts),
	}
	if f.Tags == nil {
		out.Tags = []string{}
	}
	if f.InstalledVersionID != nil {
		out.InstalledVersionNumber, out.BypassedChecks = f.VersionNumber, orEmpty(f.Bypassed)
	}
	out.Drift, out.HealthState = a.drift(f, out.NodeIDs), a.healthOf(f.ID, out.NodeIDs)
	return out
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// state follows domain 4.15: what is being installed, what became of the last try, what is installed, what is compiled.
func (f *shownRow) state() string {
	tried := f.LastStage != nil
	switch {
	case tried && !f.LastFinished:
		return "applying"
	case tried && *f.LastStage == stateFailed:
		return stateFailed
	case f.InstalledVersionID != nil:
		return stateApplied
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

func (a *relations) entry(f *shownRow) *FlowEntry {
	e := f.Entry
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

func shownClient(c clientsapi.Access) Client {
	return Client{
		ID:            c.ClientID,
		Label:         c.Label,
		State:         c.State,
		HasSecret:     true,
		HasPublicLink: c.Public,
		Installed:     c.Installed,
		ByApply:       c.ByApply,
		Elsewhere:     c.Elsewhere,
		CreatedAt:     c.CreatedAt.UTC(),
		RevokedAt:     utc(c.RevokedAt),
	}
}

func utc(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	moved := at.UTC()
	return &moved
}

// drift compares what each node reports with what it shall serve, and what the links name with where clients would have
// to go. A node that is silent tells nothing.
func (a *relations) drift(f *shownRow, nodeIDs []string) Drift {
	d := Drift{State: "in_sync", NodeIDs: []string{}, Stages: orEmpty(f.Pending)}
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
	case len(d.NodeIDs)+len(d.Stages) > 0:
		d.State = "drifted"
	case silent:
		d.State = "unknown"
	}
	return d
}

// outdated reports whether links name another host than an entry on the node has now; installing the flow again
// changes them.
func (a *relations) outdated(f *shownRow, n nodesapi.Serving) bool {
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

// healthOf is what other modules know, else what the nodes' own reports allow to say: whether their agents answer and
// their cores run.
func (a *relations) healthOf(flowID string, nodeIDs []string) string {
	if known := a.health[flowID]; known != "" {
		return known
	}
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

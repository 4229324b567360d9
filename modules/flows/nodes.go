package flows

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/domains/domainsapi"
	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/moves"
	"panel/modules/flows/internal/plan"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/owners"
)

// nodes is what flows ask of the fleet.
type nodes struct {
	nodesapi.Fleet
	nodesapi.Configs
	nodesapi.Commands
	domainsapi.Domains
	readings  nodesapi.Readings
	reflector plan.Endpoint
	publicURL string
}

func newNodes(
	f nodesapi.Fleet,
	c nodesapi.Configs,
	o nodesapi.Commands,
	d domainsapi.Domains,
	r nodesapi.Readings,
	cfg *config.Config,
) *nodes {
	return &nodes{
		Fleet: f, Configs: c, Commands: o, Domains: d, readings: r, reflector: reflectorOf(cfg),
		publicURL: publicURL(cfg),
	}
}

func publicURL(cfg *config.Config) string {
	if given := cfg.String(config.PublicURL); given != "" {
		return given
	}
	return "http://" + net.JoinHostPort(cfg.String(config.Bind), cfg.String(config.Port))
}

// reflectorOf is where agents reach the panel; a panel that listens everywhere without a public address has no
// address to give, and flows are then installed without the last probe.
func reflectorOf(cfg *config.Config) plan.Endpoint {
	u, err := url.Parse(publicURL(cfg))
	if err != nil {
		return plan.Endpoint{}
	}
	if ip := net.ParseIP(u.Hostname()); ip != nil && ip.IsUnspecified() {
		return plan.Endpoint{}
	}
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		port = map[string]int{"http": 80, "https": 443}[u.Scheme]
	}
	return plan.Endpoint{Host: u.Hostname(), Port: port}
}

// byID gives the named nodes; unknown ones are absent.
func (s *nodes) byID(ctx context.Context, ids []string) (map[string]nodesapi.Node, error) {
	out := make(map[string]nodesapi.Node, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	list, err := s.Nodes(ctx, ids...)
	for _, n := range list {
		out[n.ID] = n
	}
	return out, err
}

// names gives the names of nodes; unknown ones are absent.
func (s *nodes) names(ctx context.Context, ids []string) (map[string]string, error) {
	found, err := s.byID(ctx, ids)
	out := make(map[string]string, len(found))
	for id, n := range found {
		out[id] = n.Name
	}
	return out, err
}

// compilable is a node as the compiler sees it.
func compilable(n nodesapi.Node) plan.Node {
	out := plan.Node{
		ID:      n.ID,
		Name:    n.Name,
		Address: n.Address,
		Own:     n.Addresses,
		Core:    n.CoreVersion,
		Can:     n.Capabilities,
	}
	for _, s := range n.Sockets {
		out.Sockets = append(out.Sockets, plan.Socket{
			L4: s.L4, IP: s.IP, Port: s.Port, Process: s.Process,
			Core: s.Own,
		})
	}
	return out
}

// installing gives the flows of which something is being installed that needs the node.
func (s *store) installing(ctx context.Context, nodeID string) ([]string, error) {
	flows := []string{}
	err := s.db.In(ctx).NewRaw(`select distinct a.flow_id from flow_applies a join flow_apply_steps s on s.apply_id = a.id
		where a.finished_at is null and s.node_id = ? order by 1`, nodeID).Scan(ctx, &flows)
	return flows, database.Fault(err, nil)
}

// related gives the flows that are installed on the nodes of each group, with names for those who may see flows.
func (s *store) related(ctx context.Context, groups [][]string, names int) ([]nodesapi.Related, error) {
	nodeIDs, of := []string{}, []int{}
	for at, group := range groups {
		nodeIDs = append(nodeIDs, group...)
		of = append(of, slices.Repeat([]int{at}, len(group))...)
	}
	if !access.From(ctx).Permissions.Has(View) {
		names = 0
	}
	var rows []struct {
		At, Count int
		First     []nodesapi.Named `bun:",type:jsonb"`
	}
	err := s.db.In(ctx).NewRaw(`select at, count(*) as count,
			to_jsonb((array_agg(jsonb_build_object('id', id, 'name', name) order by name, id))[1:?]) as first
		from (select distinct u.at, f.id, f.name from unnest(?::text[], ?::int[]) u(node_id, at)
			join flow_fragments g on g.node_id = u.node_id join flows f on f.id = g.flow_id where f.enabled and not f.deleting) f
		group by at`, names, pgdialect.Array(nodeIDs), pgdialect.Array(of)).Scan(ctx, &rows)
	out := make([]nodesapi.Related, len(groups))
	for _, row := range rows {
		out[row.At] = nodesapi.Related{Count: row.Count, First: row.First}
	}
	return out, database.Fault(err, nil)
}

// domains gives the bindings that a drawing names, as far as they belong to the owner. Somebody else's binding is
// answered like an unknown one (domain decision 7).
func (s *service) domains(
	ctx context.Context,
	ownerID string,
	g graph.Graph,
) (map[string]plan.Domain, error) {
	ids := bindingIDs(g)
	if len(ids) == 0 {
		return nil, nil
	}
	found, err := s.nodes.ByIDs(ctx, ids...)
	if err != nil {
		return nil, fmt.Errorf("look up domain bindings: %w", err)
	}
	own := make(map[string]plan.Domain, len(found))
	for id, d := range found {
		if d.OwnerID == ownerID {
			own[id] = plan.Domain{NodeID: moves.NodeOf(d, g), Hostname: d.Hostname}
		}
	}
	return own, nil
}

func bindingIDs(drawings ...graph.Graph) []string {
	ids := []string{}
	for _, g := range drawings {
		for _, n := range g.Nodes {
			if n.NodeDomainID != "" {
				ids = append(ids, n.NodeDomainID)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// unowned gives the place of the first block whose binding is not the owner's or not its node's, or -1.
func unowned(g graph.Graph, own map[string]plan.Domain) int {
	return slices.IndexFunc(g.Nodes, func(n graph.Node) bool {
		d, known := own[n.NodeDomainID]
		return n.NodeDomainID != "" && (!known || d.NodeID != n.NodeID)
	})
}

// bindings refuses a drawing with a domain binding that is not its owner's. Fault: invalid_value (422).
func (s *service) bindings(ctx context.Context, ownerID string, g graph.Graph) error {
	own, err := s.domains(ctx, ownerID, g)
	if err != nil {
		return err
	}
	if i := unowned(g, own); i >= 0 {
		return unknownBinding(
			fmt.Sprintf("graph.nodes[%d].node_domain_id", i),
			"there is no such domain binding on this block's node",
		)
	}
	return nil
}

func unknownBinding(field, message string) error {
	return fault.Invalid("invalid_value", "a field has a value that is not allowed").
		Field(field, "node_domain_unknown", message)
}

// heir makes sure that a new owner exists. Fault: invalid_value (422).
func (s *service) heir(ctx context.Context, accountID *string) error {
	if accountID == nil {
		return nil
	}
	err := s.holders.Hold(ctx, *accountID)
	if errors.Is(err, owners.ErrUnknown) {
		return fault.InvalidValue("owner_id", "there is no such account")
	}
	return err
}

// mayOwn refuses an owner without the bindings that the flow names, drawn or installed. Fault: invalid_value (422).
func (s *service) mayOwn(ctx context.Context, f *flowRow, accountID string) error {
	installed, err := s.store.installedGraph(ctx, f)
	if err != nil {
		return err
	}
	for _, g := range []graph.Graph{f.Graph, installed} {
		own, err := s.domains(ctx, accountID, g)
		if err != nil {
			return err
		}
		if unowned(g, own) >= 0 {
			return unknownBinding(
				"owner_id",
				"this account lacks a domain binding that the flow names; take it out of the flow first",
			)
		}
	}
	return nil
}

// use notes which bindings the flow names, in its draft or installed, with the change that names them: from then on
// they keep their host name, node and owner.
func (s *service) use(ctx context.Context, f *flowRow) error {
	installed, err := s.store.installedGraph(ctx, f)
	if err != nil {
		return err
	}
	err = s.nodes.SetUses(ctx, f.ID, bindingIDs(f.Graph, installed)...)
	if errors.Is(err, domainsapi.ErrUnknown) { // an older drawing may name one that is gone: what is there is noted
		return s.useKnown(ctx, f, installed)
	}
	return err
}

func (s *service) useKnown(ctx context.Context, f *flowRow, installed graph.Graph) error {
	found, err := s.nodes.ByIDs(ctx, bindingIDs(f.Graph, installed)...)
	if err != nil {
		return fmt.Errorf("look up domain bindings: %w", err)
	}
	ids := make([]string, 0, len(found))
	for id := range found {
		ids = append(ids, id)
	}
	return s.nodes.SetUses(ctx, f.ID, ids...)
}

// owned is what the deletion of an account asks about flows.
func (s *service) owned() owners.Kind {
	return owners.Kind{Name: "flow", Owned: s.ownedBy, HandOver: s.handOver}
}

func (s *service) ownedBy(ctx context.Context, accountID string, most int) ([]owners.Thing, int, error) {
	var rows []flowRow
	total, err := s.db.In(ctx).
		NewSelect().
		Model(&rows).
		Column("id", "name").
		Where("owner_id = ? and not deleting", accountID).
		Order("name").
		Limit(int64(max(most, 1))).
		ScanAndCount(ctx)
	if err != nil {
		return nil, 0, database.Fault(err, nil)
	}
	things := []owners.Thing{}
	for _, f := range rows[:min(most, len(rows))] {
		things = append(things, owners.Thing{Type: "flow", ID: f.ID, Name: f.Name})
	}
	return things, int(total), nil
}

// handOver changes the owner of all flows of an account; its bindings go with them.
func (s *service) handOver(ctx context.Context, from, to string) error {
	var rows []flowRow
	err := s.db.In(ctx).
		NewRaw("update flows set owner_id = ?, revision = revision + 1, updated_at = ? where owner_id = ? returning "+
			database.Columns[flowRow](s.db, "flows"), to, s.now(), from).
		Scan(ctx, &rows)
	if err != nil {
		return database.Fault(err, nil)
	}
	for i := range rows {
		changes := map[string]audit.Change{"owner_id": {From: from, To: to}}
		if err := s.changed(ctx, flowsapi.EventChanged, &rows[i], changes); err != nil {
			return err
		}
	}
	return nil
}

type viewSource struct {
	name string
	ask  func(ctx context.Context, flowID string, poolIDs []string) ([]flowsapi.PoolView, error)
}

// Watch takes who knows what became of pools.
func (h blockHook) Watch(
	name string, seen func(ctx context.Context, flowID string, poolIDs []string) ([]flowsapi.PoolView, error),
) {
	h.hooks.views = append(h.hooks.views, viewSource{name, seen})
}

// poolViews asks what became of pools in a flow.
func (h *hooks) poolViews(ctx context.Context, flowID string, poolIDs []string) ([]flowsapi.PoolView, error) {
	var out []flowsapi.PoolView
	if len(poolIDs) == 0 {
		return nil, nil
	}
	for _, source := range h.views {
		views, err := source.ask(ctx, flowID, poolIDs)
		if err != nil {
			return nil, fmt.Errorf("read what %s know: %w", source.name, err)
		}
		out = append(out, views...)
	}
	return out, nil
}

// awayNode is a node whose agent does not answer.
type awayNode struct {
	NodeID   string `json:"node_id"`
	NodeName string `json:"node_name"`
}

// offline lists the nodes that must answer and do not; a node that the flow only leaves may be away.
func offline(steps []plan.Step, nodes map[string]nodesapi.Node) []awayNode {
	away := []awayNode{}
	for _, step := range steps {
		if n, known := nodes[step.NodeID]; step.Action == plan.ActionConfigure && (!known || !n.Online) {
			away = append(away, awayNode{step.NodeID, step.NodeName})
		}
	}
	return away
}

func agentOffline(away []awayNode) error {
	called := make([]string, len(away))
	for i, n := range away {
		called[i] = n.NodeName
	}
	return fault.Invalid("agent_offline",
		"the agent of a node that has to change does not answer; bring it back and apply again").
		With("nodes", called).
		With("offline", away)
}

// appliesHook tells other modules where something is being installed.
type appliesHook struct{ *service }

// OnNodes gives those of the nodes that an apply is at work on.
func (h appliesHook) OnNodes(ctx context.Context, nodeIDs ...string) (map[string]bool, error) {
	var found []string
	err := h.store.db.In(ctx).NewRaw(`select distinct s.node_id from flow_applies a join flow_apply_steps s on s.apply_id = a.id
		where a.finished_at is null and s.node_id::text = any(?::text[])`, pgdialect.Array(nodeIDs)).Scan(ctx, &found)
	busy := map[string]bool{}
	for _, id := range found {
		busy[id] = true
	}
	return busy, database.Fault(err, nil)
}

// Reinstall begins an apply of one of the flows on a node: it renders the whole of what is installed there.
func (h appliesHook) Reinstall(ctx context.Context, nodeID string) (string, error) {
	var flows []string
	err := h.store.db.In(ctx).NewRaw(`select g.flow_id from flow_fragments g join flows f on f.id = g.flow_id
		where g.node_id = ? and f.enabled and not f.deleting and not exists (
			select from flow_applies a where a.flow_id = f.id and a.finished_at is null)
		order by g.flow_id limit 1`, nodeID).Scan(ctx, &flows)
	if err != nil || len(flows) == 0 {
		return "", database.Fault(err, nil)
	}
	a, err := h.restore(ctx, flows[0], nodeID)
	if err != nil {
		return "", err
	}
	return a.ID, nil
}

// Ended tells whether an apply is over. One that is gone went with its flow.
func (h appliesHook) Ended(ctx context.Context, applyID string) (over bool, failure string, err error) {
	var rows []struct {
		Stage string
		Error *StepError `bun:",type:jsonb"`
	}
	err = h.store.db.In(ctx).NewRaw("select stage, error from flow_applies where id = ? and finished_at is not null",
		applyID).Scan(ctx, &rows)
	if err != nil {
		return false, "", database.Fault(err, nil)
	}
	if len(rows) == 0 {
		var there bool
		err = h.store.db.In(ctx).NewRaw("select exists (select from flow_applies where id = ?)", applyID).Scan(ctx, &there)
		return !there, map[bool]string{false: "the flow is gone"}[there], database.Fault(err, nil)
	}
	switch {
	case rows[0].Stage == stateApplied:
		return true, "", nil
	case rows[0].Error != nil:
		return true, rows[0].Error.Message, nil
	}
	return true, "the apply was stopped", nil
}

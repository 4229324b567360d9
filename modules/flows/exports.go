package flows

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"
	"go.uber.org/zap"

	"panel/modules/clients/clientsapi"
	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/bulk"
	"panel/modules/flows/internal/found"
	"panel/modules/flows/internal/geo"
	"panel/modules/flows/internal/governed"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/moves"
	"panel/modules/flows/internal/plan"
	"panel/modules/flows/internal/redraw"
	"panel/modules/flows/internal/relays"
	"panel/modules/flows/internal/served"
	"panel/modules/flows/internal/stages"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/jobs"
	"panel/platform/operations"
)

func exportStages(r *stages.Registry) flowsapi.Stages { return r }

func exportDrafts(s *service) flowsapi.Drafts { return drafts{s} }

func exportSubscribers(s *service) flowsapi.Subscribers { return s }

func exportHealth(h *hooks) flowsapi.HealthStates { return healthHook{h} }

func exportBlocks(h *hooks) flowsapi.BlockSources { return blockHook{h} }

func exportTargets(h *hooks) flowsapi.FoundTargets { return &h.targets }

func exportProbes(s *service) flowsapi.Probes { return probes{s} }

func exportApplies(s *service) flowsapi.Applies { return appliesHook{s} }

func exportEvidence(h *hooks) flowsapi.CanaryEvidence { return evidenceHook{h} }

func exportPanels(h *hooks) flowsapi.ProxyPanels { return &h.panels }

func exportPolicies(h *hooks) flowsapi.Policies { return &h.policies }

func exportGeoFiles(h *hooks) flowsapi.GeoFiles { return &h.geo }

func exportPolicyUses(s *service) flowsapi.PolicyUses { return governed.Uses{DB: s.db} }

// hooks are the questions that other modules answer; they are added while the panel is composed.
type hooks struct {
	log     *zap.Logger
	states  []healthSource
	blocks  []blockSource
	views   []viewSource
	feeds   []feedSource
	targets found.Sources
	canary  []evidenceSource

	policies governed.Sources
	panels   served.Sources
	geo      geo.Source
}

type (
	healthSource struct {
		name string
		ask  func(ctx context.Context, flowIDs []string) (map[string]string, error)
	}
	blockSource struct {
		name string
		ask  func(ctx context.Context, poolIDs []string) ([]flowsapi.Pool, error)
	}
	feedSource struct {
		name  string
		pools func(ctx context.Context, flowID string) ([]flowsapi.Pool, error)
		leave func(ctx context.Context, flowID string) error
	}
	evidenceSource struct {
		name string
		ask  func(ctx context.Context, w flowsapi.CanaryWatch) ([]flowsapi.CanaryFinding, error)
	}
	healthHook   struct{ *hooks }
	evidenceHook struct{ *hooks }
	blockHook    struct{ *hooks }
)

func newHooks(log *zap.Logger) *hooks { return &hooks{log: log} }

// Add takes who knows how flows are.
func (h healthHook) Add(name string, states func(ctx context.Context, flowIDs []string) (map[string]string, error)) {
	h.hooks.states = append(h.hooks.states, healthSource{name, states})
}

// Feed takes who knows which pools have flows as members.
func (h blockHook) Feed(
	name string, pools func(ctx context.Context, flowID string) ([]flowsapi.Pool, error),
	leave func(ctx context.Context, flowID string) error,
) {
	h.hooks.feeds = append(h.hooks.feeds, feedSource{name, pools, leave})
}

// feeders gives the pools that a flow is a member of.
func (h *hooks) feeders(ctx context.Context, flowID string) ([]plan.Feeder, error) {
	var out []plan.Feeder
	for _, source := range h.feeds {
		pools, err := source.pools(ctx, flowID)
		if err != nil {
			return nil, fmt.Errorf("read the pools of %s: %w", source.name, err)
		}
		for _, pool := range pools {
			out = append(out, plan.Feeder{PoolID: pool.ID, Name: pool.Name})
		}
	}
	slices.SortFunc(out, func(a, b plan.Feeder) int { return cmp.Compare(a.PoolID, b.PoolID) })
	return out, nil
}

// mayLeave refuses to delete a flow that others need.
func (h *hooks) mayLeave(ctx context.Context, flowID string) error {
	for _, source := range h.feeds {
		if err := source.leave(ctx, flowID); err != nil {
			return err
		}
	}
	return nil
}

// Add takes who knows pools.
func (h blockHook) Add(name string, pools func(ctx context.Context, poolIDs []string) ([]flowsapi.Pool, error)) {
	h.hooks.blocks = append(h.hooks.blocks, blockSource{name, pools})
}

var worse = []string{"", "healthy", "degraded", "down"}

// health asks what other modules know about a page of flows; the worst answer counts. Who cannot say is left out.
func (h *hooks) health(ctx context.Context, flowIDs []string) map[string]string {
	out := map[string]string{}
	for _, source := range h.states {
		states, err := source.ask(ctx, flowIDs)
		if err != nil {
			h.log.Warn("the health of flows is not known", zap.String("source", source.name), zap.Error(err))
		}
		for id, state := range states {
			if slices.Index(worse, state) > slices.Index(worse, out[id]) {
				out[id] = state
			}
		}
	}
	return out
}

// pools asks for the pools of a drawing and those that they fall back on.
func (h *hooks) pools(ctx context.Context, g graph.Graph) (map[string]flowsapi.Pool, error) {
	ids := []string{}
	for _, n := range g.Nodes {
		if n.Kind == graph.TransitPool && n.PoolID != "" && !slices.Contains(ids, n.PoolID) {
			ids = append(ids, n.PoolID)
		}
	}
	return h.poolsBy(ctx, ids)
}

// poolsBy asks for pools and those that they fall back on.
func (h *hooks) poolsBy(ctx context.Context, ids []string) (map[string]flowsapi.Pool, error) {
	out := map[string]flowsapi.Pool{}
	if len(ids) == 0 {
		return out, nil
	}
	for _, source := range h.blocks {
		pools, err := source.ask(ctx, ids)
		if err != nil {
			return nil, fmt.Errorf("read the pools of %s: %w", source.name, err)
		}
		for _, pool := range pools {
			out[pool.ID] = pool
		}
	}
	return out, nil
}

// servedHook is flowsapi.Served.
type servedHook struct{ *service }

func exportServed(s *service) flowsapi.Served { return servedHook{s} }

// OfApply gives what an apply wants proxy panels to run, and of one that is over what is installed.
func (h servedHook) OfApply(ctx context.Context, applyID string) ([]flowsapi.ServedPart, error) {
	row := new(applyRow)
	err := h.db.In(ctx).NewSelect().Model(row).Column("id", "flow_id", "content", "finished_at").Where("id = ?", applyID).
		Scan(ctx)
	switch {
	case errors.Is(err, sql.ErrNoRows): // with its flow, which has left its nodes
		return []flowsapi.ServedPart{}, nil
	case err != nil:
		return nil, database.Fault(err, nil)
	}
	if row.FinishedAt == nil {
		parts, err := h.store.openContent(row)
		return plan.ServedParts(parts), err
	}
	parts, err := h.store.installed(ctx, row.FlowID)
	return plan.ServedParts(parts), err
}

func exportServedEntries(s *service) flowsapi.ServedEntries { return servedHook{s} }

// ServedOn gives the entries that proxy panels serve on some nodes.
func (h servedHook) ServedOn(ctx context.Context, nodeIDs ...string) (found []flowsapi.ServedEntry, err error) {
	err = h.db.In(ctx).NewRaw(`select g.flow_id, l ->> 'block' as block, g.node_id, l ->> 'name' as tag
		from flow_fragments g cross join lateral jsonb_array_elements(g.listens) l
		where (l -> 'panel')::bool and (cardinality(?0::text[]) = 0 or g.node_id = any(?0::text[])) order by 3, 4`,
		pgdialect.Array(append([]string{}, nodeIDs...))).Scan(ctx, &found)
	return found, database.Fault(err, nil)
}

// exported is flowsapi.Flows.
type exported struct {
	*service
	enqueuer *jobs.Enqueuer
}

func exportFlows(s *service, e *jobs.Enqueuer) flowsapi.Flows { return &exported{s, e} }

func unknown(err error) error {
	if err != nil && fault.KindOf(err) == fault.KindMissing {
		return flowsapi.ErrUnknown
	}
	return err
}

// Flow gives one flow.
func (e *exported) Flow(ctx context.Context, id string) (flowsapi.Flow, error) {
	if !database.IsID(id) {
		return flowsapi.Flow{}, flowsapi.ErrUnknown
	}
	found, err := e.some(ctx, "f.id = ?", 1, id)
	if err != nil || len(found) == 0 {
		return flowsapi.Flow{}, cmp.Or(err, flowsapi.ErrUnknown)
	}
	return found[0], nil
}

// Page gives flows by their ids.
func (e *exported) Page(ctx context.Context, after string, most int) ([]flowsapi.Flow, error) {
	if after == "" {
		return e.some(ctx, "true", most)
	}
	return e.some(ctx, "f.id > ?", most, after)
}

// OnNode gives the flows that are installed on a node.
func (e *exported) OnNode(ctx context.Context, nodeID string) ([]flowsapi.Flow, error) {
	const all = 10_000
	return e.some(ctx, "f.id in (select flow_id from flow_fragments where node_id = ?)", all, nodeID)
}

// IDsOnNodes gives the ids of the flows that are installed on nodes, by node.
func (e *exported) IDsOnNodes(ctx context.Context, nodeIDs ...string) (map[string][]string, error) {
	var rows []struct{ NodeID, FlowID string }
	args := new(database.Arguments)
	q := e.db.In(ctx).NewSelect().TableExpr("flow_fragments f").ColumnExpr("distinct f.node_id::text, f.flow_id::text").
		Where("f.node_id = any(array(select unnest(?::text[])))", args.Add(nodeIDs)).OrderExpr("2")
	err := database.Read(ctx, e.db, &rows, q, args)
	ids := map[string][]string{}
	for _, row := range rows {
		ids[row.NodeID] = append(ids[row.NodeID], row.FlowID)
	}
	return ids, database.Fault(err, nil)
}

// outsideRow is a flow with what others ask about it, in one statement for all.
type outsideRow struct {
	ID, Name, OwnerID string
	Tags              []string `bun:",array"`
	Enabled, Applying bool
	DraftRevision     int
	InstalledRevision int
	InstalledAt       time.Time
	InstalledHosts    []plan.Host  `bun:",type:jsonb"`
	Installed         *graph.Graph `bun:",type:jsonb"`
	NodeIDs           []string     `bun:"node_ids,array"`
}

func (e *exported) some(ctx context.Context, where string, most int, args ...any) ([]flowsapi.Flow, error) {
	var rows []outsideRow
	err := e.db.In(ctx).NewSelect().TableExpr("flows f").
		ColumnExpr("f.id, f.name, f.owner_id, f.tags, f.enabled, f.draft_revision, f.installed_hosts, v.graph as installed").
		ColumnExpr("coalesce(f.installed_revision, 0) as installed_revision").
		ColumnExpr("coalesce(f.installed_at, 'epoch') as installed_at").
		ColumnExpr("exists (select from flow_applies a where a.flow_id = f.id and a.finished_at is null) as applying").
		ColumnExpr("array(select node_id from flow_fragments g where g.flow_id = f.id order by 1) as node_ids").
		Join("left join flow_versions v on v.id = f.installed_version_id").
		Where("not f.deleting").Where(where, args...).OrderExpr("f.id").Limit(int64(most)).Scan(ctx, &rows)
	out := make([]flowsapi.Flow, len(rows))
	for i, f := range rows {
		out[i] = flowsapi.Flow{
			ID: f.ID, Name: f.Name, OwnerID: f.OwnerID, Tags: f.Tags, Enabled: f.Enabled, Applying: f.Applying,
			DraftRevision: f.DraftRevision, InstalledRevision: f.InstalledRevision, NodeIDs: f.NodeIDs,
			Entries: entriesOf(f.ID, drawnOr(f.Installed), f.InstalledHosts),
		}
		if f.InstalledRevision > 0 {
			out[i].InstalledAt = f.InstalledAt
		}
	}
	return out, database.Fault(err, nil)
}

// ClientOf gives the client that a user_ref names.
func (e *exported) ClientOf(ctx context.Context, userRef string) (flowsapi.Client, error) {
	id, ours := strings.CutPrefix(userRef, "c:")
	if !ours {
		return flowsapi.Client{}, flowsapi.ErrUnknown
	}
	found, err := e.clients.Client(ctx, id)
	if errors.Is(err, clientsapi.ErrUnknown) {
		return flowsapi.Client{}, flowsapi.ErrUnknown
	}
	return flowsapi.Client{
		ID: found.ID, FlowIDs: found.FlowIDs, Label: found.Label, Revoked: found.State == clientsapi.Revoked,
	}, err
}

// GeoTokens lists the categories that installed flows refer to, by themselves or by a set of the catalogue.
func (e *exported) GeoTokens(ctx context.Context) ([]flowsapi.GeoToken, error) {
	return e.hooks.policies.GeoTokens(ctx, e.db)
}

// Propose replaces the draft of a flow by the rules of a person's draft.
func (e *exported) Propose(ctx context.Context, flowID string, revision int, drawing json.RawMessage) (int, error) {
	var g graph.Graph
	if err := json.Unmarshal(drawing, &g); err != nil {
		return 0, fmt.Errorf("read a proposed drawing: %w", err)
	}
	if !database.IsID(flowID) {
		return 0, flowsapi.ErrUnknown
	}
	saved, err := e.saveDraft(ctx, flowID, revision, g, "")
	if err != nil {
		return 0, unknown(err)
	}
	return saved.DraftRevision, nil
}

// PoolUses gives the flows that use one of the pools.
func (e *exported) PoolUses(ctx context.Context, poolIDs ...string) ([]flowsapi.PoolUse, error) {
	return relays.Uses(ctx, e.db, poolIDs...)
}

// PoolsOf gives the pools that flows send traffic to.
func (e *exported) PoolsOf(ctx context.Context, drafts bool, flowIDs ...string) (map[string][]string, error) {
	return relays.PoolsOf(ctx, e.db, drafts, flowIDs...)
}

// Senders gives the flows that send traffic into some flows by pools.
func (e *exported) Senders(ctx context.Context, flowIDs ...string) ([]string, error) {
	return relays.Senders(ctx, e.db, relays.Ask{Pools: e.hooks.poolsBy}, flowIDs...)
}

// Hold gives the names of flows and keeps them from being deleted until the transaction ends.
func (e *exported) Hold(ctx context.Context, flowIDs ...string) (map[string]string, error) {
	return relays.Hold(ctx, e.db, flowIDs...)
}

// Names gives the names of flows.
func (e *exported) Names(ctx context.Context, flowIDs ...string) (map[string]string, error) {
	return e.store.names(ctx, flowIDs...)
}

// Rerender has the installed versions on some nodes rendered and applied again, later and surely.
func (e *exported) Rerender(ctx context.Context, why string, nodeIDs ...string) error {
	var flows []string
	err := e.db.In(ctx).NewRaw(`select distinct g.flow_id from flow_fragments g join flows f on f.id = g.flow_id
		where g.node_id = any(?::text[]) and f.enabled and not f.deleting`, pgdialect.Array(nodeIDs)).Scan(ctx, &flows)
	if err != nil {
		return database.Fault(err, nil)
	}
	return e.RerenderFlows(ctx, why, flows...)
}

// RerenderFlows has the installed versions of some flows rendered and applied again, later and surely.
func (e *exported) RerenderFlows(ctx context.Context, why string, flowIDs ...string) error {
	for _, id := range flowIDs {
		if err := e.enqueuer.Insert(ctx, rerenderArgs{FlowID: id, Why: why}, jobs.Opts{}); err != nil {
			return fmt.Errorf("postpone to render a flow again: %w", err)
		}
	}
	return nil
}

// newBulk lets plans be installed together.
func newBulk(s *service, q *jobs.Enqueuer, o *operations.Store) *bulk.Applies {
	install := func(ctx context.Context, flowID, planID string, revision int) (string, error) {
		return s.apply(ctx, flowID, planID, revision, false)
	}
	return bulk.New(s.db, s.clock, q, o, install)
}

// newRedraws lets the drafts of many flows be changed together.
func newRedraws(s *service, q *jobs.Enqueuer, o *operations.Store) *redraw.Redraws {
	return redraw.New(s.db, s.clock, q, o, redraw.Parts{
		Save: s.redraw, NodeNames: s.nodes.names, Checks: s.hooks.targets.Checker, Domains: s.nodes.Domains,
		Settle: func(ctx context.Context, domainIDs ...string) error {
			return moves.Settle(ctx, s.db, s.nodes.Domains, domainIDs...)
		},
	})
}

// exportReplacements lets a node take the place of another in what is installed.
func exportReplacements(r *redraw.Redraws, s *service) flowsapi.Replacements {
	return r.Replacements(redraw.Installs{
		Compile: func(ctx context.Context, flowID string) (string, int, error) {
			made, err := s.compile(ctx, flowID, nil)
			return made.ID, made.Revision, err
		},
		Checking: func(ctx context.Context, flowID, planID string) (bool, error) {
			row, err := s.store.plan(ctx, flowID, planID)
			return err == nil && row.Checking, err
		},
		Apply: s.apply,
	})
}

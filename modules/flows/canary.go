package flows

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"go.uber.org/zap"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/canary"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
)

// A canary is an apply that takes its nodes in two turns. First those of the canary go through all phases up to the
// commit; then their parts, and no others, become what is installed on them (serveCanary), the nodes are given back and
// probes go through them. When the canary has passed the rest takes its turn, and the commit makes the version. When it
// fails, or anything does after it, the parts that were replaced become the installed ones again (returning).
//
// Links and the installed version stay what they were until the commit.

// probeCounts counts the probes of canaries that this panel has had an answer to.
type probeCounts struct{ all, failed atomic.Int64 }

func configures(s stepRow) bool { return s.Action == plan.ActionConfigure }

// hasTurn reports whether a step is worked on now: all are where no nodes go first.
func (row *applyRow) hasTurn(s stepRow) bool {
	return row.Canary == nil || s.Canary == row.Canary.First()
}

func (row *applyRow) configures(s stepRow) bool { return configures(s) && row.hasTurn(s) }

// revertible chooses steps whose nodes may hold a candidate: not those that serve it already as what is installed.
func (row *applyRow) revertible(s stepRow) bool {
	return configures(s) && (row.Canary == nil || row.Canary.Waits() || row.Canary.State == canary.Passed && !s.Canary)
}

// turnNodes are the nodes that are worked on now, sorted.
func (row *applyRow) turnNodes() []string {
	ids := []string{}
	for _, s := range row.Steps {
		if row.hasTurn(s) {
			ids = append(ids, s.NodeID)
		}
	}
	slices.Sort(ids)
	return ids
}

// possible refuses wishes for a canary that mean nothing. Fault: invalid_value (422).
func possible(wish *plan.CanaryWish) error {
	switch {
	case wish == nil:
		return nil
	case (len(wish.Nodes) > 0) == (wish.Share > 0):
		return fault.InvalidValue("canary", "name the nodes that go first, or a share of them")
	case wish.Probes != nil && wish.Probes.IntervalS > wish.WatchS:
		return fault.InvalidValue("canary.probes.interval_s", "at least one round of probes must fit into the watch")
	}
	return nil
}

// chosen gives the canary of a plan. Fault: compile_failed (422).
func (s *service) chosen(
	ctx context.Context, f *flowRow, g graph.Graph, wish plan.CanaryWish, result plan.Result,
) (*plan.Canary, error) {
	in := plan.CanaryInput{
		Wish: wish, Graph: g, Hosts: f.InstalledHosts, Probing: s.nodes.reflector.Host != "",
		NodeNames: map[string]string{},
	}
	var err error
	if f.Enabled {
		if in.Before, err = s.store.installedGraph(ctx, f); err != nil {
			return nil, err
		}
	}
	if in.Installed, err = s.store.installed(ctx, f.ID); err != nil {
		return nil, err
	}
	if in.Root, err = s.store.root(f); err != nil {
		return nil, err
	}
	if in.Pools, err = s.hooks.pools(ctx, g); err != nil {
		return nil, err
	}
	ids := slices.Concat(wish.Nodes, slicesOfKeys(in.Installed), slicesOfKeys(result.Fragments))
	nodes, err := s.nodes.byID(ctx, validIDs(ids))
	if err != nil {
		return nil, fmt.Errorf("look up the nodes of a canary: %w", err)
	}
	for id, n := range nodes {
		in.NodeNames[id] = n.Name
	}
	out, problems := plan.ChooseCanary(in, result)
	if len(problems) > 0 {
		return nil, compileFailed(problems)
	}
	return out, nil
}

// withCanary gives an apply the canary of its plan, if it has one, as it is now. Fault: plan_stale (409).
func (s *service) withCanary(ctx context.Context, f *flowRow, a *applyRow, row *planRow, result plan.Result) error {
	if row.Plan.Canary == nil {
		return nil
	}
	now, err := s.chosen(ctx, f, row.Graph, row.Plan.Canary.Wish(), result)
	if refused, told := fault.As(err); told && refused.Kind == fault.KindInvalid {
		return stale("what is installed has changed since the canary was chosen; compile the draft again")
	}
	if err != nil {
		return err
	}
	installed, err := s.store.installed(ctx, f.ID)
	if err != nil {
		return err
	}
	a.Canary = canary.New(now)
	for i := range a.Steps {
		step := &a.Steps[i]
		step.Canary = slices.ContainsFunc(now.Nodes, func(n plan.CanaryNode) bool { return n.NodeID == step.NodeID })
		if step.Canary { // nobody may take a port that the node has to go back to
			a.Listens[step.NodeID] = slices.Concat(a.Listens[step.NodeID], installed[step.NodeID].Listens)
		}
	}
	return nil
}

// evidence asks other modules what they have against a canary. Who cannot say is left out.
func (h *hooks) evidence(ctx context.Context, row *applyRow) []canary.Finding {
	w := flowsapi.CanaryWatch{FlowID: row.FlowID, ApplyID: row.ID, NodeIDs: row.turnNodes(), Since: *row.Canary.Since}
	out := []canary.Finding{}
	for _, source := range h.canary {
		found, err := source.ask(ctx, w)
		if err != nil {
			h.log.Warn("how a canary does is not known", zap.String("source", source.name), zap.Error(err))
		}
		for _, f := range found {
			out = append(out, canary.Finding{Source: source.name, NodeID: f.NodeID, Text: plan.Text(f.Text)})
		}
	}
	return out
}

// Add takes who sees how canaries do.
func (h evidenceHook) Add(
	name string, ask func(ctx context.Context, w flowsapi.CanaryWatch) ([]flowsapi.CanaryFinding, error),
) {
	h.hooks.canary = append(h.hooks.canary, evidenceSource{name, ask})
}

func namesOf(away []awayNode) []string {
	out := make([]string, len(away))
	for i, n := range away {
		out[i] = n.NodeName
	}
	return out
}

// restAway gives the nodes of the rest whose agents do not answer.
func (s *service) restAway(ctx context.Context, row *applyRow) ([]awayNode, error) {
	var rest []plan.Step
	for _, step := range row.Steps {
		if !step.Canary {
			rest = append(rest, step.Step)
		}
	}
	nodes, err := s.nodes.byID(ctx, validIDs(stepsNodes(rest)))
	if err != nil {
		return nil, fmt.Errorf("look up the nodes that follow a canary: %w", err)
	}
	return offline(rest, nodes), nil
}

// removeLeft takes what a canary has left off the nodes of a flow that has nothing installed.
func (s *service) removeLeft(ctx context.Context, f *flowRow) error {
	left, err := s.store.hashes(ctx, f.ID)
	if err != nil || len(left) == 0 || f.Enabled && f.InstalledVersionID != nil {
		return err
	}
	_, err = s.remove(ctx, f, kindDisable)
	return err
}

// promote lets the rest follow a canary before its time. Somebody who promotes twice is told the same.
// Faults: not_found (404), not_in_canary (409), agent_offline (422).
func (s *service) promote(ctx context.Context, flowID, id string) error {
	if !database.IsID(id) {
		return fault.Missing(fault.NoSuchThing)
	}
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		f, err := s.store.flow(ctx, flowID)
		if err != nil {
			return err
		}
		a := new(applyRow)
		err = s.db.In(ctx).NewSelect().Model(a).ExcludeColumn("content", "previous").
			Where("id = ? and flow_id = ?", id, flowID).For("update").Scan(ctx)
		if err != nil {
			return database.Fault(err, nil)
		}
		switch {
		case a.PromotedAt != nil && a.Error == nil:
			return nil
		case a.Stage != phaseCanary || a.StoppedAt != nil || a.Canary.State != canary.Watching:
			return notInCanary()
		}
		return s.notePromotion(ctx, f, a)
	})
	return database.Fault(err, nil)
}

func notInCanary() error {
	return fault.Conflict("not_in_canary", "this apply has no canary that is being watched")
}

func (s *service) notePromotion(ctx context.Context, f *flowRow, a *applyRow) error {
	steps, err := s.store.stepsOf(ctx, a.ID)
	if err != nil {
		return err
	}
	a.Steps = steps[a.ID]
	if away, err := s.restAway(ctx, a); err != nil {
		return err
	} else if len(away) > 0 {
		return agentOffline(away)
	}
	_, err = s.db.In(ctx).NewRaw("update flow_applies set promoted_by = ?, promoted_at = ? where id = ?",
		access.From(ctx).Username, s.now(), a.ID).Exec(ctx)
	if err != nil {
		return database.Fault(err, nil)
	}
	changes := map[string]audit.Change{"apply": {To: a.ID}}
	if err := s.record(ctx, flowsapi.EventCanaryPromoted, f, changes); err != nil {
		return err
	}
	if err := s.emit(ctx, flowsapi.EventCanaryPromoted, f.ID, a.news(f)); err != nil {
		return err
	}
	return s.wakeApply(ctx, a.ID)
}

// replaceParts makes the new parts of the canary's nodes the installed ones, and keeps what they replace.
func (r *runner) replaceParts(ctx context.Context, row *applyRow, parts map[string]plan.Fragment) error {
	installed, err := r.store.installed(ctx, row.FlowID)
	if err != nil {
		return err
	}
	previous := map[string]plan.Fragment{}
	for _, n := range row.Canary.Nodes {
		if part, was := installed[n.NodeID]; was {
			previous[n.NodeID] = part
		}
		installed[n.NodeID] = parts[n.NodeID]
	}
	if row.Previous, err = r.store.sealPrevious(row.ID, previous); err != nil {
		return err
	}
	_, err = r.db.In(ctx).NewUpdate().Model(row).Column("previous").WherePK().Exec(ctx)
	if err != nil {
		return database.Fault(err, nil)
	}
	return r.serveParts(ctx, row.FlowID, installed)
}

// serveParts makes these the installed parts of a flow, also for its clients.
func (r *runner) serveParts(ctx context.Context, flowID string, parts map[string]plan.Fragment) error {
	if err := r.store.replaceFragments(ctx, flowID, parts); err != nil {
		return err
	}
	return r.serves(ctx, flowID, parts)
}

func (r *runner) lockFlow(ctx context.Context, id string) error {
	_, err := r.db.In(ctx).NewRaw("select id from flows where id = ? for update", id).Exec(ctx)
	return database.Fault(err, nil)
}

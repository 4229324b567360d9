package flows

import (
	"context"
	"fmt"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/conflicts"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/modules/flows/internal/readiness"
	"panel/modules/flows/internal/stages"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
)

// Kinds of applies, and the phases that they go through. A phase is what has been decided; whatever follows from it is
// repeated until it is done, so that a panel that dies anywhere is continued by the next one.
const (
	kindApply    = flowsapi.KindApply
	kindEnable   = flowsapi.KindEnable
	kindRerender = flowsapi.KindRerender
	kindRestore  = flowsapi.KindRestore
	kindDisable  = flowsapi.KindDisable
	kindDelete   = flowsapi.KindDelete

	phaseBefore     = "before_prepare" // stages of modules; no node is locked
	phaseWaiting    = "waiting"        // for the nodes, which another flow may hold
	phasePreparing  = "preparing"      // every node fetches its candidate and its core tests it
	phaseReady      = "before_switch"  // stages of modules, with the nodes in hand
	phaseParking    = "parking"        // one of them has to wait: the nodes are given back
	phaseSwitching  = "switching"      // rank by rank, exits first
	phaseProbing    = "probing"        // a real client goes through the new listener
	phaseCanary     = "canary"         // some nodes serve the new version and are watched; no node is locked
	phaseCommitting = "committing"     // decided: this is installed
	phaseReverting  = "reverting"      // decided: back to what is installed
	phaseReturning  = "returning"      // the nodes of a canary are to serve again what they did before
	phaseUndoing    = "undoing"        // stages of modules undo what they did; no node is locked

	stateApplied = "applied"
	stateFailed  = "apply_failed"
)

// apply starts the installation of a plan and gives its id. What is refused here has changed nothing on any node.
// Faults, in this order: plan_revision_conflict, apply_active, plan_stale, port_conflict, domain_conflict (409),
// compile_failed, custom_plan_not_enabled, target_suitability_stale, agent_offline (422), record_conflict (409),
// stage_blocked, readiness_unconfirmed (422), plan_stale (409) for a canary that does not fit any more. Only readiness
// gives way to force.
func (s *service) apply(ctx context.Context, id, planID string, revision int, force bool) (string, error) {
	f, err := s.store.flow(ctx, id)
	if err != nil {
		return "", err
	}
	row, err := s.applicable(ctx, f, planID, revision)
	if err != nil {
		return "", err
	}
	result, nodes, err := s.planned(ctx, f, row)
	if err != nil {
		return "", err
	}
	if err := s.permitted(ctx, f, row.Graph); err != nil {
		return "", err
	}
	if err := s.freshTargets(ctx, row.Graph); err != nil {
		return "", err
	}
	before, err := s.store.installedGraph(ctx, f)
	if err != nil {
		return "", err
	}
	a := s.newApply(ctx, f, kindApply, result, before, row.Graph)
	a.PlanID, a.PlanHash, a.Fingerprint = &row.ID, row.Hash, row.Fingerprint
	if row.Plan.IsNoop {
		return a.ID, s.startNoop(ctx, f, a)
	}
	if a.Bypassed, err = s.admitted(ctx, row, result, nodes, force); err != nil {
		return "", err
	}
	a.Forced = len(a.Bypassed) > 0
	if err := s.withCanary(ctx, f, a, row, result); err != nil {
		return "", err
	}
	return a.ID, s.start(ctx, f, a, result)
}

func (s *service) applicable(ctx context.Context, f *flowRow, planID string, revision int) (*planRow, error) {
	if !database.IsID(planID) {
		return nil, fault.InvalidValue("id", "there is no such plan of this flow")
	}
	row, err := s.store.plan(ctx, f.ID, planID)
	if fault.KindOf(err) == fault.KindMissing && err != nil {
		return nil, fault.InvalidValue("id", "there is no such plan of this flow")
	}
	if err != nil {
		return nil, err
	}
	if revision != row.Revision || row.Revision != f.DraftRevision {
		return nil, fault.Conflict("plan_revision_conflict",
			"the draft has moved on since this plan was compiled; compile it again").
			With("plan_revision", row.Revision).
			With("draft_revision", f.DraftRevision)
	}
	if !s.now().Before(row.ExpiresAt) {
		return nil, stale("the plan is older than a day; compile the draft again")
	}
	return row, s.idle(ctx, f.ID)
}

// idle refuses while something of the flow is being installed; the index of the table keeps the rule.
func (s *service) idle(ctx context.Context, flowID string) error {
	busy, err := s.db.In(ctx).
		NewSelect().
		Model((*applyRow)(nil)).
		Where("flow_id = ? and finished_at is null", flowID).
		Exists(ctx)
	if err == nil && busy {
		return constraints["flow_applies_active"]
	}
	return database.Fault(err, nil)
}

func stale(detail string) error { return fault.Conflict("plan_stale", detail) }

// unchanged refuses to install another thing than was planned: nodes, clients or other flows have changed since.
func unchanged(planned string, result plan.Result) error {
	switch {
	case len(result.Plan.Conflicts) > 0:
		return conflicts.Fault(result.Plan.Conflicts)
	case len(result.Plan.Errors) > 0:
		return stale("the nodes have changed since this plan was compiled; compile the draft again")
	case result.Plan.Hash != planned:
		return stale("the nodes, the clients or the catalogue have changed since this plan was compiled; compile the draft again")
	}
	return nil
}

// admitted checks that nothing stands in the way that no force passes, that every agent is there and that readiness is
// confirmed; with force it gives what was passed over.
func (s *service) admitted(
	ctx context.Context, row *planRow, result plan.Result, nodes map[string]nodesapi.Node, force bool,
) ([]BypassCheck, error) {
	found, err := readiness.Of(ctx, s.db, row.ID)
	if err != nil {
		return nil, err
	}
	if held := readiness.HeldPorts(found); len(held) > 0 {
		return nil, conflicts.Fault(held)
	}
	if inside := readiness.InsideTargets(found); len(inside) > 0 {
		return nil, compileFailed(inside)
	}
	if away := offline(result.Plan.Steps, nodes); len(away) > 0 {
		return nil, agentOffline(away)
	}
	checks := marked(readiness.Joined(row.Plan.Readiness, found), result.Plan.Steps, nodes)
	open, blocked := []BypassCheck{}, []plan.Check{}
	for _, c := range checks {
		if c.Blocks {
			blocked = append(blocked, c)
		}
		if c.Status != plan.Confirmed {
			open = append(open, BypassCheck{
				Key:       c.Key,
				NodeID:    c.NodeID,
				NodeName:  c.NodeName,
				Group:     c.Group,
				Status:    c.Status,
				Finding:   c.Finding,
				Forceable: c.Forceable,
			})
		}
	}
	if err := conflicts.RecordFault(blocked); err != nil {
		return nil, err
	}
	if len(blocked) > 0 {
		return nil, fault.Invalid("stage_blocked",
			"a part of the plan cannot be done as it is; correct what checks names and compile again").
			With("checks", blocked)
	}
	if len(open) > 0 && !force {
		return nil, fault.Invalid("readiness_unconfirmed",
			"some checks are not confirmed; check again, or accept the risk with force_apply").
			With("checks", open)
	}
	return open, nil
}

func (s *service) newApply(
	ctx context.Context, f *flowRow, kind string, result plan.Result, before, after graph.Graph,
) *applyRow {
	caller, now := access.From(ctx), s.now()
	a := &applyRow{
		ID: database.NewID(), FlowID: f.ID, Kind: kind, Stage: phaseBefore, Revision: f.DraftRevision,
		PlanHash: result.Plan.Hash, Bypassed: []BypassCheck{}, Hosts: orEmpty(result.Hosts), Steps: []stepRow{},
		Listens: map[string][]plan.Listen{}, StartedBy: caller.Username, AccountID: caller.AccountID, StartedAt: now,
		StagedAt: now, Stages: s.stages.Records(), CatalogueVersion: result.Plan.Catalogue,
	}
	if kind != kindDisable && kind != kindDelete {
		a.Graph = &after
	}
	a.Change = flowsapi.Apply{ID: a.ID, By: caller.Username, Change: s.changeOf(f, kind, before, after, result.Hosts)}
	a.say("starting")
	for _, step := range result.Plan.Steps {
		row := newStep(step, after)
		row.Listed = result.Fragments[step.NodeID].Listed
		a.Steps = append(a.Steps, row)
	}
	for id, part := range result.Fragments {
		a.Listens[id] = part.Listens
	}
	return a
}

// newStep is a step before its first stage; stages that it does not need are said to be skipped.
func newStep(step plan.Step, drawn graph.Graph) stepRow {
	row := stepRow{ApplyStep: ApplyStep{Step: step, State: "queued"}, Orders: map[string]string{}}
	for _, stage := range []string{"prepare", "test", "switch", "probe", "commit"} {
		st := StepStage{Stage: stage, State: "pending"}
		if step.Action == plan.ActionRemove && stage != "commit" {
			st.skip("only_drops")
		} else if stage == "probe" && step.Role != "entry" {
			st.skip(checkedBy(drawn))
		}
		row.Stages = append(row.Stages, st)
	}
	return row
}

// checkedBy says why no client goes through a node that is no entry.
func checkedBy(drawn graph.Graph) string {
	if len(drawn.Nodes) > 0 && len(plan.Entries(drawn)) == 0 {
		return "panel_serves"
	}
	return "checked_by_entry"
}

// startNoop notes that nothing had to be done; there is no new version.
func (s *service) startNoop(ctx context.Context, f *flowRow, a *applyRow) error {
	now := s.now()
	a.Stage, a.FinishedAt, a.VersionID, a.Stages = stateApplied, &now, f.InstalledVersionID, []stages.Record{}
	a.say("noop")
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		locked, err := s.store.locked(ctx, f.ID)
		if err != nil {
			return err
		}
		if err := s.store.insertApply(ctx, a); err != nil {
			return err
		}
		if err := s.store.compiledWith(ctx, a); err != nil {
			return err
		}
		locked.LastApplyID, locked.InstalledRevision = &a.ID, &a.Revision
		if err := s.store.updateFlow(ctx, locked, "last_apply_id", "installed_revision"); err != nil {
			return err
		}
		if err := s.record(
			ctx,
			flowsapi.EventApplySucceeded,
			locked,
			map[string]audit.Change{"noop": {To: true}},
		); err != nil {
			return err
		}
		return s.emit(ctx, flowsapi.EventApplySucceeded, f.ID, a.news(locked))
	})
	return database.Fault(err, constraints)
}

// start writes the apply down; from here on it is brought to an end, whatever happens to this panel.
func (s *service) start(ctx context.Context, f *flowRow, a *applyRow, result plan.Result) error {
	content, err := s.store.sealContent(a.ID, result.Fragments)
	if err != nil {
		return err
	}
	a.Content = content
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.startIn(ctx, f, a); err != nil {
			return err
		}
		return s.reach(ctx, a)
	})
	if err != nil {
		return database.Fault(err, constraints)
	}
	if a.PlanID != nil {
		s.checker.Cancel(*a.PlanID)
	}
	return nil
}

func (s *service) startIn(ctx context.Context, f *flowRow, a *applyRow) error {
	locked, err := s.store.locked(ctx, f.ID)
	if err != nil {
		return err
	}
	if a.Kind == kindApply && locked.DraftRevision != a.Revision {
		return fault.Conflict(
			"plan_revision_conflict",
			"the draft has moved on since this plan was compiled; compile it again",
		)
	}
	if a.Kind == kindDelete {
		if err := s.hooks.mayLeave(ctx, f.ID); err != nil {
			return err
		}
	}
	if err := s.hold(ctx, a); err != nil {
		return err
	}
	if err := s.store.insertApply(ctx, a); err != nil {
		return err
	}
	if a.PlanID != nil {
		if err := s.checker.Close(ctx, *a.PlanID); err != nil {
			return err
		}
	}
	if err := s.wakeApply(ctx, a.ID); err != nil {
		return err
	}
	locked.LastApplyID = &a.ID
	if err := s.store.updateFlow(ctx, locked, "last_apply_id"); err != nil {
		return err
	}
	return s.noteStart(ctx, locked, a)
}

// reach has the agents of the entries hold the clients of the flow, before anything is installed there.
func (s *service) reach(ctx context.Context, a *applyRow) error {
	if err := s.clients.Reach(ctx, a.FlowID, listing(a)...); err != nil {
		return fmt.Errorf("give the clients of a flow to its nodes: %w", err)
	}
	return nil
}

// listing gives the nodes of an apply whose agents let in the clients by a list.
func listing(a *applyRow) (nodeIDs []string) {
	for _, step := range a.Steps {
		if step.Listed {
			nodeIDs = append(nodeIDs, step.NodeID)
		}
	}
	return nodeIDs
}

// noteStart has one entry in the journal; who listens gets the start of every apply, and that it was forced besides.
func (s *service) noteStart(ctx context.Context, f *flowRow, a *applyRow) error {
	action, changes := flowsapi.EventApplyStarted, map[string]audit.Change{"apply": {To: a.ID}, "kind": {To: a.Kind}}
	if a.Kind == kindRestore && len(a.Steps) > 0 {
		changes["node"] = audit.Change{To: a.Steps[0].NodeName}
	}
	news := []string{flowsapi.EventApplyStarted}
	if a.Forced {
		action, changes["bypassed_checks"] = flowsapi.EventForceApplied, audit.Change{To: keysOf(a.Bypassed)}
		news = append(news, flowsapi.EventForceApplied)
	}
	if err := s.record(ctx, action, f, changes); err != nil {
		return err
	}
	for _, kind := range news {
		if err := s.emit(ctx, kind, f.ID, a.news(f)); err != nil {
			return err
		}
	}
	return nil
}

// news is what events say about the apply.
func (row *applyRow) news(f *flowRow) flowsapi.ApplyNews {
	return flowsapi.ApplyNews{
		Name: f.Name, ApplyID: row.ID, Kind: row.Kind, Detail: row.Detail, BypassedChecks: keysOf(row.Bypassed),
	}
}

// hold keeps the nodes of a new apply from being deleted until its row is there and answers for them. A removal does
// without nodes that are gone. Fault: plan_stale (409).
func (s *service) hold(ctx context.Context, a *applyRow) error {
	gone, err := s.nodes.Hold(ctx, stepNodes(a)...)
	if err != nil {
		return fmt.Errorf("hold the nodes of an apply: %w", err)
	}
	if len(gone) > 0 && !a.removal() {
		return stale("a node was deleted since this plan was compiled; compile the draft again")
	}
	return nil
}

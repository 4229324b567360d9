package flows

import (
	"context"
	"fmt"
	"slices"
	"time"

	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
)

// Kinds of applies and the stages that they go through. A stage is what has been decided; whatever follows from it is
// repeated until it is done, so that a panel that dies anywhere is continued by the next one.
const (
	kindApply   = "apply"
	kindEnable  = "enable"
	kindDisable = "disable"
	kindDelete  = "delete"

	stageWaiting    = "waiting"    // for the servers, which another flow may hold
	stagePreparing  = "preparing"  // every server fetches its candidate and its core tests it
	stageSwitching  = "switching"  // rank by rank, exits first
	stageProbing    = "probing"    // a real client goes through the new listener
	stageCommitting = "committing" // decided: this is installed
	stageReverting  = "reverting"  // decided: back to what is installed
	stageApplied    = "applied"
	stageFailed     = "apply_failed"
)

// apply starts the installation of a plan and gives its id. What is refused here has changed nothing on any server.
// Faults, in this order: plan_revision_conflict, apply_active, plan_stale, port_conflict (409), compile_failed,
// agent_offline, readiness_unconfirmed (422). Only the last one gives way to force.
func (s *service) apply(ctx context.Context, id, planID string, revision int, force bool) (string, error) {
	f, err := s.store.flow(ctx, id)
	if err != nil {
		return "", err
	}
	row, err := s.applicable(ctx, f, planID, revision)
	if err != nil {
		return "", err
	}
	result, nodes, err := s.compiled(ctx, f, row.Graph)
	if err != nil {
		return "", err
	}
	if err := s.unchanged(row, result); err != nil {
		return "", err
	}
	a := s.newApply(ctx, f, kindApply, result)
	a.PlanID, a.PlanHash, a.Graph = &row.ID, row.Hash, &row.Graph
	if result.Plan.IsNoop {
		return a.ID, s.startNoop(ctx, f, a)
	}
	if a.Bypassed, err = s.admitted(ctx, row, result, nodes, force); err != nil {
		return "", err
	}
	a.Forced = len(a.Bypassed) > 0
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
		return nil, fault.Conflict("plan_revision_conflict", "the draft has moved on since this plan was compiled; compile it again").
			With("plan_revision", row.Revision).With("draft_revision", f.DraftRevision)
	}
	if !s.now().Before(row.ExpiresAt) {
		return nil, stale("the plan is older than a day; compile the draft again")
	}
	return row, s.idle(ctx, f.ID)
}

// idle refuses while something of the flow is being installed; the index of the table keeps the rule.
func (s *service) idle(ctx context.Context, flowID string) error {
	busy, err := s.db.NewSelect().Model((*applyRow)(nil)).Where("flow_id = ? and finished_at is null", flowID).Exists(ctx)
	if err == nil && busy {
		return constraints["flow_applies_active"]
	}
	return database.Fault(err, nil)
}

func stale(detail string) error { return fault.Conflict("plan_stale", detail) }

// unchanged refuses a plan whose world has changed since it was compiled: servers, clients, other flows.
func (s *service) unchanged(row *planRow, result plan.Result) error {
	switch {
	case len(result.Plan.Conflicts) > 0:
		return portConflict(result.Plan.Conflicts)
	case len(result.Plan.Errors) > 0:
		return stale("the nodes have changed since this plan was compiled; compile the draft again")
	case result.Plan.Hash != row.Hash:
		return stale("the nodes or the clients have changed since this plan was compiled; compile the draft again")
	}
	return nil
}

func portConflict(conflicts []plan.Conflict) error {
	return fault.Conflict("port_conflict", "a port that the flow wants is taken; choose another one, or free it and check again").With("conflicts", conflicts)
}

// admitted checks that nothing stands in the way that no force passes, that every agent is there and that readiness is
// confirmed; with force it gives what was passed over.
func (s *service) admitted(ctx context.Context, row *planRow, result plan.Result, nodes map[string]nodesapi.Node, force bool) ([]BypassCheck, error) {
	found, err := s.store.checks(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	if held := heldPorts(found); len(held) > 0 {
		return nil, portConflict(held)
	}
	if inside := insideTargets(found); len(inside) > 0 {
		return nil, compileFailed(inside)
	}
	if away := offline(result.Plan.Steps, nodes); len(away) > 0 {
		return nil, agentOffline(away)
	}
	checks, open := joined(row.Plan.Readiness, found), []BypassCheck{}
	for _, c := range checks {
		if c.Status != plan.Confirmed {
			open = append(open, BypassCheck{Key: c.Key, NodeID: c.NodeID, Group: c.Group, Status: c.Status})
		}
	}
	if len(open) > 0 && !force {
		return nil, fault.Invalid("readiness_unconfirmed", "some checks are not confirmed; check again, or accept the risk with force_apply").With("checks", open)
	}
	return open, nil
}

// offline lists the servers that must answer and do not; a server that the flow only leaves may be away.
func offline(steps []plan.Step, nodes map[string]nodesapi.Node) []string {
	away := []string{}
	for _, step := range steps {
		if n, known := nodes[step.NodeID]; step.Action == plan.ActionConfigure && (!known || !n.Online) {
			away = append(away, step.NodeName)
		}
	}
	return away
}

func agentOffline(away []string) error {
	return fault.Invalid("agent_offline", "the agent of a node that has to change does not answer; bring it back and apply again").With("nodes", away)
}

func (s *service) newApply(ctx context.Context, f *flowRow, kind string, result plan.Result) *applyRow {
	caller, now := access.From(ctx), s.now()
	a := &applyRow{
		ID: database.NewID(), FlowID: f.ID, Kind: kind, Stage: stageWaiting, Revision: f.DraftRevision, Bypassed: []BypassCheck{},
		Hosts: orEmpty(result.Hosts), Steps: []stepRow{}, Listens: map[string][]plan.Listen{}, Detail: "waiting for the nodes", StartedBy: caller.Username,
		AccountID: caller.AccountID, StartedAt: now, StagedAt: now, LeaseUntil: now,
	}
	for _, step := range result.Plan.Steps {
		a.Steps = append(a.Steps, newStep(step))
	}
	for id, part := range result.Fragments {
		a.Listens[id] = part.Listens
	}
	return a
}

// newStep is a step before its first stage; stages that it does not need are said to be skipped.
func newStep(step plan.Step) stepRow {
	row := stepRow{ApplyStep: ApplyStep{Step: step, State: "queued"}, Orders: map[string]string{}}
	for _, stage := range []string{"prepare", "test", "switch", "probe", "commit"} {
		st := StepStage{Stage: stage, State: "pending"}
		if step.Action == plan.ActionRemove && stage != "commit" {
			st.State, st.Detail = "skipped", "the node only drops the flow"
		} else if stage == "probe" && step.Role != "entry" {
			st.State, st.Detail = "skipped", "the client that goes through the entry checks it"
		}
		row.Stages = append(row.Stages, st)
	}
	return row
}

// startNoop notes that nothing had to be done; there is no new version.
func (s *service) startNoop(ctx context.Context, f *flowRow, a *applyRow) error {
	now := s.now()
	a.Stage, a.FinishedAt, a.Detail, a.VersionID = stageApplied, &now, "nothing to change: this is installed already", f.InstalledVersionID
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		locked, err := s.store.locked(ctx, f.ID)
		if err != nil {
			return err
		}
		if err := s.store.insert(ctx, a); err != nil {
			return err
		}
		locked.LastApplyID, locked.InstalledRevision = &a.ID, &a.Revision
		if err := s.store.updateFlow(ctx, locked, "last_apply_id", "installed_revision"); err != nil {
			return err
		}
		return s.record(ctx, "flow.apply_succeeded", locked, map[string]audit.Change{"noop": {To: true}})
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
	err = s.db.InTx(ctx, func(ctx context.Context) error { return s.startIn(ctx, f, a) })
	if err != nil {
		return database.Fault(err, constraints)
	}
	s.tell(ctx, "flow.apply_started", f.ID, map[string]string{"apply_id": a.ID, "kind": a.Kind})
	if a.Forced {
		s.tell(ctx, "flow.force_applied", f.ID, map[string]any{"apply_id": a.ID, "bypassed_checks": a.Bypassed})
	}
	if a.PlanID != nil {
		s.decided(*a.PlanID)
	}
	s.stir()
	return nil
}

func (s *service) startIn(ctx context.Context, f *flowRow, a *applyRow) error {
	locked, err := s.store.locked(ctx, f.ID)
	if err != nil {
		return err
	}
	if a.Kind == kindApply && locked.DraftRevision != a.Revision {
		return fault.Conflict("plan_revision_conflict", "the draft has moved on since this plan was compiled; compile it again")
	}
	if err := s.store.insert(ctx, a); err != nil {
		return err
	}
	locked.LastApplyID = &a.ID
	if err := s.store.updateFlow(ctx, locked, "last_apply_id"); err != nil {
		return err
	}
	action, changes := "flow.apply_started", map[string]audit.Change{"apply": {To: a.ID}, "kind": {To: a.Kind}}
	if a.Forced {
		action, changes["bypassed_checks"] = "flow.force_applied", audit.Change{To: keysOf(a.Bypassed)}
	}
	return s.record(ctx, action, locked, changes)
}

func keysOf(checks []BypassCheck) []string {
	keys := make([]string, len(checks))
	for i, c := range checks {
		keys[i] = c.Key + " " + c.Status
	}
	return keys
}

// timeToAnswer is what a request keeps of its own time for the answer after a wait: the apply has begun and must be shown.
const timeToAnswer = 3 * time.Second

// longestWait is the time of a request that waits for the end of its apply as long as it may.
const longestWait = 30 * time.Second

// await waits until an apply has ended, at most for the given time, and holds nothing while it waits.
func (s *service) await(ctx context.Context, flowID, applyID string, limit time.Duration) error {
	if until, bounded := ctx.Deadline(); bounded {
		early, stop := context.WithDeadline(ctx, until.Add(-timeToAnswer))
		defer stop()
		ctx = early
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	news := s.bus.Subscribe(ctx)
	const look = 500 * time.Millisecond
	for {
		ended, err := s.store.ended(context.WithoutCancel(ctx), applyID)
		if err != nil || ended || ctx.Err() != nil {
			return err
		}
		s.untilNews(ctx, news, flowID, look)
	}
}

func (s *service) untilNews(ctx context.Context, news <-chan events.Event, flowID string, look time.Duration) {
	later := s.clock.After(look)
	for {
		select {
		case <-ctx.Done():
			return
		case <-later:
			return
		case event, open := <-news:
			if !open {
				news = nil
			} else if event.SubjectID == flowID {
				return
			}
		}
	}
}

// disable takes the flow off its servers; enable puts the installed version back with today's clients.
func (s *service) disable(ctx context.Context, id string) (string, error) {
	f, err := s.store.flow(ctx, id)
	if err != nil {
		return "", err
	}
	return s.remove(ctx, f, kindDisable)
}

// delete removes the flow: at once when it was never installed, else after its servers were told to drop it.
func (s *service) delete(ctx context.Context, id string) (string, error) {
	f, err := s.store.flow(ctx, id)
	if err != nil {
		return "", err
	}
	return s.remove(ctx, f, kindDelete)
}

func (s *service) remove(ctx context.Context, f *flowRow, kind string) (string, error) {
	installed, err := s.store.installed(ctx, f.ID)
	if err != nil {
		return "", err
	}
	a := s.newApply(ctx, f, kind, plan.Result{})
	nodes, err := s.servers.byID(ctx, slicesOfKeys(installed))
	if err != nil {
		return "", fmt.Errorf("look up the nodes of a flow: %w", err)
	}
	for i, id := range slicesOfKeys(installed) {
		a.Steps = append(a.Steps, newStep(plan.Step{
			Order: i + 1, NodeID: id, NodeName: names(nodes, id), Role: "none", Action: plan.ActionRemove, Interruption: plan.Reload,
			Detail: "the flow leaves this node",
		}))
	}
	return a.ID, s.start(ctx, f, a, plan.Result{Fragments: map[string]plan.Fragment{}})
}

func slicesOfKeys(m map[string]plan.Fragment) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// enable installs the drawing of the installed version again.
// Faults: plan_stale, port_conflict (409), compile_failed, agent_offline (422).
func (s *service) enable(ctx context.Context, id string) (string, error) {
	f, err := s.store.flow(ctx, id)
	if err != nil {
		return "", err
	}
	if f.InstalledVersionID == nil {
		return "", stale("the flow was never installed; compile the draft and apply it")
	}
	version, err := s.store.version(ctx, id, *f.InstalledVersionID)
	if err != nil {
		return "", err
	}
	result, nodes, err := s.compiled(ctx, f, version.Graph)
	if err != nil {
		return "", err
	}
	if err := s.installable(result, nodes); err != nil {
		return "", err
	}
	a := s.newApply(ctx, f, kindEnable, result)
	a.Revision, a.VersionID, a.Graph = version.Revision, &version.ID, &version.Graph
	return a.ID, s.start(ctx, f, a, result)
}

func (s *service) installable(result plan.Result, nodes map[string]nodesapi.Node) error {
	if len(result.Plan.Conflicts) > 0 {
		return portConflict(result.Plan.Conflicts)
	}
	if len(result.Plan.Errors) > 0 {
		return compileFailed(result.Plan.Errors)
	}
	if away := offline(result.Plan.Steps, nodes); len(away) > 0 {
		return agentOffline(away)
	}
	return nil
}

func drawnOr(g *graph.Graph) graph.Graph {
	if g == nil {
		return graph.Graph{}
	}
	return *g
}

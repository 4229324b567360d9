package flows

import (
	"context"
	"fmt"
	"slices"
	"time"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/conflicts"
	"panel/modules/flows/internal/found"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/modules/flows/internal/readiness"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
)

// planLife is how long a plan may be applied.
const planLife = 24 * time.Hour

// preview compiles the draft, or a drawing that was not saved yet, and stores nothing.
func (s *service) preview(ctx context.Context, id string, drawn *graph.Graph) (plan.Plan, error) {
	f, err := s.store.flow(ctx, id)
	if err != nil {
		return plan.Plan{}, err
	}
	if drawn == nil {
		drawn = &f.Graph
	}
	g, brought, err := withoutKeys(*drawn)
	if err != nil {
		return plan.Plan{}, err
	}
	result, nodes, err := s.compiled(ctx, f, g, brought, 0)
	if err != nil {
		return plan.Plan{}, err
	}
	p := result.Plan
	forbidden, err := s.forbidden(ctx, f, g)
	if err != nil {
		return plan.Plan{}, err
	}
	p.Errors = append(p.Errors, forbidden...)
	if err := s.withStages(ctx, f, *drawn, result, &p); err != nil {
		return plan.Plan{}, err
	}
	stale, err := s.hooks.targets.Problems(ctx, g, s.now())
	if err != nil {
		return plan.Plan{}, err
	}
	p.Errors = append(p.Errors, stale...)
	p.Obstacles = obstacles(&p, nil, nodes)
	p.CreatedAt, p.ExpiresAt, p.CreatedBy = s.now(), s.now(), access.From(ctx).Username
	return p, nil
}

func (s *service) compiled(
	ctx context.Context,
	f *flowRow,
	g graph.Graph,
	brought map[string]string, // private keys that came with the drawing
	catalogue int, // the version that its sets come from; 0: the newest one
) (plan.Result, map[string]nodesapi.Node, error) {
	in, nodes, err := s.input(ctx, f, g, brought, catalogue)
	if err != nil {
		return plan.Result{}, nil, err
	}
	s.compilations.Add(1)
	result := s.results.Compile(in)
	if len(result.Plan.Errors) > 0 {
		return result, nodes, nil
	}
	if missing := s.lacking(in, result.Hosts, nodes); len(missing) > 0 {
		result = result.Refused(missing)
	}
	return result, nodes, nil
}

// compile makes a plan of the draft and asks the nodes about readiness; it does not wait for them.
// Faults: invalid_value, compile_failed, custom_plan_not_enabled, target_suitability_stale (422) with the problems as
// errors[]; then nothing is stored.
func (s *service) compile(ctx context.Context, id string, wish *plan.CanaryWish) (plan.Plan, error) {
	f, err := s.store.flow(ctx, id)
	if err != nil {
		return plan.Plan{}, err
	}
	if err := possible(wish); err != nil {
		return plan.Plan{}, err
	}
	result, nodes, err := s.compiled(ctx, f, f.Graph, nil, 0)
	if err != nil {
		return plan.Plan{}, err
	}
	forbidden, err := s.forbidden(ctx, f, f.Graph)
	if err != nil {
		return plan.Plan{}, err
	}
	problems := slices.Concat(result.Plan.Errors, plan.Findings(result.Plan.Conflicts), forbidden)
	if err := refused(problems); err != nil {
		return plan.Plan{}, err
	}
	if err := s.freshTargets(ctx, f.Graph); err != nil {
		return plan.Plan{}, err
	}
	if err := s.withStages(ctx, f, f.Graph, result, &result.Plan); err != nil {
		return plan.Plan{}, err
	}
	if wish != nil && !result.Plan.IsNoop {
		if result.Plan.Canary, err = s.chosen(ctx, f, f.Graph, *wish, result); err != nil {
			return plan.Plan{}, err
		}
	}
	row, err := s.planRow(ctx, f, result)
	if err != nil {
		return plan.Plan{}, err
	}
	if err := s.storePlan(ctx, row); err != nil {
		return plan.Plan{}, err
	}
	row.Plan.Checking = row.Checking
	row.Plan.Readiness = marked(row.Plan.Readiness, row.Plan.Steps, nodes)
	row.Plan.Obstacles = obstacles(&row.Plan, nil, nodes)
	return row.Plan, nil
}

// freshTargets refuses a drawing whose found targets have no up-to-date result. Fault: target_suitability_stale (422).
func (s *service) freshTargets(ctx context.Context, g graph.Graph) error {
	problems, err := s.hooks.targets.Problems(ctx, g, s.now())
	if err != nil {
		return err
	}
	return found.Fault(problems)
}

// mostTold bounds the problems in one answer.
const mostTold = 20

func compileFailed(problems []graph.Problem) error {
	return problemFault(fault.Invalid("compile_failed", "the draft cannot be compiled; correct what errors names"),
		problems)
}

func problemFault(f *fault.Fault, problems []graph.Problem) error {
	problems = problems[:min(mostTold, len(problems))]
	f = f.With("problems", problems)
	for _, p := range problems {
		f = f.Field(p.Path, p.Code, p.Message)
	}
	return f
}

func (s *service) planRow(ctx context.Context, f *flowRow, result plan.Result) (*planRow, error) {
	now, by, p := s.now(), access.From(ctx).Username, result.Plan
	p.ID, p.State, p.CreatedAt, p.CreatedBy, p.ExpiresAt = database.NewID(), "ready", now, by, now.Add(planLife)
	content, err := s.store.sealPlan(p.ID, planned{result.Fragments, result.Hosts})
	return &planRow{
		ID: p.ID, FlowID: f.ID, Revision: p.Revision, Hash: p.Hash, Plan: p, Graph: f.Graph, CreatedAt: now,
		CreatedBy: by,
		ExpiresAt: p.ExpiresAt, Fingerprint: result.Fingerprint, Content: content,
	}, err
}

// planned is what a plan would install.
type planned struct {
	Fragments map[string]plan.Fragment `json:"fragments"`
	Hosts     []plan.Host              `json:"hosts"`
}

func (s *service) storePlan(ctx context.Context, row *planRow) error {
	asks := slices.ContainsFunc(row.Plan.Readiness, func(c plan.Check) bool { return c.Probe != plan.Probe{} })
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		f, err := s.store.locked(ctx, row.FlowID)
		if err != nil {
			return err
		}
		row.Checking = asks
		if err := database.Copy(ctx, s.db, []planRow{*row}); err != nil {
			return err
		}
		if err := readiness.Insert(ctx, s.db, row.ID, row.Plan.Readiness); err != nil {
			return err
		}
		if err := s.wakeChecks(ctx, row.ID); err != nil {
			return err
		}
		if err := s.prunePlans(ctx, row); err != nil {
			return err
		}
		f.CompiledRevision = &row.Revision
		if err := s.store.updateFlow(ctx, f, "compiled_revision"); err != nil {
			return err
		}
		changes := map[string]audit.Change{"plan": {To: row.ID}, "revision": {To: row.Revision}}
		if err := s.record(ctx, flowsapi.EventCompiled, f, changes); err != nil {
			return err
		}
		return s.emit(ctx, flowsapi.EventCompiled, f.ID, flowsapi.PlanNews{PlanID: row.ID, Revision: row.Revision})
	})
	return database.Fault(err, nil)
}

// planned gives what a stored plan installs. As long as nothing that it was compiled from has changed and no port was
// taken, that is what was stored; else it is compiled again. Faults: plan_stale, port_conflict, domain_conflict (409).
func (s *service) planned(
	ctx context.Context,
	f *flowRow,
	row *planRow,
) (plan.Result, map[string]nodesapi.Node, error) {
	if same, nodes, err := s.stillPlanned(ctx, f, row); err != nil || same != nil {
		if same == nil {
			same = new(plan.Result)
		}
		return *same, nodes, err
	}
	result, nodes, err := s.compiled(ctx, f, row.Graph, nil, 0)
	if err != nil {
		return result, nil, err
	}
	row.Fingerprint = result.Fingerprint
	return result, nodes, unchanged(row.Hash, result)
}

func (s *service) stillPlanned(
	ctx context.Context,
	f *flowRow,
	row *planRow,
) (*plan.Result, map[string]nodesapi.Node, error) {
	in, nodes, err := s.facts(ctx, f, row.Graph, 0)
	if err != nil || row.Fingerprint == "" || in.Fingerprint() != row.Fingerprint {
		return nil, nil, err
	}
	stored, err := s.store.openPlan(ctx, row.ID)
	if err != nil || stored == nil || plan.Taken(in, stored.Fragments) {
		return nil, nil, err
	}
	return &plan.Result{
		Plan: row.Plan, Fragments: stored.Fragments, Hosts: stored.Hosts, Fingerprint: row.Fingerprint,
	}, nodes, nil
}

// fingerprint names what the drawing would be compiled from now.
func (s *service) fingerprint(ctx context.Context, f *flowRow, g graph.Graph, catalogue int) (string, error) {
	in, _, err := s.facts(ctx, f, g, catalogue)
	return in.Fingerprint(), err
}

// prunePlans drops plans that have been expired for a week; what was applied lives on in its version. Of the flow's
// plans the newest alone keeps its content; an older one is compiled again when it is applied.
func (s *service) prunePlans(ctx context.Context, newest *planRow) error {
	const storedFor = 7 * 24 * time.Hour
	_, err := s.db.In(ctx).NewDelete().Model((*planRow)(nil)).
		Where("flow_id = ? and expires_at < ?", newest.FlowID, newest.CreatedAt.Add(-storedFor)).Exec(ctx)
	if err != nil {
		return database.Fault(err, nil)
	}
	_, err = s.db.In(ctx).NewUpdate().Model((*planRow)(nil)).Set("content = ''").
		Where("flow_id = ? and id <> ? and content <> ''", newest.FlowID, newest.ID).Exec(ctx)
	return database.Fault(err, nil)
}

// plan gives a stored plan with the evidence found up to now.
func (s *service) plan(ctx context.Context, id, planID string) (plan.Plan, error) {
	f, err := s.store.flow(ctx, id)
	if err != nil {
		return plan.Plan{}, err
	}
	row, err := s.store.plan(ctx, id, planID)
	if err != nil {
		return plan.Plan{}, err
	}
	evidence, err := readiness.Of(ctx, s.db, row.ID)
	if err != nil {
		return plan.Plan{}, err
	}
	p := &row.Plan
	nodes, err := s.nodes.byID(ctx, validIDs(stepsNodes(p.Steps)))
	if err != nil {
		return plan.Plan{}, fmt.Errorf("look up the nodes of a plan: %w", err)
	}
	p.Checking = row.Checking
	p.State, p.Readiness = s.planState(f, row), marked(readiness.Joined(p.Readiness, evidence), p.Steps, nodes)
	p.Diff.Other, p.Sharing = orEmpty(p.Diff.Other), orEmpty(p.Sharing) // earlier plans had none
	p.Conflicts = append(orEmpty(p.Conflicts), readiness.HeldPorts(evidence)...)
	stale, err := s.hooks.targets.Problems(ctx, row.Graph, s.now())
	if err != nil {
		return plan.Plan{}, err
	}
	p.Obstacles = append(obstacles(p, evidence, nodes), found.Obstacles(stale)...)
	return row.Plan, nil
}

func stepsNodes(steps []plan.Step) []string {
	ids := make([]string, len(steps))
	for i, step := range steps {
		ids[i] = step.NodeID
	}
	return ids
}

func (s *service) planState(f *flowRow, row *planRow) string {
	switch {
	case row.AppliedAt != nil:
		return "applied"
	case row.Revision != f.DraftRevision:
		return "stale"
	case !s.now().Before(row.ExpiresAt):
		return "expired"
	}
	return "ready"
}

// recheck asks the nodes again about everything that is not confirmed.
func (s *service) recheck(ctx context.Context, id, planID string) (plan.Plan, error) {
	if _, err := s.store.plan(ctx, id, planID); err != nil {
		return plan.Plan{}, err
	}
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.checker.Open(ctx, planID); err != nil {
			return err
		}
		return s.wakeChecks(ctx, planID)
	})
	if err != nil {
		return plan.Plan{}, database.Fault(err, nil)
	}
	return s.plan(ctx, id, planID)
}

func nodeName(nodes map[string]nodesapi.Node, id string) string {
	if n, known := nodes[id]; known {
		return n.Name
	}
	return fmt.Sprintf("node %s", id)
}

// marked says of each check which force passes: what is not confirmed, unless it blocks or its node has to answer
// anyway.
func marked(checks []plan.Check, steps []plan.Step, nodes map[string]nodesapi.Node) []plan.Check {
	away := map[string]bool{}
	for _, n := range offline(steps, nodes) {
		away[n.NodeID] = true
	}
	for i := range checks {
		c := &checks[i]
		c.Forceable = c.Status != plan.Confirmed && !c.Blocks && !away[c.NodeID]
	}
	return checks
}

// obstacles are the reasons at this moment that no force passes.
func obstacles(p *plan.Plan, evidence []readiness.Row, nodes map[string]nodesapi.Node) []plan.Obstacle {
	out := []plan.Obstacle{}
	for _, n := range offline(p.Steps, nodes) {
		out = append(out, plan.Obstacle{
			Code: "agent_offline", NodeID: n.NodeID, NodeName: n.NodeName,
			Finding: plan.Say("agent_offline", "the agent of "+n.NodeName+" does not answer", "node", n.NodeName),
		})
	}
	for _, c := range p.Conflicts {
		out = append(out, conflicts.Obstacle(c, nodeName(nodes, c.NodeID)))
	}
	for _, t := range readiness.InsideTargets(evidence) {
		out = append(out, plan.Obstacle{Code: t.Code, Path: t.Path, Finding: plan.Say(t.Code, t.Message)})
	}
	for _, c := range p.Readiness {
		if c.Blocks && c.Group == plan.GroupStages {
			out = append(out, plan.Obstacle{
				Code: conflicts.StageCode(c), NodeID: c.NodeID, NodeName: c.NodeName,
				Finding: c.Finding,
			})
		}
	}
	return out
}

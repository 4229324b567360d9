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
	result, _, err := s.compiled(ctx, f, *drawn)
	if err != nil {
		return plan.Plan{}, err
	}
	p := result.Plan
	p.CreatedAt, p.ExpiresAt, p.CreatedBy = s.now(), s.now(), access.From(ctx).Username
	return p, nil
}

func (s *service) compiled(ctx context.Context, f *flowRow, g graph.Graph) (plan.Result, map[string]nodesapi.Node, error) {
	in, nodes, err := s.input(ctx, f, g)
	if err != nil {
		return plan.Result{}, nil, err
	}
	return plan.Compile(in), nodes, nil
}

// compile makes a plan of the draft and asks the servers about readiness; it does not wait for them.
// Faults: compile_failed (422) with the problems as errors[]; nothing is stored then.
func (s *service) compile(ctx context.Context, id string) (plan.Plan, error) {
	f, err := s.store.flow(ctx, id)
	if err != nil {
		return plan.Plan{}, err
	}
	result, nodes, err := s.compiled(ctx, f, f.Graph)
	if err != nil {
		return plan.Plan{}, err
	}
	if len(result.Plan.Errors) > 0 {
		return plan.Plan{}, compileFailed(result.Plan.Errors)
	}
	row := s.planRow(ctx, f, result.Plan)
	if err := s.storePlan(ctx, row, nodes); err != nil {
		return plan.Plan{}, err
	}
	s.tell(ctx, "flow.compiled", id, map[string]any{"plan_id": row.ID, "revision": row.Revision})
	s.stir()
	return row.Plan, nil
}

// mostTold bounds the problems in one answer.
const mostTold = 20

func compileFailed(problems []graph.Problem) error {
	problems = problems[:min(mostTold, len(problems))]
	f := fault.Invalid("compile_failed", "the draft cannot be compiled; correct what errors names").With("problems", problems)
	for _, p := range problems {
		f = f.Field(p.Path, p.Code, p.Message)
	}
	return f
}

func (s *service) planRow(ctx context.Context, f *flowRow, p plan.Plan) *planRow {
	now, by := s.now(), access.From(ctx).Username
	p.ID, p.State, p.CreatedAt, p.CreatedBy, p.ExpiresAt = database.NewID(), "ready", now, by, now.Add(planLife)
	return &planRow{
		ID: p.ID, FlowID: f.ID, Revision: p.Revision, Hash: p.Hash, Plan: p, Graph: f.Graph, CreatedAt: now, CreatedBy: by, ExpiresAt: p.ExpiresAt,
	}
}

func (s *service) storePlan(ctx context.Context, row *planRow, nodes map[string]nodesapi.Node) error {
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		f, err := s.store.locked(ctx, row.FlowID)
		if err != nil {
			return err
		}
		if len(row.Plan.Readiness) > 0 {
			soon := s.now()
			row.AskUntil = &soon
		}
		if err := s.store.insert(ctx, row); err != nil {
			return err
		}
		for _, c := range row.Plan.Readiness {
			if err := s.store.insert(ctx, unasked(row.ID, c)); err != nil {
				return err
			}
		}
		if err := s.prunePlans(ctx, row); err != nil {
			return err
		}
		f.CompiledRevision = &row.Revision
		if err := s.store.updateFlow(ctx, f, "compiled_revision"); err != nil {
			return err
		}
		return s.record(ctx, "flow.compiled", f, map[string]audit.Change{"plan": {To: row.ID}, "revision": {To: row.Revision}})
	})
	return database.Fault(err, nil)
}

// prunePlans drops plans that have been expired for a week; what was applied lives on in its version.
func (s *service) prunePlans(ctx context.Context, newest *planRow) error {
	const keptFor = 7 * 24 * time.Hour
	_, err := s.db.In(ctx).NewDelete().Model((*planRow)(nil)).Where("flow_id = ? and expires_at < ?", newest.FlowID, newest.CreatedAt.Add(-keptFor)).Exec(ctx)
	return database.Fault(err, nil)
}

func unasked(planID string, c plan.Check) *checkRow {
	return &checkRow{
		PlanID: planID, Key: c.Key, NodeID: c.NodeID, Ask: c.Ask, Status: plan.Unconfirmed, Evidence: "waiting for the node's answer",
	}
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
	found, err := s.store.checks(ctx, row.ID)
	row.Plan.State, row.Plan.Readiness = s.planState(f, row), joined(row.Plan.Readiness, found)
	row.Plan.Conflicts = append(orEmpty(row.Plan.Conflicts), heldPorts(found)...)
	return row.Plan, err
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

// joined is the plan's questions with the evidence that was found.
func joined(asked []plan.Check, found []checkRow) []plan.Check {
	out := slices.Clone(asked)
	for i := range out {
		for _, c := range found {
			if c.Key == out[i].Key {
				out[i].Status, out[i].Evidence, out[i].ObservedAt, out[i].Ask = c.Status, c.Evidence, c.ObservedAt, c.Ask
			}
		}
	}
	return out
}

// recheck asks the servers again about everything that is not confirmed.
func (s *service) recheck(ctx context.Context, id, planID string) (plan.Plan, error) {
	if _, err := s.store.plan(ctx, id, planID); err != nil {
		return plan.Plan{}, err
	}
	_, err := s.db.NewUpdate().Model((*planRow)(nil)).Set("ask_until = ?", s.now()).Set("asker = ''").Where("id = ?", planID).Exec(ctx)
	if err != nil {
		return plan.Plan{}, database.Fault(err, nil)
	}
	s.stir()
	return s.plan(ctx, id, planID)
}

// stir wakes the runner of this panel; another panel's runner looks by itself.
func (s *service) stir() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func names(nodes map[string]nodesapi.Node, id string) string {
	if n, known := nodes[id]; known {
		return n.Name
	}
	return fmt.Sprintf("node %s", id)
}

package flows

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/governed"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/modules/flows/internal/served"
	"panel/modules/flows/internal/stages"
	"panel/modules/flows/internal/words"
	"panel/modules/nodes/nodesapi"
	"panel/platform/database"
	"panel/platform/fault"
)

func say(code string, params ...string) plan.Text { return words.Say(code, params...) }

func (row *applyRow) say(code string, params ...string) {
	row.Text = say(code, params...)
	row.Detail = row.Text.Text
}

// before gives the stages before the nodes their turns; no node is locked. What an earlier apply of the flow has left
// to undo comes first: undoing it later would take away what this one did.
func (r *runner) before(ctx context.Context, row *applyRow) error {
	left, err := r.undosLeft(ctx, row.FlowID)
	if err != nil {
		return err
	}
	if left != "" {
		return r.undoFirst(ctx, row, left)
	}
	over, err := r.turn(ctx, row, flowsapi.BeforePrepare)
	if err != nil || row.Stage != phaseBefore {
		return err
	}
	if !over {
		return r.save(ctx, row)
	}
	r.enter(row, phaseWaiting, "waiting_nodes")
	return r.begin(ctx, row)
}

// undoFirst waits for the undoing of an earlier apply, for a time.
func (r *runner) undoFirst(ctx context.Context, row *applyRow, stage string) error {
	if r.now().Sub(row.StartedAt) > stages.UsualLimit {
		return r.fail(ctx, row, StepError{
			Code: "undo_pending", Stage: stage, Message: stage + " could not undo yet what it did for an earlier apply",
		})
	}
	if row.Text.Code != "undo_first" { // once; then at its own pace
		if err := r.hurryUndos(ctx, row.FlowID); err != nil {
			return err
		}
	}
	row.say("undo_first", "stage", stage)
	row.wait = time.Second
	return r.save(ctx, row)
}

// turn calls the stages of a point, one in each step, and reports whether all have had their turns. That a stage was
// called is written down before the call.
func (r *runner) turn(ctx context.Context, row *applyRow, at flowsapi.Point) (over bool, err error) {
	rec := stages.Next(row.Stages, at)
	if rec == nil {
		return true, nil
	}
	now := r.now()
	if r.stages.Late(rec, now) {
		rec.State, rec.FinishedAt = stages.Failed, &now
		return false, r.fail(
			ctx,
			row,
			StepError{Code: "stage_deadline", Stage: rec.Name, Message: rec.Name + " took too long"},
		)
	}
	if row.wait = rec.Wait(now); row.wait > 0 {
		return false, nil
	}
	rec.Begin(now)
	row.say("stage_running", "stage", rec.Name)
	if err := r.keep(ctx, row); err != nil {
		return false, err
	}
	r.stages.Do(ctx, rec, row.Change, r.now)
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case rec.State == stages.Failed:
		return false, r.fail(ctx, row, StepError{Code: "stage_failed", Stage: rec.Name, Message: rec.Name + ": " +
			rec.Error})
	case rec.State == stages.Waiting && at == flowsapi.BeforeSwitch:
		return false, r.park(ctx, row, rec)
	case rec.State == stages.Waiting:
		row.say("stage_waiting", "stage", rec.Name)
		row.wait = rec.Wait(r.now())
	}
	return false, nil
}

// park gives the nodes back while a stage before the switch waits: they are prepared again when it goes on.
func (r *runner) park(ctx context.Context, row *applyRow, rec *stages.Record) error {
	r.enter(row, phaseParking, "parking", "stage", rec.Name)
	return r.keep(ctx, row)
}

func (r *runner) parking(ctx context.Context, row *applyRow) error {
	reverted, err := r.revertNodes(ctx, row)
	if err != nil || !reverted {
		return err
	}
	for i := range row.Steps {
		was := row.Steps[i]
		row.Steps[i] = newStep(was.Step, drawnOr(row.Graph))
		row.Steps[i].Listed, row.Steps[i].Canary = was.Listed, was.Canary
	}
	row.NodesSince = nil
	row.Stage, row.StagedAt = phaseWaiting, r.now() // it still says what it waits for
	return r.db.InTx(ctx, func(ctx context.Context) error {
		if err := r.keep(ctx, row); err != nil {
			return err
		}
		return r.unlock(ctx, row)
	})
}

// resumed reports whether an apply may take its nodes: none is taken while a stage before the switch waits.
func (r *runner) resumed(ctx context.Context, row *applyRow) (bool, error) {
	rec := stages.Next(row.Stages, flowsapi.BeforeSwitch)
	if rec == nil || rec.State != stages.Waiting {
		return true, nil
	}
	now := r.now()
	if r.stages.Late(rec, now) {
		rec.State, rec.FinishedAt = stages.Failed, &now
		return false, r.fail(
			ctx,
			row,
			StepError{Code: "stage_deadline", Stage: rec.Name, Message: rec.Name + " took too long"},
		)
	}
	row.wait = rec.Wait(now)
	return row.wait == 0, nil
}

// undoing lets the stages that were begun undo what they did, the last one first. One that cannot within its limit is
// left to a followup, so that the flow is free again.
func (r *runner) undoing(ctx context.Context, row *applyRow) error {
	rec := stages.NextUndo(row.Stages)
	if rec == nil {
		return r.failed(ctx, row)
	}
	now := r.now()
	if rec.State != stages.Undoing {
		rec.BeginUndo(now)
		if err := r.keep(ctx, row); err != nil {
			return err
		}
	}
	if r.stages.UndoLate(rec, now) {
		rec.State, rec.FinishedAt = stages.UndoFailed, &now
		return r.keep(ctx, row)
	}
	r.stages.Undo(ctx, rec, row.Change, r.now)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if rec.State == stages.Undoing {
		row.wait = patience(r.now().Sub(*rec.UndoneFrom))
	}
	return r.keep(ctx, row)
}

// patience is the pause before something is tried again that has failed for a time: as long as that, within bounds.
func patience(failing time.Duration) time.Duration {
	const shortest, longest = 500 * time.Millisecond, 10 * time.Minute
	return min(max(failing, shortest), longest)
}

// rendered makes sure, with the nodes in hand, that what is about to be installed is what would come out now: clients,
// bindings and nodes may have changed while the apply waited.
func (r *runner) rendered(ctx context.Context, row *applyRow) error {
	if row.Graph == nil || row.Kind == kindRestore { // what is installed is restored as it is
		return nil
	}
	f := new(flowRow)
	if err := r.db.NewSelect().Model(f).Where("id = ?", row.FlowID).Scan(ctx); err != nil {
		return database.Fault(err, nil)
	}
	if refused, err := r.forbids(ctx, f, row); err != nil || refused {
		return err
	}
	print, err := r.fingerprint(ctx, f, *row.Graph, row.CatalogueVersion)
	if err != nil || print == row.Fingerprint {
		return err
	}
	result, _, err := r.compiled(ctx, f, *row.Graph, nil, row.CatalogueVersion)
	if err != nil {
		return err
	}
	err = unchanged(row.PlanHash, result)
	var refused *fault.Fault
	if errors.As(err, &refused) {
		return r.fail(ctx, row, StepError{Code: refused.Code, Message: refused.Detail})
	}
	return err
}

// forbidden says what of a drawing the policies of the flow do not let be, whatever was compiled before.
func (s *service) forbidden(ctx context.Context, f *flowRow, g graph.Graph) ([]graph.Problem, error) {
	if !s.hooks.policies.Anybody() {
		return nil, nil
	}
	named, err := s.hooks.policies.Resolve(ctx, g, 0)
	if err != nil {
		return nil, err
	}
	d := governed.Drawn(f.ID, g, named.Graph)
	if d.Pools, err = s.hooks.pools(ctx, g); err != nil {
		return nil, err
	}
	d.Clients = func(ctx context.Context) (int, error) { return s.activeClients(ctx, f.ID) }
	return s.hooks.policies.Judge(ctx, d)
}

// permitted refuses what the policies of a flow forbid. Faults: compile_failed, custom_plan_not_enabled (422).
func (s *service) permitted(ctx context.Context, f *flowRow, g graph.Graph) error {
	problems, err := s.forbidden(ctx, f, g)
	if err != nil {
		return err
	}
	return refused(problems)
}

// refused turns problems into a fault; nil without any. A fault of its own says that nothing but the enabling of custom
// plans is missing.
func refused(problems []graph.Problem) error {
	if len(problems) == 0 {
		return nil
	}
	other := func(p graph.Problem) bool { return p.Code != flowsapi.PlanNotEnabled }
	if slices.ContainsFunc(problems, other) {
		return compileFailed(problems)
	}
	return problemFault(fault.Invalid("custom_plan_not_enabled",
		"no policy of the flow enables a version of a custom plan that it uses"), problems)
}

// forbids fails an apply that somebody has started when the policies of the flow have come to forbid it. What runs
// already and is only rendered again is left alone.
func (r *runner) forbids(ctx context.Context, f *flowRow, row *applyRow) (bool, error) {
	if row.Kind == kindRerender {
		return false, nil
	}
	problems, err := r.forbidden(ctx, f, *row.Graph)
	if err != nil || len(problems) == 0 {
		return false, err
	}
	first := problems[0]
	return true, r.fail(ctx, row, StepError{
		Code: first.Code, Message: first.Message, Policy: first.Policy, Rule: first.Rule, RuleName: first.RuleName,
	})
}

// changeOf is what stages are told about an apply.
func (s *service) changeOf(f *flowRow, kind string, before, after graph.Graph, hosts []plan.Host) flowsapi.Change {
	return flowsapi.Change{
		FlowID: f.ID, FlowName: f.Name, OwnerID: f.OwnerID, Kind: kind,
		Before: entriesOf(f.ID, before, f.InstalledHosts), After: entriesOf(f.ID, after, hosts),
	}
}

func entriesOf(flowID string, g graph.Graph, hosts []plan.Host) []flowsapi.Entry {
	out := []flowsapi.Entry{}
	for _, h := range hosts {
		i := g.Find(h.Block)
		if i < 0 || g.Nodes[i].Params.Listener == nil {
			continue
		}
		l := g.Nodes[i].Params.Listener.Filled()
		out = append(out, flowsapi.Entry{
			Block: h.Block, NodeID: h.NodeID, DomainID: h.DomainID, Host: h.Host, Port: plan.PortText(l),
			Transport: l.Transport, Security: l.Security, Path: l.Path, Protocol: l.Protocol, L4: l.L4,
			ServerName: serverName(l, h.Host), Obfuscated: l.Obfs == "salamander",
			Tag: plan.InboundTag(flowID, h.Block), Offer: served.Offer(g.Nodes[i]),
		})
	}
	return out
}

// serverName is what a handshake with a listener asks for; empty for one without.
func serverName(l graph.Listener, host string) string {
	switch {
	case l.Security == "tls":
		return host
	case l.Security == "reality" && l.Reality != nil && len(l.Reality.ServerNames) > 0:
		return l.Reality.ServerNames[0]
	}
	return ""
}

// lacking lists the agents that cannot do what stages of modules need of them, as errors of a compilation. An agent
// that has not told yet what it can do is not among them: nothing is installed there before it has.
func (s *service) lacking(
	in plan.Input, hosts []plan.Host, nodes map[string]nodesapi.Node,
) []graph.Problem {
	var out []graph.Problem
	wanted := flowsapi.Wanted{FlowID: in.FlowID, NodeIDs: in.NodeIDs(), Entries: entriesOf(in.FlowID, in.Graph, hosts)}
	for _, need := range s.stages.Needs(wanted) {
		n, known := nodes[need.NodeID]
		if !known || len(n.Capabilities) == 0 || len(nodesapi.Lacking([]nodesapi.Node{n}, need.Capability)) == 0 {
			continue
		}
		out = append(out, graph.Problem{
			Code:       plan.CapabilityMissing,
			Path:       fmt.Sprintf("nodes[%d].node_id", in.BlockOn(n.ID)),
			Node:       n.Name,
			Capability: need.Capability,
			Message: fmt.Sprintf(
				"the agent of %s lacks %s, which %s needs; update the agent",
				n.Name,
				need.Capability,
				need.Stage,
			),
		})
	}
	return out
}

// withStages puts into a plan what the stages of other modules would do and what they have checked.
func (s *service) withStages(ctx context.Context, f *flowRow, g graph.Graph, result plan.Result, p *plan.Plan) error {
	if len(p.Errors) > 0 {
		return nil
	}
	before, err := s.store.installedGraph(ctx, f)
	if err != nil {
		return err
	}
	if !f.Enabled {
		before = graph.Graph{}
	}
	for _, preview := range s.stages.Preview(ctx, s.changeOf(f, kindApply, before, g, result.Hosts)) {
		addPreview(p, preview)
	}
	return nil
}

func addPreview(p *plan.Plan, preview stages.Preview) {
	groups := map[string]*[]plan.Change{
		flowsapi.GroupDNS: &p.Diff.DNS, flowsapi.GroupCDN: &p.Diff.CDN, flowsapi.GroupProxyPanel: &p.Diff.ProxyPanel,
	}
	for _, d := range preview.Diffs {
		list := cmp.Or(groups[d.Group], &p.Diff.Other)
		*list = append(*list, plan.Change{
			Op: d.Op, NodeID: d.NodeID, Name: d.Name, Field: d.Field, From: d.From, To: d.To, Stage: preview.Stage,
		})
		p.IsNoop = false
	}
	if preview.Err != nil {
		preview.Checks = []flowsapi.Check{{
			Key: "preview", Status: flowsapi.Unconfirmed, Summary: "what " + preview.Stage + " would do",
			Finding: flowsapi.Text(say("no_preview")),
		}}
	}
	for _, c := range preview.Checks {
		p.Readiness = append(p.Readiness, plan.Check{
			Key: "stage:" + preview.Stage + ":" + c.Key, Group: plan.GroupStages, Stage: preview.Stage,
			NodeID:  c.NodeID,
			Summary: c.Summary, Status: c.Status, Evidence: c.Finding.Text, Finding: plan.Text(c.Finding),
			Blocks: c.Blocks && c.Status == flowsapi.Failed,
		})
	}
}

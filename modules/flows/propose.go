package flows

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/conflicts"
	"panel/modules/flows/internal/plan"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
)

// begin takes all nodes of the apply, or none, so that two flows on one node never mix their configurations. Nothing is
// held while a stage before the switch waits.
func (r *runner) begin(ctx context.Context, row *applyRow) error {
	if going, err := r.resumed(ctx, row); err != nil || !going {
		return err
	}
	if row.NodesSince == nil {
		now := r.now()
		row.NodesSince = &now
	}
	mine, err := r.lock(ctx, row)
	if err != nil {
		return err
	}
	if !mine && r.late(row) && !row.removal() {
		return r.fail(ctx, row, StepError{
			Code:    "deadline",
			Message: "another flow kept a node for too long; apply again",
		})
	}
	if !mine {
		row.say("waiting_flow")
		row.wait = beforeAgain
		return r.save(ctx, row)
	}
	if err := r.rendered(ctx, row); err != nil || row.Stage != phaseWaiting {
		return err
	}
	return r.propose(ctx, row)
}

func (r *runner) lock(ctx context.Context, row *applyRow) (bool, error) {
	ids := row.turnNodes()
	if len(ids) == 0 {
		return true, nil
	}
	// In the order of the ids, so that two applies never wait for each other in a circle.
	locks := make([]lockRow, len(ids))
	for i, id := range ids {
		locks[i] = lockRow{NodeID: id, ApplyID: row.ID, TakenAt: r.now()}
	}
	mine := false
	err := r.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := r.db.In(ctx).NewInsert().Model(&locks).On("conflict (node_id) do nothing").Exec(ctx); err != nil {
			return err
		}
		n, err := r.db.In(ctx).NewSelect().Model((*lockRow)(nil)).Where("apply_id = ?", row.ID).Count(ctx)
		if mine = int(n) == len(ids); err == nil && !mine {
			return errTaken
		}
		return err
	})
	if errors.Is(err, errTaken) {
		return false, nil
	}
	return mine, database.Fault(err, nil)
}

var errTaken = errors.New("another apply holds a node")

func stepNodes(row *applyRow) []string {
	ids := make([]string, len(row.Steps))
	for i, step := range row.Steps {
		ids[i] = step.NodeID
	}
	slices.Sort(ids)
	return ids
}

// propose merges the flow's parts with what the other flows have on each node now and stores the candidates.
func (r *runner) propose(ctx context.Context, row *applyRow) error {
	parts, err := r.store.openContent(row)
	if err != nil {
		return err
	}
	others, err := r.store.othersOn(ctx, row.FlowID, append(row.turnNodes(), servedNodes(parts)...))
	if err != nil {
		return err
	}
	for _, id := range servedNodes(parts) {
		if kind := meets(parts[id], others[id]); kind != "" {
			code := conflicts.Code([]plan.Conflict{{Kind: kind}})
			return r.fail(ctx, row, StepError{Code: code, Message: proposalProblems[code], NodeID: id})
		}
	}
	if i, kind := conflicting(row, parts, others); i >= 0 {
		return r.notProposed(ctx, row, &row.Steps[i], conflicts.Code([]plan.Conflict{{Kind: kind}}))
	}
	if i, err := r.candidates(ctx, row, parts, others); err != nil {
		return err
	} else if i >= 0 {
		return r.notProposed(ctx, row, &row.Steps[i], "unknown_node")
	}
	if !slices.ContainsFunc(row.Steps, row.configures) {
		r.enter(row, phaseReady, "ready")
		return r.ready(ctx, row)
	}
	if err := r.send(ctx, row, "prepare", row.configures, r.applyOrder(row, agentapi.PhasePrepare)); err != nil {
		return err
	}
	r.enter(row, phasePreparing, "preparing")
	return r.keep(ctx, row)
}

func (r *runner) notProposed(ctx context.Context, row *applyRow, step *stepRow, problem string) error {
	step.fail("prepare", r.now(), &StepError{Code: problem, Message: proposalProblems[problem]})
	return r.fail(ctx, row, StepError{
		Code: problem, Message: proposalProblems[problem], NodeID: step.NodeID, NodeName: step.NodeName,
	})
}

var proposalProblems = map[string]string{
	conflicts.Port: "another flow has taken a port since the plan was compiled; choose another one",
	conflicts.Domain: "another flow has taken a host name since the plan was compiled, or a path of it; " +
		"choose another path or domain",
	"unknown_node": "the node was deleted since the plan was compiled",
}

// conflicting gives the first step whose part meets another flow on its node, and in which way; or -1.
func conflicting(
	row *applyRow, parts map[string]plan.Fragment, others map[string][]plan.Fragment,
) (step int, kind string) {
	for i, s := range row.Steps {
		part, stays := parts[s.NodeID]
		if kind := meets(part, others[s.NodeID]); stays && row.hasTurn(s) && kind != "" {
			return i, kind
		}
	}
	return -1, ""
}

// servedNodes are the nodes on which a proxy panel serves an entry.
func servedNodes(parts map[string]plan.Fragment) (ids []string) {
	for _, part := range plan.ServedParts(parts) {
		ids = append(ids, part.NodeID)
	}
	return ids
}

// candidates stores what every node shall serve, all at once, and gives the first step whose node is gone, or -1.
// A node that is gone has nothing left to remove.
func (r *runner) candidates(
	ctx context.Context,
	row *applyRow,
	parts map[string]plan.Fragment,
	others map[string][]plan.Fragment,
) (int, error) {
	var wanted []nodesapi.Candidate
	var at []int
	for i, step := range row.Steps {
		if !row.hasTurn(step) {
			continue
		}
		all := slices.Clone(others[step.NodeID])
		if part, stays := parts[step.NodeID]; stays {
			all = append(all, part)
		}
		all = slices.DeleteFunc(all, plan.Fragment.OnlyServed) // a proxy panel runs the rest
		one := nodesapi.Candidate{NodeID: step.NodeID, Listeners: socketsOf(all)}
		if len(all) > 0 {
			one.Core = plan.Render(all)
		}
		wanted, at = append(wanted, one), append(at, i)
	}
	configs, err := r.nodes.PutCandidates(ctx, wanted...)
	if err != nil {
		return -1, fmt.Errorf("store the candidate configurations: %w", err)
	}
	gone := -1
	for n, c := range configs {
		i := at[n]
		step := &row.Steps[i]
		step.Config, step.Hash = c.Revision, c.Hash
		if c.Revision == 0 && step.Action != plan.ActionRemove && gone < 0 {
			gone = i
		}
	}
	return gone, nil
}

func meets(part plan.Fragment, others []plan.Fragment) string {
	for _, o := range others {
		for _, theirs := range o.Listens {
			for _, mine := range part.Listens {
				if kind := theirs.Clash(mine); kind != "" {
					return kind
				}
			}
		}
	}
	return ""
}

// mostSockets bounds how many sockets of one port range are told to the agent one by one.
const mostSockets = 64

func socketsOf(all []plan.Fragment) []nodesapi.Listener {
	var out []nodesapi.Listener
	for _, f := range all {
		for _, l := range f.Listens {
			if l.Panel {
				continue
			}
			for port := l.From; port <= l.To && port < l.From+mostSockets; port++ {
				out = append(out, nodesapi.Listener{Key: l.Name, FlowID: l.FlowID, L4: l.L4, IP: l.IP, Port: port})
			}
		}
	}
	return out
}

// fail decides to go back. The installed revision was never replaced, so nodes that switched return to it.
func (r *runner) fail(ctx context.Context, row *applyRow, why StepError) error {
	row.Error = &why
	r.enter(row, phaseReverting, "reverting")
	return r.keep(ctx, row)
}

// reverting goes back on the nodes, and then frees them: what stages have to undo may take long.
func (r *runner) reverting(ctx context.Context, row *applyRow) error {
	reverted, err := r.revertNodes(ctx, row)
	if err != nil || !reverted {
		return err
	}
	if r.enter(row, phaseUndoing, "undoing"); row.Canary.Serving() {
		r.enter(row, phaseReturning, "returning")
	}
	return r.db.InTx(ctx, func(ctx context.Context) error {
		if err := r.save(ctx, row); err != nil {
			return err
		}
		return r.unlock(ctx, row)
	})
}

// revertNodes makes the nodes leave their candidates in the reverse order: entries first, so that none forwards to an
// exit that is gone. It reports whether all have.
func (r *runner) revertNodes(ctx context.Context, row *applyRow) (bool, error) {
	for _, rank := range []string{"entry", "transit", "exit"} {
		begun := func(s stepRow) bool { return row.revertible(s) && s.Role == rank && s.Orders["prepare"] != "" }
		sent, err := r.order(ctx, row, "revert", begun, r.applyOrder(row, agentapi.PhaseRevert))
		if err != nil || sent {
			return false, err
		}
		if settled, err := r.settled(ctx, row, "revert", begun); err != nil || !settled {
			return false, err
		}
	}
	return true, nil
}

// failed ends an apply of which nothing is left.
func (r *runner) failed(ctx context.Context, row *applyRow) error {
	return r.db.InTx(ctx, func(ctx context.Context) error {
		err := r.finish(ctx, row, stateFailed, flowsapi.EventApplyFailed, "failed", "reason", row.Error.Message)
		if err != nil {
			return err
		}
		return r.emit(ctx, flowsapi.EventReverted, row.FlowID, flowsapi.ApplyNews{
			Name: row.Change.Change.FlowName, ApplyID: row.ID, Kind: row.Kind,
		})
	})
}

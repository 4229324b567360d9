package flows

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/canary"
	"panel/modules/flows/internal/plan"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/audit"
	"panel/platform/automation"
	"panel/platform/entitlement"
	"panel/platform/jobs"
)

// serveCanary decides that the nodes of the canary serve the new version: from this transaction on it is what is
// installed on them, and what the applies of other flows leave there. What it replaces is kept.
func (r *runner) serveCanary(ctx context.Context, row *applyRow) error {
	parts, err := r.store.openContent(row)
	if err != nil {
		return err
	}
	stopped := false
	before := *row
	row.Canary.State = canary.Starting
	r.enter(row, phaseCanary, "canary_starting")
	err = r.db.InTx(ctx, func(ctx context.Context) error {
		if err := r.lockFlow(ctx, row.FlowID); err != nil {
			return err
		}
		if err := r.notStopped(ctx, row); err != nil {
			stopped = errors.Is(err, errStopped)
			return err
		}
		if err := r.replaceParts(ctx, row, parts); err != nil {
			return err
		}
		if err := r.want(ctx, row); err != nil {
			return err
		}
		if err := r.keep(ctx, row); err != nil {
			return err
		}
		return r.tell(ctx, row, flowsapi.EventCanaryStarted)
	})
	if stopped {
		row.Stage, row.Detail, row.Text, row.StagedAt = before.Stage, before.Detail, before.Text, before.StagedAt
		row.Canary.State = canary.Pending
		return nil // the next step reads who did
	}
	return err
}

// tell writes what happens to a canary into the journal and emits it, in the transaction of the context.
func (r *runner) tell(ctx context.Context, row *applyRow, kind string) error {
	name := row.Change.Change.FlowName
	entry := audit.Entry{
		Action: kind, Object: audit.Object{Type: "flow", ID: row.FlowID, Name: name},
		Changes: map[string]audit.Change{"apply": {To: row.ID}},
	}
	if err := r.journal.Record(ctx, r.db.In(ctx), entry); err != nil {
		return fmt.Errorf("record %s: %w", kind, err)
	}
	return r.emit(ctx, kind, row.FlowID, row.news(&flowRow{Name: name}))
}

// canary goes on with an apply whose canary serves the new version.
func (r *runner) canary(ctx context.Context, row *applyRow) error {
	w := row.Canary
	switch now := r.now(); {
	case w.State == canary.Starting:
		return r.beginWatch(ctx, row)
	case row.PromotedBy != nil:
		return r.followCanary(ctx, row)
	case w.Open:
		return r.look(ctx, row)
	case now.Before(w.Due):
		row.wait = w.Due.Sub(now)
		return nil
	}
	return r.probeCanary(ctx, row)
}

// beginWatch lets the agents of the canary keep what they have switched to, and gives the nodes back. An agent that
// misses its commit follows the desired revision by itself.
func (r *runner) beginWatch(ctx context.Context, row *applyRow) error {
	order := r.applyOrder(row, agentapi.PhaseCommit)
	if sent, err := r.order(ctx, row, "commit", row.configures, order); err != nil || sent {
		return err
	}
	settled, err := r.settled(ctx, row, "commit", row.configures)
	if err != nil || !settled && r.now().Sub(row.StagedAt) < phaseLimit {
		return err
	}
	for i := range row.Steps {
		if row.hasTurn(row.Steps[i]) {
			row.Steps[i].State = "done"
		}
	}
	row.Canary.Begin(r.now())
	row.NodesSince = nil
	row.say("canary_watching")
	return r.db.InTx(ctx, func(ctx context.Context) error {
		if err := r.keep(ctx, row); err != nil {
			return err
		}
		return r.unlock(ctx, row)
	})
}

// probeCanary begins a round: a real client goes through every entry that tells how the canary does.
func (r *runner) probeCanary(ctx context.Context, row *applyRow) error {
	through, err := r.through(ctx, row)
	if err != nil {
		return err
	}
	g, orders := drawnOr(row.Graph), make([]nodesapi.Order, len(row.Canary.Looks))
	for i, l := range row.Canary.Looks {
		orders[i] = through(l.NodeID, g.Nodes[g.Find(l.Block)])
	}
	ids, err := r.nodes.Send(ctx, orders...)
	if err != nil {
		return fmt.Errorf("order the probes of a canary: %w", err)
	}
	row.Canary.Round(r.now(), ids)
	return r.keep(ctx, row)
}

// look reads the answers of a round and, when all are there, decides.
func (r *runner) look(ctx context.Context, row *applyRow) error {
	w, ids := row.Canary, []string{}
	for _, id := range w.Orders {
		if id != "" {
			ids = append(ids, id)
		}
	}
	found, err := r.results(ctx, ids)
	if err != nil {
		return err
	}
	for i, id := range w.Orders {
		if result, ended := found[id]; ended {
			w.Note(i, r.now(), result.OK, result.Code != string(agentapi.CodeInterrupted), seen(result))
			r.probes.all.Add(1)
			if !result.OK {
				r.probes.failed.Add(1)
			}
		}
	}
	if !w.Answered() {
		return r.save(ctx, row)
	}
	w.Close(r.now(), r.hooks.evidence(ctx, row))
	switch failed := w.Failed(); {
	case failed != nil:
		return r.failCanary(ctx, row, *failed)
	case w.Over():
		return r.overCanary(ctx, row)
	}
	w.Held = nil
	row.say("canary_watching")
	return r.keep(ctx, row)
}

// seen is what a probe of a canary has found, in words.
func seen(result nodesapi.Result) plan.Text {
	if result.OK {
		return evidence("probe", result)
	}
	why := stepError("probe", result)
	return plan.Say(why.Code, why.Message)
}

// failCanary decides to go back because of what was found on a node.
func (r *runner) failCanary(ctx context.Context, row *applyRow, found canary.Finding) error {
	name := ""
	for _, l := range row.Canary.Looks {
		if l.NodeID == found.NodeID {
			name = l.NodeName
		}
	}
	why := StepError{
		Code: "canary_failed", NodeID: found.NodeID, NodeName: name,
		Message: strings.TrimPrefix(name+": "+found.Text.Text, ": "),
	}
	return r.db.InTx(ctx, func(ctx context.Context) error {
		if err := r.fail(ctx, row, why); err != nil {
			return err
		}
		return r.tell(ctx, row, flowsapi.EventCanaryFailed)
	})
}

// overCanary lets the rest follow, or says what keeps it from following.
func (r *runner) overCanary(ctx context.Context, row *applyRow) error {
	why, err := r.heldBy(ctx, row)
	if err != nil {
		return err
	}
	if why == nil {
		return r.followCanary(ctx, row)
	}
	news := row.Canary.Hold(*why)
	row.Text, row.Detail = *why, why.Text
	return r.db.InTx(ctx, func(ctx context.Context) error {
		if err := r.keep(ctx, row); err != nil || !news {
			return err
		}
		return r.tell(ctx, row, flowsapi.EventCanaryHeld)
	})
}

// actPromote is the act that lets the rest follow a canary.
const actPromote = "flows.promote_canary"

// acts are what this module does by itself.
func acts() []automation.Act {
	return []automation.Act{{
		Name: actPromote, Summary: "Lets the other nodes of a flow follow when the time of its canary has passed well",
		Budget:  "once in each apply with a canary, after the time that the apply names",
		Actions: []string{flowsapi.EventCanaryPassed}, Feature: feature,
		ReadOnly: entitlement.Stops, Blocked: entitlement.Stops,
	}}
}

// holding says what a canary waits for.
var holding = map[automation.Why]string{
	automation.Switched: "canary_stopped", automation.ReadOnly: "canary_read_only",
	automation.NoPlan: "canary_not_in_plan",
}

// heldBy gives what keeps the rest from following by itself: the switch that stops everything automatic, a license, and
// an agent that does not answer, which would only make the apply fail.
func (r *runner) heldBy(ctx context.Context, row *applyRow) (*plan.Text, error) {
	why, err := r.automatic.Stopped(ctx, actPromote)
	if err != nil {
		return nil, err
	}
	if code, holds := holding[why]; holds {
		text := say(code)
		return &text, nil
	}
	away, err := r.restAway(ctx, row)
	if err != nil || len(away) == 0 {
		return nil, err
	}
	text := say("canary_waits", "nodes", strings.Join(namesOf(away), ", "))
	return &text, nil
}

// followCanary gives the rest its turn, which begins like every apply of nodes: what would come out now is what was
// planned, or the apply fails.
func (r *runner) followCanary(ctx context.Context, row *applyRow) error {
	row.Canary.End(canary.Passed, r.now())
	r.enter(row, phaseWaiting, "waiting_nodes")
	return r.db.InTx(ctx, func(ctx context.Context) error {
		if err := r.keep(ctx, row); err != nil {
			return err
		}
		if err := r.reach(ctx, row); err != nil {
			return err
		}
		return r.tell(ctx, row, flowsapi.EventCanaryPassed)
	})
}

// returning makes the parts that the canary replaced the installed ones again, and waits a while for the agents, which
// follow by themselves.
func (r *runner) returning(ctx context.Context, row *applyRow) error {
	if row.Canary.Serving() {
		return r.putBack(ctx, row)
	}
	returned, err := r.returned(ctx, row)
	if err != nil {
		return err
	}
	if !returned && r.now().Sub(row.StagedAt) < phaseLimit {
		row.wait = beforeAgain
		return r.save(ctx, row)
	}
	r.enter(row, phaseUndoing, "undoing")
	return r.db.InTx(ctx, func(ctx context.Context) error {
		if err := r.keep(ctx, row); err != nil {
			return err
		}
		return r.unlock(ctx, row)
	})
}

// putBack takes the nodes of the canary and decides what they serve, in one transaction with the parts.
func (r *runner) putBack(ctx context.Context, row *applyRow) error {
	state := row.Canary.State
	row.Canary.State = canary.Returned // its nodes have their turn
	mine, err := r.lock(ctx, row)
	if err != nil {
		return err
	}
	if !mine {
		row.Canary.State = state
		row.say("waiting_flow")
		row.wait = beforeAgain
		return r.save(ctx, row)
	}
	previous, err := r.store.openPrevious(row)
	if err != nil {
		return err
	}
	others, err := r.store.othersOn(ctx, row.FlowID, row.turnNodes())
	if err != nil {
		return err
	}
	if _, err := r.candidates(ctx, row, previous, others); err != nil {
		return err
	}
	row.Canary.End(canary.Returned, r.now())
	r.enter(row, phaseReturning, "returning")
	for i := range row.Steps {
		if row.hasTurn(row.Steps[i]) {
			row.Steps[i].State = "reverted"
			row.Steps[i].mark("revert", "running", r.now(), plan.Text{})
		}
	}
	return r.db.InTx(ctx, func(ctx context.Context) error { return r.restoreParts(ctx, row, previous) })
}

func (r *runner) restoreParts(ctx context.Context, row *applyRow, previous map[string]plan.Fragment) error {
	if err := r.lockFlow(ctx, row.FlowID); err != nil {
		return err
	}
	installed, err := r.store.installed(ctx, row.FlowID)
	if err != nil {
		return err
	}
	for _, n := range row.Canary.Nodes {
		delete(installed, n.NodeID)
		if part, was := previous[n.NodeID]; was {
			installed[n.NodeID] = part
		}
	}
	if err := r.serveParts(ctx, row.FlowID, installed); err != nil {
		return err
	}
	revisions := map[string]int64{}
	for _, step := range row.Steps {
		if row.hasTurn(step) && step.Config > 0 {
			revisions[step.NodeID] = step.Config
		}
	}
	if _, err := r.nodes.SetDesired(ctx, revisions); err != nil {
		return fmt.Errorf("make the earlier configurations the desired ones: %w", err)
	}
	return r.keep(ctx, row)
}

// returned notes which nodes of the canary serve again what they did before, and reports whether all do.
func (r *runner) returned(ctx context.Context, row *applyRow) (bool, error) {
	nodes, err := r.nodes.byID(ctx, validIDs(row.turnNodes()))
	if err != nil {
		return false, fmt.Errorf("look up the nodes of a canary: %w", err)
	}
	all := true
	for i := range row.Steps {
		step := &row.Steps[i]
		n, known := nodes[step.NodeID]
		switch {
		case !row.hasTurn(*step):
		case known && n.RevisionInstalled == step.Config:
			step.mark("revert", "done", r.now(), say("returned"))
		case known && n.Online:
			all = false
		default:
			step.mark("revert", "done", r.now(), say("follows_by_itself", "reason", "it does not answer"))
		}
	}
	return all, nil
}

// leaveCanary has the installed version applied again, later and surely, where an apply is given up whose canary
// serves another one.
func (r *runner) leaveCanary(ctx context.Context, row *applyRow) error {
	if !row.Canary.Serving() {
		return nil
	}
	row.Canary.End(canary.Returned, r.now())
	args := rerenderArgs{FlowID: row.FlowID, Why: "canary"}
	if err := r.queue.Insert(ctx, args, jobs.Opts{}); err != nil {
		return fmt.Errorf("postpone to leave a canary: %w", err)
	}
	return nil
}

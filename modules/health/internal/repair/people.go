package repair

import (
	"context"

	"panel/modules/health/healthapi"
	"panel/modules/health/internal/rules"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/operations"
)

// What people do with actions, as the journal calls it.
const (
	ActionApproved  = "health.action_approved"
	ActionDismissed = "health.action_dismissed"
)

// Operation is the kind of the operations that people start by approving.
const Operation = "health.repair"

var errStays = fault.Conflict("action_not_undoable", "there is nothing of this action that could be given back")

var errOver = fault.Conflict("action_not_proposed", "this action waits for nobody's approval")

// Approve lets a proposed action be done, as an operation of the caller with the id of the action. Again it changes
// nothing while it is under way. Faults: not_found (404), action_not_proposed (409).
func (r *Repairs) Approve(ctx context.Context, id string) error {
	return r.byPerson(ctx, id, func(ctx context.Context, a *row) error {
		switch {
		case a.ApprovedBy != "" && (a.State == Approved || a.State == Running):
			return nil
		case a.State != Proposed:
			return errOver
		}
		a.State, a.ApprovedBy = Approved, access.From(ctx).Name()
		if err := r.save(ctx, a, "state", "approved_by"); err != nil {
			return err
		}
		if err := r.record(ctx, ActionApproved, audit.OK, a); err != nil {
			return err
		}
		about := operations.About{Type: healthapi.Node, ID: a.NodeID, Name: a.Name}
		if err := r.Follow.Begin(ctx, a.ID, Operation, about, nil); err != nil {
			return err
		}
		return r.Wake(ctx, a.ID)
	})
}

// Dismiss says that a proposed action is not to be done; it is not proposed again until the node has been well. Again
// it changes nothing. Faults: not_found (404), action_not_proposed (409).
func (r *Repairs) Dismiss(ctx context.Context, id string) error {
	return r.byPerson(ctx, id, func(ctx context.Context, a *row) error {
		switch {
		case a.Reason == Dismissed:
			return nil
		case a.State != Proposed:
			return errOver
		}
		now := r.now()
		a.State, a.Reason, a.Dismisser, a.FinishedAt = Skipped, Dismissed, access.From(ctx).Name(), &now
		if err := r.record(ctx, ActionDismissed, audit.OK, a); err != nil {
			return err
		}
		return r.skip(ctx, a)
	})
}

// Undo gives back what an action has changed; an incident that it had mitigated goes on where somebody still suffers.
// Again it changes nothing. Faults: not_found (404), action_not_undoable (409).
func (r *Repairs) Undo(ctx context.Context, id string) error {
	return r.byPerson(ctx, id, func(ctx context.Context, a *row) error {
		switch {
		case a.State == Undone:
			return nil
		case !a.undoable():
			return errStays
		}
		err := r.undo(ctx, a, access.From(ctx).Name())
		if err != nil || a.IncidentID == nil || a.Act != rules.Withdraw && a.Act != rules.SwitchDNS {
			return err
		}
		return ignoreGone(r.Incidents.Relapse(ctx, *a.IncidentID, a.Act))
	})
}

// byPerson does something with one action, in one transaction; others wait meanwhile.
func (r *Repairs) byPerson(ctx context.Context, id string, act func(ctx context.Context, a *row) error) error {
	if !database.IsID(id) {
		return fault.Missing(fault.NoSuchThing)
	}
	return r.DB.InTx(ctx, func(ctx context.Context) error {
		a, err := r.load(ctx, id, "update of a")
		if err != nil {
			return err
		}
		return act(ctx, a)
	})
}

package repair

import (
	"context"
	"errors"
	"fmt"

	"panel/modules/health/healthapi"
	"panel/modules/health/internal/rules"
	"panel/platform/audit"
	"panel/platform/automation"
	"panel/platform/database"
	"panel/platform/lease"
	"panel/platform/operations"
)

// Object is the type of actions in the journal.
const Object = "health_action"

// load reads an action; with "update" nobody else changes it until the transaction ends. Fault: not_found (404).
func (r *Repairs) load(ctx context.Context, id, lock string) (*row, error) {
	a := new(row)
	q := r.DB.In(ctx).NewSelect().Model(a).ColumnExpr(columns).Where("a.id = ?", id)
	if lock != "" {
		q = q.For(lock)
	}
	return a, database.Fault(q.Scan(ctx), nil)
}

func (r *Repairs) save(ctx context.Context, a *row, changed ...string) error {
	_, err := r.DB.In(ctx).NewUpdate().Model(a).Column(changed...).WherePK().Exec(ctx)
	if err != nil {
		return database.Fault(fmt.Errorf("store an action: %w", err), nil)
	}
	return nil
}

func (r *Repairs) record(ctx context.Context, action, result string, a *row) error {
	err := r.Journal.Record(ctx, r.DB.In(ctx), audit.Entry{
		Action: action, Object: audit.Object{Type: Object, ID: a.ID, Name: a.Name}, Result: result,
		Changes: map[string]audit.Change{"act": {To: a.Act}, "node": {To: a.NodeID}, "state": {To: a.State}},
	})
	if err != nil {
		return fmt.Errorf("record a repair: %w", err)
	}
	return nil
}

// step sends the order of an approved action, or reads how it ended.
func (r *Repairs) step(ctx context.Context, c *lease.Claim) (lease.Next, error) {
	a, err := r.load(ctx, c.ID, "")
	if err != nil {
		return lease.Done(), err
	}
	switch a.State {
	case Approved:
		return lease.After(resultPoll), c.InTx(ctx, func(ctx context.Context) error { return r.begin(ctx, a) })
	case Running:
		return r.ended(ctx, c, a)
	}
	return lease.Done(), nil
}

// begin orders the act, together with what says so: who goes on after a panel that died neither forgets nor repeats it.
// What has changed since the decision is looked at again.
func (r *Repairs) begin(ctx context.Context, a *row) error {
	against, err := r.stillAgainst(ctx, a)
	if err != nil {
		return err
	}
	now := r.now()
	if against == "" {
		against, err = r.do(ctx, a)
		if err != nil {
			return err
		}
	}
	if against != "" {
		a.State, a.Reason, a.FinishedAt = Skipped, against, &now
		return r.skip(ctx, a)
	}
	a.State, a.StartedAt = Running, &now
	if err := r.save(ctx, a, "state", "command_id", "apply_id", "effects", "outcome", "started_at"); err != nil {
		return err
	}
	if a.CommandID == "" && a.ApplyID == "" && !outside(a.Act) {
		return r.finish(ctx, a, Succeeded, "")
	}
	return r.Follow.Move(ctx, a.ID, 0)
}

// outside says that an act is done by services outside, which are asked after the transaction.
func outside(act string) bool { return act == rules.SwitchDNS || act == rules.HideHosts }

// skip stores that an action is not done after all.
func (r *Repairs) skip(ctx context.Context, a *row) error {
	if err := r.save(ctx, a, "state", "reason", "finished_at", "dismissed_by"); err != nil {
		return err
	}
	if err := r.Follow.End(ctx, a.ID, operations.ErrCancelled); err != nil {
		return err
	}
	return r.tell(ctx, healthapi.EventActionSkipped, a)
}

// stillAgainst says why an approved action must not begin after all. What a person has approved does not ask whether
// the panel may act by itself.
func (r *Repairs) stillAgainst(ctx context.Context, a *row) (string, error) {
	if _, err := r.DB.In(ctx).ExecContext(ctx, "select pg_advisory_xact_lock(?)", lock); err != nil {
		return "", database.Fault(err, nil) // who withdraws counts what others have withdrawn
	}
	found, err := r.suspects(ctx, a.NodeID)
	if err != nil {
		return "", err
	}
	if len(found) == 0 || !fits(a.Act, found[0].subject()) {
		return Recovered, nil
	}
	if found[0].Maintenance {
		return Maintenance, nil
	}
	busy, err := r.Applies.OnNodes(ctx, a.NodeID)
	if err != nil {
		return "", fmt.Errorf("ask whether something is being installed: %w", err)
	}
	if busy[a.NodeID] {
		return Applying, nil
	}
	why, err := r.Stop.Stopped(ctx, actRepair)
	if err != nil || why == automation.Switched && a.ApprovedBy != "" {
		return "", err
	}
	return string(why), nil
}

// ended reads how the order or the apply ended.
func (r *Repairs) ended(ctx context.Context, c *lease.Claim, a *row) (lease.Next, error) {
	switch {
	case a.ApplyID != "":
		return r.installed(ctx, c, a)
	case a.Act == rules.SwitchDNS:
		return r.switched(ctx, c, a)
	case a.Act == rules.HideHosts:
		return r.hidden(ctx, c, a)
	}
	results, err := r.Commands.Results(ctx, a.CommandID)
	if err != nil {
		return lease.Done(), fmt.Errorf("read how a repair ended: %w", err)
	}
	result, over := results[a.CommandID]
	if !over {
		return lease.After(resultPoll), nil
	}
	state, said := Succeeded, ""
	if !result.OK {
		if state, said = Failed, result.Error; said == "" {
			said = result.Code
		}
	}
	return lease.Done(), c.InTx(ctx, func(ctx context.Context) error { return r.finish(ctx, a, state, said) })
}

func (r *Repairs) finish(ctx context.Context, a *row, state, said string) error {
	now, result := r.now(), audit.OK
	var cause error
	a.State, a.Error, a.FinishedAt = state, said, &now
	if state == Failed {
		result, cause = audit.Failed, errors.New(said)
	}
	if err := r.save(ctx, a, "state", "error", "finished_at"); err != nil {
		return err
	}
	if err := r.record(ctx, healthapi.EventActionRun, result, a); err != nil {
		return err
	}
	if err := r.Follow.End(ctx, a.ID, cause); err != nil {
		return err
	}
	return r.tell(ctx, healthapi.EventActionRun, a)
}

// giveUp ends an action whose steps fail again and again.
func (r *Repairs) giveUp(ctx context.Context, c *lease.Claim, cause error) error {
	a, err := r.load(ctx, c.ID, "")
	if err != nil {
		return err
	}
	if outside(a.Act) {
		return r.revert(ctx, a, "the panel could not go on: "+cause.Error())
	}
	return r.finish(ctx, a, Failed, "the panel could not go on: "+cause.Error())
}

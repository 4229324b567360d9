package repair

import (
	"context"
	"fmt"
	"time"

	"panel/modules/health/healthapi"
	"panel/modules/health/internal/rules"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/agentapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/lease"
)

// doer is who does what nobody has approved, in the words of operations.
const doer = "self-repair"

// do does an act or orders it, in the context's transaction: what it changed by itself, or the order, stands in the
// row. What speaks against it after all is given as a reason.
func (r *Repairs) do(ctx context.Context, a *row) (against string, err error) {
	by := a.ApprovedBy
	if by == "" {
		by = doer
	}
	switch a.Act {
	case rules.RestartCore:
		return "", r.restart(ctx, a, by)
	case rules.Reapply:
		return r.reinstall(ctx, a, by)
	case rules.Withdraw:
		return r.withdrawFromPools(ctx, a)
	case rules.SwitchDNS:
		return r.switchNames(ctx, a)
	case rules.HideHosts:
		return r.hideHosts(ctx, a)
	}
	return "", fmt.Errorf("nobody knows how to do %q", a.Act)
}

func (r *Repairs) restart(ctx context.Context, a *row, by string) error {
	sent, err := r.Commands.Send(ctx, nodesapi.Order{
		NodeID: a.NodeID, Kind: string(agentapi.RestartCore), Deadline: r.now().Add(orderLimit), By: by,
	})
	if err != nil {
		return fmt.Errorf("order a repair: %w", err)
	}
	a.CommandID = sent[0]
	return nil
}

// reinstall has what is installed on the node put there again by an apply of its own.
func (r *Repairs) reinstall(ctx context.Context, a *row, by string) (against string, err error) {
	as := access.With(ctx, access.Caller{Kind: access.System, Username: by})
	a.ApplyID, err = r.Applies.Reinstall(as, a.NodeID)
	switch {
	case fault.KindOf(err) == fault.KindInvalid: // its agent does not answer any more
		return Recovered, nil
	case err != nil:
		return "", fmt.Errorf("install again what is installed: %w", err)
	case a.ApplyID == "":
		return NoFlow, nil
	}
	return "", nil
}

// installed reads how the apply ended.
func (r *Repairs) installed(ctx context.Context, c *lease.Claim, a *row) (lease.Next, error) {
	over, failure, err := r.Applies.Ended(ctx, a.ApplyID)
	if err != nil {
		return lease.Done(), fmt.Errorf("read how an apply ended: %w", err)
	}
	if !over {
		return lease.After(resultPoll), nil
	}
	state := Succeeded
	if failure != "" {
		state = Failed
	}
	return lease.Done(), c.InTx(ctx, func(ctx context.Context) error { return r.finish(ctx, a, state, failure) })
}

// withdrawFromPools keeps new traffic from the node in all pools that can spare it. Its incident is mitigated, for what
// others carry nobody misses.
func (r *Repairs) withdrawFromPools(ctx context.Context, a *row) (against string, err error) {
	policies, err := r.policies(ctx)
	if err != nil {
		return "", err
	}
	places, err := r.Pools.Places(ctx, a.NodeID)
	if err != nil {
		return "", fmt.Errorf("ask which pools a node is in: %w", err)
	}
	left := spares(places[a.NodeID], policies(a.PolicyID).Limits.MaxPctOfPool)
	if len(left) == 0 {
		return PoolShare, nil
	}
	members := make([]string, len(left))
	for i, p := range left {
		members[i] = p.MemberID
		a.Effects = append(a.Effects, Effect{Kind: "pool", ID: p.PoolID, Name: p.Pool, To: "withdrawn"})
	}
	if err := r.Pools.Withdraw(ctx, a.ID, members...); err != nil {
		return "", fmt.Errorf("withdraw a node from its pools: %w", err)
	}
	a.Outcome = Helped
	if a.IncidentID == nil {
		return "", nil
	}
	return "", ignoreGone(r.Incidents.Mitigate(ctx, *a.IncidentID, a.NodeID, a.Act))
}

// ignoreGone lets it be that an incident is there no more.
func ignoreGone(err error) error {
	if fault.KindOf(err) == fault.KindMissing {
		return nil
	}
	return err
}

// calm is how long a node is well before what was changed is given back.
const calm = time.Minute

// giveBack undoes what was changed because of nodes that have been well for a minute, as far as the panel may act by
// itself. It takes part in the context's transaction.
func (r *Repairs) giveBack(ctx context.Context) error {
	var done []row
	err := r.DB.In(ctx).NewSelect().Model(&done).ColumnExpr(columns).Where("a.state = ? and a.effects <> '[]'", Succeeded).
		Where(`exists (select from health_states s where s.kind = ? and s.subject_id = a.node_id and s.state = ?
			and s.since <= ?)`, healthapi.Node, healthapi.Up, r.now().Add(-calm)).OrderExpr("a.id").
		For("update of a").Scan(ctx)
	if err != nil || len(done) == 0 {
		return database.Fault(err, nil)
	}
	if why, err := r.Stop.Stopped(ctx, actRepair); err != nil || why != "" {
		return err
	}
	for i := range done {
		if err := r.undo(ctx, &done[i], ""); err != nil {
			return err
		}
	}
	return nil
}

// returned gives back what an action holds of pools, names and hosts.
func (r *Repairs) returned(ctx context.Context, a *row) error {
	if err := r.Pools.Return(ctx, a.ID); err != nil {
		return fmt.Errorf("return a node to its pools: %w", err)
	}
	if err := r.Names.LeadBack(ctx, a.ID); err != nil {
		return fmt.Errorf("lead names back: %w", err)
	}
	if err := r.Hosts.Show(ctx, a.ID); err != nil {
		return fmt.Errorf("have hosts shown again: %w", err)
	}
	return nil
}

// revert ends an action that could not be done whole, and gives back what it did.
func (r *Repairs) revert(ctx context.Context, a *row, said string) error {
	if err := r.returned(ctx, a); err != nil {
		return err
	}
	a.Effects = []Effect{}
	if err := r.save(ctx, a, "effects"); err != nil {
		return err
	}
	return r.finish(ctx, a, Failed, said)
}

// undo gives back what an action has changed.
func (r *Repairs) undo(ctx context.Context, a *row, by string) error {
	if err := r.returned(ctx, a); err != nil {
		return err
	}
	now := r.now()
	a.State, a.UndoneAt, a.UndoneBy = Undone, &now, by
	if err := r.save(ctx, a, "state", "undone_at", "undone_by"); err != nil {
		return err
	}
	if err := r.record(ctx, healthapi.EventActionUndone, audit.OK, a); err != nil {
		return err
	}
	return r.tell(ctx, healthapi.EventActionUndone, a)
}

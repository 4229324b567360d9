package hosting

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/modules/flows/flowsapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/lease"
	"panel/platform/operations"
	"panel/platform/restored"
)

// Bounds of a replacement.
const (
	lookAgain = 2 * time.Second
	// readyWithin is how long the nodes of a plan, and the agent of a node that changes, may take to answer.
	readyWithin = 5 * time.Minute
)

// nodeGone is why a replacement ends that has lost a node.
const nodeGone = "one of the two nodes was deleted"

// mover brings replacements to their end, whichever panel dies meanwhile: each step reads what the database says of one
// and does what is due, each of it safe to repeat.
type mover struct {
	*replacements
	*lease.Driver
}

func newMover(r *replacements, l *database.Listener, clock clockwork.Clock, log *zap.Logger) *mover {
	m := &mover{replacements: r}
	m.Driver = lease.New(r.store.db, l, clock, log, lease.Process{
		Name: "replacement of a machine", Step: m.step, GiveUp: m.giveUp,
		Table: lease.Table{Name: "hosting_replacements", Open: "finished_at is null", Order: "created_at"},
	})
	r.drive = m.Wake
	return m
}

// moving is a replacement in the hands of this panel.
type moving struct {
	*replacements
	claim *lease.Claim
	row   replacementRow
}

func (m *mover) step(ctx context.Context, c *lease.Claim) (lease.Next, error) {
	at, err := m.load(ctx, c)
	if err != nil || at.row.FinishedAt != nil {
		return lease.Done(), err
	}
	wait, err := at.advance(startedBy(ctx, at.row.StartedID, at.row.StartedBy))
	switch {
	case err != nil:
		return lease.Done(), err
	case at.row.FinishedAt != nil:
		return lease.Done(), nil
	}
	return lease.After(wait), nil
}

func (m *mover) load(ctx context.Context, c *lease.Claim) (*moving, error) {
	row, err := m.store.replacement(ctx, c.ID)
	return &moving{replacements: m.replacements, claim: c, row: row}, err
}

// giveUp ends a replacement whose steps fail again and again.
func (m *mover) giveUp(ctx context.Context, c *lease.Claim, cause error) error {
	at, err := m.load(ctx, c)
	if err != nil || at.row.FinishedAt != nil {
		return err
	}
	return at.ended(startedBy(ctx, at.row.StartedID, at.row.StartedBy), replaceFailed,
		"the replacement could not go on: "+cause.Error(), replaceWentWrong)
}

// restored ends what was under way in a database that was restored from a backup.
func (m *mover) restored(ctx context.Context, _ json.RawMessage, _ *restored.Restoration) error {
	return m.Abandon(ctx, restored.Cause)
}

// advance does what is due; wait is the pause until the next look.
func (m *moving) advance(ctx context.Context) (wait time.Duration, err error) {
	switch m.row.State {
	case replaceMaking:
		return m.making(ctx)
	case replaceMoving:
		return m.moveNext(ctx)
	case replacePooling:
		return m.pool(ctx)
	case replaceDraining:
		return 0, m.drain(ctx)
	}
	return m.removed(ctx)
}

// progress notes how far the replacement is.
func (m *moving) progress(ctx context.Context, order *orderRow) error {
	return m.follow.Move(ctx, m.row.OperationID, m.row.percent(order))
}

// making waits for the new machine and its agent. Until then nothing has changed for anybody.
func (m *moving) making(ctx context.Context) (wait time.Duration, err error) {
	order, err := m.orderOf(ctx, m.row.OrderID)
	if err != nil {
		return 0, err
	}
	if err := m.progress(ctx, &order); err != nil {
		return 0, err
	}
	switch {
	case order.FinishedAt == nil:
		return lookAgain, nil
	case m.row.CancelledAt != nil:
		return 0, m.undo(ctx, &order)
	case order.State == orderFailed:
		return 0, m.fail(ctx, "the new machine was not made: "+order.Error)
	}
	return 0, m.write(ctx, func(ctx context.Context) error {
		if m.row.CancelledAt == nil { // as it is now: nobody can undo it from here on
			m.enter(replaceMoving)
		}
		return nil
	})
}

// orderOf gives an order of the replacement; one that is gone has failed.
func (m *moving) orderOf(ctx context.Context, id *string) (orderRow, error) {
	gone := orderRow{State: orderFailed, Error: "its order is gone", FinishedAt: m.moment()}
	if id == nil {
		return gone, nil
	}
	order, err := m.store.order(ctx, *id)
	if fault.KindOf(err) == fault.KindMissing && err != nil {
		return gone, nil
	}
	return order, err
}

// undo has the new machine deleted, where one was made.
func (m *moving) undo(ctx context.Context, order *orderRow) error {
	if order.ServerID == nil {
		return m.end(ctx, replaceCancelled, "", replaceUndone)
	}
	return m.discard(ctx, order.AccountID, *order.ServerID, replaceUndoing, replaceCancelled, replaceUndone)
}

// discard orders the deletion of a machine and waits for it in a state. Where the machine is gone already the
// replacement is over.
func (m *moving) discard(ctx context.Context, accountID, serverID, state, over, kind string) error {
	return m.write(ctx, func(ctx context.Context) error {
		server, err := m.store.heldServer(ctx, accountID, serverID)
		if err != nil && fault.KindOf(err) == fault.KindMissing {
			return m.ended(ctx, over, "", kind)
		}
		if err != nil {
			return err
		}
		removal, err := m.begun(ctx, &server, actDelete, deleteOrdered)
		if err != nil {
			return err // something else goes on with the machine: the step is repeated
		}
		m.row.RemovalID = &removal.ID
		if m.row.State != state {
			m.enter(state)
		}
		return nil
	})
}

// moveNext brings the next flow a bit further. When all have moved, the node is looked at once more: what has come to
// it meanwhile moves, too.
func (m *moving) moveNext(ctx context.Context) (wait time.Duration, err error) {
	if m.row.NodeID == nil || m.row.ByNodeID == nil {
		return 0, m.fail(ctx, nodeGone)
	}
	if err := m.progress(ctx, nil); err != nil {
		return 0, err
	}
	at := slices.IndexFunc(m.row.Flows, func(f ReplacedFlow) bool { return f.State != flowMoved })
	if at < 0 {
		return 0, m.collect(ctx)
	}
	wait, err = m.move(ctx, &m.row.Flows[at])
	if refused := refusal(ctx, err); refused != nil {
		return m.refused(ctx, &m.row.Flows[at], refused)
	}
	return wait, err
}

// collect notes which flows have the node and did not move yet; none are left: pools come next.
func (m *moving) collect(ctx context.Context) error {
	uses, err := m.moves.UsesOf(ctx, *m.row.NodeID)
	if err != nil {
		return err
	}
	var left []string
	found := false
	for _, use := range uses {
		known := slices.ContainsFunc(m.row.Flows, func(f ReplacedFlow) bool { return f.FlowID == use.FlowID })
		switch {
		case use.Drawn && !known:
			found = true
			m.row.Flows = append(m.row.Flows, ReplacedFlow{
				FlowID: use.FlowID, Name: use.Name, Installed: use.Installed, State: flowWaiting, Since: m.now(),
			})
		case use.Placed || use.Drawn:
			left = append(left, use.Name)
		}
	}
	switch {
	case found:
		return m.write(ctx, nil)
	case len(left) > 0:
		return m.fail(ctx, "these flows still have the old node: "+strings.Join(left, ", "))
	}
	return m.becomes(ctx, replacePooling)
}

// move does what is due for one flow: its draft, its plan, its apply.
func (m *moving) move(ctx context.Context, f *ReplacedFlow) (wait time.Duration, err error) {
	switch f.State {
	case flowWaiting:
		return 0, m.redraw(ctx, f)
	case flowRedrawn:
		return 0, m.compile(ctx, f)
	case flowCompiled:
		return m.apply(ctx, f)
	}
	over, failure, err := m.applies.Ended(ctx, f.ApplyID)
	switch {
	case err != nil:
		return 0, err
	case !over:
		return lookAgain / 4, nil
	case failure != "":
		return 0, m.flowFailed(ctx, f, failure)
	}
	return 0, m.become(ctx, f, flowMoved)
}

// redraw puts the new node into the draft of a flow and notes it in the same transaction.
func (m *moving) redraw(ctx context.Context, f *ReplacedFlow) error {
	return m.write(ctx, func(ctx context.Context) error {
		revision, err := m.moves.Redraw(ctx, f.FlowID, *m.row.NodeID, *m.row.ByNodeID)
		switch {
		case fault.KindOf(err) == fault.KindMissing && err != nil: // the flow was deleted: nothing is left to move
			f.State, f.Since = flowMoved, m.now()
			return nil
		case err != nil:
			return err
		}
		if revision > 0 {
			f.Revision = revision
		}
		f.State, f.Since = flowRedrawn, m.now()
		return m.elsewhere(ctx, f, revision)
	})
}

// elsewhere notes that a flow has moved that is installed on the old node no more, or never was: people have moved it,
// or its draft was all that had the node.
func (m *moving) elsewhere(ctx context.Context, f *ReplacedFlow, revision int) error {
	if !f.Installed {
		f.State = flowMoved
	}
	if !f.Installed || revision > 0 {
		return nil
	}
	uses, err := m.moves.UsesOf(ctx, *m.row.NodeID)
	if !slices.ContainsFunc(uses, func(u flowsapi.NodeUse) bool { return u.FlowID == f.FlowID && u.Placed }) {
		f.State = flowMoved
	}
	return err
}

// compile makes a plan of the draft, as it was redrawn: what somebody has changed since is not installed along.
func (m *moving) compile(ctx context.Context, f *ReplacedFlow) error {
	plan, revision, err := m.moves.Compile(ctx, f.FlowID)
	switch {
	case err != nil:
		return err
	case revision != f.Revision:
		return m.flowFailed(ctx, f, errOpenDrafts.Detail)
	}
	again := f.PlanID != ""
	f.PlanID = plan
	if again { // the time that it may take goes on
		f.State = flowCompiled
		return m.write(ctx, nil)
	}
	return m.become(ctx, f, flowCompiled)
}

// apply begins to install the plan, as soon as the nodes were asked whether they are ready.
func (m *moving) apply(ctx context.Context, f *ReplacedFlow) (wait time.Duration, err error) {
	id, err := m.moves.Apply(ctx, f.FlowID, f.PlanID, f.Revision, m.row.ForceApply)
	switch {
	case errors.Is(err, flowsapi.ErrChecking) && m.now().Sub(f.Since) < readyWithin:
		return lookAgain / 4, nil
	case errors.Is(err, flowsapi.ErrChecking):
		return 0, m.flowFailed(ctx, f, "the nodes did not say within five minutes whether they are ready")
	case err != nil:
		return 0, err
	}
	f.ApplyID = id
	return 0, m.become(ctx, f, flowApplying)
}

// refusal is the fault with which flows refuse something; nil of what may pass, such as an outage.
func refusal(ctx context.Context, err error) *fault.Fault {
	f, is := fault.As(err)
	refusals := []fault.Kind{fault.KindForbidden, fault.KindMissing, fault.KindConflict, fault.KindInvalid}
	if !is || ctx.Err() != nil || !slices.Contains(refusals, f.Kind) {
		return nil
	}
	return f
}

// refused goes by why flows refuse to go on: a plan that is out of date is made anew, who is busy or away is waited
// for, and the rest ends the replacement.
func (m *moving) refused(ctx context.Context, f *ReplacedFlow, why *fault.Fault) (time.Duration, error) {
	waited := m.now().Sub(f.Since) > readyWithin
	switch {
	case why.Code == "plan_stale" && !waited:
		return lookAgain, m.write(ctx, func(context.Context) error {
			f.State = flowRedrawn
			return nil
		})
	case slices.Contains([]string{"apply_active", "agent_offline"}, why.Code) && !waited:
		return lookAgain, nil
	}
	return 0, m.flowFailed(ctx, f, why.Code+": "+why.Detail)
}

// flowFailed ends the replacement because one of its flows could not move; it serves where it did.
func (m *moving) flowFailed(ctx context.Context, f *ReplacedFlow, why string) error {
	f.State, f.Error, f.Since = flowFailed, why, m.now()
	return m.fail(ctx, fmt.Sprintf("the flow %s could not move: %s", f.Name, why))
}

func (m *moving) become(ctx context.Context, f *ReplacedFlow, state string) error {
	f.State, f.Error, f.Since = state, "", m.now()
	return m.write(ctx, nil)
}

// drain keeps new traffic from the old node, and has the host names that no flow has lead to the new one.
func (m *moving) drain(ctx context.Context) error {
	if err := m.progress(ctx, nil); err != nil {
		return err
	}
	return m.write(ctx, func(ctx context.Context) error {
		if m.row.NodeID != nil && m.row.ByNodeID != nil {
			if err := m.moves.Rest(ctx, *m.row.NodeID, *m.row.ByNodeID); err != nil {
				return err
			}
		}
		if m.row.NodeID != nil {
			err := m.resting.Begin(ctx, *m.row.NodeID, "replaced by "+m.row.ByName)
			if err != nil && !errors.Is(err, nodesapi.ErrUnknown) {
				return fmt.Errorf("keep new traffic from a node that was replaced: %w", err)
			}
		}
		if m.row.Old == oldKeep || m.row.ServerID == nil {
			return m.ended(ctx, replaceDone, "", replaceSucceeded)
		}
		m.enter(replaceRemoving)
		return nil
	})
}

// removed orders the deletion of the machine that nobody needs any more and waits for its end.
func (m *moving) removed(ctx context.Context) (wait time.Duration, err error) {
	over, kind := replaceDone, replaceSucceeded
	if m.row.State == replaceUndoing {
		over, kind = replaceCancelled, replaceUndone
	}
	if m.row.RemovalID == nil {
		return 0, m.removeAgain(ctx, over, kind)
	}
	if err := m.progress(ctx, nil); err != nil {
		return 0, err
	}
	order, err := m.orderOf(ctx, m.row.RemovalID)
	switch {
	case err != nil:
		return 0, err
	case order.FinishedAt == nil:
		return lookAgain, nil
	case order.State == orderFailed:
		return 0, m.fail(ctx, "the machine "+order.Name+" could not be deleted: "+order.Error)
	}
	return 0, m.end(ctx, over, "", kind)
}

// removeAgain orders the deletion of the machine that goes: the old one, or the new one of what is undone.
func (m *moving) removeAgain(ctx context.Context, over, kind string) error {
	account, server := m.row.AccountID, m.row.ServerID
	if m.row.State == replaceUndoing {
		order, err := m.orderOf(ctx, m.row.OrderID)
		if err != nil {
			return err
		}
		account, server = m.row.ByAccountID, order.ServerID
	}
	if server == nil {
		return m.end(ctx, over, "", kind)
	}
	return m.discard(ctx, account, *server, m.row.State, over, kind)
}

// enter brings the replacement into a state; the caller writes it.
func (m *moving) enter(state string) { m.row.State, m.row.StateAt = state, m.now() }

func (m *moving) moment() *time.Time {
	now := m.now()
	return &now
}

// write runs a change and writes the row, in one transaction that holds the fence. Whether it is still wanted is what
// the table says then.
func (m *moving) write(ctx context.Context, change func(ctx context.Context) error) error {
	return m.claim.InTx(ctx, func(ctx context.Context) error {
		now, err := m.store.replacement(ctx, m.row.ID)
		if err != nil {
			return err
		}
		m.row.CancelledAt = now.CancelledAt
		if change != nil {
			if err := change(ctx); err != nil {
				return err
			}
		}
		return m.store.updateReplacement(ctx, &m.row)
	})
}

func (m *moving) fail(ctx context.Context, why string) error {
	return m.end(ctx, replaceFailed, why, replaceWentWrong)
}

func (m *moving) end(ctx context.Context, state, why, kind string) error {
	return m.claim.InTx(ctx, func(ctx context.Context) error { return m.ended(ctx, state, why, kind) })
}

// ended writes the end of a replacement with its operation, journal and event, in the transaction of the context.
func (m *moving) ended(ctx context.Context, state, why, kind string) error {
	if state == replaceFailed {
		m.row.FailedIn = m.row.State
	}
	m.enter(state)
	m.row.Error, m.row.FinishedAt = why, m.moment()
	if err := m.store.updateReplacement(ctx, &m.row); err != nil {
		return err
	}
	result, cause := audit.OK, error(nil)
	switch state {
	case replaceFailed:
		result, cause = audit.Failed, errors.New(why)
	case replaceCancelled:
		cause = operations.ErrCancelled
	}
	if err := m.follow.End(ctx, m.row.OperationID, cause); err != nil {
		return err
	}
	return m.tell(ctx, kind, &m.row, result, nil)
}

// goesOn puts a replacement that failed back to where it failed, as a new operation.
func (r *replacementRow) goesOn(now time.Time) {
	r.State, r.FailedIn, r.Error, r.StateAt, r.FinishedAt = r.FailedIn, "", "", now, nil
	r.OperationID, r.RemovalID, r.PooledAt = database.NewID(), nil, nil
	for i := range r.Flows {
		if f := &r.Flows[i]; f.State == flowFailed {
			f.State, f.Error, f.PlanID, f.ApplyID, f.Since = flowWaiting, "", "", "", now
		}
	}
}

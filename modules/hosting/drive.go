package hosting

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/modules/hosting/internal/cloud"
	"panel/modules/nodes/nodesapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/lease"
	"panel/platform/restored"
)

// driver carries orders to their end, whichever panel dies meanwhile: each step reads what the database says of one and
// does what is due.
type driver struct {
	*orders
	*lease.Driver
}

func newDriver(o *orders, l *database.Listener, clock clockwork.Clock, log *zap.Logger) *driver {
	d := &driver{orders: o}
	d.Driver = lease.New(o.store.db, l, clock, log, lease.Process{
		Name: "order at a hosting provider", Step: d.step, GiveUp: d.giveUp,
		Table: lease.Table{Name: "hosting_orders", Open: "finished_at is null", Order: "created_at"},
	})
	o.wake = d.Wake
	return d
}

// driven is an order in the hands of this panel.
type driven struct {
	*orders
	claim  *lease.Claim
	row    orderRow
	client *cloud.Client
}

// patienceWith a provider is for how long it may fail, or want to be left alone, before an order ends.
const patienceWith = 15 * time.Minute

func (d *driver) step(ctx context.Context, c *lease.Claim) (lease.Next, error) {
	at, err := d.load(ctx, c)
	if err != nil || at.row.FinishedAt != nil {
		return lease.Done(), err
	}
	ctx = at.row.as(ctx)
	if at.client, err = at.opened(ctx); err != nil {
		return lease.Done(), err
	}
	if err := d.follow.Move(ctx, at.row.ID, at.row.percent()); err != nil {
		return lease.Done(), err
	}
	wait, err := at.advance(ctx)
	if problem := cloud.ProblemOf(err); problem != nil {
		wait, err = at.handle(ctx, problem)
	}
	switch {
	case err != nil:
		return lease.Done(), err
	case at.row.FinishedAt != nil:
		return lease.Done(), nil
	}
	return lease.After(wait), nil
}

func (d *driver) load(ctx context.Context, c *lease.Claim) (*driven, error) {
	row, err := d.store.order(ctx, c.ID)
	return &driven{orders: d.orders, claim: c, row: row}, err
}

func (d *driven) opened(ctx context.Context) (*cloud.Client, error) {
	account, err := d.store.account(ctx, d.row.AccountID)
	if err != nil {
		return nil, err
	}
	return d.open(&account)
}

// giveUp ends an order whose steps fail again and again.
func (d *driver) giveUp(ctx context.Context, c *lease.Claim, cause error) error {
	at, err := d.load(ctx, c)
	if err != nil || at.row.FinishedAt != nil {
		return err
	}
	return at.ended(at.row.as(ctx), orderFailed, "the order could not go on: "+cause.Error(), orderWentWrong)
}

// restored ends what was under way in a database that was restored from a backup.
func (d *driver) restored(ctx context.Context, _ json.RawMessage, _ *restored.Restoration) error {
	return d.Abandon(ctx, restored.Cause)
}

// percent is how far an order is.
func (o *orderRow) percent() int {
	return map[string]int{orderQueued: 10, orderProvider: 40, orderAgent: 70}[o.State]
}

// advance does what is due; wait is the pause until the next look.
func (d *driven) advance(ctx context.Context) (wait time.Duration, err error) {
	switch {
	case d.row.Act == actCreate && d.row.State == orderQueued:
		return d.make(ctx)
	case d.row.Act == actCreate && d.row.State == orderProvider:
		return d.started(ctx)
	case d.row.State == orderAgent:
		return d.enrolled(ctx)
	case d.row.State == orderQueued:
		return d.send(ctx)
	}
	return d.confirm(ctx)
}

// handle goes on after what a provider said: what may pass is tried again for a while, the rest ends the order.
func (d *driven) handle(ctx context.Context, problem *cloud.Problem) (time.Duration, error) {
	switch {
	case !problem.Passing() && !problem.Sent:
		return 0, d.fail(ctx, problem.Error())
	case d.now().Sub(d.row.StateAt) > patienceWith:
		return 0, d.fail(ctx, problem.Error()+d.uncertainty())
	}
	return max(problem.After, lookEvery), nil
}

// uncertainty tells what the panel does not know of a machine that may have been made.
func (d *driven) uncertainty() string {
	if d.row.Act != actCreate || d.row.SentAt == nil || d.row.ExternalID != "" {
		return ""
	}
	return "; the provider may have made the machine: look there for the tag " + cloud.Mark(d.row.ID)
}

// acted tells whether the action at the provider is over. One that failed, or never ends, ends the order.
func (d *driven) acted(ctx context.Context, within time.Duration) (bool, error) {
	if d.row.Action == "" {
		return true, nil
	}
	now, err := d.client.Progress(ctx, d.row.Action)
	switch {
	case err != nil:
		return false, err
	case now.Failed != "":
		return false, d.fail(ctx, "the provider could not do it: "+now.Failed)
	case now.Done:
		return true, nil
	}
	return false, d.late(ctx, within, "the provider began it and does not come to an end; look at the machine there")
}

// late ends an order that has been in its state for too long.
func (d *driven) late(ctx context.Context, within time.Duration, why string) error {
	if d.now().Sub(d.row.StateAt) < within {
		return nil
	}
	return d.fail(ctx, why)
}

// enter brings the order into a state; the caller writes it.
func (d *driven) enter(state string) { d.row.State, d.row.StateAt = state, d.now() }

func (d *driven) moment() *time.Time {
	now := d.now()
	return &now
}

func (d *driven) write(ctx context.Context) error {
	return d.claim.InTx(ctx, func(ctx context.Context) error { return d.store.updateOrder(ctx, &d.row) })
}

func (d *driven) fail(ctx context.Context, why string) error {
	return d.claim.InTx(ctx, func(ctx context.Context) error { return d.ended(ctx, orderFailed, why, orderWentWrong) })
}

func (d *driven) finish(ctx context.Context, kind string) error {
	return d.claim.InTx(ctx, func(ctx context.Context) error { return d.ended(ctx, orderDone, "", kind) })
}

// lost ends an order whose machine somebody has deleted at the provider.
func (d *driven) lost(ctx context.Context) error {
	return d.claim.InTx(ctx, func(ctx context.Context) error {
		if err := d.store.vanish(ctx, d.row.ServerID); err != nil {
			return err
		}
		return d.ended(ctx, orderFailed, "the machine was deleted at the provider", orderWentWrong)
	})
}

// ended writes the end of an order with its operation, journal and event, in the transaction of the context. A token
// that nobody has used ends as well.
func (d *driven) ended(ctx context.Context, state, why, kind string) error {
	d.enter(state)
	d.row.Error, d.row.FinishedAt = why, d.moment()
	result, cause := audit.OK, error(nil)
	if why != "" {
		result, cause = audit.Failed, errors.New(why)
	}
	if state == orderFailed {
		if err := d.revoke(ctx); err != nil {
			return err
		}
	}
	if err := d.store.updateOrder(ctx, &d.row); err != nil {
		return err
	}
	if err := d.follow.End(ctx, d.row.ID, cause); err != nil {
		return err
	}
	return d.publishOrder(ctx, kind, &d.row, result, nil)
}

// revoke ends the token of an earlier attempt.
func (d *driven) revoke(ctx context.Context) error {
	if d.row.TokenID == "" {
		return nil
	}
	if err := d.enrollment.Revoke(ctx, d.row.TokenID); err != nil && !errors.Is(err, nodesapi.ErrUnknown) {
		return fmt.Errorf("end the token of a machine: %w", err)
	}
	d.row.TokenID = ""
	return nil
}

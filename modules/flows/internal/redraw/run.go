package redraw

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"panel/platform/access"
	"panel/platform/fault"
	"panel/platform/jobs"
)

// run brings a change to its end, from wherever it stands.
func (r *Redraws) run(ctx context.Context, id string, progress func(context.Context, int) error) error {
	of, err := r.read(ctx, id)
	if err != nil && fault.KindOf(err) == fault.KindMissing {
		return jobs.Permanent(err)
	}
	if err != nil || of.FinishedAt != nil {
		return errors.Join(err, of.outcome())
	}
	caller := access.Caller{Kind: access.Admin, AccountID: of.AccountID, Username: of.StartedBy}
	for {
		if err := r.step(access.With(ctx, caller), of, progress); err != nil {
			return r.ended(ctx, of, err)
		}
		if of.FinishedAt != nil {
			return of.outcome()
		}
		select {
		case <-ctx.Done():
			return r.ended(ctx, of, ctx.Err())
		case <-r.clock.After(pause):
		}
	}
}

// ended notes that no more drafts are changed when somebody has cancelled the operation; a panel that stops hands it
// on.
func (r *Redraws) ended(ctx context.Context, of *row, cause error) error {
	if !jobs.Cancelled(ctx) {
		return cause
	}
	const noteWithin = 5 * time.Second
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), noteWithin)
	defer stop()
	of.leaveOut(cancelled, "the operation was cancelled")
	r.finish(of)
	return errors.Join(cause, r.write(ctx, of))
}

func (r *Redraws) finish(of *row) {
	at := r.now()
	of.FinishedAt = &at
}

// step begins and looks at the checks; when all have ended it changes the drafts, one after the other.
func (r *Redraws) step(ctx context.Context, of *row, progress func(context.Context, int) error) error {
	open, err := r.checked(ctx, of)
	if err != nil || open {
		return err
	}
	for i := range of.Items {
		if of.Items[i].State != Waiting {
			continue
		}
		if err := r.settle(ctx, of, i); err != nil {
			return err
		}
		if err := progress(ctx, 100*(i+1)/len(of.Items)); err != nil {
			return err
		}
	}
	if err := r.rest(ctx, of); err != nil {
		return err
	}
	r.finish(of)
	return r.write(ctx, of)
}

// settle changes one draft and notes it in the same transaction, or notes why it is left out.
func (r *Redraws) settle(ctx context.Context, of *row, at int) error {
	item := &of.Items[at]
	err := r.db.InTx(ctx, func(ctx context.Context) error {
		change := r.retarget
		if of.Kind == KindNode {
			change = r.replace
		}
		if err := change(ctx, of, item); err != nil {
			return err
		}
		item.State = Changed
		return r.write(ctx, of)
	})
	if err == nil {
		return nil
	}
	item.State = Waiting
	f := refusal(ctx, err)
	if f == nil {
		return fmt.Errorf("change the draft of the flow %s: %w", item.FlowName, err)
	}
	item.leave(f.Code, f.Detail)
	return r.write(ctx, of)
}

// refusal is what an error says against one flow or one check; nil for what stands in the way of all, such as an
// outage.
func refusal(ctx context.Context, err error) *fault.Fault {
	refusals := []fault.Kind{
		fault.KindForbidden, fault.KindMissing, fault.KindConflict, fault.KindInvalid, fault.KindThrottled,
	}
	f, told := fault.As(err)
	if !told || ctx.Err() != nil || !slices.Contains(refusals, f.Kind) {
		return nil
	}
	return f
}

// outcome is how the operation ends.
func (r *row) outcome() error {
	changed := 0
	for _, item := range r.Items {
		if item.State == Changed {
			changed++
		}
	}
	if missed := len(r.Items) - changed; missed > 0 {
		return jobs.Permanent(fmt.Errorf("%d of %d drafts were not changed", missed, len(r.Items)))
	}
	return nil
}

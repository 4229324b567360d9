package redraw

import (
	"context"
	"fmt"

	"panel/modules/flows/internal/many"
)

// step begins and looks at the checks; when all have ended it changes the drafts, one after the other.
func (r *Redraws) step(ctx context.Context, of *row, progress many.Progress) error {
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
	r.Finish(of)
	return r.Write(ctx, of)
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
		return r.Write(ctx, of)
	})
	if err == nil {
		return nil
	}
	item.State = Waiting
	f := many.Refusal(ctx, err)
	if f == nil {
		return fmt.Errorf("change the draft of the flow %s: %w", item.FlowName, err)
	}
	item.leave(f.Code, f.Detail)
	return r.Write(ctx, of)
}

// Outcome implements many.Row.
func (r *row) Outcome() error {
	changed := 0
	for _, item := range r.Items {
		if item.State == Changed {
			changed++
		}
	}
	return many.Missed(len(r.Items), changed, "drafts were not changed")
}

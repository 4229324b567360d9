package redraw

import "context"

// Run brings a change to its end, as its job does.
func (r *Redraws) Run(ctx context.Context, id string) error {
	return r.run(ctx, id, func(context.Context, int) error { return nil })
}

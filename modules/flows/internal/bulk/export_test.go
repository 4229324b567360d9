package bulk

import "context"

// Run brings a bulk apply to its end, as its job does.
func (b *Applies) Run(ctx context.Context, id string) error {
	return b.run(ctx, id, func(context.Context, int) error { return nil })
}

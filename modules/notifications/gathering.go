package notifications

import (
	"context"

	"panel/platform/events"
)

// gathering lets events that come at the same time share one transaction: when thousands of nodes fall silent at once,
// what they cost does not follow their number. Whoever has the turn acts for all who wait.
type gathering struct {
	turn    chan struct{}
	waiting chan *taken
	act     func(ctx context.Context, all []*taken) error
}

// taken is an event that waits to be queued.
type taken struct {
	event events.Event
	kind  events.Kind
	aims  []aim
	ended chan error
}

// atOnce is how many events share a transaction at the most.
const atOnce = 64

func newGathering(act func(ctx context.Context, all []*taken) error) *gathering {
	return &gathering{turn: make(chan struct{}, 1), waiting: make(chan *taken, 4*atOnce), act: act}
}

// add gives the event to whoever has the turn next, and returns how it ended. An event that was left by a caller whose
// time was over may be queued all the same; it comes again and is known then.
func (g *gathering) add(ctx context.Context, one *taken) error {
	one.ended = make(chan error, 1)
	select {
	case g.waiting <- one:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case err := <-one.ended:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	case g.turn <- struct{}{}:
	}
	defer func() { <-g.turn }()
	for len(g.waiting) > 0 && len(one.ended) == 0 {
		g.next(ctx)
	}
	select {
	case err := <-one.ended:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// next acts for those who wait. When that fails each of them is tried alone, so that one that always fails keeps no
// other from its end.
func (g *gathering) next(ctx context.Context) {
	var all []*taken
	for len(all) < atOnce && len(g.waiting) > 0 {
		all = append(all, <-g.waiting)
	}
	err := g.act(ctx, all)
	for _, one := range all {
		if err != nil && len(all) > 1 {
			one.ended <- g.act(ctx, []*taken{one})
		} else {
			one.ended <- err
		}
	}
}

package updates

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/lease"
)

// runner carries rollouts to their end. Each unfinished one is leased by one panel; when that panel dies the lease ends and
// another one, or the next start, goes on from what is written in the database.
type runner struct {
	*service
	commands nodesapi.Commands
	log      *zap.Logger
	desk     *lease.Desk
}

func newRunner(s *service, c nodesapi.Commands, log *zap.Logger) *runner {
	return &runner{service: s, commands: c, log: log, desk: lease.New(s.db, "agent_rollouts")}
}

const (
	idleLook   = time.Second
	stepLook   = 250 * time.Millisecond
	writeLimit = 5 * time.Second
	orderLimit = 20 * time.Minute // to fetch, to try and to return, also over a slow line
)

// loop finds rollouts until the context ends and then waits for what it has begun.
func (r *runner) loop(ctx context.Context) error {
	defer r.desk.Wait()
	for ctx.Err() == nil {
		ids, word, err := r.desk.Claim(ctx, r.now())
		if err != nil && ctx.Err() == nil {
			r.log.Warn("unfinished rollouts could not be looked up", zap.Error(err))
		}
		for _, id := range ids {
			r.desk.Go(id, func() { r.drive(ctx, id, word) })
		}
		select {
		case <-ctx.Done():
		case <-r.wake:
		case <-r.clock.After(idleLook):
		}
	}
	return nil
}

// drive goes on with one rollout until it has ended, somebody else has it, or this panel stops.
func (r *runner) drive(ctx context.Context, id, word string) {
	for ctx.Err() == nil {
		o, err := r.rollout(ctx, id)
		if err == nil && (o.FinishedAt != nil || o.Runner != word) {
			return
		}
		if err == nil {
			err = r.advance(as(ctx, o), o)
		}
		if errors.Is(err, lease.ErrLost) {
			return
		}
		if err != nil && ctx.Err() == nil {
			r.log.Warn("a rollout could not go on; it is tried again", zap.String("rollout", id), zap.Error(err))
		}
		select {
		case <-ctx.Done():
		case <-r.clock.After(stepLook):
		}
	}
	r.letGo(context.WithoutCancel(ctx), id, word)
}

// as lets the journal name the person who started the rollout.
func as(ctx context.Context, o *rolloutRow) context.Context {
	if o.AccountID == "" {
		return ctx
	}
	return access.With(ctx, access.Caller{Kind: access.Admin, AccountID: o.AccountID, Username: o.StartedBy})
}

// letGo ends the lease early when the panel stops in good order.
func (r *runner) letGo(ctx context.Context, id, word string) {
	ctx, cancel := context.WithTimeout(ctx, writeLimit)
	defer cancel()
	if err := r.desk.LetGo(ctx, id, word, r.now()); err != nil {
		r.log.Info("a rollout keeps its lease until it ends by itself", zap.String("rollout", id), zap.Error(err))
	}
}

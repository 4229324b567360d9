package updates

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.uber.org/zap"

	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/database"
)

// runner carries rollouts to their end. Each unfinished one is leased by one panel; when that panel dies the lease ends and
// another one, or the next start, goes on from what is written in the database.
type runner struct {
	*service
	commands nodesapi.Commands
	log      *zap.Logger
	id       string
	busy     sync.WaitGroup
}

func newRunner(s *service, c nodesapi.Commands, log *zap.Logger) *runner {
	return &runner{service: s, commands: c, log: log, id: database.NewID()}
}

const (
	lease      = 6 * time.Second
	idleLook   = time.Second
	stepLook   = 250 * time.Millisecond
	writeLimit = 5 * time.Second
	orderLimit = 20 * time.Minute // to fetch, to try and to return, also over a slow line
)

var errLeaseLost = errors.New("another panel continues this rollout")

// loop finds rollouts until the context ends and then waits for what it has begun.
func (r *runner) loop(ctx context.Context) error {
	defer r.busy.Wait()
	for ctx.Err() == nil {
		ids, err := r.claim(ctx)
		if err != nil && ctx.Err() == nil {
			r.log.Warn("unfinished rollouts could not be looked up", zap.Error(err))
		}
		for _, id := range ids {
			r.busy.Go(func() { r.drive(ctx, id) })
		}
		select {
		case <-ctx.Done():
		case <-r.wake:
		case <-r.clock.After(idleLook):
		}
	}
	return nil
}

func (r *runner) claim(ctx context.Context) ([]string, error) {
	var ids []string
	now := r.now()
	err := r.db.NewRaw(`update agent_rollouts set runner = ?, lease_until = ? where id in (
		select id from agent_rollouts where finished_at is null and lease_until <= ? for update skip locked) returning id`,
		r.id, now.Add(lease), now).Scan(ctx, &ids)
	return ids, database.Fault(err, nil)
}

// drive goes on with one rollout until it has ended, another panel has it, or this panel stops.
func (r *runner) drive(ctx context.Context, id string) {
	for ctx.Err() == nil {
		o, err := r.rollout(ctx, id)
		if err == nil && (o.FinishedAt != nil || o.Runner != r.id) {
			return
		}
		if err == nil {
			err = r.advance(as(ctx, o), o)
		}
		if errors.Is(err, errLeaseLost) {
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
	r.letGo(context.WithoutCancel(ctx), id)
}

// as lets the journal name the person who started the rollout.
func as(ctx context.Context, o *rolloutRow) context.Context {
	if o.AccountID == "" {
		return ctx
	}
	return access.With(ctx, access.Caller{Kind: access.Admin, AccountID: o.AccountID, Username: o.StartedBy})
}

// letGo ends the lease early when the panel stops in good order.
func (r *runner) letGo(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(ctx, writeLimit)
	defer cancel()
	_, err := r.db.NewUpdate().Model((*rolloutRow)(nil)).Set("lease_until = ?", r.now()).Where("id = ? and runner = ?", id, r.id).Exec(ctx)
	if err != nil {
		r.log.Info("a rollout keeps its lease until it ends by itself", zap.String("rollout", id), zap.Error(err))
	}
}

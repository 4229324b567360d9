package updates

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/database"
	"panel/platform/lease"
	"panel/platform/restored"
)

// runner carries rollouts to their end: each step reads what the database says of a rollout and does what is due.
type runner struct {
	*service
	commands nodesapi.Commands
	*lease.Driver
}

const (
	resultPoll = 500 * time.Millisecond // how often the results of orders are read
	settlePoll = 5 * time.Second        // how often a ring that should have settled is compared
	orderLimit = 20 * time.Minute       // to fetch, to try and to return, also over a slow line
	attempts   = 12                     // about five minutes of failures in a row
)

func newRunner(
	s *service, c nodesapi.Commands, listener *database.Listener, clock clockwork.Clock, log *zap.Logger,
) *runner {
	r := &runner{service: s, commands: c}
	r.Driver = lease.New(s.db, listener, clock, log, lease.Process{
		Name: "rollout", Attempts: attempts, Step: r.step, GiveUp: r.giveUp,
		Table: lease.Table{Name: "agent_rollouts", Open: "finished_at is null", Order: "started_at"},
	})
	s.wake = r.Wake
	return r
}

// drive is a rollout in the hands of this panel.
type drive struct {
	*runner
	claim *lease.Claim
	row   *rolloutRow
}

func (r *runner) step(ctx context.Context, c *lease.Claim) (lease.Next, error) {
	row, err := r.rollout(ctx, c.ID)
	if err != nil || row.FinishedAt != nil {
		return lease.Done(), err
	}
	d := &drive{runner: r, claim: c, row: row}
	return d.advance(as(ctx, row))
}

// giveUp ends a rollout whose steps fail again and again. Nodes that are at work finish by themselves.
func (r *runner) giveUp(ctx context.Context, c *lease.Claim, cause error) error {
	row, err := r.rollout(ctx, c.ID)
	if err != nil {
		return err
	}
	d := &drive{runner: r, claim: c, row: row}
	return d.end(as(ctx, row), failed, "the rollout could not go on: "+cause.Error())
}

// restored ends what was under way in a database that was restored from a backup.
func (r *runner) restored(ctx context.Context, _ json.RawMessage, _ *restored.Restoration) error {
	return r.Abandon(ctx, restored.Cause)
}

// as lets the journal name the person who started the rollout.
func as(ctx context.Context, o *rolloutRow) context.Context {
	if o.AccountID == "" {
		return ctx
	}
	return access.With(ctx, access.Caller{Kind: access.Admin, AccountID: o.AccountID, Username: o.StartedBy})
}

package license

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"panel/platform/database"
	"panel/platform/lease"
)

const (
	questionTries = 3
	questionLimit = 2*patience + checkBudget + noteWithin + 5*time.Second // with the wait for the other panels
	// firstAgain keeps a question that fails in this panel from being put more often than once a minute.
	firstAgain   = time.Minute
	longestAgain = 5 * time.Minute
)

// process is how the license server is asked by the clock: one panel of several asks when the next check is due, and
// another one goes on when it dies.
func (s *service) process() lease.Process {
	return lease.Process{
		Name: "question to the license server",
		Table: lease.Table{
			Name: "licenses", Key: "instance_id", Open: "document <> '' and sealed_key <> ''", Due: "next_check_at",
		},
		Step: s.ask, GiveUp: s.giveUp, Parallel: 1, StepLimit: questionLimit, Attempts: questionTries,
		FirstPause: firstAgain, LongestPause: longestAgain, Now: s.clock.Now,
	}
}

// ask puts one question and keeps its outcome, which sets the time of the next one.
func (s *service) ask(ctx context.Context, claim *lease.Claim) (lease.Next, error) {
	if err := s.begin(ctx); err != nil {
		return lease.After(patience), nil //nolint:nilerr // a person asks at this moment
	}
	defer s.end()
	before, err := s.opened(ctx, claim)
	if err != nil || before == nil {
		return lease.After(lookEvery), err
	}
	answer, failure, err := s.question(ctx, before)
	if err != nil {
		return lease.Next{}, err
	}
	if failure != nil && ctx.Err() != nil {
		return lease.Next{}, ctx.Err() // the panel stops, or has lost its claim: that is no failure of the server
	}
	r, err := s.note(ctx, claim, before, answer, failure)
	if err != nil || !r.Asking {
		return lease.Done(), err
	}
	return lease.After(retryAfter), nil // the answer is older than the one that is kept
}

// opened notes that a question begins and gives what it is about; nil when nothing is to be asked now.
func (s *service) opened(ctx context.Context, claim *lease.Claim) (before *snapshot, err error) {
	err = claim.InTx(ctx, func(ctx context.Context) error {
		r, err := s.store.read(ctx)
		if err != nil {
			return err
		}
		k, now := s.understand(r), s.clock.Now()
		if !k.checkable() || k.NextCheckAt == nil || now.Before(*k.NextCheckAt) {
			return nil
		}
		before = k
		return s.store.write(ctx, k.begun(now, s.grace))
	})
	return before, err
}

var (
	// unfinished is the failure of a question whose outcome nobody lived to note.
	unfinished = &temporary{summary: "the panel ended before the license server answered"}
	// givenUp is the failure of a question that this panel could not put or understand, again and again.
	givenUp = &temporary{summary: "the panel failed while it asked the license server; its log says why"}
)

// giveUp ends a question that fails in this panel as one without an answer; the next one is put in time.
func (s *service) giveUp(ctx context.Context, claim *lease.Claim, _ error) error {
	r, err := s.store.read(ctx)
	if err != nil {
		return err
	}
	err = s.store.db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, _, err := s.store.apply(ctx, tx, s.failing(claim, s.understand(r), givenUp))
		return err
	})
	if err == nil {
		database.AfterCommit(ctx, s.outdate)
	}
	return err
}

// fenced demands the claim of who asks by the clock; a person needs none.
func fenced(ctx context.Context, claim *lease.Claim) error {
	if claim == nil {
		return nil
	}
	return claim.Check(ctx)
}

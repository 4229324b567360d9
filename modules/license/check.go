package license

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/uptrace/bun"

	"panel/platform/entitlement"
	"panel/platform/fault"
	"panel/platform/lease"
	"panel/platform/licensedoc"
)

const (
	checkEvery  = 8 * time.Hour
	retryAfter  = 15 * time.Minute
	beforeEnd   = 10 * time.Minute
	checkBudget = 25 * time.Second
	noteWithin  = 5 * time.Second
)

// patience is how long a question waits for another one to end; it leaves time to ask within one request.
const patience = 5 * time.Second

var errBusy = fault.Unavailable("another question to the license server is under way; try again")

// begin waits for its turn; end gives it on. Fault: unavailable (503).
func (s *service) begin(ctx context.Context) error {
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case s.checking <- struct{}{}:
		return nil
	case <-waiting.Done():
		return errBusy
	}
}

func (s *service) end() { <-s.checking }

// check asks the authority for a person and keeps what it says; it gives the row that this leads to, an empty one where
// nothing is written.
func (s *service) check(ctx context.Context) (row, error) {
	if err := s.begin(ctx); err != nil {
		return row{}, err
	}
	defer s.end()
	before := s.look()
	if !before.checkable() {
		return row{}, s.lookedAt(ctx, before)
	}
	answer, failure, err := s.question(ctx, before)
	if err != nil {
		return row{}, err
	}
	return s.note(ctx, nil, before, answer, failure)
}

func (s *service) question(ctx context.Context, k *snapshot) (signed, *temporary, error) {
	key, err := s.key(k)
	if err != nil {
		return signed{}, nil, err
	}
	asking, cancel := context.WithTimeout(ctx, checkBudget)
	defer cancel()
	answer, err := s.client.ask(asking, licensedoc.RefreshPath, key, k.InstanceID)
	var failure *temporary
	if errors.As(err, &failure) {
		return signed{}, failure, nil
	}
	return answer, nil, err
}

// lookedAt is the check of an offline document: there is nobody to ask.
func (s *service) lookedAt(ctx context.Context, before *snapshot) error {
	if before.document == nil {
		return nil
	}
	return s.store.db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		return s.record(ctx, tx, kindRefreshed, before, before, "")
	})
}

// note keeps the outcome of a question, also when who has asked is about to go. Without a claim it is a person's
// request, which is journalled whatever comes of it; by itself only what changes is. Error: lease.ErrLost.
func (s *service) note(
	ctx context.Context, claim *lease.Claim, before *snapshot, answer signed, failure *temporary,
) (row, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteWithin)
	defer cancel()
	if failure != nil {
		return s.keep(ctx, s.failing(claim, before, failure))
	}
	s.timeFrom(answer)
	return s.keep(ctx, s.answering(claim, before, answer))
}

// keep makes a change of the stored license and shows it.
func (s *service) keep(ctx context.Context, change edit) (row, error) {
	r, err := s.store.change(ctx, change)
	if err != nil {
		return row{}, err
	}
	s.settle(ctx, r)
	return r, nil
}

func (s *service) failing(claim *lease.Claim, before *snapshot, failure *temporary) edit {
	now := s.clock.Now()
	return func(ctx context.Context, tx bun.Tx, r row) (row, bool, error) {
		if err := fenced(ctx, claim); err != nil {
			return r, false, err
		}
		current := s.understand(r)
		if current.document == nil || r.SealedKey != before.SealedKey {
			return r, false, nil
		}
		next := current.failed(now, s.grace, failure)
		next.NextCheckAt = after(now, retryAfter)
		kind := changed(&next, s.understand(next).judge(now, s.grace))
		return next, true, s.recordCheck(ctx, tx, kind, claim == nil, before, s.understand(next), failure.summary)
	}
}

// answering keeps the newest of what is stored and what has come: another panel may have asked meanwhile.
func (s *service) answering(claim *lease.Claim, before *snapshot, answer signed) edit {
	now := s.clock.Now()
	return func(ctx context.Context, tx bun.Tx, r row) (row, bool, error) {
		if err := fenced(ctx, claim); err != nil {
			return r, false, err
		}
		current := s.understand(r)
		if current.document == nil || r.SealedKey != before.SealedKey ||
			current.document.IssuedAt.After(answer.document.IssuedAt) {
			return r, false, nil
		}
		next := current.answered(now, answer)
		s.renew(&next, current, answer, now)
		kind := changed(&next, s.understand(next).judge(now, s.grace))
		failure := ""
		if answer.document.Verdict == licensedoc.Refused {
			failure = answer.document.Reason
		}
		return next, true, s.recordCheck(ctx, tx, kind, claim == nil, before, s.understand(next), failure)
	}
}

func (s *service) renew(next *row, current *snapshot, answer signed, now time.Time) {
	if !current.document.ValidUntil.Equal(answer.document.ValidUntil) {
		next.WarnedDays = 0
	}
	next.ClockAt = now
	next.NextCheckAt = s.nextCheck(&snapshot{row: *next, document: &answer.document}, now)
}

// changed notes the state in the row and names the event when it is another one.
func changed(next *row, v verdict) string {
	if next.AnnouncedState == v.state {
		return ""
	}
	next.AnnouncedState = v.state
	return kindOf(v.state)
}

func kindOf(state string) string {
	switch state {
	case entitlement.Grace:
		return kindGrace
	case entitlement.Degraded:
		return kindDegraded
	}
	return kindRefreshed
}

// nextCheck is the usual interval, but never past the end of the license: a renewed
// one is then seen before the old one ends.
func (s *service) nextCheck(k *snapshot, now time.Time) *time.Time {
	if !k.checkable() {
		return nil
	}
	next := after(now, checkEvery)
	if eve := k.document.ValidUntil.Add(-beforeEnd); eve.After(now) && eve.Before(*next) {
		return &eve
	}
	return next
}

// after spreads the panels of the world by a tenth of the interval.
func after(now time.Time, interval time.Duration) *time.Time {
	spread := time.Duration(rand.Int64N(int64(interval / 5)))
	next := now.Add(interval - interval/10 + spread)
	return &next
}

package license

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/uptrace/bun"

	"panel/platform/entitlement"
	"panel/platform/fault"
	"panel/platform/licensedoc"
)

const (
	checkEvery  = 8 * time.Hour
	retryAfter  = 15 * time.Minute
	beforeEnd   = 10 * time.Minute
	checkBudget = 25 * time.Second
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

// check asks the authority and keeps what it says; it gives the row that this leads to, an empty one where nothing is
// written. byHand is a person's request, which is journalled whatever comes of it; by itself only what changes is.
func (s *service) check(ctx context.Context, byHand bool) (row, error) {
	if err := s.begin(ctx); err != nil {
		return row{}, err
	}
	defer s.end()
	before := s.look()
	if !before.checkable() {
		return row{}, s.lookedAt(ctx, before, byHand)
	}
	answer, failure, err := s.question(ctx, before)
	if err != nil {
		return row{}, err
	}
	if failure != nil && !byHand && ctx.Err() != nil {
		return row{}, nil // the panel stops: that is no failure of the server
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if failure != nil {
		return s.noteFailure(ctx, before, failure, byHand)
	}
	return s.noteAnswer(ctx, before, answer, byHand)
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
func (s *service) lookedAt(ctx context.Context, before *snapshot, byHand bool) error {
	if before.document == nil || !byHand {
		return nil
	}
	return s.store.db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		return s.record(ctx, tx, kindRefreshed, before, before, "")
	})
}

func (s *service) noteFailure(ctx context.Context, before *snapshot, failure *temporary, byHand bool) (row, error) {
	now := s.clock.Now()
	r, err := s.store.change(ctx, func(ctx context.Context, tx bun.Tx, r row) (row, bool, error) {
		current := s.understand(r)
		if current.document == nil || r.SealedKey != before.SealedKey {
			return r, false, nil
		}
		next := current.failed(now, s.grace, failure)
		next.NextCheckAt = after(now, retryAfter)
		kind := changed(&next, s.understand(next).judge(now, s.grace))
		return next, true, s.recordCheck(ctx, tx, kind, byHand, before, s.understand(next), failure.summary)
	})
	if err != nil {
		return row{}, err
	}
	s.settle(ctx, r)
	return r, nil
}

// noteAnswer keeps the newest of what is stored and what has come: another panel may
// have asked meanwhile.
func (s *service) noteAnswer(ctx context.Context, before *snapshot, answer signed, byHand bool) (row, error) {
	s.timeFrom(answer)
	now := s.clock.Now()
	r, err := s.store.change(ctx, func(ctx context.Context, tx bun.Tx, r row) (row, bool, error) {
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
		return next, true, s.recordCheck(ctx, tx, kind, byHand, before, s.understand(next), failure)
	})
	if err != nil {
		return row{}, err
	}
	s.settle(ctx, r)
	return r, nil
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

package license

import (
	"context"
	"time"

	"github.com/uptrace/bun"
	"go.uber.org/zap"

	"panel/platform/entitlement"
	"panel/platform/licensedoc"
)

const (
	lookEvery  = 10 * time.Second
	noteEvery  = 5 * time.Minute
	reportable = 2 // requests to give a place back are few
)

// warnDays are the days before the end at which people are told, once each.
var warnDays = []int{1, 3, 7, 14, 30}

// ready loads the license before the panel answers its first request.
func (s *service) ready(ctx context.Context) error {
	c, err := s.file.read()
	if err != nil {
		return err
	}
	s.clock.AtLeast(c.ClockAt)
	if err := s.store.found(ctx, s.clock.Now()); err != nil {
		return err
	}
	if err := s.restore(ctx, c); err != nil {
		return err
	}
	for _, host := range s.client.insecure() {
		s.log.Warn("the license key travels in the clear; use https for the license server", zap.String("server", host))
	}
	s.changes.Add(1)
	return s.reload(ctx)
}

// restore brings back what an older database, put in place of the right one, has lost,
// and seals the key anew after the master key was changed.
func (s *service) restore(ctx context.Context, c copied) error {
	r, err := s.store.read(ctx)
	if err != nil {
		return err
	}
	known := s.knownOf(c, r)
	if !s.newer(c, r) && !c.failsLonger(r) && !s.vault.Stale(r.SealedKey) && known.equal(r.Known) {
		return nil
	}
	_, err = s.store.change(ctx, s.broughtBack(c))
	return err
}

// broughtBack takes from a copy what the row has lost.
func (s *service) broughtBack(c copied) edit {
	return func(ctx context.Context, _ bun.Tx, r row) (row, bool, error) {
		switch {
		case s.newer(c, r):
			r.Document, r.SealedKey, r.KeyMasked, r.FailingSince = c.Document, c.SealedKey, c.KeyMasked, c.FailingSince
			r.NextCheckAt = s.askAtOnce(c)
			if err := s.questions.Wake(ctx, r.InstanceID); err != nil {
				return r, false, err
			}
		case c.failsLonger(r):
			r.FailingSince = c.FailingSince
		}
		r.Known = s.knownOf(c, r)
		return s.resealed(s.withoutWithdrawn(r)), true, nil
	}
}

// askAtOnce is when a license that was brought back is asked about; an offline one has no key and never is.
func (s *service) askAtOnce(c copied) *time.Time {
	if c.SealedKey == "" {
		return nil
	}
	now := s.clock.Now()
	return &now
}

// knownOf joins what the database and the copy know of all licenses that this installation has had.
func (s *service) knownOf(c copied, r row) statements {
	known := r.Known
	if c.InstanceID == r.InstanceID {
		known = known.join(c.Known)
	}
	if d, err := licensedoc.Verify(r.Document, s.client.trusted...); err == nil {
		known = known.with(&d)
	}
	return known
}

// withoutWithdrawn removes a document of an older database whose license was refused since.
func (s *service) withoutWithdrawn(r row) row {
	d, err := licensedoc.Verify(r.Document, s.client.trusted...)
	if err != nil || !r.Known.withdrawn(&d) {
		return r
	}
	now := s.clock.Now()
	return row{
		Singleton: true, InstanceID: r.InstanceID, RemovedAt: &now, AnnouncedState: entitlement.Degraded,
		ClockAt: r.ClockAt, Known: r.Known,
	}
}

func (s *service) newer(c copied, r row) bool {
	d, err := licensedoc.Verify(c.Document, s.client.trusted...)
	if err != nil || c.InstanceID != r.InstanceID || d.InstanceID != r.InstanceID {
		return false
	}
	if r.RemovedAt != nil && !d.IssuedAt.After(*r.RemovedAt) {
		return false
	}
	stored, err := licensedoc.Verify(r.Document, s.client.trusted...)
	return err != nil || d.IssuedAt.After(stored.IssuedAt)
}

func (s *service) resealed(r row) row {
	if r.SealedKey == "" || !s.vault.Stale(r.SealedKey) {
		return r
	}
	if plain, err := s.vault.Open(r.place(), r.SealedKey); err == nil {
		r.SealedKey = s.vault.Seal(r.place(), plain)
	}
	return r
}

// watch tells what changed by time alone, gives former places back and notes the time, until the context ends.
func (s *service) watch(ctx context.Context) error {
	noted := s.clock.Now()
	for {
		if err := s.turn(ctx); err != nil && ctx.Err() == nil {
			s.log.Warn("the license could not be looked after; trying again", zap.Error(err))
		}
		if now := s.clock.Now(); now.Sub(noted) >= noteEvery {
			noted = now
			s.noteTime(ctx, now)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-s.wake:
		case <-s.waiting.After(lookEvery):
		}
	}
}

func (s *service) turn(ctx context.Context) error {
	s.giveBack(ctx)
	if err := s.announce(ctx); err != nil {
		return err
	}
	return s.warn(ctx)
}

// announce tells of a state that time alone has brought: the end of grace or of the
// license. One panel of several tells it.
func (s *service) announce(ctx context.Context) error {
	k, now := s.look(), s.clock.Now()
	if k.judge(now, s.grace).state == k.AnnouncedState || k.InstanceID == "" {
		return nil
	}
	_, err := s.keep(ctx, func(ctx context.Context, tx bun.Tx, r row) (row, bool, error) {
		before := *s.understand(r)
		kind := changed(&r, before.judge(now, s.grace))
		if kind == "" {
			return r, false, nil
		}
		return r, true, s.recordChange(ctx, tx, kind, &before, s.understand(r))
	})
	return err
}

func (s *service) warn(ctx context.Context) error {
	k, now := s.look(), s.clock.Now()
	days := s.dueWarning(k, now)
	if days == 0 {
		return nil
	}
	_, err := s.keep(ctx, func(ctx context.Context, tx bun.Tx, r row) (row, bool, error) {
		current := s.understand(r)
		if s.dueWarning(current, now) != days {
			return r, false, nil
		}
		r.WarnedDays = days
		return r, true, s.recordWarning(ctx, tx, current, current.daysLeft(now))
	})
	return err
}

// dueWarning gives the smallest step that is reached and not told yet, or 0.
func (s *service) dueWarning(k *snapshot, now time.Time) int {
	if k.document == nil || k.judge(now, s.grace).state == entitlement.Degraded || !now.Before(k.document.ValidUntil) {
		return 0
	}
	for _, days := range warnDays {
		if k.daysLeft(now) <= days {
			if k.WarnedDays == 0 || days < k.WarnedDays {
				return days
			}
			return 0
		}
	}
	return 0
}

func (s *service) noteTime(ctx context.Context, now time.Time) {
	s.keepCopy(ctx)
	if err := s.store.noteClock(ctx, now); err != nil && ctx.Err() == nil {
		s.log.Warn("the time could not be noted in the database", zap.Error(err))
	}
}

// giveBack frees places at the authority; when it does not answer, the vendor can.
func (s *service) giveBack(ctx context.Context) {
	for range reportable {
		select {
		case r := <-s.given:
			if err := s.client.release(ctx, r.key, r.instance); err != nil && ctx.Err() == nil {
				s.log.Warn("the place of the former license was not given back", zap.Error(err))
			}
		default:
			return
		}
	}
}

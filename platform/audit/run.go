package audit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"
)

const (
	sealEvery = time.Second
	closing   = 5 * time.Second
	lookEvery = 15 * time.Second // for what dead processes left
)

// Run seals what was recorded, notes the head outside the database and writes refused requests, until the context ends.
// Each panel does this by itself: what waits is in its memory, and the head is noted on its disk.
func (s *Store) Run(ctx context.Context) error {
	for {
		if err := s.tend(ctx, false); err != nil && ctx.Err() == nil {
			s.log.Warn("the journal could not be sealed; trying again", zap.Error(err))
		}
		select {
		case <-ctx.Done():
			return s.close(ctx)
		case <-s.clock.After(sealEvery):
		}
	}
}

// tend is one round: write, seal, note, settle. One that finds that entries were tampered with seals the record of it.
func (s *Store) tend(ctx context.Context, all bool) error {
	s.tending.Lock()
	defer s.tending.Unlock()
	if err := s.writeDenials(ctx, all); err != nil {
		return err
	}
	if err := s.sealAndNote(ctx); err != nil {
		return err
	}
	tampered, err := s.settle(ctx)
	if err != nil {
		return err
	}
	if s.leftDue(all) {
		found, err := s.settleLeft(ctx)
		if tampered = tampered || found; err != nil {
			return err
		}
	}
	if tampered {
		if err := s.sealAndNote(ctx); err != nil {
			return err
		}
	}
	if err := s.noteLived(ctx); err != nil {
		return err
	}
	s.tended.Store(s.clock.Now().UnixMilli())
	return nil
}

// leftDue says whether it is time to look for what dead processes left.
func (s *Store) leftDue(all bool) bool {
	now := s.clock.Now()
	if !all && !s.looked.IsZero() && now.Sub(s.looked) < lookEvery {
		return false
	}
	s.looked = now
	return true
}

func (s *Store) sealAndNote(ctx context.Context) error {
	open, last, err := s.openEnd(ctx)
	if err != nil {
		return err
	}
	if open {
		err = s.sealAll(ctx)
	}
	if open || last != s.noted.Load() {
		err = errors.Join(err, s.anchor(ctx))
	}
	return err
}

// openEnd is the one question of an idle second: is there something to seal, or has
// another panel sealed something?
func (s *Store) openEnd(ctx context.Context) (open bool, last int64, err error) {
	err = s.db.NewRaw(`select exists (select from journal where seq is null),
		coalesce((select max(seq) from journal), 0)`).Scan(ctx, &open, &last)
	if err != nil {
		return false, 0, fmt.Errorf("looking at the end of the journal: %w", err)
	}
	return open, last, nil
}

// close writes what still waits in memory, so that a stop loses nothing.
func (s *Store) close(ctx context.Context) error {
	s.said, s.lived.noted = time.Time{}, time.Time{}
	return s.Finish(ctx)
}

// Finish seals and notes what this process wrote. A process that only writes, without Run, ends with it.
func (s *Store) Finish(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closing)
	defer cancel()
	defer s.numbers.close()
	return s.tend(ctx, true)
}

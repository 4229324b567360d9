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
	trimEvery = 24 * time.Hour
	closing   = 5 * time.Second
)

// Run seals what was recorded, notes the head outside the database, writes refused
// requests and removes what is too old, until the context ends.
func (s *Store) Run(ctx context.Context) error {
	var trimmed time.Time
	for {
		if err := s.tend(ctx, false); err != nil && ctx.Err() == nil {
			s.log.Warn("the journal could not be sealed; trying again", zap.Error(err))
		}
		if now := s.clock.Now(); now.Sub(trimmed) >= trimEvery {
			trimmed = now
			if err := s.trim(ctx); err != nil && ctx.Err() == nil {
				s.log.Warn("old journal entries could not be removed", zap.Error(err))
			}
		}
		select {
		case <-ctx.Done():
			return s.close(ctx)
		case <-s.clock.After(sealEvery):
		}
	}
}

func (s *Store) tend(ctx context.Context, all bool) error {
	if err := s.writeDenials(ctx, all); err != nil {
		return err
	}
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
	if err == nil {
		s.tended.Store(s.clock.Now().UnixMilli())
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
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closing)
	defer cancel()
	s.said = time.Time{}
	return s.tend(ctx, true)
}

package audit

import (
	"context"
	"crypto/hmac"
	"encoding/binary"
	"fmt"
	"time"

	"go.uber.org/zap"
)

const (
	// longestIdle is how much of the time in which no panel ran counts for retention.
	longestIdle = 7 * 24 * time.Hour
	// aheadSaid is how far the clock may run ahead before the log says so.
	aheadSaid = 24 * time.Hour
	noteEvery = time.Hour
)

// lived is how far time has come as the panels have lived through it. The clock of the machine may be wrong by years;
// entries are too precious to be removed on its word alone.
type lived struct {
	at    time.Time // zero until it was read
	seen  time.Time // when it was brought forward last
	noted time.Time // what was noted last
}

// forward brings the time forward by what has passed on a clock that nobody sets, never beyond the clock on the wall.
func (l *lived) forward(wall time.Time, passed time.Duration) {
	if next := earlier(wall, l.at.Add(max(passed, 0))); next.After(l.at) {
		l.at = next
	}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Instant is a moment that panels have lived through, proved by the journal's key.
type Instant struct {
	At  time.Time `json:"at"`
	MAC []byte    `json:"mac"`
}

func instantOf(key []byte, at time.Time) Instant {
	i := Instant{At: at.UTC()}
	i.MAC = i.proof(key)
	return i
}

func (i Instant) proof(key []byte) []byte {
	return keyed(key, "instant", binary.BigEndian.AppendUint64(nil, uint64(i.At.UnixMicro()))) //nolint:gosec // bytes
}

func (i Instant) genuine(key []byte) bool { return len(i.MAC) > 0 && hmac.Equal(i.MAC, i.proof(key)) }

// believed is the time by which entries age: never later than the clock, and never later than the panels have lived.
func (s *Store) believed(ctx context.Context) (time.Time, error) {
	wall := s.clock.Now()
	if s.lived.at.IsZero() {
		from, err := s.livedBefore(ctx)
		if err != nil {
			return time.Time{}, err
		}
		s.lived.at = s.now()
		if !from.IsZero() {
			s.lived.at = earlier(s.now(), from.Add(longestIdle))
			s.lived.at = later(s.lived.at, from)
		}
	} else {
		s.lived.forward(s.now(), wall.Sub(s.lived.seen))
	}
	s.lived.seen = wall
	return earlier(s.now(), s.lived.at), nil
}

// livedBefore is the latest moment that a panel has noted, in the data folder or in the database. An installation of an
// earlier version has noted heads alone.
func (s *Store) livedBefore(ctx context.Context) (time.Time, error) {
	key, err := s.secret.key(ctx)
	if err != nil {
		return time.Time{}, err
	}
	kept, err := s.heads.read()
	if err != nil {
		return time.Time{}, err
	}
	var noted []Instant
	if err := s.db.NewRaw("select at, mac from journal_clocks").Scan(ctx, &noted); err != nil {
		return time.Time{}, fmt.Errorf("read how far the journal's time has come: %w", err)
	}
	var latest time.Time
	for _, i := range append(noted, kept.Lived) {
		if i.genuine(key) {
			latest = later(latest, i.At)
		}
	}
	if latest.IsZero() {
		for _, h := range kept.Heads {
			if h.genuine(key) {
				latest = later(latest, h.At)
			}
		}
	}
	return latest, nil
}

// noteLived keeps how far time has come, in the data folder and in the database.
func (s *Store) noteLived(ctx context.Context) error {
	if _, err := s.believed(ctx); err != nil {
		return err
	}
	if s.lived.at.Sub(s.lived.noted) < noteEvery && !s.lived.noted.IsZero() {
		return nil
	}
	key, err := s.secret.key(ctx)
	if err != nil {
		return err
	}
	kept, err := s.heads.read()
	if err != nil {
		return err
	}
	kept.Lived = instantOf(key, s.lived.at.Truncate(time.Microsecond))
	if err := s.heads.write(kept); err != nil {
		return err
	}
	_, err = s.db.ExecContext(ctx, `insert into journal_clocks (panel_id, at, mac) values (?, ?, ?)
		on conflict (panel_id) do update set at = excluded.at, mac = excluded.mac`,
		kept.PanelID, kept.Lived.At, kept.Lived.MAC)
	if err != nil {
		return fmt.Errorf("note how far the journal's time has come: %w", err)
	}
	s.lived.noted = s.lived.at
	if ahead := s.now().Sub(s.lived.at); ahead > aheadSaid {
		s.log.Warn("the clock is ahead of the time in which panels ran; journal entries are kept for that much longer",
			zap.Duration("ahead", ahead))
	}
	return nil
}

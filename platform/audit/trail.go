package audit

import (
	"context"
	"crypto/hmac"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// settling is how long a number may be missing before that means something: its transaction may still be open, and its
// writer has not said yet that it was undone.
const settling = 5 * time.Minute

// span is a run of numbers that a writer gave and that no entry has.
type span struct {
	from, to int64
	seq      int64     // the entry that shows the gap
	at       time.Time // when that was written
}

// trail is what the numbers of one writer show.
type trail struct {
	Last int64     `json:"last"`
	At   time.Time `json:"at"` // of the last entry

	seq     int64 // of the last entry
	missing []span
}

// removed is what a checkpoint keeps of the entries that retention removed.
type removed struct {
	Newest  time.Time         `json:"newest"` // the latest time in them
	Writers map[string]*trail `json:"writers"`
}

// follow takes the number of a proven entry into account. A gap that lies beside a break of the chain says nothing new.
func (v *verifier) follow(entry *raw) {
	w := v.trails[string(entry.writer)]
	if w == nil {
		w = &trail{}
		v.trails[string(entry.writer)] = w
	}
	at := time.UnixMicro(entry.at).UTC()
	switch {
	case entry.number <= w.Last:
		w.fill(entry.number)
	case entry.number > w.Last+1 && v.lastBreak <= w.seq:
		w.missing = append(w.missing, span{from: w.Last + 1, to: entry.number - 1, seq: entry.seq, at: at})
	}
	w.Last, w.At, w.seq = max(w.Last, entry.number), at, max(w.seq, entry.seq)
}

// fill takes a number out of those that are missing.
func (w *trail) fill(number int64) {
	i := slices.IndexFunc(w.missing, func(s span) bool { return s.from <= number && number <= s.to })
	if i < 0 {
		return
	}
	s := w.missing[i]
	before, after := s, s
	before.to, after.from = number-1, number+1
	parts := slices.DeleteFunc([]span{before, after}, func(s span) bool { return s.from > s.to })
	w.missing = slices.Replace(w.missing, i, i+1, parts...)
}

// removed is what a checkpoint after the last entry keeps. Writers that are long past give no number any more.
func (v *verifier) removed() removed {
	kept := removed{Newest: v.newest, Writers: map[string]*trail{}}
	for writer, w := range v.trails {
		if v.newest.Sub(w.At) < forgetWriter {
			kept.Writers[writer] = w
		}
	}
	return kept
}

// fillVoids takes out what the writer said was never used.
func (v *verifier) fillVoids(ctx context.Context, tx pgx.Tx, writer string, w *trail) error {
	if len(w.missing) == 0 {
		return nil
	}
	found, err := tx.Query(ctx, "select number, mac from journal_voids where writer = $1 and number between $2 and $3",
		writer, w.missing[0].from, w.Last)
	if err != nil {
		return fmt.Errorf("reading which numbers of the journal were undone: %w", err)
	}
	defer found.Close()
	for found.Next() {
		var number int64
		var mac []byte
		if err := found.Scan(&number, &mac); err != nil {
			return fmt.Errorf("reading which numbers of the journal were undone: %w", err)
		}
		if hmac.Equal(mac, voidProof(v.key, writer, number)) {
			w.fill(number)
		}
	}
	return found.Err()
}

// gaps notes the numbers that nobody accounts for.
func (v *verifier) gaps(ctx context.Context, tx pgx.Tx) error {
	for _, writer := range slices.Sorted(maps.Keys(v.trails)) {
		w := v.trails[writer]
		if err := v.fillVoids(ctx, tx, writer, w); err != nil {
			return err
		}
		for _, number := range v.open[writer] {
			w.fill(number)
		}
		for _, s := range w.missing {
			if v.now.Sub(s.at).Abs() < settling || v.brokenOff(w, s) {
				continue
			}
			v.note(Missing, s.seq, s.seq, "", fmt.Sprintf("before this entry %d entries are missing, "+
				"numbers %d to %d of the process %s: "+
				"they were removed before they were sealed, or undone when the process died", s.to-s.from+1, s.from,
				s.to, writer))
		}
	}
	return nil
}

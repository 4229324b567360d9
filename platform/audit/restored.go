package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"go.uber.org/zap"
)

// actionRestored says that the journal goes on from where a backup ended. The entry is sealed like any other, so that
// nobody who has the database alone can explain with one that entries are gone.
const actionRestored = "backup.restored"

const textChanges = 12 // the place of the changes among the texts of an entry

// Continuation is a place at which the journal goes on after a restore.
type Continuation struct {
	After int64     `json:"after" doc:"Number of the last entry that the backup held"`
	Seq   int64     `json:"seq" doc:"Number of the entry that says so; 0 while it is not chained"`
	At    time.Time `json:"at"`

	other bool // the journal before was that of another installation
}

// supersedes tells whether the restore explains that the chain does not lead through a head. A head of another journal
// is none of this one.
func (c Continuation) supersedes(h Head, genuine bool) bool {
	return !h.At.After(c.At) && (h.Seq > c.After || c.other && !genuine)
}

func superseded(restores []Continuation, h Head, genuine bool) bool {
	for _, c := range restores {
		if c.supersedes(h, genuine) {
			return true
		}
	}
	return false
}

// Continue writes, in the context's transaction, that the journal goes on after a restore. Former is the id of the
// journal that was there before, or empty. The answer is the number of the last entry that the backup held.
func (s *Store) Continue(ctx context.Context, former string, object Object, changes map[string]Change) (int64, error) {
	db := s.db.In(ctx)
	last, err := lastHead(ctx, db)
	if err != nil {
		return 0, err
	}
	var own string
	if err := db.NewRaw("select coalesce((select id::text from journal_keys), '')").Scan(ctx, &own); err != nil {
		return 0, fmt.Errorf("read which journal was restored: %w", err)
	}
	entry := Entry{Action: actionRestored, Object: object, Changes: map[string]Change{
		"continued_after": {To: last.Seq}, "other_journal": {To: former != "" && former != own},
	}}
	for field, change := range changes {
		entry.Changes[field] = change
	}
	return last.Seq, s.Record(ctx, db, entry)
}

// restores are the places at which the journal goes on after a restore, oldest first. An entry that cannot be proved
// explains nothing.
func restores(ctx context.Context, from querier, key []byte) (found []Continuation, err error) {
	proves := newProver(key)
	_, err = entries(ctx, from, fmt.Sprintf("select %s from journal where action = '%s' order by seq nulls last, id",
		columns, actionRestored), func(entry *raw) {
		linked, marked := proves.proves(entry)
		if !marked || entry.seq > 0 && !linked {
			return
		}
		var said struct {
			After struct{ To int64 } `json:"continued_after"`
			Other struct{ To bool }  `json:"other_journal"`
		}
		if json.Unmarshal(entry.texts[textChanges], &said) == nil {
			found = append(found, Continuation{
				After: said.After.To, Seq: entry.seq, At: time.UnixMicro(entry.at).UTC(), other: said.Other.To,
			})
		}
	})
	return found, err
}

// querier is a transaction or the pool.
type querier interface {
	Query(ctx context.Context, query string, args ...any) (pgx.Rows, error)
}

// entries reads entries as the database sends them: a verification reads everything there is.
func entries(ctx context.Context, from querier, query string, use func(*raw)) (n int, err error) {
	found, err := from.Query(ctx, query, pgx.QueryExecModeDescribeExec, pgx.QueryResultFormats{pgx.BinaryFormatCode})
	if err != nil {
		return 0, fmt.Errorf("reading the journal: %w", err)
	}
	defer found.Close()
	var entry raw
	for ; found.Next(); n++ {
		if err := entry.read(found.RawValues()); err != nil {
			return n, fmt.Errorf("reading the journal: %w", err)
		}
		use(&entry)
	}
	return n, found.Err()
}

// withoutSuperseded lets heads go that a restore explains: they say nothing of the journal as it is now, and would
// outlive the entry that explains them.
func (s *Store) withoutSuperseded(ctx context.Context, kept *headsKept, key []byte) error {
	explained, err := restores(ctx, s.db.Pool, key)
	if err != nil || len(explained) == 0 {
		return err
	}
	left := make([]Head, 0, len(kept.Heads))
	for _, h := range kept.Heads {
		if !superseded(explained, h, h.genuine(key)) {
			left = append(left, h)
		}
	}
	if gone := len(kept.Heads) - len(left); gone > 0 {
		s.log.Info("heads of the journal from before a restore are let go", zap.Int("heads", gone),
			zap.Int64("continued_after", explained[len(explained)-1].After))
	}
	kept.Heads = left
	return nil
}

// replaced are the pending entries that a restore took with it: they were written before it, by what their ids say.
func (s *Store) replaced(ctx context.Context, list []pending, stored map[string]storedEntry) (map[int64]bool, error) {
	gone := map[int64]bool{}
	for _, p := range list {
		if _, there := stored[p.ID]; !there && p.ID != "" {
			gone[p.Number] = true
		}
	}
	if len(gone) == 0 {
		return gone, nil
	}
	key, err := s.secret.key(ctx)
	if err != nil {
		return nil, err
	}
	explained, err := restores(ctx, s.db.Pool, key)
	if err != nil {
		return nil, err
	}
	for _, p := range list {
		if gone[p.Number] && (len(explained) == 0 || writtenAt(p.ID).After(explained[len(explained)-1].At)) {
			delete(gone, p.Number)
		}
	}
	return gone, nil
}

// writtenAt is the moment that an entry's id holds.
func writtenAt(id string) time.Time {
	parsed, err := uuid.Parse(id)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(parsed.Time().UnixTime())
}

// brokenOff tells whether a gap is what a backup leaves that is made in the middle of work: an entry was written and
// not committed yet when the process's last one before the restore already was.
func (v *verifier) brokenOff(w *trail, s span) bool {
	for _, c := range v.report.Continued {
		if (c.Seq == 0 || w.seq < c.Seq) && w.At.Sub(s.at) < settling && !w.At.After(c.At) {
			return true
		}
	}
	return false
}

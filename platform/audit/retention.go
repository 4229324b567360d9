package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"
	"go.uber.org/zap"
)

const (
	trimBatch     = 20_000
	actionTrimmed = "audit.trimmed"
)

// Trim removes entries that are older than the retention, oldest first and never from the middle, and leaves a proved
// checkpoint so that the rest of the chain stays provable. What is not proven is not removed: an age that somebody
// wrote into the table counts for nothing.
func (s *Store) Trim(ctx context.Context) error {
	if s.keepDays == 0 {
		return nil
	}
	s.tending.Lock()
	defer s.tending.Unlock()
	now, err := s.believed(ctx)
	if err != nil {
		return err
	}
	before := now.AddDate(0, 0, -s.keepDays)
	for {
		old, err := s.oldRun(ctx, before)
		if err != nil || old.entries == 0 {
			return err
		}
		if err := s.removeRun(ctx, old, before); err != nil || old.entries < trimBatch {
			return err
		}
	}
}

// oldRun is a proven beginning of the journal that may be removed.
type oldRun struct {
	after   int64 // the number before its first entry
	last    head
	entries int64
	removed removed
}

// oldRun proves the journal from its beginning up to the last entry whose age is proven to be beyond the given time. An
// entry without a mark ages by the proven entries around it.
func (s *Store) oldRun(ctx context.Context, before time.Time) (oldRun, error) {
	v, err := s.newVerifier(ctx)
	if err != nil {
		return oldRun{}, err
	}
	kept, err := s.heads.read()
	if err != nil {
		return oldRun{}, err
	}
	var old oldRun
	snapshot := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err = pgx.BeginTxFunc(ctx, s.db.Pool, snapshot, func(tx pgx.Tx) error {
		if err := v.gather(ctx, tx, kept); err != nil {
			return err
		}
		old.after = v.before.Seq
		return v.old(ctx, tx, before, &old)
	})
	if v.tampered() {
		s.log.Error("the journal keeps old entries, because they are not proven; run the verification",
			zap.Int64("after", old.last.Seq))
	}
	return old, err
}

// old walks until an entry is young or not proven.
func (v *verifier) old(ctx context.Context, tx pgx.Tx, before time.Time, old *oldRun) error {
	done := v.tampered() || !v.newest.Before(before)
	var walked int64
	query := fmt.Sprintf("select %s from journal where seq > %d order by seq limit %d", columns, v.before.Seq,
		trimBatch)
	_, err := entries(ctx, tx, query, func(entry *raw) {
		if done = done || entry.at >= before.UnixMicro(); done {
			return
		}
		v.check(entry)
		walked++
		if done = v.tampered(); !done && v.marked {
			old.last, old.entries = head{v.before.Seq, append(old.last.Hash[:0], v.before.Hash...)}, walked
		}
	})
	old.removed = v.removed()
	return err
}

func (s *Store) removeRun(ctx context.Context, old oldRun, before time.Time) error {
	key, err := s.secret.key(ctx)
	if err != nil {
		return err
	}
	return s.db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.ExecContext(ctx, "select pg_advisory_xact_lock(?)", sealLock); err != nil {
			return fmt.Errorf("waiting to trim the journal: %w", err)
		}
		again, err := lastCheckpoint(ctx, tx)
		if err != nil || again != old.after {
			return err // another panel was faster
		}
		count, err := remove(ctx, tx, old.last.Seq)
		if err != nil {
			return err
		}
		if count != old.entries {
			return fmt.Errorf("remove old journal entries: %d instead of the %d that were proven; "+
				"the journal was changed meanwhile", count, old.entries)
		}
		if err := s.checkpointAt(ctx, tx, key, old); err != nil {
			return err
		}
		return s.Record(ctx, tx, Entry{
			Action: actionTrimmed, Object: Object{Type: "journal"},
			Changes: map[string]Change{
				"entries": {To: count}, "up_to": {To: old.last.Seq},
				"older_than": {To: before.UTC().Format(time.RFC3339)},
			},
		})
	})
}

func lastCheckpoint(ctx context.Context, tx bun.Tx) (seq int64, err error) {
	if err := tx.NewRaw("select coalesce(max(seq), 0) from journal_checkpoints").Scan(ctx, &seq); err != nil {
		return 0, fmt.Errorf("reading the journal's checkpoint: %w", err)
	}
	return seq, nil
}

// remove opens the journal for this transaction alone.
func remove(ctx context.Context, tx bun.Tx, upTo int64) (int64, error) {
	if _, err := tx.ExecContext(ctx, "set local panel.journal_retention = 'on'"); err != nil {
		return 0, fmt.Errorf("opening the journal for retention: %w", err)
	}
	if _, err := tx.ExecContext(ctx,
		"do $$ begin execute format('grant delete on journal to %I', current_user); end $$"); err != nil {
		return 0, fmt.Errorf("opening the journal for retention: %w", err)
	}
	result, err := tx.ExecContext(ctx, "delete from journal where seq <= ?", upTo)
	if err != nil {
		return 0, fmt.Errorf("removing old journal entries: %w", err)
	}
	if err := closeAgain(ctx, tx); err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func closeAgain(ctx context.Context, tx bun.Tx) error {
	_, err := tx.ExecContext(ctx, `do $$ begin
		if not (select rolsuper from pg_roles where rolname = current_user) then
			execute format('revoke delete on journal from %I', current_user);
		end if; end $$`)
	if err == nil {
		_, err = tx.ExecContext(ctx, "set local panel.journal_retention = 'off'")
	}
	if err != nil {
		return fmt.Errorf("closing the journal after retention: %w", err)
	}
	return nil
}

// checkpointAt says where the chain begins now and which numbers went with the removed entries. Undone numbers among
// them need no proof of their own any more.
func (s *Store) checkpointAt(ctx context.Context, tx bun.Tx, key []byte, old oldRun) error {
	text, err := json.Marshal(old.removed)
	if err != nil {
		return fmt.Errorf("encode the journal's checkpoint: %w", err)
	}
	c := checkpoint{Seq: old.last.Seq, Hash: old.last.Hash, Entries: old.entries, At: s.now(), Removed: text}
	c.MAC = c.proof(key)
	if _, err := tx.NewInsert().Model(&c).Exec(ctx); err != nil {
		return fmt.Errorf("writing the journal's checkpoint: %w", err)
	}
	for writer, w := range old.removed.Writers {
		_, err := tx.ExecContext(ctx, "delete from journal_voids where writer = ? and number <= ?", writer, w.Last)
		if err != nil {
			return fmt.Errorf("removing old numbers of the journal: %w", err)
		}
	}
	return nil
}

package audit

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"
)

const (
	trimBatch     = 20_000
	actionTrimmed = "audit.trimmed"
)

// trim removes entries that are older than the retention, oldest first and never from the
// middle, and leaves a proved checkpoint so that the rest of the chain stays provable.
func (s *Store) trim(ctx context.Context) error {
	if s.keepDays == 0 {
		return nil
	}
	before := s.now().AddDate(0, 0, -s.keepDays)
	for {
		n, err := s.trimBatch(ctx, before)
		if err != nil || n < trimBatch {
			return err
		}
	}
}

func (s *Store) trimBatch(ctx context.Context, before time.Time) (removed int64, err error) {
	key, err := s.secret.key(ctx)
	if err != nil {
		return 0, err
	}
	err = s.db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.ExecContext(ctx, "select pg_advisory_xact_lock(?)", sealLock); err != nil {
			return fmt.Errorf("waiting to trim the journal: %w", err)
		}
		last, found, err := oldEnd(ctx, tx, before)
		if err != nil || !found {
			return err
		}
		if removed, err = remove(ctx, tx, last.Seq); err != nil {
			return err
		}
		if err := checkpointAt(ctx, tx, key, last, removed, s.now()); err != nil {
			return err
		}
		return s.Record(ctx, tx, Entry{
			Action: actionTrimmed, Object: Object{Type: "journal"},
			Changes: map[string]Change{"entries": {To: removed}, "up_to": {To: last.Seq}, "older_than": {To: before.Format(time.RFC3339)}},
		})
	})
	return removed, err
}

// oldEnd is the last entry of the run of old ones at the beginning of the chain.
func oldEnd(ctx context.Context, tx bun.Tx, before time.Time) (head, bool, error) {
	var h head
	err := tx.NewRaw(`select seq, hash from (select seq, hash, at, bool_and(at < ?) over (order by seq) as old
		from (select seq, hash, at from journal where seq is not null order by seq limit ?) as first) as run
		where old order by seq desc limit 1`, before, trimBatch).Scan(ctx, &h.Seq, &h.Hash)
	if errors.Is(err, sql.ErrNoRows) {
		return h, false, nil
	}
	if err != nil {
		return h, false, fmt.Errorf("looking for old journal entries: %w", err)
	}
	return h, true, nil
}

// remove opens the journal for this transaction alone.
func remove(ctx context.Context, tx bun.Tx, upTo int64) (int64, error) {
	if _, err := tx.ExecContext(ctx, "set local panel.journal_retention = 'on'"); err != nil {
		return 0, fmt.Errorf("opening the journal for retention: %w", err)
	}
	if _, err := tx.ExecContext(ctx, "do $$ begin execute format('grant delete on journal to %I', current_user); end $$"); err != nil {
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

func checkpointAt(ctx context.Context, tx bun.Tx, key []byte, last head, removed int64, now time.Time) error {
	c := checkpoint{Seq: last.Seq, Hash: last.Hash, Entries: removed, At: now}
	c.MAC = c.proof(key)
	if _, err := tx.NewInsert().Model(&c).Exec(ctx); err != nil {
		return fmt.Errorf("writing the journal's checkpoint: %w", err)
	}
	return nil
}

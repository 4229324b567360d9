package audit

import (
	"context"
	"crypto/hmac"
	"encoding/binary"
	"fmt"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"go.uber.org/zap"

	"panel/platform/access"
)

const (
	actionTampered = "audit.tampered" // an entry was removed or changed before it was sealed
	actionUnproven = "audit.unproven" // an entry is gone and nobody can say whether it was ever committed

	settleBatch = 1000
)

// How a transaction ended, in the words of the database.
const (
	txCommitted = "committed"
	txAborted   = "aborted"
	txRunning   = "in progress"
)

// voidProof says that nobody ever had the number.
func voidProof(key []byte, writer string, number int64) []byte {
	return keyed(key, "void", binary.BigEndian.AppendUint64([]byte(writer), uint64(number)))
}

// settle looks what became of the entries that this process wrote, and reports whether it had to write entries of its
// own. It runs after the chain was noted outside the database: what is sealed by then can no more vanish unseen.
func (s *Store) settle(ctx context.Context) (wrote bool, err error) {
	writer, open := s.numbers.open()
	for len(open) > 0 {
		batch := open[:min(len(open), settleBatch)]
		open = open[len(batch):]
		done, found, err := s.settleBatch(ctx, writer, batch)
		s.numbers.settled(done)
		if wrote = wrote || found; err != nil {
			return wrote, err
		}
	}
	return wrote, nil
}

// settleLeft does the same for processes that are gone.
func (s *Store) settleLeft(ctx context.Context) (wrote bool, err error) {
	found, err := left(s.numbers.data)
	for _, gone := range found {
		all := true
		for list := gone.entries; len(list) > 0 && err == nil; {
			batch := list[:min(len(list), settleBatch)]
			list = list[len(batch):]
			done, found, failed := s.settleBatch(ctx, gone.writer, batch)
			wrote, all, err = wrote || found, all && len(done) == len(batch), failed
		}
		if all && err == nil {
			gone.file.remove()
		} else {
			gone.file.close()
		}
	}
	return wrote, err
}

// settleBatch gives the numbers whose end is known now.
func (s *Store) settleBatch(ctx context.Context, writer string, list []pending) (done []int64, found bool, err error) {
	stored, err := s.stored(ctx, list)
	if err != nil {
		return nil, false, err
	}
	ends, err := s.ends(ctx, absent(list, stored))
	if err != nil {
		return nil, false, err
	}
	// A transaction may have ended between the two questions: only what is still absent now is gone.
	if stored, err = s.stored(ctx, list); err != nil {
		return nil, false, err
	}
	replaced, err := s.replaced(ctx, list, stored)
	if err != nil {
		return nil, false, err
	}
	var undone []int64
	for _, p := range list {
		row, there := stored[p.ID]
		end := ends[p.Tx]
		switch {
		case replaced[p.Number]:
		case p.undone || !there && end == txAborted:
			undone = append(undone, p.Number)
		case there && !row.Sealed, p.Tx == 0, !there && (end == "" || end == txRunning):
			continue
		case !there || !hmac.Equal(row.Mark, p.Mark):
			if err := s.recordTampering(ctx, writer, p, there, end); err != nil {
				return done, found, err
			}
			found = true
		}
		done = append(done, p.Number)
	}
	if err := s.void(ctx, writer, undone); err != nil {
		return nil, found, err
	}
	return done, found, nil
}

type storedEntry struct {
	ID     string `bun:"id"`
	Mark   []byte `bun:"mark"`
	Sealed bool   `bun:"sealed"`
}

func (s *Store) stored(ctx context.Context, list []pending) (map[string]storedEntry, error) {
	ids := make([]string, 0, len(list))
	for _, p := range list {
		if p.ID != "" {
			ids = append(ids, p.ID)
		}
	}
	var rows []storedEntry
	err := s.db.NewRaw("select id, mark, seq is not null as sealed from journal where id = any(?::uuid[])",
		pgdialect.Array(ids)).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("look for the journal entries that were written last: %w", err)
	}
	found := make(map[string]storedEntry, len(rows))
	for _, row := range rows {
		found[row.ID] = row
	}
	return found, nil
}

func absent(list []pending, stored map[string]storedEntry) (transactions []int64) {
	for _, p := range list {
		if _, there := stored[p.ID]; !there && p.Tx != 0 {
			transactions = append(transactions, p.Tx)
		}
	}
	return transactions
}

// endUnknown is the end of a transaction that the database has forgotten or never knew.
const endUnknown = "unknown"

// ends asks the database how the transactions ended. It forgets after millions of others, and one that was put back
// from a dump knows none. The question takes a transaction number itself: what was given out before has ended or is
// still running, which a snapshot does not say of those that began last.
func (s *Store) ends(ctx context.Context, transactions []int64) (map[int64]string, error) {
	if len(transactions) == 0 {
		return nil, nil
	}
	var rows []struct {
		Tx  int64  `bun:"tx"`
		End string `bun:"ending"`
	}
	err := s.db.NewRaw(`with own as materialized (select pg_catalog.pg_current_xact_id()::text::bigint as newest)
		select tx, coalesce(case when tx < newest then pg_catalog.pg_xact_status(tx::text::xid8) end, ?) as ending
		from (select distinct unnest(?::bigint[]) as tx) as asked cross join own`,
		endUnknown, pgdialect.Array(transactions)).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("ask how the transactions of journal entries ended: %w", err)
	}
	found := make(map[int64]string, len(rows))
	for _, row := range rows {
		found[row.Tx] = row.End
	}
	return found, nil
}

// recordTampering journals what happened to an entry that should have been sealed.
func (s *Store) recordTampering(ctx context.Context, writer string, p pending, there bool, end string) error {
	action, what := actionTampered, "removed before it was sealed"
	switch {
	case there:
		what = "changed before it was sealed"
	case end != txCommitted:
		action, what = actionUnproven, "gone, and the database does not know any more whether it was committed"
	}
	s.log.Error("a journal entry was "+what, zap.String("entry", p.ID), zap.String("writer", writer),
		zap.Int64("number", p.Number))
	ctx = access.With(ctx, access.Caller{Kind: access.System, Username: "system"})
	return s.Record(ctx, s.db, Entry{
		Action: action, Object: Object{Type: "journal", ID: p.ID}, Result: Failed,
		Changes: map[string]Change{"entry": {To: what}, "writer": {To: writer}, "number": {To: p.Number}},
	})
}

type voidRow struct {
	bun.BaseModel `bun:"table:journal_voids"`

	Writer string `bun:"writer"`
	Number int64  `bun:"number"`
	MAC    []byte `bun:"mac"`
}

// void says for all to see that nobody has the numbers.
func (s *Store) void(ctx context.Context, writer string, numbers []int64) error {
	if len(numbers) == 0 {
		return nil
	}
	key, err := s.secret.key(ctx)
	if err != nil {
		return err
	}
	rows := make([]voidRow, len(numbers))
	for i, number := range numbers {
		rows[i] = voidRow{Writer: writer, Number: number, MAC: voidProof(key, writer, number)}
	}
	if _, err := s.db.NewInsert().Model(&rows).On("conflict do nothing").Exec(ctx); err != nil {
		return fmt.Errorf("note the numbers of undone journal entries: %w", err)
	}
	return nil
}

package audit

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
)

const (
	sealLock  = 7203120412 // advisory lock: one sealer per database
	sealBatch = 1000
)

func compare(a, b string) int { return cmp.Compare(a, b) }

// head is the end of the chain: number and hash of the last sealed entry.
type head struct {
	Seq  int64
	Hash []byte
}

// sealAll chains every entry that is visible and not chained yet, in batches.
func (s *Store) sealAll(ctx context.Context) error {
	for {
		n, err := s.seal(ctx)
		if err != nil || n < sealBatch {
			return err
		}
	}
}

// seal chains one batch in one transaction. The order is the one in which entries
// become visible; within a batch it is that of their ids.
func (s *Store) seal(ctx context.Context) (sealed int, err error) {
	key, err := s.secret.key(ctx)
	if err != nil {
		return 0, err
	}
	err = s.db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.ExecContext(ctx, "select pg_advisory_xact_lock(?)", sealLock); err != nil {
			return fmt.Errorf("waiting to seal the journal: %w", err)
		}
		rows, err := unsealed(ctx, tx)
		if sealed = len(rows); err != nil || sealed == 0 {
			return err
		}
		last, err := lastHead(ctx, tx)
		if err != nil {
			return err
		}
		return writeLinks(ctx, tx, chain(key, last, rows))
	})
	return sealed, err
}

func unsealed(ctx context.Context, db bun.IDB) ([]Row, error) {
	var rows []Row
	err := db.NewSelect().Model(&rows).Where("seq is null").Order("id").Limit(sealBatch).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the journal's open end: %w", err)
	}
	return rows, nil
}

// lastHead is the end of the chain, or of what retention removed, or the beginning.
func lastHead(ctx context.Context, db bun.IDB) (head, error) {
	var h head
	err := db.NewRaw("select seq, hash from journal where seq is not null order by seq desc limit 1").
		Scan(ctx, &h.Seq, &h.Hash)
	if errors.Is(err, sql.ErrNoRows) {
		err = db.NewRaw("select seq, hash from journal_checkpoints order by seq desc limit 1").
			Scan(ctx, &h.Seq, &h.Hash)
	}
	if errors.Is(err, sql.ErrNoRows) {
		return head{Hash: make([]byte, 32)}, nil
	}
	if err != nil {
		return h, fmt.Errorf("reading the head of the journal: %w", err)
	}
	return h, nil
}

func chain(key []byte, last head, rows []Row) []Row {
	for i := range rows {
		rows[i].Seq, rows[i].HashPrev = last.Seq+1, last.Hash
		rows[i].Hash = rows[i].hashWith(key, last.Hash, rows[i].Seq)
		last = head{rows[i].Seq, rows[i].Hash}
	}
	return rows
}

func writeLinks(ctx context.Context, tx bun.Tx, rows []Row) error {
	ids, seqs := make([]string, len(rows)), make([]int64, len(rows))
	previous, hashes := make([][]byte, len(rows)), make([][]byte, len(rows))
	for i, row := range rows {
		ids[i], seqs[i], previous[i], hashes[i] = row.ID, row.Seq, row.HashPrev, row.Hash
	}
	_, err := tx.ExecContext(ctx, `update journal j set seq = link.seq, hash_prev = link.hash_prev, hash = link.hash
		from unnest(?::uuid[], ?::bigint[], ?::bytea[], ?::bytea[]) as link (id, seq, hash_prev, hash) where j.id = link.id`,
		pgdialect.Array(ids), pgdialect.Array(seqs), pgdialect.Array(previous), pgdialect.Array(hashes))
	if err != nil {
		return fmt.Errorf("sealing the journal: %w", err)
	}
	return nil
}

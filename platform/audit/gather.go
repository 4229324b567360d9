package audit

import (
	"context"
	"crypto/hmac"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"
)

// checkpoint says up to where retention removed entries and with which hash the chain goes on.
type checkpoint struct {
	bun.BaseModel `bun:"table:journal_checkpoints"`

	Seq     int64     `bun:"seq,pk"`
	Hash    []byte    `bun:"hash"`
	Entries int64     `bun:"entries"`
	At      time.Time `bun:"at"`
	Removed []byte    `bun:"removed"` // JSON; empty in one from before numbers
	MAC     []byte    `bun:"mac"`
}

func (c checkpoint) proof(key []byte) []byte {
	numbers := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(c.Seq)), uint64(c.Entries))
	if len(c.Removed) == 0 {
		return keyed(key, "checkpoint", numbers, c.Hash)
	}
	return keyed(key, "numbered checkpoint", numbers, c.Hash, c.Removed)
}

// gather reads where the chain must begin and which heads it must lead through.
func (v *verifier) gather(ctx context.Context, tx pgx.Tx, kept headsKept) error {
	if err := v.start(ctx, tx); err != nil {
		return err
	}
	explained, err := restores(ctx, tx, v.key)
	if err != nil {
		return err
	}
	v.report.Continued = append(v.report.Continued, explained...)
	others, err := noted(ctx, tx, kept.PanelID)
	if err != nil {
		return err
	}
	for _, h := range append(kept.Heads, others...) {
		v.consider(h)
	}
	return nil
}

func (v *verifier) start(ctx context.Context, tx pgx.Tx) error {
	var c checkpoint
	err := tx.QueryRow(ctx,
		"select seq, hash, entries, removed, mac from journal_checkpoints order by seq desc limit 1").
		Scan(&c.Seq, &c.Hash, &c.Entries, &c.Removed, &c.MAC)
	if errors.Is(err, pgx.ErrNoRows) {
		v.before = head{Hash: make([]byte, 32)}
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the journal's checkpoint: %w", err)
	}
	v.before = head{c.Seq, c.Hash}
	if !hmac.Equal(c.MAC, c.proof(v.key)) {
		v.note(Removed, 1, c.Seq, "", "the record of what retention removed is not genuine")
		return nil
	}
	return v.resume(c)
}

// resume goes on with the numbers that the checkpoint kept.
func (v *verifier) resume(c checkpoint) error {
	if len(c.Removed) == 0 {
		return nil
	}
	var r removed
	if err := json.Unmarshal(c.Removed, &r); err != nil {
		return fmt.Errorf("reading the journal's checkpoint: %w", err)
	}
	v.newest = r.Newest
	for writer, w := range r.Writers {
		w.seq = c.Seq
		v.trails[writer] = w
	}
	return nil
}

func noted(ctx context.Context, tx pgx.Tx, but string) ([]Head, error) {
	found, err := tx.Query(ctx, "select seq, hash, at, mac from journal_heads where panel_id <> $1", but)
	if err != nil {
		return nil, fmt.Errorf("reading the heads that other panels noted: %w", err)
	}
	return pgx.CollectRows(found, func(row pgx.CollectableRow) (Head, error) {
		var h Head
		err := row.Scan(&h.Seq, &h.Hash, &h.At, &h.MAC)
		return h, err
	})
}

// consider takes a head into account; one that retention has passed, or that a restore
// explains, says nothing more.
func (v *verifier) consider(h Head) {
	genuine := h.genuine(v.key)
	switch {
	case h.Seq <= v.before.Seq, superseded(v.report.Continued, h, genuine):
	case !genuine:
		v.note(Rewritten, h.Seq, h.Seq, "", "a noted head is not genuine: it was edited, or belongs to another journal")
	default:
		v.heads = append(v.heads, h)
		v.bySeq[h.Seq] = append(v.bySeq[h.Seq], h)
	}
}

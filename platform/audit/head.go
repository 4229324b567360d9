package audit

import (
	"context"
	"crypto/hmac"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"panel/platform/database"
	"panel/platform/durable"
)

const (
	headsName   = "audit/heads.json"
	recentHeads = 64
	headsInLog  = time.Minute
)

// Head is the end of the chain as it once was, proved by the journal's key. A chain that
// no longer leads through a head was cut, rewritten, or replaced by an older one.
type Head struct {
	Seq  int64     `json:"seq"`
	Hash []byte    `json:"hash"`
	At   time.Time `json:"at"`
	MAC  []byte    `json:"mac"`
	Kept bool      `json:"kept,omitempty"` // contradicted the chain once: evidence that is never thinned
}

func (h Head) proof(key []byte) []byte {
	place := binary.BigEndian.AppendUint64(nil, uint64(h.Seq))
	return keyed(key, "head", place, h.Hash, []byte(h.At.UTC().Format(time.RFC3339Nano)))
}

func (h Head) genuine(key []byte) bool { return hmac.Equal(h.MAC, h.proof(key)) }

// headFile keeps heads outside the database, in the data folder.
type headFile struct {
	data string

	mu    sync.Mutex
	known *headsKept
}

type headsKept struct {
	PanelID string  `json:"panel_id"`
	Heads   []Head  `json:"heads"`
	Lived   Instant `json:"lived,omitzero"`
}

// read gives what is kept; the first time it names this panel.
func (f *headFile) read() (headsKept, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.known != nil {
		return *f.known, nil
	}
	kept := headsKept{PanelID: database.NewID()}
	path := filepath.Join(f.data, headsName)
	raw, err := durable.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(raw, &kept)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return kept,
			fmt.Errorf("reading the journal's heads in %s: %w; put the file back from a copy, or move it away "+
				"to begin anew", path, err)
	}
	f.known = &kept
	return kept, nil
}

func (f *headFile) write(kept headsKept) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	raw, err := json.MarshalIndent(kept, "", " ")
	if err != nil {
		return fmt.Errorf("encoding the journal's heads: %w", err)
	}
	if err := os.MkdirAll(f.data, 0o700); err != nil {
		return fmt.Errorf("making the data folder: %w", err)
	}
	if err := durable.Below(f.data, headsName, 0o600, append(raw, '\n')); err != nil {
		return fmt.Errorf("writing the journal's heads: %w", err)
	}
	f.known = &kept
	return nil
}

// anchor notes the head outside the database, in the log and, for the other panels, in
// the database too. A head that contradicts the chain is kept as evidence for good.
func (s *Store) anchor(ctx context.Context) error {
	now, err := lastHead(ctx, s.db)
	if err != nil || now.Seq == 0 {
		return err
	}
	kept, err := s.heads.read()
	if err != nil {
		return err
	}
	if last := newest(kept.Heads); last != nil && last.Seq == now.Seq && hmac.Equal(last.Hash, now.Hash) {
		s.noted.Store(now.Seq)
		return nil
	}
	key, err := s.secret.key(ctx)
	if err != nil {
		return err
	}
	if err := s.confirm(ctx, &kept, key); err != nil {
		return err
	}
	return s.keep(ctx, kept, key, now)
}

func newest(heads []Head) *Head {
	if len(heads) == 0 {
		return nil
	}
	return &heads[len(heads)-1]
}

// confirm asks whether the chain still leads through the newest head.
func (s *Store) confirm(ctx context.Context, kept *headsKept, key []byte) error {
	last := newest(kept.Heads)
	if last == nil || last.Kept {
		return nil
	}
	holds, err := s.leadsThrough(ctx, *last)
	if err != nil || holds {
		return err
	}
	before := *last
	if err := s.withoutSuperseded(ctx, kept, key); err != nil {
		return err
	}
	if last = newest(kept.Heads); last == nil || last.Seq != before.Seq {
		return nil
	}
	kept.Heads[len(kept.Heads)-1].Kept = true
	s.log.Error("the journal does not lead through a head that was noted: entries were cut, rewritten or replaced; run the verification",
		zap.Int64("seq", last.Seq), zap.Binary("hash", last.Hash))
	return nil
}

func (s *Store) leadsThrough(ctx context.Context, h Head) (bool, error) {
	var found int
	err := s.db.NewRaw(`select count(*) from (select seq from journal where seq = ? and hash = ?
		union all select seq from journal_checkpoints where seq >= ?) as places`, h.Seq, h.Hash, h.Seq).Scan(ctx, &found)
	if err != nil {
		return false, fmt.Errorf("comparing the journal with its head: %w", err)
	}
	return found > 0, nil
}

func (s *Store) keep(ctx context.Context, kept headsKept, key []byte, now head) error {
	h := Head{Seq: now.Seq, Hash: now.Hash, At: s.now()}
	h.MAC = h.proof(key)
	kept.Heads = thinned(append(slices.Clone(kept.Heads), h))
	if err := s.heads.write(kept); err != nil {
		return err
	}
	s.noted.Store(now.Seq)
	if h.At.Sub(s.said) >= headsInLog {
		s.said = h.At
		s.log.Info("journal head", zap.Int64("seq", h.Seq), zap.Binary("hash", h.Hash), zap.Binary("mac", h.MAC))
	}
	_, err := s.db.ExecContext(ctx, `insert into journal_heads (panel_id, seq, hash, at, mac) values (?, ?, ?, ?, ?)
		on conflict (panel_id) do update set seq = excluded.seq, hash = excluded.hash, at = excluded.at, mac = excluded.mac`,
		kept.PanelID, h.Seq, h.Hash, h.At, h.MAC)
	if err != nil {
		return fmt.Errorf("noting the journal's head: %w", err)
	}
	return nil
}

// thinned keeps the newest heads, one of each day before, and all evidence.
func thinned(heads []Head) []Head {
	if len(heads) <= recentHeads {
		return heads
	}
	days := map[string]bool{}
	kept := make([]Head, 0, len(heads))
	for i, h := range heads {
		day := h.At.Format(time.DateOnly)
		if i >= len(heads)-recentHeads || h.Kept || !days[day] {
			kept = append(kept, h)
		}
		days[day] = true
	}
	return kept
}

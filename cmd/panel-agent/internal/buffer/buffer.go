// Package buffer keeps results on disk until the panel has stored them: a crash loses none, and a batch that is sent
// twice is the same batch under the same number.
package buffer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"panel/cmd/panel-agent/internal/disk"
	"panel/platform/agentapi"
	"panel/platform/durable"
)

const (
	maxBatchBytes = 512 << 10 // below the panel's body limit with room for the frame around
	openFile      = "open.log"
	freshFile     = "fresh.log" // about to be the open log
	stateFile     = "state.json"
	batchPrefix   = "batch-"
	batchSuffix   = ".log"
)

// Batch is a numbered run of items. It never changes once it has its number.
type Batch struct {
	StreamID string
	Seq      int64
	Dropped  int64 // items of the stream that a full buffer has lost so far
	Items    []json.RawMessage
}

// record is one line on disk: an item and the counters that it was taken at, so that both become durable together. The
// item is called a sample there since the time when samples of the host were the only ones.
type record struct {
	Tick  int64           `json:"tick"`
	Item  json.RawMessage `json:"sample"`
	Bases json.RawMessage `json:"bases,omitempty"`
}

type state struct {
	StreamID string          `json:"stream_id"`
	Acked    int64           `json:"acked"`
	Dropped  int64           `json:"dropped"`
	Tick     int64           `json:"tick"`
	Bases    json.RawMessage `json:"bases,omitempty"`
}

type batch struct {
	seq   int64
	items int
}

type loose struct {
	size  int64
	items int
}

// Buffer is a queue of items on disk. It is safe for concurrent use.
type Buffer struct {
	dir   string
	limit int

	mu      sync.Mutex
	state   state
	log     *os.File
	size    int64
	pending int   // items in the open log
	loose   loose // written behind them and not durable yet
	batches []batch
}

// Open reads what an earlier agent left. A last line that a crash cut off is dropped: it was never promised.
func Open(dir string) (*Buffer, error) { return open(dir, agentapi.MaxBuffered) }

func open(dir string, limit int) (*Buffer, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of the buffer: %w", err)
	}
	b := &Buffer{dir: dir, limit: limit}
	if err := b.loadState(); err != nil {
		return nil, err
	}
	if err := b.loadBatches(); err != nil {
		return nil, err
	}
	return b, b.loadOpen()
}

func (b *Buffer) saveState() error { return disk.WriteJSON(b.path(stateFile), b.state) }

func (b *Buffer) path(name string) string { return filepath.Join(b.dir, name) }

func (b *Buffer) batchPath(seq int64) string {
	return b.path(fmt.Sprintf("%s%020d%s", batchPrefix, seq, batchSuffix))
}

// Bases is what the last durable Add was given.
func (b *Buffer) Bases() json.RawMessage {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.state.Bases)
}

// Add makes items durable, together with the counters that the next difference is taken from. Several items cost as
// much as one. After an error the last of them are not stored; the first may be, where a batch was full in between.
func (b *Buffer) Add(bases json.RawMessage, items ...json.RawMessage) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, item := range items {
		if err := b.write(record{Tick: b.state.Tick + 1 + int64(b.loose.items), Item: item, Bases: bases}); err != nil {
			return errors.Join(fmt.Errorf("write to the buffer: %w", err), b.cutBack())
		}
	}
	if err := b.sync(bases); err != nil {
		return errors.Join(fmt.Errorf("write to the buffer: %w", err), b.cutBack())
	}
	return b.makeRoom()
}

// write adds a line that is not durable yet, in the next batch where this one is full.
func (b *Buffer) write(r record) error {
	line, err := encode(r)
	if err != nil {
		return err
	}
	held := b.pending + b.loose.items
	if held > 0 && (b.size+b.loose.size+int64(len(line)) > maxBatchBytes || held >= agentapi.MaxBatchItems) {
		if err := b.sync(r.Bases); err != nil {
			return err
		}
		if err := b.seal(); err != nil {
			return err
		}
		r.Tick = b.state.Tick + 1
	}
	if _, err := b.log.Write(line); err != nil {
		return err
	}
	b.loose.items, b.loose.size = b.loose.items+1, b.loose.size+int64(len(line))
	return nil
}

// sync makes durable what was written.
func (b *Buffer) sync(bases json.RawMessage) error {
	if b.loose.items == 0 {
		return nil
	}
	if err := b.log.Sync(); err != nil {
		return err
	}
	b.size, b.pending = b.size+b.loose.size, b.pending+b.loose.items
	b.state.Tick, b.state.Bases = b.state.Tick+int64(b.loose.items), bases
	b.loose = loose{}
	return nil
}

// cutBack removes what is not durable, for example the half of a line that a full disk left.
func (b *Buffer) cutBack() error {
	b.loose = loose{}
	_, err := b.log.Seek(b.size, 0)
	return errors.Join(err, b.log.Truncate(b.size))
}

// seal gives the open log its number; from here on it never changes. The file that follows it is there before, so that
// nothing is ever written into a numbered batch.
func (b *Buffer) seal() error {
	seq := b.lastSeq() + 1
	fresh, err := os.OpenFile(b.path(freshFile), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("number a batch: %w", err)
	}
	if err := b.turn(seq); err != nil {
		return errors.Join(fmt.Errorf("number a batch: %w", err), fresh.Close())
	}
	b.batches = append(b.batches, batch{seq: seq, items: b.pending})
	closeErr := b.log.Close()
	b.log, b.size, b.pending = fresh, 0, 0
	return errors.Join(closeErr, durable.SyncFolder(b.dir))
}

// turn makes the open log a batch and the fresh file the open log, or leaves everything as it was.
func (b *Buffer) turn(seq int64) error {
	if err := os.Rename(b.path(openFile), b.batchPath(seq)); err != nil {
		return err
	}
	if err := os.Rename(b.path(freshFile), b.path(openFile)); err != nil {
		return errors.Join(err, os.Rename(b.batchPath(seq), b.path(openFile)))
	}
	return nil
}

func (b *Buffer) lastSeq() int64 {
	if len(b.batches) == 0 {
		return b.state.Acked
	}
	return b.batches[len(b.batches)-1].seq
}

// makeRoom drops the oldest batches of a full buffer and keeps count of the loss.
func (b *Buffer) makeRoom() error {
	for b.heldLocked() > b.limit && len(b.batches) > 0 {
		oldest := b.batches[0]
		b.state.Dropped += int64(oldest.items)
		if err := b.forget(oldest.seq); err != nil {
			return err
		}
	}
	return nil
}

func (b *Buffer) heldLocked() int {
	held := b.pending
	for _, sealed := range b.batches {
		held += sealed.items
	}
	return held
}

// Held is the count of items that the panel has not acknowledged.
func (b *Buffer) Held() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.heldLocked()
}

// Next is the oldest batch without an acknowledgement; false when there is none. The same batch comes until Ack.
func (b *Buffer) Next() (Batch, bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.batches) == 0 && b.pending > 0 {
		if err := b.seal(); err != nil {
			return Batch{}, false, err
		}
	}
	if len(b.batches) == 0 {
		return Batch{}, false, nil
	}
	oldest := b.batches[0]
	records, _, err := readRecords(b.batchPath(oldest.seq))
	if err != nil {
		return Batch{}, false, err
	}
	return b.message(oldest.seq, records), true, nil
}

func (b *Buffer) message(seq int64, records []record) Batch {
	message := Batch{
		StreamID: b.state.StreamID, Seq: seq, Dropped: b.state.Dropped,
		Items: make([]json.RawMessage, 0, len(records)),
	}
	for _, r := range records {
		message.Items = append(message.Items, r.Item)
	}
	return message
}

// Ack forgets every batch up to seq: the panel has stored them.
func (b *Buffer) Ack(seq int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.batches) > 0 && b.batches[0].seq <= seq {
		if err := b.forget(b.batches[0].seq); err != nil {
			return err
		}
	}
	return nil
}

// forget notes the number first: were the file gone and the note not, the number would be used again.
func (b *Buffer) forget(seq int64) error {
	b.state.Acked = max(b.state.Acked, seq)
	if err := b.saveState(); err != nil {
		return err
	}
	b.batches = slices.DeleteFunc(b.batches, func(held batch) bool { return held.seq == seq })
	if err := os.Remove(b.batchPath(seq)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget a batch: %w", err)
	}
	return nil
}

// Cut gives what is held its number: what is added from here on is in other batches.
func (b *Buffer) Cut() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pending == 0 {
		return nil
	}
	return b.seal()
}

// Empty lets go of everything that is held. It is not counted as lost: nobody wants it.
func (b *Buffer) Empty() error {
	if err := b.Cut(); err != nil {
		return err
	}
	return b.Ack(math.MaxInt64)
}

// Close releases the files; everything is on disk already.
func (b *Buffer) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.log.Close()
}

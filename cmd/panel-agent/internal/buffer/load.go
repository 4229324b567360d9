package buffer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"panel/cmd/panel-agent/internal/disk"
)

// loadState begins a new stream when the old state is gone or damaged: its numbers must not be used again.
func (b *Buffer) loadState() error {
	found, err := disk.ReadJSON(b.path(stateFile), &b.state)
	if err == nil && found && b.state.StreamID != "" {
		return nil
	}
	b.state = state{StreamID: uuid.NewString()}
	return b.saveState()
}

func (b *Buffer) loadBatches() error {
	entries, err := os.ReadDir(b.dir)
	if err != nil {
		return fmt.Errorf("read the folder of the buffer: %w", err)
	}
	for _, entry := range entries {
		seq, ok := batchNumber(entry.Name())
		if !ok {
			continue
		}
		if err := b.loadBatch(seq); err != nil {
			return err
		}
	}
	slices.SortFunc(b.batches, func(x, y batch) int { return int(x.seq - y.seq) })
	return nil
}

func batchNumber(name string) (int64, bool) {
	digits, found := strings.CutPrefix(name, batchPrefix)
	if !found {
		return 0, false
	}
	seq, err := strconv.ParseInt(strings.TrimSuffix(digits, batchSuffix), 10, 64)
	return seq, err == nil
}

func (b *Buffer) loadBatch(seq int64) error {
	if seq <= b.state.Acked { // stored, but the crash came before the removal
		return os.Remove(b.batchPath(seq))
	}
	records, _, err := readRecords(b.batchPath(seq))
	if err != nil {
		return err
	}
	b.follow(records)
	b.batches = append(b.batches, batch{seq: seq, items: len(records)})
	return nil
}

// follow takes the newest counters that became durable.
func (b *Buffer) follow(records []record) {
	for _, r := range records {
		if r.Tick > b.state.Tick {
			b.state.Tick, b.state.Bases = r.Tick, r.Bases
		}
	}
}

func (b *Buffer) loadOpen() error {
	records, good, err := readRecords(b.path(openFile))
	if err != nil {
		return err
	}
	b.follow(records)
	b.pending, b.size = len(records), good
	if b.log, err = os.OpenFile(b.path(openFile), os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
		return fmt.Errorf("open the buffer: %w", err)
	}
	_, seekErr := b.log.Seek(good, 0)
	if err := errors.Join(b.log.Truncate(good), seekErr); err != nil {
		return fmt.Errorf("open the buffer: %w", err)
	}
	return nil
}

// readRecords gives the whole lines of a file and their length.
func readRecords(path string) ([]record, int64, error) {
	raw, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, 0, fmt.Errorf("read the buffer: %w", err)
	}
	var records []record
	var good int64
	lines := bufio.NewReader(bytes.NewReader(raw))
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return records, good, nil
		}
		r, ok := decode(line)
		if !ok {
			return records, good, nil
		}
		records, good = append(records, r), good+int64(len(line))
	}
}

// A line is eight hex digits of a checksum, a space, JSON, and the line's end.
func encode(r record) ([]byte, error) {
	raw, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode an item: %w", err)
	}
	return fmt.Appendf(nil, "%08x %s\n", crc32.ChecksumIEEE(raw), raw), nil
}

func decode(line []byte) (record, bool) {
	var r record
	sum, raw, found := bytes.Cut(bytes.TrimSuffix(line, []byte{'\n'}), []byte{' '})
	if !found || string(sum) != fmt.Sprintf("%08x", crc32.ChecksumIEEE(raw)) {
		return r, false
	}
	return r, json.Unmarshal(raw, &r) == nil
}

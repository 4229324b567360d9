package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"panel/platform/durable"
)

const (
	witnessFolder = "audit/open"
	witnessEnding = ".open"
	// longWitness is when lines of settled entries are dropped although others are pending.
	longWitness = 256 << 10
)

// witness is the file in which one process notes the entries that are not sealed yet. It is locked while the process
// lives; whoever gets the lock knows that the process is gone. A nil witness notes nothing.
type witness struct {
	file *os.File
	path string
	size int64
}

// witnessLine is a pending entry, or says that all numbers up to Settled are settled.
type witnessLine struct {
	Settled int64 `json:"settled,omitempty"`
	*pending
}

// newWitness makes the file under a draft's name, so that nobody takes it for that of a dead process before it is
// locked.
func newWitness(data, writer string) (*witness, error) {
	name := filepath.Join(witnessFolder, writer+witnessEnding)
	if err := os.MkdirAll(data, 0o700); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	file, err := durable.AppendBelow(data, name, 0o600, func(file *os.File) error {
		return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	})
	if err != nil {
		return nil, err
	}
	return &witness{file: file, path: filepath.Join(data, name)}, nil
}

// add writes the lines at once. They need not outlive a power cut: the system keeps them when the process dies.
func (w *witness) add(entries []*pending) error {
	if w == nil {
		return nil
	}
	var lines bytes.Buffer
	out := json.NewEncoder(&lines)
	for _, entry := range entries {
		if err := out.Encode(witnessLine{pending: entry}); err != nil {
			return err
		}
	}
	return w.write(lines.Bytes())
}

func (w *witness) write(lines []byte) error {
	n, err := w.file.Write(lines)
	w.size += int64(n)
	if err != nil {
		return fmt.Errorf("write the witness of the journal: %w", err)
	}
	return nil
}

// rewrite drops the lines of settled entries when none is left or they have become many.
func (w *witness) rewrite(settled int64, left []*pending) error {
	if w == nil || w.size == 0 || len(left) > 0 && w.size < longWitness {
		return nil
	}
	if err := w.file.Truncate(0); err != nil {
		return fmt.Errorf("shorten the witness of the journal: %w", err)
	}
	w.size = 0
	line, err := json.Marshal(witnessLine{Settled: settled})
	if err != nil {
		return err
	}
	if err := w.write(append(line, '\n')); err != nil {
		return err
	}
	w.size = 0 // a file that holds this line alone needs no shortening
	return w.add(left)
}

func (w *witness) close() {
	if w != nil {
		_ = w.file.Close()
	}
}

func (w *witness) remove() {
	if w != nil {
		_ = os.Remove(w.path)
		w.close()
	}
}

// testimony is what a dead process left.
type testimony struct {
	writer  string
	entries []pending
	file    *witness
}

// left opens the witnesses of processes that are gone. The caller closes or removes each.
func left(data string) ([]testimony, error) {
	folder := filepath.Join(data, witnessFolder)
	files, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for witnesses of the journal: %w", err)
	}
	var all []testimony
	for _, file := range files {
		writer, is := strings.CutSuffix(file.Name(), witnessEnding)
		if !is || strings.HasPrefix(writer, ".") {
			continue
		}
		found, err := leftBy(writer, filepath.Join(folder, file.Name()))
		if err != nil {
			return all, err
		}
		if found.file != nil {
			all = append(all, found)
		}
	}
	return all, nil
}

// leftBy reads the witness unless its process lives.
func leftBy(writer, path string) (testimony, error) {
	file, err := durable.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return testimony{}, nil
	}
	if err != nil {
		return testimony{}, fmt.Errorf("open a witness of the journal: %w", err)
	}
	if syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return testimony{}, file.Close()
	}
	entries, err := readWitness(file)
	if err != nil {
		return testimony{}, errors.Join(fmt.Errorf("read a witness of the journal: %w", err), file.Close())
	}
	return testimony{writer, entries, &witness{file: file, path: path}}, nil
}

// readWitness gives the pending entries. A number without a line, below one that has a line, was never committed: its
// line would have been written before. After a power cut in the middle of a line nothing is said about such numbers.
func readWitness(file *os.File) ([]pending, error) {
	var entries []pending
	known := map[int64]bool{}
	var settled, last int64
	whole := true
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		line := witnessLine{pending: &pending{}}
		switch {
		case json.Unmarshal(lines.Bytes(), &line) != nil:
			whole = false
		case line.Settled > 0:
			settled = line.Settled
		case line.Number > 0 && !known[line.Number]:
			known[line.Number], last = true, max(last, line.Number)
			entries = append(entries, *line.pending)
		}
	}
	for number := settled + 1; whole && number < last; number++ {
		if !known[number] {
			entries = append(entries, pending{Number: number, undone: true})
		}
	}
	return entries, lines.Err()
}

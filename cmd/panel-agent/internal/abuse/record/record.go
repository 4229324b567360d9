// Package record keeps which client reached for what in which minute, on the disk of the node alone, to answer
// complaints from: a bounded number of hours and of megabytes, in files that go as a whole.
package record

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
)

const (
	openName   = "open.log"
	fullName   = "full.log" // about to be sealed
	sealedEnd  = ".zst"
	dirMode    = 0o700
	fileMode   = 0o600
	shareOfAll = 16               // a file is so much of all that may be kept
	leastFile  = 64 << 10         // bytes, plain
	mostFile   = 4 << 20          // bytes, plain
	fileAge    = 15 * time.Minute // then it is sealed however small it is
	fields     = 7
)

// Line is what a client did towards a destination in a minute.
type Line struct {
	Minute time.Time
	Client string
	Flow   string
	UDP    bool
	Dest   string
	Port   uint16
	Count  int
}

// Limits bound a record.
type Limits struct {
	Hours int
	MB    int
}

// Record is the record of a node. It is safe for concurrent use.
type Record struct {
	dir string

	mu     sync.Mutex
	limits Limits
	open   *os.File
	size   int64
	from   time.Time // oldest and newest minute of the open file
	to     time.Time
	began  time.Time
	sealed []sealed
	mark   string
}

// sealed is a file that never changes.
type sealed struct {
	from, to int64 // minutes since 1970
	size     int64
	path     string
}

// Open reads what an earlier agent left; half a line at the end, of a killed one, is dropped.
func Open(dir string) (*Record, error) {
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return nil, fmt.Errorf("make the folder of the record: %w", err)
	}
	r := &Record{dir: dir}
	paths, _ := filepath.Glob(filepath.Join(dir, "*"+sealedEnd)) // only a bad pattern fails
	for _, path := range paths {
		if one, fine := sealedAt(path); fine {
			r.sealed = append(r.sealed, one)
		}
	}
	if err := r.pack(); err != nil {
		return nil, err
	}
	r.order()
	return r, r.reopen()
}

func (r *Record) order() {
	slices.SortFunc(r.sealed, func(a, b sealed) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to), cmp.Compare(a.path, b.path))
	})
}

func sealedAt(path string) (sealed, bool) {
	name := strings.TrimSuffix(filepath.Base(path), sealedEnd)
	first, rest, _ := strings.Cut(name, "-")
	last, _, _ := strings.Cut(rest, "-")
	from, err := strconv.ParseInt(first, 10, 64)
	to, toErr := strconv.ParseInt(last, 10, 64)
	info, statErr := os.Stat(path)
	if errors.Join(err, toErr, statErr) != nil {
		return sealed{}, false
	}
	return sealed{from, to, info.Size(), path}, true
}

func (r *Record) path() string { return filepath.Join(r.dir, openName) }

// reopen goes on with the open file up to its last whole line. The lock is held, or nobody knows the record yet.
func (r *Record) reopen() error {
	raw, err := os.ReadFile(r.path())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the record: %w", err)
	}
	raw = raw[:bytes.LastIndexByte(raw, '\n')+1]
	from, to, mark := scan(raw)
	if r.from, r.to, r.began = from, to, from; mark != "" {
		r.mark = mark
	}
	if r.open, err = os.OpenFile(r.path(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, fileMode); err != nil {
		return fmt.Errorf("open the record: %w", err)
	}
	r.size = int64(len(raw))
	return r.open.Truncate(r.size)
}

// scan gives the oldest and the newest minute of lines, and the last mark among them.
func scan(raw []byte) (from, to time.Time, mark string) {
	for text := range bytes.Lines(raw) {
		if after, is := bytes.CutPrefix(text, []byte("#")); is {
			mark = strings.TrimSpace(string(after))
			continue
		}
		line, fine := parse(text)
		if !fine {
			continue
		}
		if from.IsZero() || line.Minute.Before(from) {
			from = line.Minute
		}
		if line.Minute.After(to) {
			to = line.Minute
		}
	}
	return from, to, mark
}

func (r *Record) spans(minute time.Time) {
	if r.from.IsZero() || minute.Before(r.from) {
		r.from = minute
	}
	if minute.After(r.to) {
		r.to = minute
	}
}

// Mark is what came with the last lines that were written: how far whoever writes was.
func (r *Record) Mark() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.mark
}

// Limit takes how much may be kept, and lets go what is beyond. No hours: everything goes.
func (r *Record) Limit(limits Limits, now time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.limits = limits
	return r.tidy(now)
}

// Add writes lines with a mark, whole or not at all: a process that is killed a moment later has kept them.
func (r *Record) Add(lines []Line, mark string, now time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.limits.Hours <= 0 || r.open == nil {
		return nil
	}
	var text bytes.Buffer
	for _, line := range lines {
		line.write(&text)
		r.spans(line.Minute)
	}
	fmt.Fprintf(&text, "#%s\n", mark)
	if _, err := r.open.Write(text.Bytes()); err != nil {
		_ = r.open.Truncate(r.size)
		return fmt.Errorf("write the record: %w", err)
	}
	if r.size += int64(text.Len()); r.began.IsZero() {
		r.began = now
	}
	r.mark = mark
	return r.tidy(now)
}

// tidy seals the open file when it is full or old, and removes what is beyond the limits. The lock is held.
func (r *Record) tidy(now time.Time) error {
	if r.limits.Hours <= 0 {
		return r.clear()
	}
	full := min(mostFile, max(leastFile, int64(r.limits.MB)<<20/shareOfAll))
	if r.size > 0 && (r.size >= full || !r.began.IsZero() && now.Sub(r.began).Abs() >= fileAge) {
		if err := r.seal(); err != nil {
			return err
		}
	}
	oldest, room := minuteOf(now.Add(-time.Duration(r.limits.Hours)*time.Hour)), int64(r.limits.MB)<<20-r.size
	kept := len(r.sealed)
	for kept > 0 && r.sealed[kept-1].to >= oldest && r.sealed[kept-1].size <= room {
		kept--
		room -= r.sealed[kept].size
	}
	var problems []error
	for _, gone := range r.sealed[:kept] {
		problems = append(problems, os.Remove(gone.path))
	}
	r.sealed = slices.Clone(r.sealed[kept:])
	return errors.Join(problems...)
}

// clear removes the record. The lock is held.
func (r *Record) clear() error {
	var problems []error
	for _, gone := range r.sealed {
		problems = append(problems, os.Remove(gone.path))
	}
	r.sealed, r.from, r.to, r.began, r.mark = nil, time.Time{}, time.Time{}, time.Time{}, ""
	if r.size > 0 {
		problems = append(problems, r.open.Truncate(0))
		r.size = 0
	}
	return errors.Join(problems...)
}

// seal makes the open file one that never changes, in less room. How far the record goes is not forgotten with it.
func (r *Record) seal() error {
	err := errors.Join(r.open.Close(), os.Rename(r.path(), filepath.Join(r.dir, fullName)))
	if err != nil {
		return errors.Join(fmt.Errorf("seal a part of the record: %w", err), r.reopen())
	}
	if err := r.reopen(); err != nil {
		return err
	}
	n, err := fmt.Fprintf(r.open, "#%s\n", r.mark)
	if r.size += int64(n); err != nil {
		return fmt.Errorf("seal a part of the record: %w", err)
	}
	return r.pack()
}

// pack seals a full file, whose name among the sealed ones follows from what it holds: done twice, it is one.
func (r *Record) pack() error {
	full := filepath.Join(r.dir, fullName)
	raw, err := os.ReadFile(full)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("seal a part of the record: %w", err)
	}
	packer, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return fmt.Errorf("seal a part of the record: %w", err)
	}
	defer packer.Close()
	packed := packer.EncodeAll(raw, nil)
	from, to, mark := scan(raw)
	one := sealed{from: minuteOf(from), to: minuteOf(to), size: int64(len(packed))}
	one.path = filepath.Join(r.dir, fmt.Sprintf("%d-%d-%08x%s", one.from, one.to, crc32.ChecksumIEEE(raw), sealedEnd))
	err = errors.Join(os.WriteFile(one.path+".new", packed, fileMode), os.Rename(one.path+".new", one.path), os.Remove(full))
	if err != nil {
		return fmt.Errorf("seal a part of the record: %w", err)
	}
	if r.mark == "" {
		r.mark = mark
	}
	r.sealed = append(slices.DeleteFunc(r.sealed, func(s sealed) bool { return s.path == one.path }), one)
	r.order()
	return nil
}

func minuteOf(at time.Time) int64 { return at.Unix() / int64(time.Minute/time.Second) }

func (l *Line) write(into *bytes.Buffer) {
	network := "t"
	if l.UDP {
		network = "u"
	}
	clean := func(text string) string {
		return strings.Map(func(r rune) rune {
			if r < ' ' || r == 0x7f {
				return -1
			}
			return r
		}, text)
	}
	fmt.Fprintf(into, "%d\t%s\t%s\t%s\t%s\t%d\t%d\n", minuteOf(l.Minute), clean(l.Client), clean(l.Flow), network,
		clean(l.Dest), l.Port, l.Count)
}

func parse(text []byte) (Line, bool) {
	parts := bytes.Split(bytes.TrimSuffix(text, []byte{'\n'}), []byte{'\t'})
	if len(parts) != fields {
		return Line{}, false
	}
	minute, err := strconv.ParseInt(string(parts[0]), 10, 64)
	port, portErr := strconv.ParseUint(string(parts[5]), 10, 16)
	count, countErr := strconv.Atoi(string(parts[6]))
	return Line{
		Minute: time.Unix(minute*60, 0).UTC(), Client: string(parts[1]), Flow: string(parts[2]), UDP: string(parts[3]) == "u",
		Dest: string(parts[4]), Port: uint16(port), Count: count,
	}, errors.Join(err, portErr, countErr) == nil
}

// Close releases the open file.
func (r *Record) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.open.Close()
}

// Since is the oldest minute of the record; false when there is none.
func (r *Record) Since() (time.Time, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	since := r.from
	for _, one := range r.sealed {
		if at := time.Unix(one.from*60, 0).UTC(); since.IsZero() || at.Before(since) {
			since = at
		}
	}
	return since, !since.IsZero()
}

// search calls visit with the raw lines of the files that may hold a span of time, the newest file first.
func (r *Record) search(from, to time.Time, visit func(text []byte)) error {
	r.mu.Lock()
	files := slices.Clone(r.sealed)
	raw, err := os.ReadFile(r.path())
	r.mu.Unlock()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the record: %w", err)
	}
	for text := range bytes.Lines(raw) {
		visit(text)
	}
	for _, one := range slices.Backward(files) {
		if one.to < minuteOf(from) || one.from > minuteOf(to) {
			continue
		}
		if err := readSealed(one.path, visit); err != nil {
			return err
		}
	}
	return nil
}

// readSealed leaves out a file that went meanwhile.
func readSealed(path string, visit func(text []byte)) error {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the record: %w", err)
	}
	defer file.Close()
	unpacked, err := zstd.NewReader(file, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return fmt.Errorf("read the record: %w", err)
	}
	defer unpacked.Close()
	lines := bufio.NewScanner(unpacked)
	for lines.Scan() {
		visit(lines.Bytes())
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read the record: %w", err)
	}
	return nil
}

package logs

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"panel/platform/durable"
)

const (
	lookEvery   = 200 * time.Millisecond
	chunk       = 64 << 10
	longestLine = 1 << 20 // more than that without an end is cut
)

// tail is a file that grows, with the place up to which whole lines were read. It survives both ways of rotation: the
// file gets another name and a new one takes its place, or it is copied and emptied.
type tail struct {
	path   string
	file   *os.File
	offset int64
	rest   []byte // of a line whose end is not written yet
}

// openTail stands behind the last whole line.
func openTail(path string) (*tail, error) {
	file, err := durable.Open(path)
	if err != nil {
		return nil, err
	}
	t := &tail{path: path, file: file}
	about, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, err
	}
	t.offset, err = afterLastLine(file, about.Size())
	return t, err
}

func afterLastLine(file io.ReaderAt, size int64) (int64, error) {
	block := make([]byte, min(size, longestLine))
	if _, err := file.ReadAt(block, size-int64(len(block))); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	if at := bytes.LastIndexByte(block, '\n'); at >= 0 {
		return size - int64(len(block)) + int64(at) + 1, nil
	}
	return size - int64(len(block)), nil
}

// unfinished is the last line where nobody has ended it yet.
func (t *tail) unfinished() string {
	block := make([]byte, longestLine)
	n, _ := t.file.ReadAt(block, t.offset) // the end of the file is what is expected
	return strings.TrimRight(string(block[:n]), "\r\n")
}

func (t *tail) close() { t.file.Close() }

// fresh gives the whole lines that were written since the last call.
func (t *tail) fresh() ([]string, error) {
	found, err := t.read()
	if err != nil || len(found) > 0 {
		return found, err
	}
	return t.rotate()
}

func (t *tail) read() ([]string, error) {
	block := make([]byte, chunk)
	var found []string
	for {
		n, err := t.file.ReadAt(block, t.offset)
		t.offset += int64(n)
		found = append(found, t.cut(block[:n])...)
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return found, fmt.Errorf("follow the log %s: %w", t.path, err)
		}
	}
}

func (t *tail) cut(block []byte) []string {
	t.rest = append(t.rest, block...)
	var found []string
	for {
		at := bytes.IndexByte(t.rest, '\n')
		if at < 0 && len(t.rest) < longestLine {
			return found
		}
		if at < 0 {
			at = len(t.rest) - 1
		}
		found = append(found, strings.TrimRight(string(t.rest[:at]), "\r"))
		t.rest = slices.Clone(t.rest[at+1:])
	}
}

// rotate looks whether the file was emptied or another took its name; an absent one is waited for.
func (t *tail) rotate() ([]string, error) {
	mine, err := t.file.Stat()
	if err != nil {
		return nil, fmt.Errorf("follow the log %s: %w", t.path, err)
	}
	if mine.Size() < t.offset {
		t.offset, t.rest = 0, nil
		return t.read()
	}
	there, err := os.Stat(t.path)
	if err != nil || os.SameFile(mine, there) {
		return nil, nil //nolint:nilerr // the new file comes in a moment
	}
	last, err := t.read() // what was written between the last look and the rotation
	if err != nil {
		return last, err
	}
	next, err := durable.Open(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return last, nil
	}
	if err != nil {
		return last, fmt.Errorf("follow the log %s after its rotation: %w", t.path, err)
	}
	if len(t.rest) > 0 {
		last = append(last, string(t.rest))
	}
	t.file.Close()
	t.file, t.offset, t.rest = next, 0, nil
	fresh, err := t.read()
	return append(last, fresh...), err
}

// backward hands lines to take, the last first, until take has enough. More tells that it would have taken more.
func backward(file io.ReaderAt, end int64, take func(string) bool) (more bool, err error) {
	var later []byte // the beginning of the chunk behind, whose line began earlier
	for end > 0 {
		size := min(end, chunk)
		block := make([]byte, size, int(size)+len(later))
		if _, err := file.ReadAt(block, end-size); err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		block, end = append(block, later...), end-size
		for {
			at := bytes.LastIndexByte(bytes.TrimSuffix(block, []byte("\n")), '\n')
			if at < 0 && len(block) < longestLine {
				break
			}
			if !take(strings.TrimRight(string(block[at+1:]), "\r\n")) {
				return false, nil
			}
			block = block[:at+1]
		}
		later = block
	}
	if len(later) > 0 {
		return take(strings.TrimRight(string(later), "\r\n")), nil
	}
	return true, nil
}

// backwardFile reads a rotated file; a compressed one is unpacked in memory.
func backwardFile(path string, take func(string) bool) (bool, error) {
	file, err := durable.Open(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return true, nil // rotated away in this moment, or not for us
	}
	if err != nil {
		return false, err
	}
	defer file.Close()
	if !strings.HasSuffix(path, ".gz") {
		about, err := file.Stat()
		if err != nil {
			return false, err
		}
		return backward(file, about.Size(), take)
	}
	const most = 256 << 20
	packed, err := gzip.NewReader(file)
	if err != nil {
		return true, nil //nolint:nilerr // a damaged file hides no sound one
	}
	content, _ := io.ReadAll(io.LimitReader(packed, most)) // what can be unpacked counts
	return backward(bytes.NewReader(content), int64(len(content)), take)
}

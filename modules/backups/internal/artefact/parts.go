package artefact

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
)

const behind = 64 << 10

// parts reads the parts of an entry one after the other and proves each. The last bytes of a part are given out only
// when the whole part was proved.
type parts struct {
	ctx    context.Context //nolint:containedctx // of whoever reads the entry
	at     Destination
	name   string
	left   []Part
	open   io.ReadCloser
	buffer *bufio.Reader
	sum    hash.Hash
	size   int64
	failed error
}

// Read fails with ErrDamaged as soon as it is clear that a part is another one.
func (p *parts) Read(into []byte) (int, error) {
	if p.failed != nil {
		return 0, p.failed
	}
	n, err := p.read(into)
	if err != nil && !errors.Is(err, io.EOF) {
		p.failed = err
	}
	return n, err
}

func (p *parts) read(into []byte) (int, error) {
	for {
		if p.open == nil {
			if len(p.left) == 0 {
				return 0, io.EOF
			}
			if err := p.next(); err != nil {
				return 0, err
			}
		}
		n, err := p.some(into)
		if n > 0 || err != nil {
			return n, err
		}
	}
}

func (p *parts) next() error {
	open, err := p.at.Open(p.ctx, p.left[0].File)
	if errors.Is(err, ErrMissing) {
		return damaged(p.name, "the part "+p.left[0].File+" is missing")
	}
	if err != nil {
		return fmt.Errorf("open the part %s: %w", p.left[0].File, err)
	}
	p.open, p.buffer, p.sum, p.size = open, bufio.NewReaderSize(open, 2*behind), sha256.New(), 0
	return nil
}

// some gives what lies far enough before the end of the part, and the end when the digest is right.
func (p *parts) some(into []byte) (int, error) {
	seen, err := p.buffer.Peek(2 * behind)
	switch {
	case err == nil:
		seen = seen[:behind]
	case errors.Is(err, io.EOF):
		return p.last(into, seen)
	default:
		return 0, fmt.Errorf("read the part %s: %w", p.left[0].File, err)
	}
	n := copy(into, seen)
	p.sum.Write(seen[:n])
	p.size += int64(n)
	_, _ = p.buffer.Discard(n) // they were seen
	if p.size > p.left[0].Bytes {
		return 0, p.another()
	}
	return n, nil
}

func (p *parts) another() error { return damaged(p.name, "the part "+p.left[0].File+" is another one") }

// last proves the part with its end, which fits the buffer, and then gives the end out piece by piece.
func (p *parts) last(into, end []byte) (int, error) {
	if p.sum != nil {
		p.sum.Write(end)
		if p.size+int64(len(end)) != p.left[0].Bytes || hex.EncodeToString(p.sum.Sum(nil)) != p.left[0].SHA256 {
			return 0, p.another()
		}
		p.sum = nil
	}
	n := copy(into, end)
	_, _ = p.buffer.Discard(n) // they were seen
	if n == len(end) {
		err := p.open.Close()
		p.open, p.left = nil, p.left[1:]
		if err != nil {
			return 0, fmt.Errorf("end a part of the backup: %w", err)
		}
	}
	return n, nil
}

// Close ends the part that is open.
func (p *parts) Close() error {
	if p.open == nil {
		return nil
	}
	err := p.open.Close()
	p.open = nil
	return err
}

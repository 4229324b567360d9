package artefact

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"
)

const (
	// packWindow bounds the memory of packing and of unpacking.
	packWindow = 4 << 20
	// workFactor of a passphrase costs 32 MiB and a fifth of a second; age's own 18 costs 256 MiB.
	workFactor         = 15
	shortestPassphrase = 12
)

// recipient is nil for a plain artefact.
func (e Encryption) recipient() (age.Recipient, error) {
	switch e.Mode {
	case ByRecipient:
		r, err := age.ParseX25519Recipient(e.Recipient)
		if err != nil {
			return nil, errors.New("the recipient of the backup is no age public key: it begins with age1")
		}
		return r, nil
	case ByPassphrase:
		if len(e.Passphrase) < shortestPassphrase {
			return nil, fmt.Errorf("the passphrase of the backup is too short: take at least %d characters",
				shortestPassphrase)
		}
		r, err := age.NewScryptRecipient(e.Passphrase)
		if err != nil {
			return nil, fmt.Errorf("use the passphrase of the backup: %w", err)
		}
		r.SetWorkFactor(workFactor)
		return r, nil
	case Plain:
		return nil, nil
	}
	return nil, errors.New("the encryption of the backup must be age, passphrase or none")
}

// Check proves that a new artefact could be encrypted like this.
func (e Encryption) Check() error {
	_, err := e.recipient()
	return err
}

// packer takes the plain content of an entry: it packs it, encrypts it, cuts it into parts and hands them to the lanes.
type packer struct {
	io.Writer
	zstd *zstd.Encoder
	age  io.WriteCloser // nil for a plain artefact
	cut  *cutter
}

func newPacker(cut *cutter, r age.Recipient) (*packer, error) {
	p := &packer{cut: cut}
	var into io.Writer = cut
	if r != nil {
		encrypted, err := age.Encrypt(cut, r)
		if err != nil {
			return nil, fmt.Errorf("encrypt the backup: %w", err)
		}
		p.age, into = encrypted, encrypted
	}
	packed, err := zstd.NewWriter(into, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(packWindow),
		zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil, fmt.Errorf("pack the backup: %w", err)
	}
	p.zstd, p.Writer = packed, packed
	return p, nil
}

// finish is called only when the content is whole: without it what was written can be read by nobody.
func (p *packer) finish() error {
	if err := p.zstd.Close(); err != nil {
		return err
	}
	if p.age != nil {
		if err := p.age.Close(); err != nil {
			return err
		}
	}
	return p.cut.finish()
}

// cutter cuts a stream into parts of one size, and hands each on in chunks.
type cutter struct {
	ctx   context.Context //nolint:containedctx // of the stream that is written
	name  string
	entry Entry
	most  int64
	lanes *lanes
	note  func(bytes int64)

	chunk []byte
	parts []Part
	open  bool
	sum   hash.Hash
	size  int64
	total int64
}

// Write collects chunks.
func (c *cutter) Write(data []byte) (n int, err error) {
	for len(data) > 0 {
		if c.chunk == nil {
			c.chunk = make([]byte, 0, chunkBytes)
		}
		room := min(int64(cap(c.chunk)-len(c.chunk)), c.most-c.size-int64(len(c.chunk)), int64(len(data)))
		c.chunk = append(c.chunk, data[:room]...)
		n, data = n+int(room), data[room:]
		if err := c.forward(false); err != nil {
			return n, err
		}
	}
	return n, nil
}

// forward hands on a full chunk, and ends a full part. At the end of the stream also what is not full.
func (c *cutter) forward(last bool) error {
	whole := c.size+int64(len(c.chunk)) == c.most
	if len(c.chunk) < cap(c.chunk) && !whole && !last {
		return nil
	}
	if err := c.send(); err != nil {
		return err
	}
	if (whole || last) && c.open {
		return c.endPart()
	}
	return nil
}

func (c *cutter) send() error {
	if len(c.chunk) == 0 {
		return nil
	}
	if !c.open {
		if err := c.beginPart(); err != nil {
			return err
		}
	}
	c.sum.Write(c.chunk)
	c.size += int64(len(c.chunk))
	c.total += int64(len(c.chunk))
	m := message{data: c.chunk}
	c.chunk = nil
	c.note(c.total)
	return c.lanes.send(c.ctx, m)
}

func (c *cutter) beginPart() error {
	c.open, c.sum, c.size = true, sha256.New(), 0
	return c.lanes.send(c.ctx, message{begin: partFile(c.name, c.entry, len(c.parts)+1)})
}

func (c *cutter) endPart() error {
	c.parts = append(c.parts, Part{
		File: partFile(c.name, c.entry, len(c.parts)+1), Bytes: c.size, SHA256: hex.EncodeToString(c.sum.Sum(nil)),
	})
	c.open, c.size = false, 0
	return c.lanes.send(c.ctx, message{end: true})
}

func (c *cutter) finish() error { return c.forward(true) }

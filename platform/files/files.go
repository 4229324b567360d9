// Package files keeps files by the SHA-256 digest of their content, for all panels on a database.
//
// PostgreSQL is the truth; each panel keeps a copy on its disk beside it, for serving. A file is written in one
// transaction, piece by piece, so that a panel that dies in the middle leaves nothing behind and no file is held in
// memory. A file stays as long as somebody uses it, and a day longer.
package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"
	"go.uber.org/zap"

	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/jobs"
	"panel/platform/pattern"
)

// Agents is the audience of a file that every agent may fetch; a node's id is that of a file for this node alone.
const Agents = "agents"

// piece is how much of a file is in memory at a time.
const piece = 1 << 20

// Grace is how long a file stays that nobody uses, so that whoever has just stored it can say so.
const Grace = 24 * time.Hour

var (
	errUnknown = fault.Missing("there is no such file")
	errFull    = fault.Unavailable("the disk of the database is full; make room and try again")
)

// ErrDamaged means that the content is not that of the announced digest or size.
var ErrDamaged = fault.Invalid("file_damaged", "the file is not the one that was announced: its digest or size differs")

// File is one stored file.
type File struct {
	SHA256 string
	Size   int64
}

// Store keeps files.
type Store struct {
	db    *database.DB
	cache *cache
}

// NewStore makes a store whose copies are in a folder of the panel's own.
func NewStore(db *database.DB, folder string, log *zap.Logger) *Store {
	s := &Store{db: db}
	s.cache = &cache{folder: folder, log: log, filling: map[string]*filling{}}
	return s
}

// Tidy removes files that nobody uses.
func Tidy() jobs.Tidy {
	const few = 4 // files are large
	return jobs.Tidy{
		Table: "files", Column: "created_at", Age: Grace, Batch: few,
		Unless: "exists (select from file_uses u where u.sha256 = files.sha256)",
	}
}

var digest = pattern.Of(`^[0-9a-f]{64}$`)

// Put stores the content and takes part in the context's transaction. With a digest in want, the content must have it;
// what is stored already is not stored again. Faults: file_damaged (422), unavailable (503) when the database is full.
func (s *Store) Put(ctx context.Context, content io.Reader, want File) (stored File, err error) {
	if there, err := s.Find(ctx, want.SHA256); want.SHA256 != "" && err == nil {
		return there, nil
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		id := database.NewID()
		if _, err := s.db.In(ctx).NewRaw("insert into files (id) values (?)", id).Exec(ctx); err != nil {
			return stated(err)
		}
		if stored, err = s.write(ctx, id, content); err != nil {
			return err
		}
		if want.SHA256 != "" && want != stored {
			return ErrDamaged
		}
		return s.name(ctx, id, stored)
	})
	return stored, err
}

func (s *Store) write(ctx context.Context, id string, content io.Reader) (File, error) {
	sum, buffer, size := sha256.New(), make([]byte, piece), int64(0)
	for number := 0; ; number++ {
		n, err := io.ReadFull(content, buffer)
		if n > 0 {
			sum.Write(buffer[:n])
			size += int64(n)
			_, stored := s.db.In(ctx).NewRaw("insert into file_pieces (file_id, number, content) values (?, ?, ?)",
				id, number, buffer[:n]).Exec(ctx)
			if stored != nil {
				return File{}, stated(stored)
			}
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return File{SHA256: hex.EncodeToString(sum.Sum(nil)), Size: size}, nil
		case err != nil:
			return File{}, fmt.Errorf("read a file to be stored: %w", err)
		}
	}
}

// name gives the written file its digest; if another one has it meanwhile, that one stays.
func (s *Store) name(ctx context.Context, id string, f File) error {
	const oneAtATime = "select pg_advisory_xact_lock(hashtextextended(?, 0))"
	if _, err := s.db.In(ctx).NewRaw(oneAtATime, f.SHA256).Exec(ctx); err != nil {
		return stated(err)
	}
	done, err := s.db.In(ctx).NewRaw(`update files set sha256 = ?0, size = ?1 where id = ?2
		and not exists (select from files where sha256 = ?0)`, f.SHA256, f.Size, id).Exec(ctx)
	if err != nil {
		return stated(err)
	}
	if n, err := done.RowsAffected(); err != nil || n == 1 {
		return err
	}
	_, err = s.db.In(ctx).NewRaw("delete from files where id = ?", id).Exec(ctx)
	return stated(err)
}

// stated says in words that the database has no room.
func stated(err error) error {
	const full = "53100"
	if err != nil && database.State(err) == full {
		return errFull.Wrap(err)
	}
	return database.Fault(err, nil)
}

// Find gives a stored file. Fault: not_found (404).
func (s *Store) Find(ctx context.Context, sum string) (File, error) {
	f := File{SHA256: sum}
	if !digest().MatchString(sum) {
		return f, errUnknown
	}
	err := s.db.In(ctx).NewRaw("select size from files where sha256 = ?", sum).Scan(ctx, &f.Size)
	if fault.KindOf(database.Fault(err, nil)) == fault.KindMissing {
		return f, errUnknown
	}
	return f, database.Fault(err, nil)
}

// Open gives the content from this panel's disk, where it is brought first; with a disk that takes nothing it comes
// from the database piece by piece. Fault: not_found (404).
func (s *Store) Open(ctx context.Context, sum string) (io.ReadCloser, File, error) {
	f, err := s.Find(ctx, sum)
	if err != nil {
		return nil, f, err
	}
	return s.opened(ctx, f)
}

func (s *Store) opened(ctx context.Context, f File) (io.ReadCloser, File, error) {
	if copied, err := s.cache.open(ctx, s, f); err == nil {
		return copied, f, nil
	}
	return s.stream(ctx, f), f, nil
}

// Use notes which files an owner needs and who may fetch them, in place of what was noted before; none frees them. It
// takes part in the context's transaction. Fault: not_found (404) for a file that is not stored.
func (s *Store) Use(ctx context.Context, owner, audience string, sums ...string) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		_, err := s.db.In(ctx).
			NewRaw("delete from file_uses where owner = ? and audience = ? and not sha256 = any(?::text[])",
				owner, audience, pgdialect.Array(sums)).
			Exec(ctx)
		if err != nil || len(sums) == 0 {
			return database.Fault(err, nil)
		}
		_, err = s.db.In(ctx).NewRaw(`insert into file_uses (owner, audience, sha256) select ?, ?, unnest(?::text[])
			on conflict do nothing`, owner, audience, pgdialect.Array(once(sums))).Exec(ctx)
		return database.Fault(err, map[string]*fault.Fault{"file_uses_sha256_fkey": errUnknown})
	})
}

func once(sums []string) []string { return slices.Compact(slices.Sorted(slices.Values(sums))) }

// OpenFor is Open for an agent: only what every agent may have or what is meant for its node. Fault: not_found (404).
func (s *Store) OpenFor(ctx context.Context, nodeID, sum string) (io.ReadCloser, File, error) {
	f := File{SHA256: sum}
	if nodeID == "" || !digest().MatchString(sum) {
		return nil, f, errUnknown
	}
	err := s.db.In(ctx).NewRaw(`select size from files f where sha256 = ?0 and exists (
		select from file_uses u where u.sha256 = f.sha256 and u.audience in (?1, ?2))`, sum, Agents, nodeID).
		Scan(ctx, &f.Size)
	if err = database.Fault(err, nil); err != nil && fault.KindOf(err) == fault.KindMissing {
		return nil, f, errUnknown
	}
	if err != nil {
		return nil, f, err
	}
	return s.opened(ctx, f)
}

// stream reads piece by piece.
func (s *Store) stream(ctx context.Context, f File) io.ReadCloser {
	return &pieces{ctx: ctx, store: s, sum: f.SHA256}
}

type pieces struct {
	ctx    context.Context //nolint:containedctx // a reader lives as long as the request that reads
	store  *Store
	sum    string
	number int
	rest   []byte
}

// Read gives what is left of the piece, else the next one.
func (p *pieces) Read(into []byte) (int, error) {
	for len(p.rest) == 0 {
		var next [][]byte
		err := p.store.db.In(p.ctx).NewRaw(`select content from file_pieces p join files f on f.id = p.file_id
			where f.sha256 = ? and p.number = ?`, p.sum, p.number).Scan(p.ctx, &next)
		if err != nil {
			return 0, database.Fault(err, nil)
		}
		if len(next) == 0 {
			return 0, io.EOF
		}
		p.rest = next[0]
		p.number++
	}
	n := copy(into, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

// Close ends nothing: no connection is held between two pieces.
func (p *pieces) Close() error { return nil }

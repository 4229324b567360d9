// Package idempotency lets a client repeat a request that carries an Idempotency-Key without doing its work twice.
//
// The key is reserved before the work. The transaction of the change marks it, so that the two are committed together,
// and the answer is stored afterwards, sealed: it may hold a secret that is shown once. Of the request only a keyed
// digest is kept, from which a copy of the database tells nothing about a password in it. A panel that is killed in
// between leaves one of two things behind: a key that is not marked, whose work was not done and is done by the
// repeated request, or a marked one without an answer, which is told as such and never done again.
package idempotency

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/jobs"
	"panel/platform/vault"
)

// Columns are the sealed columns of this package, for the list of all sealed columns.
var Columns = []vault.Column{{Table: "idempotency_keys", ID: "id", Column: "sealed_answer"}}

// Tidy removes keys after two days: a client has a day to repeat a request.
var Tidy = []jobs.Tidy{{Table: "idempotency_keys", Column: "created_at", Age: 48 * time.Hour}}

// Store keeps the keys of all accounts.
type Store struct {
	db    *database.DB
	vault *vault.Vault
}

// NewStore keeps keys in the database and seals answers with the vault.
func NewStore(db *database.DB, v *vault.Vault) *Store { return &Store{db: db, vault: v} }

// Request is one that carries a key. Two are the same if their digests are.
type Request struct {
	AccountID, Operation, Key string
	Digest                    [sha256.Size]byte
	Within                    time.Duration // how long the work may take at most
}

// Answer is what the first request of a key was answered.
type Answer struct {
	Status      int
	ContentType string
	Body        []byte
}

// Run is the one request that does the work of a key.
type Run struct {
	store *Store
	id    string // of the row
	run   string // changes when another request takes the key over
}

// The refusals of a key.
var (
	errMismatch = fault.Conflict("idempotency_mismatch",
		"this Idempotency-Key was sent with another request; use a new one")
	errRunning = fault.Conflict("idempotency_in_progress",
		"the first request with this Idempotency-Key is still being worked on; "+
			"repeat it in a moment").After(time.Second)
	errLost = fault.Conflict("idempotency_answer_lost",
		"the first request with this Idempotency-Key was carried out, but its answer "+
			"was lost; look at what there is, and use a new key for another request")
)

// grace is what a request has beyond its deadline before its key may be taken over.
const grace = 10 * time.Second

type keyRow struct {
	ID          string `bun:"id"`
	Run         string `bun:"run"`
	Digest      []byte `bun:"digest"`
	Committed   bool   `bun:"committed"`
	Held        bool   `bun:"held"`
	Status      *int   `bun:"status"`
	ContentType string `bun:"content_type"`
	Sealed      string `bun:"sealed_answer"`
}

// Begin reserves the key of a request. It gives the run that does the work, or the answer that was given before.
// Faults: idempotency_mismatch, idempotency_in_progress, idempotency_answer_lost (409).
func (s *Store) Begin(ctx context.Context, r Request) (*Run, *Answer, error) {
	digests := s.vault.Digests(r.Digest[:])
	run, err := s.reserve(ctx, r, digests)
	if err != nil || run != nil {
		return run, nil, err
	}
	var row keyRow
	err = s.db.NewRaw(`select id, run, digest, committed, held_until > now() as held, status, content_type, sealed_answer
		from idempotency_keys where account_id = ? and operation = ? and key = ?`, r.AccountID, r.Operation, r.Key).Scan(ctx, &row)
	switch {
	case errors.Is(err, sql.ErrNoRows): // the first one has just failed
		return nil, nil, errRunning
	case err != nil:
		return nil, nil, database.Fault(fmt.Errorf("read the Idempotency-Key: %w", err), nil)
	case !slices.ContainsFunc(digests, func(known []byte) bool { return bytes.Equal(known, row.Digest) }):
		return nil, nil, errMismatch
	case row.Status != nil:
		answer, err := s.answerOf(row)
		return nil, answer, err
	case row.Committed && !row.Held:
		return nil, nil, errLost
	}
	return nil, nil, errRunning
}

// reserve takes a key that is new, or one whose request died before it changed anything.
func (s *Store) reserve(ctx context.Context, r Request, digests [][]byte) (*Run, error) {
	run := &Run{store: s, run: database.NewID()}
	err := s.db.NewRaw(`insert into idempotency_keys as k (id, account_id, operation, key, digest, run, held_until, created_at)
		values (?, ?, ?, ?, ?, ?, now() + ? * interval '1 second', now())
		on conflict (account_id, operation, key) do update set run = excluded.run, held_until = excluded.held_until
			where not k.committed and k.status is null and k.held_until <= now() and k.digest = any(?)
		returning id`, database.NewID(), r.AccountID, r.Operation, r.Key, digests[0], run.run, (r.Within+grace).Seconds(),
		pgdialect.Array(digests)).Scan(ctx, &run.id)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil //nolint:nilnil // somebody else has it
	case err != nil:
		return nil, database.Fault(fmt.Errorf("reserve the Idempotency-Key: %w", err), nil)
	}
	return run, nil
}

func place(id string) vault.Ref {
	return vault.Ref{Table: "idempotency_keys", ID: id, Column: "sealed_answer"}
}

func (s *Store) answerOf(row keyRow) (*Answer, error) {
	body, err := s.vault.Open(place(row.ID), row.Sealed)
	if err != nil {
		return nil, fmt.Errorf("open the stored answer: %w", err)
	}
	return &Answer{Status: *row.Status, ContentType: row.ContentType, Body: body}, nil
}

// Context lets every transaction that is begun with it mark the key at its end. One that was overtaken, because it was
// frozen for longer than its deadline, is refused there and changes nothing.
func (r *Run) Context(ctx context.Context) context.Context {
	return database.BeforeCommit(ctx, func(ctx context.Context) error {
		done, err := r.store.db.In(ctx).NewRaw("update idempotency_keys set committed = true where id = ? and run = ?",
			r.id, r.run).Exec(ctx)
		if err != nil {
			return database.Fault(fmt.Errorf("mark the Idempotency-Key: %w", err), nil)
		}
		if n, err := done.RowsAffected(); err != nil || n == 0 {
			return errRunning
		}
		return nil
	})
}

const endWithin = 5 * time.Second

// End stores the answer of a request that succeeded or changed something; after any other the key is free again.
func (r *Run) End(ctx context.Context, answer Answer) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endWithin)
	defer cancel()
	if answer.Status >= 300 {
		done, err := r.store.db.NewRaw("delete from idempotency_keys where id = ? and run = ? and not committed", r.id,
			r.run).Exec(ctx)
		if err != nil {
			return fmt.Errorf("free the Idempotency-Key: %w", err)
		}
		if n, err := done.RowsAffected(); err != nil || n > 0 {
			return err
		}
	}
	_, err := r.store.db.NewRaw("update idempotency_keys set status = ?, content_type = ?, sealed_answer = ? where id = ? and run = ?",
		answer.Status, answer.ContentType, r.store.vault.Seal(place(r.id), answer.Body), r.id, r.run).Exec(ctx)
	if err != nil {
		return fmt.Errorf("store the answer of the Idempotency-Key: %w", err)
	}
	return nil
}

package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"panel/cmd/panel-bench/internal/measure"
	"panel/e2e/rig"
)

const (
	writers       = 8
	journalLength = 100_000

	// What plain inserts and reading alone reach on an idle machine of two cores, for which the goal's figures were
	// set.
	usualWrites  = 2_500
	usualReading = 300_000
)

// auditedWrite (P15) compares a write through the API, with its line in the journal, with a plain insert of such a
// line, and the proof of the journal with reading it.
func auditedWrite(ctx context.Context, b *bench) ([]measure.Result, error) {
	s, err := b.install(ctx, "journal", nil)
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.New(ctx, s.dsn)
	if err != nil {
		return nil, fmt.Errorf("connect to the database of the run: %w", err)
	}
	b.atEnd(func() error { pool.Close(); return nil })
	if _, err := pool.Exec(ctx, "create table plain (like journal including all)"); err != nil {
		return nil, fmt.Errorf("make a table without a journal's duties: %w", err)
	}
	limits, products, err := b.pairs(
		func() (float64, error) {
			return b.together(ctx, func(ctx context.Context) error { return insertPlain(ctx, pool) })
		},
		func() (float64, error) { return b.together(ctx, s.audited) })
	if err != nil {
		return nil, err
	}
	results := []measure.Result{
		measure.AtLeast("P15", "audited write through the API against a plain insert", "1/s", limits, products, 0.20),
		measure.Above("P15", "audited writes", "1/s", limits, products, 500, usualWrites),
	}
	proofs, err := b.proofs(ctx, s, pool)
	return append(results, proofs...), err
}

// together repeats the work on several connections for one reading.
func (b *bench) together(ctx context.Context, work func(context.Context) error) (float64, error) {
	var done atomic.Int64
	var all sync.WaitGroup
	failures := make([]error, writers)
	began := time.Now()
	for i := range writers {
		all.Go(func() {
			for failures[i] == nil && time.Since(began) < b.each {
				failures[i] = work(ctx)
				done.Add(1)
			}
		})
	}
	all.Wait()
	for _, err := range failures {
		if err != nil {
			return 0, err
		}
	}
	return float64(done.Load()) / time.Since(began).Seconds(), nil
}

// line has the length of a real one.
const line = ` (id, at, actor_kind, actor_id, actor_name, action, object_type, object_id, object_name, result, ip, user_agent, request_id, changes, count, mark)
	select gen_random_uuid(), now(), 'admin', '0197f3a0-0000-7000-8000-00000000000a', 'admin', 'node.enrollment_token_created', 'enrollment_token',
		'0197f3a0-0000-7000-8000-00000000000c', 'bench', 'ok', '127.0.0.1', 'Go-http-client/1.1', '0197f3a0-0000-7000-8000-00000000000d',
		'{"label":{"from":null,"to":"bench"},"kind":{"from":null,"to":"one_off"},"usage_limit":{"from":null,"to":1}}', 1, ''`

func insertPlain(ctx context.Context, pool *pgxpool.Pool) error {
	_, err := pool.Exec(ctx, "insert into plain"+line)
	return err
}

// audited makes an enrolment token: one row and its line in the journal.
func (s *stand) audited(ctx context.Context) error {
	return s.API.Post(ctx, "/api/v1/nodes/enrollment-tokens", map[string]string{"label": "bench"}, nil)
}

type proof struct {
	Complete bool  `json:"complete"`
	Checked  int64 `json:"checked"`
	Unsealed int   `json:"unsealed"`
}

// proofs fills the journal, waits until all of it is sealed and has it proved.
func (b *bench) proofs(ctx context.Context, s *stand, pool *pgxpool.Pool) ([]measure.Result, error) {
	began := time.Now()
	if _, err := pool.Exec(ctx, "insert into journal"+line+" from generate_series(1, $1)", journalLength); err != nil {
		return nil, fmt.Errorf("fill the journal: %w", err)
	}
	filled := time.Since(began)
	err := rig.Eventually(ctx, 5*time.Minute, func(ctx context.Context) error {
		var open int
		err := pool.QueryRow(ctx, "select count(*) from journal where seq is null").Scan(&open)
		if err == nil && open > 0 {
			err = fmt.Errorf("%d entries wait to be sealed", open)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	sealed := time.Since(began) - filled
	limits, products, err := b.pairs(
		func() (float64, error) { return readJournal(ctx, pool) },
		func() (float64, error) { return s.prove(ctx) })
	verify := measure.Above(
		"P15",
		"verification of the journal, beside reading alone",
		"rows/s",
		limits,
		products,
		100_000,
		usualReading,
	)
	verify = verify.Note("sealing: %.0f rows/s", journalLength/sealed.Seconds())
	return []measure.Result{verify}, err
}

func (s *stand) prove(ctx context.Context) (float64, error) {
	var p proof
	began := time.Now()
	if err := s.API.Get(ctx, "/api/v1/audit/verify", &p); err != nil {
		return 0, err
	}
	if !p.Complete || p.Checked < journalLength {
		return 0, fmt.Errorf("verify the journal: only %d entries were checked", p.Checked)
	}
	return float64(p.Checked) / time.Since(began).Seconds(), nil
}

// readJournal is the limit: the same columns in the same order, looked at by nobody.
func readJournal(ctx context.Context, pool *pgxpool.Pool) (float64, error) {
	began := time.Now()
	rows, err := pool.Query(
		ctx,
		`select id, actor_kind, actor_id, actor_name, action, object_type, object_id, object_name, result, ip, user_agent,
		request_id, changes, at, count, mark, seq, hash_prev, hash, writer, number from journal where seq is not null order by seq`,
	)
	if err != nil {
		return 0, fmt.Errorf("read the journal: %w", err)
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		n++
	}
	return float64(n) / time.Since(began).Seconds(), rows.Err()
}

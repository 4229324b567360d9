package database

import (
	"context"
	"sync/atomic"

	"github.com/uptrace/bun"
)

// transaction is what a context holds while its transaction runs.
type transaction struct {
	db    *DB
	tx    bun.Tx
	ended atomic.Bool
}

type transactionKey struct{}

func transactionOf(ctx context.Context) *transaction {
	t, _ := ctx.Value(transactionKey{}).(*transaction)
	return t
}

// InTx runs the function in one read-committed transaction; an error or a panic undoes it. The function's context holds
// the transaction: In finds it there, so that whoever is called with that context takes part in it. Within a transaction
// of the same database InTx is a savepoint: its error undoes its own part, and the outer transaction decides about the
// whole.
func (db *DB) InTx(ctx context.Context, change func(ctx context.Context) error) error {
	return db.WithTx(ctx, func(ctx context.Context, _ bun.Tx) error { return change(ctx) })
}

// WithTx is InTx for functions that take the transaction as an argument.
func (db *DB) WithTx(ctx context.Context, change func(ctx context.Context, tx bun.Tx) error) error {
	tx, err := db.begin(ctx)
	if err != nil {
		return err
	}
	running := &transaction{db: db, tx: tx}
	committed := false
	defer func() {
		running.ended.Store(true)
		if !committed {
			_ = tx.Rollback() // the error that led here says more
		}
	}()
	if err := change(context.WithValue(ctx, transactionKey{}, running), tx); err != nil {
		return err
	}
	committed = true
	return tx.Commit()
}

func (db *DB) begin(ctx context.Context) (bun.Tx, error) {
	if outer := transactionOf(ctx); outer != nil && outer.db == db {
		return outer.tx.BeginTx(ctx, nil)
	}
	return db.BeginTx(ctx, nil)
}

// In gives what a query with this context runs on: the context's transaction, else the pool. A context that outlives its
// transaction is an error of the caller, and queries with it fail.
func (db *DB) In(ctx context.Context) bun.IDB {
	if t := transactionOf(ctx); t != nil && t.db == db {
		return t.tx
	}
	return db.DB
}

// InTransaction reports whether the context holds a transaction that still runs. Who is about to wait for something
// outside the database must not hold one.
func InTransaction(ctx context.Context) bool {
	t := transactionOf(ctx)
	return t != nil && !t.ended.Load()
}

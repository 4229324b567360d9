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
	outer *transaction // the one it is a savepoint of
	ended atomic.Bool
	after []func() // what AfterCommit postponed
}

type transactionKey struct{}

func transactionOf(ctx context.Context) *transaction {
	t, _ := ctx.Value(transactionKey{}).(*transaction)
	return t
}

// InTx runs the function in one read-committed transaction; an error or a panic undoes it. The function's context holds
// the transaction: In finds it there, so that whoever is called with that context takes part in it. Within a
// transaction of the same database InTx is a savepoint: its error undoes its own part, and the outer transaction
// decides about the whole.
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
	if outer := transactionOf(ctx); outer != nil && outer.db == db {
		running.outer = outer
	}
	committed := false
	defer func() {
		running.ended.Store(true)
		if !committed {
			_ = tx.Rollback() // the error that led here says more
		}
	}()
	inside := context.WithValue(ctx, transactionKey{}, running)
	if err := change(inside, tx); err != nil {
		return err
	}
	if hook, has := ctx.Value(beforeCommitKey{}).(func(context.Context) error); has && transactionOf(ctx) == nil {
		if err := hook(inside); err != nil {
			return err
		}
	}
	committed = true
	if err := tx.Commit(); err != nil {
		return err
	}
	running.ended.Store(true)
	running.commit()
	return nil
}

// commit does what was postponed, or leaves it to the transaction that decides about the whole.
func (t *transaction) commit() {
	if t.outer != nil {
		t.outer.after = append(t.outer.after, t.after...)
		return
	}
	for _, do := range t.after {
		do()
	}
}

// AfterCommit calls the function once the context's transaction has committed, and never when it is undone; without a
// transaction it calls it at once. A process that is killed in between does not call it: it is for what the next read
// makes good, such as a copy in memory or news for those who watch. The function must be quick.
func AfterCommit(ctx context.Context, do func()) {
	if t := transactionOf(ctx); t != nil && !t.ended.Load() {
		t.after = append(t.after, do)
		return
	}
	do()
}

type beforeCommitKey struct{}

// BeforeCommit gives a context whose outermost transactions run the hook as their last step: what it writes is
// committed with them, and its error undoes them.
func BeforeCommit(ctx context.Context, hook func(ctx context.Context) error) context.Context {
	return context.WithValue(ctx, beforeCommitKey{}, hook)
}

func (db *DB) begin(ctx context.Context) (bun.Tx, error) {
	if outer := transactionOf(ctx); outer != nil && outer.db == db {
		return outer.tx.BeginTx(ctx, nil)
	}
	return db.BeginTx(ctx, nil)
}

// In gives what a query with this context runs on: the context's transaction, else the pool. A context that outlives
// its transaction is an error of the caller, and queries with it fail.
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

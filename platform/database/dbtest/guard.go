package dbtest

import (
	"context"
	"runtime/debug"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"panel/platform/database"
)

// guard finds queries that take a second connection while their context holds a transaction. Under load each such query
// waits for a connection that the transactions of others hold, and all of them wait for ever. It is a tracer of the
// pool, so that queries, batches and COPY are seen alike.
type guard struct {
	pgx.QueryTracer

	mu    sync.Mutex
	found []string
}

// guarded watches over the pool of a test and fails the test at its end.
func guarded(t testing.TB, tracer pgx.QueryTracer) *guard {
	t.Helper()
	g := &guard{QueryTracer: tracer}
	t.Cleanup(func() {
		for _, stack := range g.violations() {
			t.Errorf("a query went to the pool while its context holds a transaction; use db.In(ctx):\n%s", stack)
		}
	})
	return g
}

func (g *guard) violations() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.found
}

// TraceAcquireStart is called by the pool before it gives a connection.
func (g *guard) TraceAcquireStart(
	ctx context.Context,
	_ *pgxpool.Pool,
	_ pgxpool.TraceAcquireStartData,
) context.Context {
	if !database.InTransaction(ctx) {
		return ctx
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.found = append(g.found, string(debug.Stack()))
	return ctx
}

// TraceAcquireEnd belongs to what the pool asks for.
func (g *guard) TraceAcquireEnd(context.Context, *pgxpool.Pool, pgxpool.TraceAcquireEndData) {}

// TraceCopyFromStart counts COPY as the statement that it is.
func (g *guard) TraceCopyFromStart(ctx context.Context, conn *pgx.Conn, _ pgx.TraceCopyFromStartData) context.Context {
	return g.TraceQueryStart(ctx, conn, pgx.TraceQueryStartData{SQL: "copy"})
}

// TraceCopyFromEnd belongs to what the driver asks for.
func (g *guard) TraceCopyFromEnd(ctx context.Context, conn *pgx.Conn, end pgx.TraceCopyFromEndData) {
	g.TraceQueryEnd(ctx, conn, pgx.TraceQueryEndData(end))
}

// untraced is the tracer of a test that does not look at statements.
type untraced struct{}

func (untraced) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

func (untraced) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

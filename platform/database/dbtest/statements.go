package dbtest

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"panel/migrations"
	"panel/platform/access"
	"panel/platform/database"
)

// Statements counts what is sent to one database; unlike time, the count is the same on every machine.
type Statements struct{ sent, asked, worked atomic.Int64 }

// Counted is New with a count of the statements.
func Counted(t testing.TB, sets ...migrations.Set) (*database.DB, *Statements) {
	t.Helper()
	count := new(Statements)
	return open(t, count, sets), count
}

// Sent gives the statements since the database was opened.
func (s *Statements) Sent() int64 { return s.sent.Load() }

// Fewest runs something a few times and gives the fewest statements that it took: a panel's own loops send some
// meanwhile.
func (s *Statements) Fewest(run func()) int64 {
	const rounds = 5
	fewest := s.of(run)
	for range rounds - 1 {
		fewest = min(fewest, s.of(run))
	}
	return fewest
}

func (s *Statements) of(run func()) int64 {
	before := s.Sent()
	run()
	return s.Sent() - before
}

// OfRequests runs something and gives the statements of the requests in it. What a panel does by itself meanwhile,
// which is the more the slower the machine, is not among them.
func (s *Statements) OfRequests(run func()) int64 {
	before := s.asked.Load()
	run()
	return s.asked.Load() - before
}

// OfWork runs something and gives the statements of what a panel does meanwhile in the name of a person, such as an
// apply that goes on after its request.
func (s *Statements) OfWork(run func()) int64 {
	before := s.worked.Load()
	run()
	return s.worked.Load() - before
}

// TraceQueryStart is called by the driver for every statement.
func (s *Statements) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	s.sent.Add(1)
	switch {
	case access.Address(ctx) != "":
		s.asked.Add(1)
	case access.From(ctx).Kind == access.Admin:
		s.worked.Add(1)
	}
	return ctx
}

// TraceQueryEnd belongs to what the driver asks for.
func (s *Statements) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

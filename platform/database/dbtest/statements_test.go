package dbtest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/access"
)

// Statements of bun and of the pool are counted alike, and nothing else is.
func TestEveryStatementIsCountedOnce(t *testing.T) {
	t.Parallel()
	db, count := Counted(t)
	before := count.Sent()
	var one int
	require.NoError(t, db.NewRaw("select ?", 1).Scan(t.Context(), &one))
	require.NoError(t, db.Pool.QueryRow(t.Context(), "select $1::int", 1).Scan(&one))
	_, err := db.Exec("select 1")
	require.NoError(t, err)
	require.EqualValues(t, 3, count.Sent()-before)
}

// A request is known by its client's address, before its caller is known and after.
func TestStatementsOfRequestsAreCountedByThemselves(t *testing.T) {
	t.Parallel()
	db, count := Counted(t)
	one := []int{}
	read := func(ctx context.Context) { require.NoError(t, db.NewRaw("select 1").Scan(ctx, &one)) }
	require.EqualValues(t, 2, count.OfRequests(func() {
		read(context.WithValue(t.Context(), access.AddressKey{}, "192.0.2.1"))
		read(access.With(t.Context(), access.Caller{IP: "192.0.2.1"}))
		read(t.Context())
	}))
}

// What others send in one round does not count against what is measured.
func TestFewestLeavesOutWhatOthersSend(t *testing.T) {
	t.Parallel()
	_, count := Counted(t)
	round := 0
	require.EqualValues(t, 2, count.Fewest(func() {
		round++
		count.sent.Add(2)
		if round != 3 {
			count.sent.Add(5)
		}
	}))
}

// What a panel does in the name of a person is known by that caller, and is no request.
func TestWorkInTheNameOfAPersonIsCountedByItself(t *testing.T) {
	t.Parallel()
	db, count := Counted(t)
	one := []int{}
	read := func(ctx context.Context) { require.NoError(t, db.NewRaw("select 1").Scan(ctx, &one)) }
	require.EqualValues(t, 1, count.OfWork(func() {
		read(access.With(t.Context(), access.Caller{Kind: access.Admin, IP: "192.0.2.1"}))
		read(access.With(t.Context(), access.Caller{Kind: access.Admin}))
		read(t.Context())
	}))
}

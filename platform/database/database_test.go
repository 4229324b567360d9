package database_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"
	"go.uber.org/zap/zaptest"

	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/fault"
)

func TestAWrongAddressIsOneClearSentenceWithoutThePassword(t *testing.T) {
	t.Parallel()
	for dsn, part := range map[string]string{
		"postgres://panel:canary@127.0.0.1:1/panel":       "refused",
		"postgres://panel:canary@no-such-host.invalid/x":  "not known",
		"this is not an address password=canary":          "PANEL_DB_URL must look like",
		"postgres://panel:canary@/x?host=%2Fnowhere%2Fat": "no such file",
	} {
		_, err := database.Open(t.Context(), dsn, database.Options{})
		require.ErrorContains(t, err, part)
		require.ErrorContains(t, err, "PANEL_DB_URL")
		require.NotContains(t, err.Error(), "canary")
		require.NotContains(t, err.Error(), "\n")
	}
}

func TestTimesAreReadAsUTCInAnyServerTimeZone(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	var zone string
	require.NoError(t, db.NewRaw("show timezone").Scan(t.Context(), &zone))
	require.Equal(t, "Asia/Kathmandu", zone)
	var at time.Time
	require.NoError(t, db.NewRaw("select timestamptz '2026-03-01 09:00:00+00'").Scan(t.Context(), &at))
	require.Equal(t, "2026-03-01T09:00:00Z", at.UTC().Format(time.RFC3339))
	require.NoError(t, db.Pool.QueryRow(t.Context(), "select timestamptz '2026-03-01 09:00:00+00'").Scan(&at))
	require.Equal(t, "2026-03-01T09:00:00Z", at.Format(time.RFC3339))
}

func TestErrorsOfTheDatabaseBecomeFaults(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	_, err := db.ExecContext(t.Context(), "create table names (name text constraint names_unique unique)")
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), "insert into names values ('a'), ('a')")
	taken := fault.Conflict("name_taken", "this name is taken")
	require.Equal(t, "names_unique", database.Constraint(err))
	require.ErrorIs(t, database.Fault(err, map[string]*fault.Fault{"names_unique": taken}), taken)
	require.Equal(t, "not_found", fault.Code(database.Fault(sql.ErrNoRows, nil)))
	require.Equal(t, "unavailable", fault.Code(database.Fault(fmt.Errorf("reading: %w", context.DeadlineExceeded),
		nil)))
	require.Equal(t, taken, database.Fault(taken, nil))
	require.NoError(t, database.Fault(nil, nil))
	_, err = db.ExecContext(t.Context(), "select ''::uuid")
	require.Equal(t, "22P02", database.State(err))
	require.Equal(
		t,
		err,
		database.Fault(err, nil),
		"a value that we sent and the database cannot read is our failure, not a missing row",
	)
	plain := errors.New("plain")
	require.Equal(t, plain, database.Fault(plain, nil))
}

func TestAClosedServerConnectionIsUnavailable(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	_, err := db.ExecContext(t.Context(), "select pg_terminate_backend(pg_backend_pid())")
	require.Equal(t, "unavailable", fault.Code(database.Fault(err, nil)))
}

func TestIDsSortByTheTimeTheyWereMade(t *testing.T) {
	t.Parallel()
	first, second := database.NewID(), database.NewID()
	require.Less(t, first, second)
	require.True(t, database.IsID(first))
	for _, bad := range []string{"", "x", strings.ReplaceAll(first, "-", ""), "{" + first + "}", "urn:uuid:" + first} {
		require.False(t, database.IsID(bad))
	}
}

func TestNotificationsArriveAfterCommitAndTheListenerReconnects(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	listener := database.NewListener(db.Pool, zaptest.NewLogger(t))
	got, ready := make(chan string, 10), make(chan struct{}, 10)
	listener.On("things", func(string) { panic("a broken handler must not stop the others") })
	listener.On("things", func(payload string) { got <- payload })
	listener.OnReady(func() { ready <- struct{}{} })
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- listener.Run(ctx) }()
	require.Eventually(t, listener.Healthy, 60*time.Second, time.Millisecond)
	<-ready

	require.NoError(t, db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		require.NoError(t, database.Notify(ctx, tx, "things", "one two"))
		require.Empty(t, got)
		return nil
	}))
	require.Equal(t, "one two", <-got)

	_, err := db.ExecContext(
		ctx,
		"select pg_terminate_backend(pid) from pg_stat_activity where query ilike 'listen%' and datname = current_database()",
	)
	require.NoError(t, err)
	<-ready
	require.Eventually(t, listener.Healthy, 60*time.Second, time.Millisecond)
	require.NoError(t, database.Notify(ctx, db, "things", "three"))
	require.Equal(t, "three", <-got)
	require.ErrorContains(t, database.Notify(ctx, db, "things", strings.Repeat("x", 8000)), "send an id instead")

	stop()
	require.NoError(t, <-ended)
	require.False(t, listener.Healthy())
}
